"""sgraph: long-term memory for AI agents, kept as a property graph that can be asked in Cypher."""

from sgraph import errors
from sgraph.errors import *  # noqa: F403
from sgraph.memory import Memory
from sgraph.memory import open_memory as open

__version__ = "0.1.0"
__all__ = sorted(
    ["Memory", "open", "__version__", *(name for name in dir(errors) if isinstance(getattr(errors, name), type) and issubclass(getattr(errors, name), errors.SgraphError))]
)
