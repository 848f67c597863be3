"""A position as an SVG picture."""

from collections.abc import Iterable, Iterator, Mapping
from html import escape

from arena.errors import UsageError
from arena.pages.scenes import EMPTY, layout_of, match_scene
from protocol.vocabulary import Seat
from referee.records.record import Record
from referee.rules.layout import Kind, Layout, Piece, Place

SEATS = ("#20262b", "#fbfbf7", "#0072b2", "#d55e00", "#008a63", "#b8588f")
COLORS = (
    *("#e69f00", "#56b4e9", "#00a37a", "#f0e442", "#2f7fc1"),
    *("#e0702a", "#cc79a7", "#999999", "#6b4fa0"),
)
FIELD, LINES, DARK, LABEL, MARK = "#ead9b5", "#8a7650", "#d5bb86", "#7a7f85", "#d55e00"
MAP, CLOTH = "#12161c", "#2f6b4f"
CARD, CARD_BACK, RED, WOOD = "#fffef8", "#3b5b8c", "#b3001b", "#a3501f"
SEAT_TEXTS = ("#fff", "#000", "#fff", "#000", "#000", "#000")
"""Color of a text on a piece of each seat, for a contrast of at least 4.5."""
COLOR_TEXTS = ("#000",) * 8 + ("#fff",)
"""The same for the colors of pieces without a seat."""
_INNER = (
    "",
    "",
    '<path d="M0-.2L.19.13H-.19z" fill="#fff"/>',
    '<path d="M-.14-.14h.28v.28h-.28z" fill="#fff"/>',
    '<path d="M0-.2L.2 0 0 .2-.2 0z" fill="#fff"/>',
    '<path d="M-.2-.06h.4v.12h-.4z" fill="#fff"/>',
)


def position_svg(record: Record, ply: int, seat: Seat | None = None) -> str:
    """Return a position as a seat or a spectator (None) sees it; raises UsageError."""
    if (layout := layout_of(record)) is None:
        raise UsageError(
            f"the game {record.job.game} has no picture; it needs layout() and pieces()"
        )
    scene = match_scene(record, seat)
    if not 0 <= ply <= len(scene["changes"]):
        raise UsageError(f"the match has the plies 0 to {len(scene['changes'])}, not {ply}")
    shown: dict[Place, int] = dict(scene["start"])
    for changes in scene["changes"][:ply]:
        shown.update(changes)
    pieces = {
        place: Piece(**scene["palette"][kind]) for place, kind in shown.items() if kind != EMPTY
    }
    return board_svg(layout, pieces, scene["marks"][ply - 1] if ply else ())


def board_svg(layout: Layout, pieces: Mapping[Place, Piece], marked: Iterable[Place] = ()) -> str:
    """Return a board with its pieces and rings around some places."""
    places = spots(layout)
    drawn = (
        _piece(places[place], piece, layout, is_lying=is_lying(layout, place))
        for place, piece in sorted(pieces.items())
    )
    return _picture(layout, [*drawn, *(_mark(places[place]) for place in marked)])


def spots(layout: Layout) -> list[tuple[float, float]]:
    """Return (x, y) of the centre of each place, in cells."""
    rows, cols = range(layout.rows), range(layout.cols)
    if layout.kind in ("hex", "cards", "free"):
        return list(layout.spots)
    if layout.kind == "edges":
        return [
            *((col + 0.5, row) for row in rows for col in cols[:-1]),
            *((col, row + 0.5) for row in rows[:-1] for col in cols),
            *((col + 0.5, row + 0.5) for row in rows[:-1] for col in cols[:-1]),
        ]
    return [(col, row) for row in rows for col in cols]


def is_lying(layout: Layout, place: Place) -> bool:
    """Whether a line on this place lies instead of standing."""
    return layout.kind == "edges" and place < layout.rows * (layout.cols - 1)


def _picture(layout: Layout, drawn: Iterable[str]) -> str:
    places = spots(layout)
    margin = 1.2 if layout.row_labels else _rim(layout)
    left = min(x for x, _ in places) - margin
    top = min(y for _, y in places) - margin
    width = max(x for x, _ in places) + _rim(layout) - left
    height = max(y for _, y in places) + (1.2 if layout.foot_labels else _rim(layout)) - top
    head = (
        '<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size=".4"'
        f' text-anchor="middle" viewBox="{left:.2f} {top:.2f} {width:.2f} {height:.2f}"'
        f' width="{24 * width:.0f}" height="{24 * height:.0f}">'
    )
    return "\n".join([head, *_ground(layout, places), *drawn, "</svg>\n"])


def _rim(layout: Layout) -> float:
    """Return the width of the ground around the places: the pieces of a map are large."""
    return 1.2 if layout.kind == "free" else 0.7


def _ground(layout: Layout, places: list[tuple[float, float]]) -> Iterator[str]:
    if layout.kind in ("cells", "points", "edges"):
        reach = 0.5 if layout.kind == "cells" else 0.6
        width, height = layout.cols - 1 + 2 * reach, layout.rows - 1 + 2 * reach
        yield f'<path d="M{-reach}{-reach}h{width}v{height}h{-width}z" fill="{FIELD}"/>'
    for region in layout.regions:
        color = DARK if region.seat is None else SEATS[region.seat % 6]
        for x, y in (places[place] for place in region.places):
            if layout.kind == "cells":
                yield f'<path d="M{x - 0.5} {y - 0.5}h1v1h-1z" fill="{color}"/>'
            else:
                radius = 0.12 if layout.kind == "points" else 0.38
                yield f'<circle cx="{x}" cy="{y:.3f}" r="{radius}" fill="{color}" opacity=".5"/>'
    yield f'<path d="{_lines(layout)}" fill="none" stroke="{LINES}" stroke-width=".04"/>'
    yield from _spots(layout, places)
    for x, y, label in _labels(layout, places):
        yield f'<text x="{x:g}" y="{y:.4g}" fill="{LABEL}">{escape(label)}</text>'


def _labels(
    layout: Layout, places: list[tuple[float, float]]
) -> Iterator[tuple[float, float, str]]:
    """Yield x, y and text of each label."""
    lean = 0.5 if layout.kind == "hex" else 0
    for row, label in enumerate(layout.row_labels):
        x, y = places[row * layout.cols]
        yield x - 0.85 - lean / 2, y + 0.14, label
    for col, label in enumerate(layout.col_labels):
        yield col - lean, -0.72, label
    for col, label in enumerate(layout.foot_labels):
        yield col, layout.rows, label


def _spots(layout: Layout, places: list[tuple[float, float]]) -> Iterator[str]:
    kind = layout.kind
    if kind in ("cards", "free"):
        rim = _rim(layout)
        width, height = (max(spot[axis] for spot in places) + 2 * rim for axis in (0, 1))
        color = CLOTH if kind == "cards" else MAP
        yield f'<path d="M{-rim}{-rim}h{width}v{height}h-{width}z" fill="{color}"/>'
    if kind == "edges":
        dots = ((col, row) for row in range(layout.rows) for col in range(layout.cols))
        yield from (f'<circle cx="{x}" cy="{y}" r=".1" fill="#333"/>' for x, y in dots)
    if kind == "hex":
        look = f'r=".16" fill="{FIELD}" stroke="{LINES}" stroke-width=".04"'
        yield from (f'<circle cx="{x}" cy="{y:.3f}" {look}/>' for x, y in places)


def _lines(layout: Layout) -> str:
    if layout.kind not in ("cells", "points"):
        return ""
    end = 0.5 if layout.kind == "cells" else 0
    rows = [end * -1 + row for row in range(layout.rows + (layout.kind == "cells"))]
    cols = [end * -1 + col for col in range(layout.cols + (layout.kind == "cells"))]
    return "".join(
        [
            *(f"M{-end} {row}H{layout.cols - 1 + end}" for row in rows),
            *(f"M{col} {-end}V{layout.rows - 1 + end}" for col in cols),
        ]
    )


def _piece(spot: tuple[float, float], piece: Piece, layout: Layout, *, is_lying: bool) -> str:
    seat, shape, words = piece.seat, piece.shape, piece.text
    tone = 1 - seat if layout.is_first_light and seat in (0, 1) else seat
    color = COLORS[piece.color % 9] if tone is None else SEATS[tone % 6]
    on_it = COLOR_TEXTS[piece.color % 9] if tone is None else SEAT_TEXTS[tone % 6]
    if shape == "card":
        on_it = RED if piece.color else "#000"
    size = 0.36 if layout.kind == "edges" else 0.46
    face = CARD if words else CARD_BACK
    shapes = {
        "disc": f'<circle r=".42" fill="{color}" stroke="#555" stroke-width=".03"/>',
        "square": f'<rect x="-{size}" y="-{size}" width="{2 * size}" height="{2 * size}"'
        f' rx=".08" fill="{color}"/>',
        "card": '<rect x="-.36" y="-.48" width=".72" height=".96" rx=".08"'
        f' fill="{face}" stroke="#555" stroke-width=".03"/>',
        "line": f'<path d="M-.08-.4h.16v.8h-.16z" fill="{WOOD if seat is None else color}"/>',
        "text": "",
    }
    is_marked = shape == "disc" and not words  # a mark would cover the text
    inner = _INNER[(tone or 0) % 6] if is_marked else ""
    look = _look(layout.kind, color=color, on_it=on_it, is_bare=shape == "text", seat=seat)
    text = f"<text {look}>{escape(words)}</text>" if words else ""
    x, y = spot
    turn = " rotate(90)" if is_lying else ""
    return f'<g transform="translate({x:g} {y:.4g}){turn}">{shapes[shape]}{inner}{text}</g>'


def _look(kind: Kind, *, color: str, on_it: str, is_bare: bool, seat: Seat | None) -> str:
    """Return the attributes of a text; a bare one is the piece itself, large."""
    if kind == "free":
        return f'y=".75" font-size="2.2" fill="{color}"'
    if not is_bare:
        return f'y=".15" fill="{on_it}"'
    edge = "" if seat is None else ' stroke="#000" stroke-width=".02"'
    return f'y=".29" font-size=".82" fill="{color}"{edge}'


def _mark(spot: tuple[float, float]) -> str:
    x, y = spot
    return (
        f'<circle cx="{x:g}" cy="{y:.4g}" r=".47" fill="none" stroke="{MARK}" stroke-width=".08"/>'
    )
