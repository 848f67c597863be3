"""A match as data for a page: the pieces at the start, and the changes of each step."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from arena.results.printed import outputs_of
from arena.results.remarks import FollowedPlan, data_text, plan_of
from arena.results.seen import entry_for, is_remark_for, notation_for
from protocol.messages import Fields
from protocol.vocabulary import Seat
from referee.job import Job, TimeControl
from referee.records.calls import Call
from referee.records.record import Record
from referee.records.replay import Replay, ReplayStep, game_of
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
    """Return a match as plain values, as seen by a seat or by a spectator (None)."""
    scene = Scene(record.job, seat)
    scene.add(record.calls)
    return scene.to_json()


def output_scene(record: Record, seats: Iterable[Seat]) -> dict[str, Any]:
    """Return what the bots of these seats printed, by the number of the step; {} for nothing."""
    found = {
        str(step): [
            {"seat": output.seat, "moment": output.moment, "text": "\n".join(output.lines())}
            for output in outputs
        ]
        for step, outputs in outputs_of(record, seats).items()
    }
    return {"printed": found} if found else {}


class Scene:
    """The pictures and texts of a match, made call by call."""

    def __init__(self, job: Job, seat: int | None = None) -> None:
        """Begin a match as seen by a seat or by a spectator (None); raises ReplayError."""
        self._replay = Replay(job)
        self._seat = seat
        self._seats = job.seats()
        self._times = list(map(job.time_of, job.seats()))
        self.layout = self._replay.game.layout(len(job.players))
        """None if the game has none: then the scene has diagrams."""
        self._palette = Palette()
        state = self._replay.step.state
        self._frame = self._pieces(state)
        self._start = sorted(self._frame.items())
        self._captions = [self._replay.game.caption(state, seat)]
        self._diagrams = [] if self.layout else [self._replay.game.diagram(state, seat)]
        self._calls: list[Call] = []
        self._texts: list[str] = []
        self._changes: list[Changes] = []
        self._marks: list[list[Place]] = []
        self._decisive: Sequence[Place] = ()
        self._plans: dict[int, FollowedPlan] = {}
        """The plans by the number of their step."""

    @property
    def steps(self) -> int:
        """Number of steps so far."""
        return len(self._calls)

    @property
    def turn(self) -> Seat | None:
        """The seat to move; None once the game is over."""
        game, state = self._replay.game, self._replay.step.state
        return None if game.outcome(state) is not None else game.turn(state)

    def add(self, calls: Iterable[Call]) -> None:
        """Add calls; raises ReplayError at the first wrong move."""
        for call in calls:
            before = self._replay.step.state
            if (step := self._replay.add(call)) is not None:
                self._add(before, step, call)

    def _add(self, before: Any, step: ReplayStep, call: Call) -> None:
        game = self._replay.game
        is_seen = is_remark_for(game, call, self._seat)
        self._calls.append(call if is_seen else _for_rivals(call))
        entry = None if step.move is None else entry_for(game, step, self._seat)
        is_whole = entry is not None and entry.get("move") == call.move and call.seat is not None
        text = game.notation_in(before, step.move) if is_whole else _text(game, call, entry)
        self._texts.append(text)
        self._marks.append(_once(game.gesture_in(before, step.move)) if is_whole else [])
        if is_whole and game.outcome(step.state) is not None:
            self._decisive = game.decisive(step.state, step.move)
        self._captions.append(game.caption(step.state, self._seat))
        if call.plan and is_seen:
            self._plans[self.steps] = plan_of(game, step.state, call.plan)
        if self.layout is None:
            self._diagrams.append(game.diagram(step.state, self._seat))
            return
        frame = self._pieces(step.state)
        self._changes.append(differences(self._frame, frame))
        self._frame = frame

    def to_json(self, first: int = 0) -> dict[str, Any]:
        """Return the steps from number `first` on as plain values.

        All lists have one entry per step; `captions`, and `diagrams` of a game without a layout,
        begin with the start. Times are in microseconds. Remarks of bots are keyed by the number of
        the step.
        """
        calls = self._calls[first:]
        at_start = first + (first > 0)
        """The start is listed before the first step, and only once."""
        return {
            "seat": [call.seat for call in calls],
            "text": self._texts[first:],
            "charged": [call.charged_ns // US_NS for call in calls],
            "wall": [call.wall_ns // US_NS for call in calls],
            "marks": self._marks[first:],
            "decisive": list(self._decisive),
            "captions": self._captions[at_start:],
            **self._remarks(first),
            "times": list(map(_bank, self._times)),
            "roles": [self._replay.game.role(seat) for seat in self._seats],
            "palette": self._palette.to_json(),
            "start": self._start if self.layout else [],
            "changes": self._changes[first:],
            "diagrams": self._diagrams[at_start:],
        }

    def _remarks(self, first: int) -> dict[str, dict[str, Any]]:
        """Return the remarks from step `first` on, by kind and by the number of the step."""
        calls = {
            str(number): self._calls[number - 1] for number in range(first + 1, self.steps + 1)
        }
        plans = {str(number): plan for number, plan in self._plans.items() if number > first}
        return {
            "notes": {number: call.note for number, call in calls.items() if call.note},
            "values": {
                number: call.value for number, call in calls.items() if call.value is not None
            },
            "plans": {number: plan.text for number, plan in plans.items()},
            "planned": {
                number: [_once(places) for places in plan.places] for number, plan in plans.items()
            },
            "data": {number: data_text(call.data) for number, call in calls.items() if call.data},
        }

    def _pieces(self, state: Any) -> dict[Place, int]:
        if self.layout is None:
            return {}
        return self._palette.kinds(self._replay.game.pieces(state, self._seat))


def _bank(time: TimeControl) -> dict[str, int] | None:
    """Return the bank of a seat in microseconds, and after how many moves it is added again."""
    if time.bank_ns is None:
        return None
    return {
        "bank": time.bank_ns // US_NS,
        "increment": (time.increment_ns or 0) // US_NS,
        "moves": time.bank_moves or 0,
    }


def differences(before: Mapping[Place, int], after: Mapping[Place, int]) -> Changes:
    """Return the places with another kind of piece, with the kind after."""
    return [
        (place, after.get(place, EMPTY))
        for place in sorted(before.keys() | after.keys())
        if before.get(place) != after.get(place)
    ]


def _text(game: Game[Any, Any], call: Call, entry: Fields | None) -> str:
    """Return a step in short; `entry` is the visible part of its move."""
    if entry is not None:
        if entry.get("move") == call.move and call.notation is not None:
            return call.notation
        return notation_for(game, entry) or "hidden"
    return "resigns" if call.resign else f"{call.fault} in {call.call}"


def _for_rivals(call: Call) -> Call:
    """Return a call without its remarks and costs."""
    free = replace(call, note=None, value=None, plan=None, data=None)
    return replace(free, wall_ns=0, charged_ns=0)


def _once(places: Iterable[Place]) -> list[Place]:
    """Return the places of a move, each once."""
    return list(dict.fromkeys(places))
