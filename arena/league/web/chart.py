"""The rating of a bot over time as an SVG picture, with a mark at each new version."""

from collections.abc import Sequence
from datetime import datetime

from arena.league.site.models import RatingPoint, Season, Version

WIDTH, HEIGHT = 720.0, 220.0
LEFT, RIGHT, TOP, BOTTOM = 48.0, 8.0, 16.0, 24.0
MOST_POINTS = 400
LEAST_SPAN = 100.0
"""Least height of the picture in points of rating."""


class Scale:
    """Places of times and ratings in the picture."""

    def __init__(self, points: Sequence[RatingPoint]) -> None:
        times = [point.happened.timestamp() for point in points]
        lows = [point.rating - point.error for point in points]
        highs = [point.rating + point.error for point in points]
        self.first_s, self.last_s = min(times), max(*times, min(times) + 1)
        middle = (min(lows) + max(highs)) / 2
        half = max(LEAST_SPAN, max(highs) - min(lows)) / 2
        self.low, self.high = middle - half, middle + half

    def x(self, time: datetime) -> str:
        """Return the place of a time."""
        share = (time.timestamp() - self.first_s) / (self.last_s - self.first_s)
        return f"{LEFT + min(max(share, 0), 1) * (WIDTH - LEFT - RIGHT):.1f}"

    def y(self, rating: float) -> str:
        """Return the place of a rating."""
        share = (self.high - rating) / (self.high - self.low)
        return f"{TOP + share * (HEIGHT - TOP - BOTTOM):.1f}"


def rating_chart(versions: Sequence[Version], season: Season | None = None) -> str:
    """Return the picture of a season or of all, made of numbers alone; empty without a rating."""
    rows = RatingPoint.objects.filter(version__in=list(versions))
    found = rows if season is None else rows.filter(season=season)
    points = sorted(found.order_by("-pk")[:MOST_POINTS], key=lambda point: point.happened)
    if not points:
        return ""
    scale = Scale(points)
    parts = [_axis(scale)]
    for version in sorted(versions, key=lambda version: version.number):
        own = [point for point in points if point.version_id == version.pk]
        if own:
            parts += [_band(scale, own), _line(scale, own), _mark(scale, version.number, own[0])]
    latest = points[-1]
    when = "now" if season is None else "at last"
    label = f"Rating over time, {when} {latest.rating:.0f} ±{latest.error:.0f}"
    head = f'<svg class="chart" role="img" aria-label="{label}" viewBox="0 0 {WIDTH:g} {HEIGHT:g}">'
    return "".join([head, *parts, "</svg>"])


def _axis(scale: Scale) -> str:
    lines = []
    for share in (0.0, 0.5, 1.0):
        rating = scale.low + share * (scale.high - scale.low)
        y = scale.y(rating)
        lines.append(
            f'<line class="axis" x1="{LEFT:g}" x2="{WIDTH - RIGHT:g}" y1="{y}" y2="{y}"/>'
            f'<text class="tick up" x="{LEFT - 6:g}" y="{y}" dy="4">{rating:.0f}</text>'
        )
    return "".join(lines)


def _band(scale: Scale, points: Sequence[RatingPoint]) -> str:
    upper = [f"{scale.x(p.happened)},{scale.y(p.rating + p.error)}" for p in points]
    lower = [f"{scale.x(p.happened)},{scale.y(p.rating - p.error)}" for p in reversed(points)]
    return f'<polygon class="band series-0" points="{" ".join([*upper, *lower])}"/>'


def _line(scale: Scale, points: Sequence[RatingPoint]) -> str:
    places = " ".join(f"{scale.x(p.happened)},{scale.y(p.rating)}" for p in points)
    return f'<polyline class="line series-0" points="{places}"/>'


def _mark(scale: Scale, number: int, first: RatingPoint) -> str:
    x, y = scale.x(first.happened), scale.y(first.rating)
    return (
        f'<line class="bound" x1="{x}" x2="{x}" y1="{TOP:g}" y2="{HEIGHT - BOTTOM:g}"/>'
        f'<circle class="charged series-0" cx="{x}" cy="{y}" r="4"/>'
        f'<text class="tick" x="{x}" y="{HEIGHT - 6:g}">v{number}</text>'
    )
