"""Export of an event of chess as PGN, with scores, depths, times and clocks in comments.

A comment begins like those of cutechess and fastchess, with the score of the side that has moved:
`{+0.38/11 0.292s, n=51234, sd=17 [%eval 0.38,11] [%clk 0:00:09.7] a note}`. The commands in
brackets are those that pages and libraries read; `%eval` is a score for White.
"""

import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TextIO

from arena.reports.export import checked_matches
from arena.reports.openings.chess_openings import opening_of
from arena.results.store import EventRow, MatchRow, Store
from protocol.wording import escaped
from referee.games.chess import Chess, Move, State
from referee.job import SECOND_NS, Job, TimeControl
from referee.move_codec import MoveCodec
from referee.records.calls import Call
from referee.records.record import Record
from referee.records.replay import game_of
from referee.records.scores import centipawns
from referee.rules.chess_text import START

WIDTH = 80
"""Limit of a line of moves, in characters."""
_KEPT = "\0"
_RESULTS: dict[tuple[int, ...], str] = {(1, 2): "1-0", (2, 1): "0-1", (1, 1): "1/2-1/2"}
_ENDS = {
    "normal": "normal",
    "resignation": "normal",
    "adjudication": "adjudication",
    "timeout": "time forfeit",
    "crash": "abandoned",
    "no_show": "abandoned",
}
"""Values of the tag Termination, as the standard of PGN has them, by those of Arena."""
MOST_DEPTH = 99_999


def export_pgn(store: Store, event: EventRow, out: TextIO) -> None:
    """Write every match of an event of chess; raises UsageError for another game."""
    for match, record in checked_matches(store, event, "--pgn", (Chess,)):
        print(match_pgn(event.name, match, record), file=out)


def match_pgn(event: str, match: MatchRow, record: Record) -> str:
    """Return a match of chess as PGN, with a line without text at its end."""
    game = game_of(record.job)
    if not isinstance(game, Chess):
        raise TypeError(f"{record.job.game} is not chess")
    state = game.start(2, record.job.board_seed)
    has_result = record.verdict.places and not record.verdict.is_fault_of_all
    result = _RESULTS.get(record.verdict.places, "*") if has_result else "*"
    steps = _steps(game, state, record)
    tags = {
        "Event": event,
        "Site": "?",
        "Date": match.finished[:10].replace("-", "."),
        "Round": str(match.id),
        "White": match.seats[0].player,
        "Black": match.seats[1].player,
        "Result": result,
        "Termination": _ENDS.get(match.termination, "rules infraction"),
        **_time_controls(record.job),
        "PlyCount": str(len(steps) - 1),
        **_programs(record),
    }
    if game.chess960:
        tags["Variant"] = "Chess960"
    if state.first != START:
        tags |= {"SetUp": "1", "FEN": state.first}
    if opening := opening_of(game, [step.state for step in steps]):
        tags |= {"ECO": opening.eco, "Opening": opening.name}
    lines = [f'[{name} "{_quoted(text)}"]' for name, text in tags.items()]
    words = [*_moves(game, steps), f"{{{_comment(match.reason)}}}", result]
    whole = " ".join(word.replace(" ", _KEPT) for word in words)  # comments are not broken
    moves = textwrap.wrap(whole, WIDTH, break_long_words=False, break_on_hyphens=False)
    return "\n".join([*lines, "", *(line.replace(_KEPT, " ") for line in moves), ""])


def _programs(record: Record) -> dict[str, str]:
    """Return the tags with the names and versions by which the bots have introduced themselves."""
    tags = {}
    for side, seat in zip(("White", "Black"), record.seats, strict=True):
        said = [seat.hello.get(key) for key in ("name", "version")]
        if name := " ".join(part for part in said if isinstance(part, str) and part):
            tags[f"{side}Program"] = name
    return tags


def _time_controls(job: Job) -> dict[str, str]:
    """Return the tags of the time control: with odds one for each side."""
    own = [_time_control(job.time_of(seat)) for seat in job.seats()]
    if len(set(own)) == 1:
        return {"TimeControl": own[0]}
    # the standard has no value for two: "?" is unknown
    return {"TimeControl": "?", "WhiteTimeControl": own[0], "BlackTimeControl": own[1]}


def _time_control(time: TimeControl) -> str:
    """Return the value of the tag, in seconds: like `40/60`, `10+0.1`, or `1/2` for each move."""
    if time.bank_ns is None:
        return f"1/{_seconds(time.per_move_ns)}"
    moves = f"{time.bank_moves}/" if time.bank_moves else ""
    increment = f"+{_seconds(time.increment_ns)}" if time.increment_ns else ""
    return f"{moves}{_seconds(time.bank_ns)}{increment}"


def _seconds(nanoseconds: int) -> str:
    return f"{nanoseconds / SECOND_NS:.6f}".rstrip("0").rstrip(".")


class _Step(NamedTuple):
    """A position, and the move that is made in it; the last position has none."""

    state: State
    move: Move | None = None
    call: Call | None = None
    """The call with the move; None for one of the opening."""


def _steps(game: Chess, state: State, record: Record) -> list[_Step]:
    """Return the positions from the start, with the moves of the opening and of the bots."""
    codec = MoveCodec(game)
    entries: list[tuple[dict[str, Any], Call | None]] = [
        (entry["move"], None) for entry in record.job.history
    ]
    entries += [(call.move, call) for call in record.calls if call.move is not None]
    steps = []
    for wire, call in entries:
        move = codec.read_move(wire)
        steps.append(_Step(state, move, call))
        state = game.apply(state, move)
    return [*steps, _Step(state)]


def _moves(game: Chess, steps: Sequence[_Step]) -> Iterator[str]:
    """Yield the words of the moves, each with its number and comment."""
    number = int(game.fen_of(steps[0].state).rsplit(" ", 1)[1])
    is_interrupted = True
    for state, move, call in steps:
        if move is None:
            return
        turn = state.board.turn
        if turn == 0 or is_interrupted:
            yield f"{number}{'.' if turn == 0 else '...'}"
        yield game.notation_in(state, move)
        number += turn
        said = "" if call is None else _said(call)
        is_interrupted = bool(said)
        if said:
            yield f"{{{said}}}"


def _said(call: Call) -> str:
    """Return the comment of a move: score, depth and time, commands, note."""
    parts = [_search(call)]
    if (score := _score(call)) is not None:
        depth = _figure(call, "depth")
        parts.append(f"[%eval {score}{'' if depth is None else f',{depth}'}]")
    if call.left_ms is not None:
        seconds, tenths = divmod(call.left_ms // 100, 10)
        clock = f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}.{tenths}"
        parts.append(f"[%clk {clock}]")
    if call.note:
        parts.append(_comment(call.note))
    return " ".join(parts)


def _search(call: Call) -> str:
    """Return score and depth of the side that has moved, its time, and more figures."""
    time = f"{call.charged_ns / SECOND_NS:.3f}s"
    if (score := _own_score(call)) is not None:
        time = f"{score}/{_figure(call, 'depth') or 0} {time}"
    figures = (("n", _figure(call, "nodes")), ("sd", _figure(call, "seldepth")))
    return ", ".join([time, *(f"{name}={said}" for name, said in figures if said is not None)])


def _figure(call: Call, name: str) -> int | None:
    """Return a figure of a bot; a depth is cut to what readers of PGN accept."""
    said = (call.data or {}).get(name)
    if said is None or said < 0:
        return None
    return said if name == "nodes" else min(said, MOST_DEPTH)


def _own_score(call: Call) -> str | None:
    """Return the score in pawns, or the plies to mate as other programs write it, like +M5."""
    mate = (call.data or {}).get("mate")
    if mate is not None:
        return f"+M{2 * mate - 1}" if mate > 0 else f"-M{-2 * mate}"
    score = centipawns(call)
    return None if score is None else f"{score / 100:+z.2f}"


def _score(call: Call) -> str | None:
    """Return the evaluation in pawns, or the moves to mate, from White's side."""
    side = 1 if call.seat == 0 else -1
    data = call.data or {}
    if "mate" in data:
        return f"#{side * data['mate']}"
    score = centipawns(call)
    return None if score is None else f"{side * score / 100:z.2f}"


def _quoted(text: str) -> str:
    # cut first: a cut escape would take the quote after it along
    return escaped(text)[:200].replace("\\", "\\\\").replace('"', '\\"')


def _comment(text: str) -> str:
    return re.sub(r"[{}\[\]%\s]+", " ", escaped(text)).strip()
