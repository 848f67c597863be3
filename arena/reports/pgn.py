"""Export of an event of chess as PGN, with clocks and evaluations in comments."""

import math
import re
import textwrap
from collections.abc import Iterator
from typing import Any, TextIO

from arena.reports.export import checked_matches
from arena.results.store import EventRow, MatchRow, Store
from protocol.wording import escaped
from referee.games.chess import Chess, State
from referee.job import SECOND_NS, TimeControl
from referee.move_codec import MoveCodec
from referee.records.calls import Call
from referee.records.record import Record
from referee.records.replay import game_of
from referee.rules.chess_text import START

WIDTH = 80
"""Limit of a line of moves, in characters."""
CP_SCALE = 0.00368208
"""Logistic scale from winning chances to centipawns: lichess's, as in uci_bridge.py."""
MOST_CP = 10_000
_KEPT = "\0"
_RESULTS: dict[tuple[int, ...], str] = {(1, 2): "1-0", (2, 1): "0-1", (1, 1): "1/2-1/2"}
_ENDS = {"normal": "normal", "adjudication": "adjudication", "timeout": "time forfeit"}


def export_pgn(store: Store, event: EventRow, out: TextIO) -> None:
    """Write every match of an event of chess; raises UsageError for another game."""
    for match, record in checked_matches(store, event, "--pgn", (Chess,)):
        print(match_pgn(event, match, record), file=out)


def match_pgn(event: EventRow, match: MatchRow, record: Record) -> str:
    """Return a match of chess as PGN, with a line without text at its end."""
    game = game_of(record.job)
    if not isinstance(game, Chess):
        raise TypeError(f"{record.job.game} is not chess")
    state = game.start(2, record.job.board_seed)
    has_result = record.verdict.places and not record.verdict.is_fault_of_all
    result = _RESULTS.get(record.verdict.places, "*") if has_result else "*"
    tags = {
        "Event": event.name,
        "Site": "?",
        "Date": match.finished[:10].replace("-", "."),
        "Round": str(match.id),
        "White": match.seats[0].player,
        "Black": match.seats[1].player,
        "Result": result,
        "Termination": _ENDS.get(match.termination, "rules infraction"),
    }
    if control := _time_control(record.job.time):
        tags["TimeControl"] = control
    if game.chess960:
        tags["Variant"] = "Chess960"
    if state.first != START:
        tags |= {"SetUp": "1", "FEN": state.first}
    lines = [f'[{name} "{_quoted(text)}"]' for name, text in tags.items()]
    words = [*_moves(game, state, record), f"{{{_comment(match.reason)}}}", result]
    whole = " ".join(word.replace(" ", _KEPT) for word in words)  # comments are not broken
    moves = textwrap.wrap(whole, WIDTH, break_long_words=False, break_on_hyphens=False)
    return "\n".join([*lines, "", *(line.replace(_KEPT, " ") for line in moves), ""])


def _time_control(time: TimeControl) -> str | None:
    """Return the value of the tag for a bank, in seconds: like `40/60` or `10+0.1`."""
    if time.bank_ns is None:
        return None
    moves = f"{time.bank_moves}/" if time.bank_moves else ""
    increment = f"+{_seconds(time.increment_ns)}" if time.increment_ns else ""
    return f"{moves}{_seconds(time.bank_ns)}{increment}"


def _seconds(nanoseconds: int) -> str:
    return f"{nanoseconds / SECOND_NS:.6f}".rstrip("0").rstrip(".")


def _moves(game: Chess, state: State, record: Record) -> Iterator[str]:
    """Yield the words of the moves, each with its number and comment."""
    codec = MoveCodec(game)
    entries: list[tuple[dict[str, Any], Call | None]] = [
        (entry["move"], None) for entry in record.job.history
    ]
    entries += [(call.move, call) for call in record.calls if call.move is not None]
    number = int(game.fen_of(state).rsplit(" ", 1)[1])
    is_interrupted = False
    for place, (wire, call) in enumerate(entries):
        move = codec.read_move(wire)
        turn = state.board.turn
        if turn == 0 or place == 0 or is_interrupted:
            yield f"{number}{'.' if turn == 0 else '...'}"
        yield game.notation_in(state, move)
        state = game.apply(state, move)
        number += turn
        said = "" if call is None else _said(call)
        is_interrupted = bool(said)
        if said:
            yield f"{{{said}}}"


def _said(call: Call) -> str:
    """Return the comment of a move: evaluation for White, clock, note."""
    parts = []
    if (score := _score(call)) is not None:
        parts.append(f"[%eval {score}]")
    if call.left_ms is not None:
        seconds, tenths = divmod(call.left_ms // 100, 10)
        clock = f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}.{tenths}"
        parts.append(f"[%clk {clock}]")
    if call.note:
        parts.append(_comment(call.note))
    return " ".join(parts)


def _score(call: Call) -> str | None:
    """Return the evaluation in pawns, or the moves to mate, from White's side."""
    side = 1 if call.seat == 0 else -1
    data = call.data or {}
    if "mate" in data:
        return f"#{side * data['mate']}"
    centipawns = data.get("cp")
    if centipawns is None and call.value is not None:
        chance = max(1, min(1999, call.value + 1000)) / 2000
        centipawns = round(math.log(chance / (1 - chance)) / CP_SCALE)
    if centipawns is None:
        return None
    return f"{side * max(-MOST_CP, min(MOST_CP, centipawns)) / 100:.2f}"


def _quoted(text: str) -> str:
    # cut first: a cut escape would take the quote after it along
    return escaped(text)[:200].replace("\\", "\\\\").replace('"', '\\"')


def _comment(text: str) -> str:
    return re.sub(r"[{}\[\]%\s]+", " ", escaped(text)).strip()
