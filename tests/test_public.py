"""What is public: sorted, importable, documented, and nothing else."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import sgraph
from sgraph import errors

MODULES = [name for _, name, _ in pkgutil.walk_packages(sgraph.__path__, "sgraph.") if not name.endswith("__main__")]
TREE = [kind for kind in vars(errors).values() if inspect.isclass(kind) and issubclass(kind, errors.SgraphError)]


def test_the_root_gives_open_memory_and_the_error_tree() -> None:
    assert sgraph.__all__ == sorted(sgraph.__all__)
    assert set(sgraph.__all__) == {*(kind.__name__ for kind in TREE), "Memory", "open", "__version__"}
    assert all(getattr(sgraph, name) is not None for name in sgraph.__all__)
    assert dir(sgraph) == sgraph.__all__


@pytest.mark.parametrize("module", ["sgraph", *MODULES])
def test_every_module_imports_and_has_what_it_names(module: str) -> None:
    found = importlib.import_module(module)
    assert [name for name in getattr(found, "__all__", []) if not hasattr(found, name)] == []


def test_every_verb_and_every_error_says_what_it_does() -> None:
    public = [getattr(sgraph.Memory, name) for name in dir(sgraph.Memory) if not name.startswith("_")]
    assert [thing for thing in [*public, *TREE] if not (thing.__doc__ or "").strip()] == []


def test_errors_have_codes_of_their_own() -> None:
    codes = [kind.code for kind in TREE]
    assert len(codes) == len(set(codes))
    assert all(re.fullmatch(r"[a-z_]+", code) for code in codes)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError):
        sgraph.nothing  # noqa: B018


def test_importing_the_root_loads_no_engine() -> None:
    heavy = "{'kuzu', 'ladybug', 'whoosh', 'networkx', 'pyarrow', 'openai', 'instructor'}"
    script = f"import sys, sgraph; print(*({heavy} & set(sys.modules)))"
    root = Path(sgraph.__path__[0]).parent
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=root, check=True)
    assert done.stdout.strip() == ""
