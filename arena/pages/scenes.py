"""A match as data for a page: the pieces at the start, and the changes of each step."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Any

from referee.calls import Call
from referee.record import Record
from referee.replay import game_of, steps
from referee.rules import Game
from referee.rules.layout import Layout, Piece, Place

EMPTY = -1
"""Kind of a place without a piece."""
US_NS = 1000

Changes = list[tuple[Place, int]]


class Palette:
    """The different pieces of a match, numbered in the order of their appearance."""

    def __init__(self) -> None:
        self._kinds: dict[Piece, int] = {}

    def kinds(self, pieces: Mapping[Place, Piece]) -> dict[Place, int]:
        """Return the kind of the piece on each place."""
        return {
            place: self._kinds.setdefault(piece, len(self._kinds))
            for place, piece in pieces.items()
        }

    def to_json(self) -> list[dict[str, Any]]:
        """Return the pieces by kind."""
        return [asdict(piece) for piece in self._kinds]


def layout_of(record: Record) -> Layout | None:
    """Return the layout of a match; None if its game has none."""
    return game_of(record.job).layout(len(record.job.players))


def match_scene(record: Record, seat: int | None = None) -> dict[str, Any]:
    """Return a match as plain values, as seen by a seat or by a spectator (None).

    All lists have one entry per step; `captions`, and `diagrams` of a game without a layout, begin
    with the start. Times are in microseconds. Texts of bots are keyed by the number of the step.
    """
    game = game_of(record.job)
    positions = list(steps(record.job, record.calls))
    calls = [step.call for step in positions if step.call is not None]
    scene: dict[str, Any] = {
        "seat": [call.seat for call in calls],
        "text": [_text(call) for call in calls],
        "charged": [call.charged_ns // US_NS for call in calls],
        "wall": [call.wall_ns // US_NS for call in calls],
        "marks": [_marks(game, call) for call in calls],
        "captions": [game.caption(step.state) for step in positions],
        "notes": {str(number): call.note for number, call in enumerate(calls, 1) if call.note},
        "values": {},
        "plans": {},
        "said": {},
    }
    return scene | _pictures(game, [step.state for step in positions], seat, layout_of(record))


def differences(before: Mapping[Place, int], after: Mapping[Place, int]) -> Changes:
    """Return the places with another kind of piece, with the kind after."""
    return [
        (place, after.get(place, EMPTY))
        for place in sorted(before.keys() | after.keys())
        if before.get(place) != after.get(place)
    ]


def _pictures(
    game: Game[Any, Any], states: Sequence[Any], seat: int | None, layout: Layout | None
) -> dict[str, Any]:
    if layout is None:
        return {"diagrams": [game.diagram(state) for state in states], "palette": []}
    palette = Palette()
    frames = [palette.kinds(game.pieces(state, seat)) for state in states]
    return {
        "palette": palette.to_json(),
        "start": sorted(frames[0].items()),
        "changes": [differences(*pair) for pair in pairwise(frames)],
        "diagrams": [],
    }


def _text(call: Call) -> str:
    if call.notation is not None:
        return call.notation
    return "resigns" if call.resign else f"{call.fault} in {call.call}"


def _marks(game: Game[Any, Any], call: Call) -> list[Place]:
    """Return the places of a move, each once."""
    if call.notation is None:
        return []
    return list(dict.fromkeys(game.gesture(game.parse(call.notation))))
