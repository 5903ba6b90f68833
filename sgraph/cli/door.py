"""What every command shares: the common options, the open memory, and how errors and warnings reach a person.

A command is a function `(door, its own options) -> Shown`. `command` registers it with the common options added, which
may stand before the command's name or after it.
"""

from __future__ import annotations

import functools
import inspect
import json
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sgraph.cli import exits
from sgraph.cli.output import Form, Shown, clean, show
from sgraph.errors import NotFound, SgraphError

if TYPE_CHECKING:
    from sgraph.memory import Memory

EMPTY = "nothing recorded yet: sgraph ingest FILE, or sgraph demo"
_PANEL = "Common options"
Space = Annotated[
    Path | None,
    typer.Option(
        "--space", metavar="PATH", help="The space; else SGRAPH_SPACE, else ./memory.sgraph.", rich_help_panel=_PANEL
    ),
]
Output = Annotated[
    Form | None, typer.Option("--output", "-o", help="How results are shown (default: text).", rich_help_panel=_PANEL)
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Only results: no progress, no hints.", rich_help_panel=_PANEL)
]
Debug = Annotated[bool, typer.Option("--debug", help="Show where an error arose.", rich_help_panel=_PANEL)]
_COMMON: dict[str, Any] = {"space": Space, "output": Output, "quiet": Quiet, "debug": Debug}
_DEFAULTS: dict[str, Any] = {"space": None, "output": None, "quiet": False, "debug": False}


@dataclass(frozen=True)
class Door:
    """The common options of one call."""

    space: Path | None = None
    output: Form | None = None
    quiet: bool = False
    debug: bool = False

    @property
    def path(self) -> Path:
        """The folder of the space, whether or not it exists."""
        from sgraph.config import Config

        return self.space if self.space is not None else Config().space

    @contextmanager
    def memory(self, *, create: bool = False, **settings: Any) -> Iterator[Memory]:
        """Open the space, with progress. Raises NotFound when there is none, unless `create`: a typo makes no space."""
        from sgraph.memory import open_memory

        if not create and (not self.path.exists() or (self.path.is_dir() and not any(self.path.iterdir()))):
            raise NotFound(f"there is no space at {self.path}; {EMPTY}", kind="space", id=str(self.path))
        with self.steps() as step, open_memory(self.path, progress=step, **settings) as memory:
            yield memory

    @contextmanager
    def steps(self) -> Iterator[Callable[[str, int, int], None]]:
        """Give a `(stage, done, total)` callback that draws a bar on stderr; only on a terminal."""
        if self.quiet or not sys.stderr.isatty():
            yield lambda stage, done, total: None
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            tasks: dict[str, TaskID] = {}

            def step(stage: str, done: int, total: int) -> None:
                if stage not in tasks:
                    tasks[stage] = bar.add_task(stage)
                bar.update(tasks[stage], completed=done, total=total or None)

            yield step


def tell(text: str) -> None:
    """Write a message to stderr."""
    print(f"sgraph: {clean(text)}", file=sys.stderr)


def command(
    app: typer.Typer, name: str, *, panel: str | None = None, without: Sequence[str] = ()
) -> Callable[[Callable[..., Shown | None]], Callable[..., None]]:
    """Register a function as a command with the common options, save those it goes `without`."""
    common = {key: kind for key, kind in _COMMON.items() if key not in without}

    def register(function: Callable[..., Shown | None]) -> Callable[..., None]:
        @functools.wraps(function)
        def run(ctx: typer.Context, **given: Any) -> None:
            own = {key: given.pop(key) or _DEFAULTS[key] for key in common}
            before = ctx.obj or {}
            door = Door(**{key: own.get(key) or before.get(key, default) for key, default in _DEFAULTS.items()})
            raise typer.Exit(_run(door, function, given))

        parameters = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
        keyword = inspect.Parameter.KEYWORD_ONLY
        parameters = [parameter.replace(kind=keyword) for parameter in parameters]
        parameters.insert(0, inspect.Parameter("ctx", keyword, annotation=typer.Context))
        parameters += [
            inspect.Parameter(key, keyword, default=_DEFAULTS[key], annotation=kind) for key, kind in common.items()
        ]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        app.command(name, rich_help_panel=panel)(run)
        return run

    return register


def _run(door: Door, function: Callable[..., Shown | None], given: dict[str, Any]) -> int:
    """Run a command; give its exit code."""
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("always", category=UserWarning)
            warnings.showwarning = functools.partial(_warn, debug=door.debug)
            shown = function(door, **given)
        if shown is None:
            return 0
        show(shown, door.output or Form.TEXT, quiet=door.quiet)
        return shown.exit_code
    except SgraphError as error:
        return _fail(door, exits.exit_code(error), error.code, error.message, error.details)
    except KeyboardInterrupt:
        tell("interrupted; what was recorded stays")
        return exits.INTERRUPTED
    except BrokenPipeError:
        raise
    except UnicodeDecodeError as error:
        return _fail(door, 2, "not_utf8", f"the input is not UTF-8 text: {error.reason} at byte {error.start}", {})
    except OSError as error:
        return _fail(
            door, 2, "os_error", f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}", {}
        )
    except Exception as error:
        text = f"unexpected {type(error).__name__}: {error}"
        return _fail(door, exits.INTERNAL, "internal", text if door.debug else f"{text} (--debug shows where)", {})


def _fail(door: Door, code: int, name: str, message: str, details: dict[str, Any]) -> int:
    if door.debug:
        traceback.print_exc()
    if door.output is Form.JSON:
        print(json.dumps({"error": {"code": name, "message": message, "details": details}}, default=str, indent=2))
    tell(message)
    return code


def _warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: Any = None,
    line: str | None = None,
    *,
    debug: bool,
) -> None:
    """Show our own warnings as one line; those of libraries only while debugging."""
    if debug or category.__module__.startswith("sgraph"):
        tell(str(message))
