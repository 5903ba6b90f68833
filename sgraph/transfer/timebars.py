"""Validity on a time axis: one row for each claim, a bar from its beginning to its end, an open end as an arrow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from sgraph.transfer.markup import Markup, el, foreign
from sgraph.transfer.wording import Standing

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = 86_400.0
_MOST_TICKS = 7
_SCALE = 1000.0  # width of a row in units of its own; the page stretches it
_TIP, _SHORTEST = 9.0, 4.0


@dataclass(frozen=True)
class Bar:
    """A row: where the claim is explained, what it says, its interval (an open `end` is None), and how it stands."""

    anchor: str
    label: str
    start: datetime
    end: datetime | None
    words: str
    standing: Standing
    negated: bool


@dataclass(frozen=True)
class _Axis:
    """The stretch of time that is shown, in seconds since 1970."""

    low: float
    high: float

    def x(self, at: datetime) -> float:
        """Give where an instant is."""
        return (_seconds(at) - self.low) / (self.high - self.low) * _SCALE


def time_bars(bars: Sequence[Bar], now: datetime, zone: tzinfo) -> Markup:
    """Draw bars under a common axis, on which `now` is marked."""
    instants = [_seconds(at) for at in (now, *(at for bar in bars for at in (bar.start, bar.end) if at is not None))]
    pad = max((max(instants) - min(instants)) * 0.04, _DAY)
    axis = _Axis(min(instants) - pad, max(instants) + pad)
    ticks = [(axis.x(at), label) for at, label in _ticks(axis, zone)]
    marks = [el("span", label, style=f"left:{x / _SCALE:.1%}") for x, label in ticks if x < 0.92 * _SCALE]
    return el(
        "ol",
        el("li", el("span"), el("span", *marks, class_="axis"), aria_hidden="true"),
        *(_row(bar, axis, [x for x, _ in ticks], now) for bar in bars),
        class_="bars",
    )


def _row(bar: Bar, axis: _Axis, ticks: Sequence[float], now: datetime) -> Markup:
    start = min(axis.x(bar.start), _SCALE - _TIP - _SHORTEST)
    if bar.end is None:
        end = f"H{_SCALE - _TIP:.0f}L{_SCALE:.0f} 8L{_SCALE - _TIP:.0f} 13"
    else:
        end = f"H{max(axis.x(bar.end), start + _SHORTEST):.1f}V13"
    return el(
        "li",
        el("a", foreign(bar.label), href=f"#{bar.anchor}"),
        el(
            "svg",
            *(el("path", d=f"M{x:.1f} 0V16", class_="tick") for x in ticks),
            el(
                "path",
                d=f"M{start:.1f} 3{end}H{start:.1f}Z",
                class_=f"bar {bar.standing}" + (" negated" if bar.negated else ""),
            ),
            el("path", d=f"M{axis.x(now):.1f} 0V16", class_="today"),
            viewBox=f"0 0 {_SCALE:.0f} 16",
            preserveAspectRatio="none",
            role="img",
            aria_label=bar.words,
        ),
    )


def _seconds(at: datetime) -> float:
    return (at - _EPOCH) / timedelta(seconds=1)  # datetime.timestamp() fails for the first years on some systems


# ------------------------------------------------------------------ the axis
def _ticks(axis: _Axis, zone: tzinfo) -> list[tuple[datetime, str]]:
    """Give round instants on the axis, about `_MOST_TICKS` at most, with their labels: days, months or years."""
    days = (axis.high - axis.low) / _DAY
    first = _day(axis.low, zone)
    for step in (1, 2, 7, 14):
        if days / step <= _MOST_TICKS:
            found = [(first + timedelta(days=step * n), "%Y-%m-%d") for n in range(1, int(days / step) + 2)]
            break
    else:
        step = next(step for step in _MONTHS if days / 30.4 / step <= _MOST_TICKS)
        begin = (first.year * 12) // step * step
        months = range(begin, min(begin + int(days / 30) + step + 12, 9999 * 12), step)
        form = "%Y-%m" if step < 12 else "%Y"
        found = [(datetime(month // 12, month % 12 + 1, 1, tzinfo=zone), form) for month in months if month >= 12]
    return [(at, at.strftime(form)) for at, form in found if axis.low <= _seconds(at) <= axis.high]


_MONTHS = (1, 2, 3, 6, *(12 * years for years in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)))


def _day(at: float, zone: tzinfo) -> datetime:
    """Give the beginning of the day, kept clear of the first and last days there are."""
    bounded = min(max(at, _seconds(datetime(1, 1, 3, tzinfo=UTC))), _seconds(datetime(9999, 12, 1, tzinfo=UTC)))
    return (_EPOCH + timedelta(seconds=bounded)).astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
