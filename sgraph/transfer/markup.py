"""HTML and SVG elements. What is text is escaped exactly once, when it becomes part of an element."""

from __future__ import annotations

from html import escape

from sgraph.transfer.formats import printable

_VOID = frozenset({"meta", "input"})


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


Child = str | Markup | None


def el(tag: str, *children: Child, **attributes: str | int | float | bool | None) -> Markup:
    """Make an element. `class_` and the like lose their last `_`, other `_` become `-`; None and False leave out."""
    written = "".join(
        f" {name.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(printable(_plain(value)))}"')
        for name, value in attributes.items()
        if value is not None and value is not False
    )
    inside = join(*children)
    return Markup(f"<{tag}{written}>" if tag in _VOID else f"<{tag}{written}>{inside}</{tag}>")


def join(*children: Child) -> Markup:
    """Put texts and elements side by side."""
    return Markup(
        "".join(c if isinstance(c, Markup) else escape(printable(c), quote=False) for c in children if c is not None)
    )


def foreign(text: str, **attributes: str | int | float | bool | None) -> Markup:
    """Make inline text that comes from the data: its writing direction stays its own business."""
    return el("bdi", text, **attributes)


def _plain(value: str | int | float) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)
