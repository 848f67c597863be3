"""Matches to export: records with given calls, and what an export writes of them."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any, TextIO

from events import keep, new_store, player

from arena.results.store import EventRow, Store
from protocol.vocabulary import Termination
from referee.games.chess import Chess
from referee.job import Job
from referee.move_codec import MoveCodec
from referee.records.calls import Call, Calls
from referee.records.record import Fault, Record, SeatReport, Verdict
from referee.rules import Outcome


def record_with(
    calls: Sequence[Call],
    outcome: Outcome,
    names: tuple[str, str],
    termination: Termination = Termination.NORMAL,
    **fields: Any,
) -> Record:
    """Return a match of two players with these calls; `fields` are those of its job."""
    players = tuple(map(player, names))
    verdict = Verdict(
        termination=termination,
        reason=outcome.reason,
        points=outcome.points,
        places=outcome.places,
        scores=("0", "0"),
    )
    job = Job(key="k", players=players, seed=1, board_seed=1, **fields)
    seats = [SeatReport(name=each.name, content=each.content) for each in players]
    return Record(job=job, calls=Calls(calls), seats=seats, verdict=verdict)


def chess_record(moves: str, *, options: dict[str, Any], opening: int = 0) -> Record:
    """Return a match with these moves, the first of them as its opening."""
    game = Chess(**options)
    border, state = MoveCodec(game), game.start(2, 1)
    history: list[dict[str, Any]] = []
    calls: list[Call] = []
    for ply, text in enumerate(moves.split()):
        move, seat = game.parse_in(state, text), game.turn(state)
        wire: dict[str, Any] = border.wire_move(move)
        if ply < opening:
            history.append({"seat": seat, "move": wire})
        else:
            said: list[dict[str, Any]] = [
                {"data": {"cp": 31, "depth": 11, "seldepth": 17, "nodes": 2**40}},
                {"data": {"mate": 2}},
                {"value": 182},
                {"value": -1000},
            ]
            calls.append(
                Call(
                    seat=seat,
                    call="move",
                    ply=ply,
                    move=wire,
                    notation=game.notation(move),
                    left_ms=3_725_960,
                    charged_ns=291_700_000,
                    note="} 1-0 {[%eval 9]",
                    **said[ply % 4],
                )
            )
        state = game.apply(state, move)
    outcome = game.outcome(state) or game.adjudicate(state, "limit of plies")
    return record_with(
        calls,
        outcome,
        ("white", "black"),
        game="chess",
        options=options,
        history=tuple(history),
    )


def all_at_fault(record: Record) -> Record:
    """Return a match whose seats all crashed in their first call."""
    faults = [
        Fault(seat=seat, termination=Termination.CRASH, call="init", ply=0, detail="exit code 1")
        for seat in range(len(record.seats))
    ]
    verdict = replace(record.verdict, places=(1,) * len(faults), faults=tuple(faults))
    return replace(record, verdict=replace(verdict, termination=Termination.CRASH))


def written(
    folder: Path,
    record: Record,
    export: Callable[[Store, EventRow, TextIO], None],
    name: str = "cup",
) -> str:
    """Return what is exported of an event with this match."""
    with closing(new_store(folder)) as store:
        entrants = {each.name: str(number) for number, each in enumerate(record.job.players)}
        event = store.add_event(name, 1, {}, entrants)
        keep(store, event, record)
        out = StringIO()
        row = store.event(event)
        assert row is not None
        export(store, row, out)
    return out.getvalue()
