"""The files of a space, and space.toml."""

from __future__ import annotations

import os
import re
import tomllib
import uuid
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from sgraph.errors import InvalidInput, NotASpace, SpaceTooNew
from sgraph.graph.engine import ENGINES

FORMAT = 1
_DRAFT = ".space.toml."  # a process killed while it made a space leaves at most such a file
_TOML = """\
id = "{id}"
format = {format}
engine = "{engine}"
storage_version = {storage_version}
created = {created}
"""


@dataclass(frozen=True)
class Layout:
    """Where everything of a space is, and what space.toml says."""

    root: Path
    id: str
    engine: str
    storage_version: int
    created: str

    @property
    def journal(self) -> Path:
        """The record."""
        return self.root / "journal.db"

    @property
    def work(self) -> Path:
        """Jobs and batches; may be deleted."""
        return self.root / "work.db"

    @property
    def graph_dir(self) -> Path:
        """The folder of the graph."""
        return self.root / "graph"

    @property
    def graph(self) -> Path:
        """The engine's file."""
        return self.graph_dir / f"graph.{self.engine}"

    @property
    def building(self) -> Path:
        """Where a replay builds the next graph."""
        return self.root / "graph.new"

    @property
    def lock(self) -> Path:
        """The file the owner locks."""
        return self.root / "graph.lock"

    @property
    def lexicon(self) -> Path:
        """The folder of the index."""
        return self.root / "lexicon"

    @property
    def quarantine(self) -> Path:
        """What was found damaged."""
        return self.root / "quarantine"

    def with_engine(self, engine: str, storage_version: int) -> Layout:
        """Write another engine into space.toml, and give the layout it makes."""
        changed = replace(self, engine=engine, storage_version=storage_version)
        _write(changed)
        return changed


def read(root: Path) -> Layout | None:
    """Read a space's layout; None when nothing is there. Raises NotASpace or SpaceTooNew."""
    file = root / "space.toml"
    if not file.is_file():
        if root.exists() and not (root.is_dir() and all(file.name.startswith(_DRAFT) for file in root.iterdir())):
            raise NotASpace(
                f"{root} is not a space: it has no space.toml. Name a new folder, or an existing space.", path=str(root)
            )
        return None
    try:
        data = tomllib.loads(file.read_text("utf-8"))
        format_ = int(data["format"])
        layout = Layout(root, str(data["id"]), str(data["engine"]), int(data["storage_version"]), str(data["created"]))
    except (tomllib.TOMLDecodeError, KeyError, ValueError, UnicodeDecodeError) as error:
        raise NotASpace(f"{file} does not read: {error}", path=str(root)) from error
    if format_ > FORMAT:
        raise SpaceTooNew(
            f"{root} has format {format_}; this sgraph knows {FORMAT}: upgrade sgraph-memory",
            path=str(root), found=format_, supported=FORMAT,
        )
    if layout.engine not in ENGINES:
        raise NotASpace(f"{file} names an unknown engine {layout.engine!r}", path=str(root))
    return layout


def create(root: Path, engine: str, storage_version: int, id: str | None = None) -> Layout:
    """Make the folder and space.toml; of several processes that do so at once, one wins and all get its layout."""
    if not re.fullmatch(r"[a-z]+", engine):
        raise InvalidInput(f"no engine is called {engine!r}", field="engine", value=engine)
    root.mkdir(parents=True, exist_ok=True)
    created = datetime.now(UTC).replace(microsecond=0).isoformat()
    layout = Layout(root, id or str(uuid.uuid4()), engine, storage_version, created)
    _write(layout, only_if_absent=True)
    found = read(root)
    assert found is not None
    return found


def _write(layout: Layout, *, only_if_absent: bool = False) -> None:
    file = layout.root / "space.toml"
    draft = layout.root / f"{_DRAFT}{os.getpid()}.{uuid.uuid4().hex[:8]}"
    text = _TOML.format(
        id=layout.id, format=FORMAT, engine=layout.engine, storage_version=layout.storage_version,
        created=layout.created
    )
    with draft.open("w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    try:
        if only_if_absent:
            os.link(draft, file)
        else:
            draft.replace(file)
    except FileExistsError:
        pass
    finally:
        draft.unlink(missing_ok=True)
