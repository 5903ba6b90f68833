"""The documentation: every example runs, pages made from the code are up to date, every link leads somewhere."""

from __future__ import annotations

import importlib.util
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from sgraph.cli.app import app
from sgraph.cli.reference import commands
from sgraph.graph.named import catalogue

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_BLOCK = re.compile(r"^```(\w+)?(?: (\S+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(([^)\s]+)\)")


def blocks(page: Path) -> list[tuple[str, str, str]]:
    """Give the language, the file name if one is given, and the text of each fenced block."""
    return [(m[1] or "", m[2] or "", m[3]) for m in _BLOCK.finditer(page.read_text("utf-8"))]


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def shell(text: str) -> Iterator[list[str]]:
    """Give the words of each command that a reader would type: sgraph and export. A quote may go over several lines."""
    lines = iter(text.splitlines())
    for line in lines:
        while line.count('"') % 2:
            line += "\n" + next(lines)
        words = shlex.split(line.removeprefix("$ "), comments=True)
        if words and words[0] in ("sgraph", "export"):
            yield words


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_example_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SGRAPH_SPACE", raising=False)
    names: dict[str, Any] = {"__name__": "example"}
    for language, file, text in blocks(page):
        if file:
            Path(file).write_text(text, encoding="utf-8")
        elif language == "python":
            exec(compile(text, str(page), "exec"), names)
        elif language in ("sh", "console"):
            for words in shell(text):
                if words[0] == "export":
                    variable, _, value = words[1].partition("=")
                    monkeypatch.setenv(variable, value)
                else:
                    done = CliRunner().invoke(app, words[1:], prog_name="sgraph")
                    assert done.exit_code == 0, f"{page.name}: {shlex.join(words)}\n{done.output}"


def test_there_is_something_to_run() -> None:
    languages = [language for page in PAGES for language, _, _ in blocks(page)]
    assert languages.count("python") >= 4
    assert languages.count("sh") >= 5


def without_answers(page: str) -> str:
    """Leave out the tables of the cookbook: answers change with the rules and the day."""
    return "\n".join(line for line in page.splitlines() if not line.startswith("|"))


@pytest.mark.parametrize(
    "name", ["api.md", "cli.md", "cookbook.md", "dump.schema.json", "errors.md", "graph.md", "records.md"]
)
def test_generated_pages_are_up_to_date(generate: ModuleType, name: str) -> None:
    assert name in generate.PAGES
    kept, made = (ROOT / "docs" / name).read_text("utf-8"), generate.PAGES[name]()
    if name == "cookbook.md":
        kept, made = without_answers(kept), without_answers(made)
    assert kept == made, "run: python docs/generate.py"


def test_every_command_query_and_error_is_documented(generate: ModuleType) -> None:
    cli, cookbook, errors = (
        (ROOT / "docs" / page).read_text("utf-8") for page in ("cli.md", "cookbook.md", "errors.md")
    )
    named = [path for path, _ in commands(typer.main.get_command(app))]
    assert [name for name in named if f"## sgraph {name}\n" not in cli] == []
    assert [name for name in catalogue() if f"## {name}\n" not in cookbook] == []
    assert [kind.__name__ for kind in generate.error_classes() if f"| `{kind.__name__}` |" not in errors] == []


def test_every_link_and_named_test_exists() -> None:
    missing = []
    for page in PAGES:
        text = page.read_text("utf-8")
        links = [link.partition("#")[0] for link in _LINK.findall(text) if not link.startswith(("http", "#"))]
        missing += [f"{page.name}: {link}" for link in links if link and not (page.parent / link).exists()]
        named = re.findall(r"`(tests/\w+\.py)`", text)
        missing += [f"{page.name}: {name}" for name in named if not (ROOT / name).exists()]
    assert missing == []


def test_every_page_is_reached_from_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text("utf-8")
    assert [page.name for page in PAGES[1:] if page.name != "index.md" and f"({page.name})" not in index] == []


def test_the_readme_shows_what_the_demo_prints(tmp_path: Path) -> None:
    (shown,) = (text for language, _, text in blocks(ROOT / "README.md") if language == "text")
    printed = CliRunner().invoke(app, ["demo", "--dir", str(tmp_path / "sgraph-demo")], prog_name="sgraph").output
    assert [line for line in shown.splitlines() if line != "  …" and line not in printed.splitlines()] == []


def test_the_readme_begins_with_the_two_commands_of_the_setup() -> None:
    shown = [text.strip() for language, _, text in blocks(ROOT / "README.md") if language == "sh"]
    assert shown[0] == "python3 -m venv .venv && .venv/bin/pip install -q . && .venv/bin/sgraph demo"
    assert shown[1] == ".venv/bin/pip install -q '.[test]' && .venv/bin/python -m pytest -n 2"
