"""The picture of a subgraph: inline SVG without script, the same for the same data.

Every node with its label is one box. A spring layout places the nodes of each connected part, boxes that overlap are
pushed apart, and the parts are set side by side. Pointing at a node,
or moving the focus to it, singles out its relations.
"""

from __future__ import annotations

import math
import unicodedata
from collections import defaultdict
from dataclasses import dataclass

import networkx as nx
import numpy as np
import numpy.typing as npt

from sgraph.records.subgraph import SubgraphClaim, SubgraphData, SubgraphNode
from sgraph.transfer.markup import Markup, el, join
from sgraph.transfer.wording import label

MOST = 300  # nodes drawn; beyond 499 networkx would need scipy for the layout
ALWAYS_LABELLED = 24  # up to so many edges their labels are always shown
_SEED = 7
_CHARACTER, _LINE = 6.6, 15.0  # of a label, in units of the picture
_LONGEST_LABEL = 24
_ASPECT = 1.3  # width by height of a connected part

# kind → corners of its sign (0: a circle) and their turn in degrees
SHAPES: dict[str, tuple[int, float]] = {
    "person": (0, 0),
    "organization": (4, 45),
    "project": (4, 0),
    "tool": (6, 0),
    "place": (3, -90),
    "pet": (5, -90),
    "other": (8, 22.5),
}
Points = npt.NDArray[np.float64]


@dataclass(frozen=True)
class _Dot:
    """A node on the picture."""

    index: int
    node: SubgraphNode
    radius: float
    label: str

    @property
    def half(self) -> tuple[float, float]:
        """Half the width and height of its box."""
        return max(self.radius, _width(self.label) / 2) + 9, self.radius + _LINE / 2 + 9


def kind_class(kind: str) -> str:
    """Give the style class of a kind; kinds without a sign of their own share one."""
    return f"k-{kind if kind in SHAPES else 'other'}"


def sign(kind: str, x: float, y: float, radius: float) -> Markup:
    """Draw the sign of a kind."""
    corners, turn = SHAPES.get(kind, SHAPES["other"])
    if not corners:
        return el("circle", cx=x, cy=y, r=radius)
    angles = [math.radians(turn + 360 * corner / corners) for corner in range(corners)]
    reach = radius * (1.25 if corners < 6 else 1.08)  # so that all signs look equally large
    return el(
        "polygon", points=" ".join(f"{x + reach * math.cos(a):.1f},{y + reach * math.sin(a):.1f}" for a in angles)
    )


def picture(data: SubgraphData, anchors: dict[str, str]) -> Markup:
    """Draw the subgraph, at most `MOST` nodes of it. `anchors` gives where an entity or a claim is explained."""
    degree: dict[str, int] = defaultdict(int)
    for edge in data.edges:
        for end in {edge.entity, edge.about or edge.entity}:
            degree[end] += 1
    drawn = sorted(data.nodes, key=lambda node: (node.id not in data.starts, -degree[node.id]))[:MOST]
    dots = {
        node.id: _Dot(i, node, min(26.0, 7 + 2.4 * math.sqrt(degree[node.id])), _short(node.name))
        for i, node in enumerate(drawn)
    }
    edges = [edge for edge in data.edges if edge.entity in dots and edge.about in dots]
    places, (width, height) = _place(dots, edges)
    lines = _edges(edges, dots, places, anchors)
    near: dict[str, set[int]] = {entity: {dot.index} for entity, dot in dots.items()}
    for edge in edges:
        near[edge.entity].add(dots[edge.about or ""].index)
        near[edge.about or ""].add(dots[edge.entity].index)
    marks = [
        _node(dot, places[entity], anchors[entity], near[entity], entity in data.starts) for entity, dot in dots.items()
    ]
    return join(
        el("style", Markup("".join(_focus_rule(dot.index) for dot in dots.values()))),
        el(
            "svg",
            _markers(),
            el("g", *lines, class_="edges"),
            el("g", *marks, class_="nodes"),
            viewBox=f"0 0 {width:.0f} {height:.0f}",
            width=round(width),
            height=round(height),
            class_="picture labelled" if len(edges) <= ALWAYS_LABELLED else "picture",
            role="group",
            aria_label=f"{len(dots)} entities and {len(edges)} relations",
        ),
    )


def _focus_rule(index: int) -> str:
    """Pointing at a node leaves its relations and neighbours bright; their classes name the nodes they belong to."""
    at = f".picture:has(#n{index}:is(:hover,:focus-visible))"
    return f"{at} .e:not(.v{index}),{at} .n:not(.v{index}){{opacity:.13}}{at} .e.v{index} text{{display:block}}\n"


# ------------------------------------------------------------------ where things are
def _place(
    dots: dict[str, _Dot], edges: list[SubgraphClaim]
) -> tuple[dict[str, tuple[float, float]], tuple[float, float]]:
    """Give each node a place, and the size of the whole."""
    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(dots)
    graph.add_edges_from((edge.entity, edge.about or edge.entity) for edge in edges if edge.about != edge.entity)
    parts = sorted(
        nx.connected_components(graph), key=lambda part: (-len(part), min(dots[entity].index for entity in part))
    )
    boxes = [_arranged(graph, sorted(part, key=lambda entity: dots[entity].index), dots) for part in parts]
    row_width = max([900.0, *(size[0] for _, size in boxes)])
    places: dict[str, tuple[float, float]] = {}
    x = y = row_height = widest = 0.0
    for found, (width, height) in boxes:
        if x and x + width > row_width:
            x, y, row_height = 0.0, y + row_height, 0.0
        places.update({entity: (px + x, py + y) for entity, (px, py) in found.items()})
        x, row_height = x + width, max(row_height, height)
        widest = max(widest, x)
    return places, (widest, y + row_height)


def _arranged(
    graph: nx.Graph[str], part: list[str], dots: dict[str, _Dot]
) -> tuple[dict[str, tuple[float, float]], tuple[float, float]]:
    """Arrange one connected part; give the places and the size of its box."""
    half: Points = np.array([dots[entity].half for entity in part])
    ordered: nx.Graph[str] = nx.Graph()
    ordered.add_nodes_from(part)
    ordered.add_edges_from(
        (entity, other) for entity in part for other in sorted(graph[entity], key=lambda end: dots[end].index)
    )
    found = nx.spring_layout(ordered, seed=_SEED, iterations=120)
    area = float((half[:, 0] * half[:, 1]).sum()) * 4 * (1.5 + 20 / len(part))
    size = np.sqrt(area * np.array([_ASPECT, 1 / _ASPECT]))
    points = _apart(_filled(np.array([found[entity] for entity in part], dtype=np.float64)) * size, half)
    low, high = (points - half).min(axis=0), (points + half).max(axis=0)
    low[1] -= 26  # for the loop of a relation to itself
    places = {entity: (float(x), float(y)) for entity, (x, y) in zip(part, points - low, strict=True)}
    return places, (float(high[0] - low[0]), float(high[1] - low[1]))


def _filled(points: Points) -> Points:
    """Bring points into the unit square so that they fill it: even from the middle outwards, and into the corners."""
    if len(points) == 1:
        return np.zeros((1, 2))
    ways = points - points.mean(axis=0)
    reach = np.maximum(np.hypot(ways[:, 0], ways[:, 1]), 1e-9)
    even = np.sqrt(reach.argsort(kind="stable").argsort(kind="stable") / (len(points) - 1))
    distance = 0.6 * even + 0.4 * reach / reach.max()
    filled: Points = 0.5 + 0.5 * ways / np.abs(ways).max(axis=1, keepdims=True).clip(1e-9) * distance[:, None]
    return filled


def _apart(points: Points, half: Points) -> Points:
    """Push overlapping boxes apart, each pair along the axis where less is needed, until none overlaps."""
    order = np.sign(np.arange(len(points))[:, None] - np.arange(len(points))[None, :])
    room = half[:, None, :] + half[None, :, :]
    for _ in range(400):
        between = points[:, None, :] - points[None, :, :]
        overlap = room - np.abs(between)
        hit = (overlap > 0.5).all(axis=2) & (order != 0)
        if not hit.any():
            break
        along = np.argmin(overlap, axis=2)
        for axis in (0, 1):
            way = np.where(between[:, :, axis] != 0, np.sign(between[:, :, axis]), order)
            points[:, axis] += np.where(hit & (along == axis), way * overlap[:, :, axis], 0).sum(axis=1) * 0.35
        points *= 1.004
    return points


# ------------------------------------------------------------------ what is drawn
def _node(dot: _Dot, at: tuple[float, float], anchor: str, near: set[int], is_start: bool) -> Markup:
    x, top = at[0], at[1] - _LINE / 2
    marks = " ".join(f"v{index}" for index in sorted(near))
    return el(
        "a",
        el("title", f"{dot.node.name} ({dot.node.kind})"),
        sign(dot.node.kind, x, top, dot.radius),
        el("text", dot.label, x=x, y=top + dot.radius + _LINE),
        href=f"#{anchor}",
        id=f"n{dot.index}",
        aria_label=f"{dot.node.name}, {dot.node.kind}",
        class_=f"n {marks} {kind_class(dot.node.kind)}" + (" start" if is_start else ""),
    )


def _edges(
    edges: list[SubgraphClaim], dots: dict[str, _Dot], places: dict[str, tuple[float, float]], anchors: dict[str, str]
) -> list[Markup]:
    """Draw the edges; those between the same two nodes bend away from each other."""
    pairs: dict[tuple[str, ...], list[SubgraphClaim]] = defaultdict(list)
    for edge in edges:
        pairs[tuple(sorted((edge.entity, edge.about or "")))].append(edge)
    lines: list[Markup] = []
    for pair, parallel in pairs.items():
        for number, edge in enumerate(parallel):
            source, target = dots[edge.entity], dots[edge.about or ""]
            x, y = places[edge.entity]
            start = (x, y - _LINE / 2)
            if source is target:
                path, at = _loop(start, source.radius, number)
            else:
                x, y = places[target.node.id]
                bend = (number - (len(parallel) - 1) / 2) * 34 * (1 if edge.entity == pair[0] else -1)
                path, at = _curve(start, (x, y - _LINE / 2), source.radius, target.radius, bend)
            lines.append(_edge(edge, path, at, (source, target), anchors[edge.id]))
    return lines


def _edge(edge: SubgraphClaim, path: str, at: tuple[float, float], ends: tuple[_Dot, _Dot], anchor: str) -> Markup:
    words = label(edge)
    look = "disputed" if edge.status == "disputed" else "past" if edge.valid_to is not None else "now"
    return el(
        "a",
        el("title", f"{ends[0].node.name} {words} {ends[1].node.name}"),
        el("path", d=path, class_="reach"),
        el("path", d=path, class_="line", marker_end=f"url(#arrow-{look})"),
        el("text", _short(words), x=at[0], y=at[1] + 4),
        href=f"#{anchor}",
        tabindex=-1,
        class_=f"e v{ends[0].index} v{ends[1].index} {look}" + (" negated" if edge.negated else ""),
    )


def _curve(
    start: tuple[float, float], end: tuple[float, float], start_radius: float, end_radius: float, bend: float
) -> tuple[str, tuple[float, float]]:
    """Give a path between the rims of two nodes, and where its middle is."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = math.hypot(dx, dy) or 1.0
    bx, by = (start[0] + end[0]) / 2 - dy / length * bend * 2, (start[1] + end[1]) / 2 + dx / length * bend * 2
    (x1, y1), (x2, y2) = _towards(start, (bx, by), start_radius + 2), _towards(end, (bx, by), end_radius + 7)
    return f"M{x1:.1f} {y1:.1f}Q{bx:.1f} {by:.1f} {x2:.1f} {y2:.1f}", ((x1 + 2 * bx + x2) / 4, (y1 + 2 * by + y2) / 4)


def _towards(point: tuple[float, float], other: tuple[float, float], by: float) -> tuple[float, float]:
    dx, dy = other[0] - point[0], other[1] - point[1]
    length = math.hypot(dx, dy) or 1.0
    return point[0] + dx / length * by, point[1] + dy / length * by


def _loop(at: tuple[float, float], radius: float, number: int) -> tuple[str, tuple[float, float]]:
    x, y, size = at[0], at[1] - radius, 20.0 + 9 * number
    return (
        f"M{x - 5:.1f} {y:.1f}C{x - size:.1f} {y - size:.1f} {x + size:.1f} {y - size:.1f} {x + 6:.1f} {y - 5:.1f}",
        (x, y - size),
    )


def _markers() -> Markup:
    return el(
        "defs",
        *(
            el(
                "marker",
                el("path", d="M0 0L8 4L0 8Z"),
                id=f"arrow-{look}",
                class_=look,
                viewBox="0 0 8 8",
                refX=5,
                refY=4,
                markerWidth=7,
                markerHeight=7,
                orient="auto-start-reverse",
                markerUnits="userSpaceOnUse",
            )
            for look in ("now", "past", "disputed")
        ),
    )


# ------------------------------------------------------------------ labels
def _short(text: str) -> str:
    """Give a label of one line: what is too long ends in "…"."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_LABEL else line[: _LONGEST_LABEL - 1].rstrip() + "…"


def _width(text: str) -> float:
    """Estimate how wide a label is: wide characters count twice, marks that combine not at all."""
    return sum(
        _CHARACTER
        * (1.9 if unicodedata.east_asian_width(char) in "WF" else 0.0 if unicodedata.combining(char) else 1.0)
        for char in text
    )
