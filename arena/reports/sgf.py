"""Export of an event of Go or gomoku as SGF, with clocks, and with remarks in comments."""

import re
from collections.abc import Iterator
from typing import Any, TextIO

from arena.reports.export import checked_matches
from arena.results.remarks import data_text
from arena.results.store import EventRow, MatchRow, Store
from protocol.vocabulary import Termination
from protocol.wording import escaped
from referee.games.go import Go
from referee.games.gomoku import Gomoku
from referee.job import SECOND_NS
from referee.move_codec import MoveCodec
from referee.records.adjudicator import RESIGN
from referee.records.calls import Call
from referee.records.record import Record
from referee.records.replay import game_of, steps
from referee.rules.layout import Place

COLORS = "BW"
GAME_NUMBERS = {"go": 1, "gomoku": 4}
"""Numbers of the games in SGF's property GM."""


def export_sgf(store: Store, event: EventRow, out: TextIO) -> None:
    """Write every match of an event of Go or gomoku; raises UsageError for another game."""
    for match, record in checked_matches(store, event, "--sgf", (Go, Gomoku)):
        print(match_sgf(event, match, record), file=out)


def match_sgf(event: EventRow, match: MatchRow, record: Record) -> str:
    """Return a match of Go or gomoku as a game tree of SGF, version 4."""
    *_, last = steps(record.job, record.calls)
    game = game_of(record.job)
    if not isinstance(game, Go | Gomoku):
        raise TypeError(f"{record.job.game} has no SGF")
    black = last.state.black if isinstance(game, Gomoku) else 0
    properties = {
        "FF": "4",
        "GM": str(GAME_NUMBERS[game.name]),
        "CA": "UTF-8",
        "SZ": str(game.size),
        "EV": event.name,
        "RO": str(match.id),
        "DT": match.finished[:10],
        "PB": match.seats[black].player,
        "PW": match.seats[1 - black].player,
        "RE": _result(game, last.state, record, black),
        "GC": match.reason,
    }
    banks = {record.job.time_of(seat).bank_ns for seat in record.job.seats()}
    if len(banks) == 1 and (bank_ns := banks.pop()):
        properties["TM"] = f"{bank_ns / SECOND_NS:g}"
    if isinstance(game, Go):
        properties |= {"KM": f"{game.komi:g}", "RU": _rules_of(game)}
        if game.handicap:
            properties["HA"] = str(game.handicap)
    root = "".join(f"{name}[{_quoted(text)}]" for name, text in properties.items())
    state: Any = game.start(2, record.job.board_seed)
    if stones := game.pieces(state, None):
        root += "AB" + "".join(f"[{_point(place, game.size)}]" for place in stones)
    return "\n".join([f"(;{root}", *_nodes(game, state, record)]) + ")"


def _rules_of(game: Go) -> str:
    """Return the value of the property RU: the options in words, and no rules known by a name.

    Chinese rules, for example, give White points for handicap stones, Japanese ones remove the dead
    stones: a program that scores by them would find another result.
    """
    ko = {"positional": "positional superko", "situational": "situational superko"}
    suicide = "suicide" if game.suicide else "no suicide"
    return f"{game.scoring} scoring, {ko.get(game.ko, 'simple ko')}, {suicide}, no dead stones"


def _result(game: Go | Gomoku, state: Any, record: Record, black: int) -> str:
    """Return the value of the property RE, like `B+3.5` or `W+R`."""
    places = record.verdict.places
    if not places or record.verdict.is_fault_of_all:
        return "Void"  # "no result" in the words of FF[4]; "0" is a draw
    if places[0] == places[1]:
        return "0"
    winner = COLORS[0 if places[black] == 1 else 1]
    termination = record.verdict.termination
    if termination.is_forfeit:
        return f"{winner}+{'T' if termination is Termination.TIMEOUT else 'F'}"
    if termination is Termination.RESIGNATION:
        return f"{winner}+R"
    if record.verdict.reason == RESIGN:
        return f"{winner}+"
    return f"{winner}+{abs(game.margin(state)):g}" if isinstance(game, Go) else f"{winner}+"


def _nodes(game: Go | Gomoku, state: Any, record: Record) -> Iterator[str]:
    """Yield a node for each move: its stone or pass, or the choice of a color as a comment."""
    codec = MoveCodec(game)
    entries: list[tuple[dict[str, Any], Call | None]] = [
        (entry["move"], None) for entry in record.job.history
    ]
    entries += [(call.move, call) for call in record.calls if call.move is not None]
    stones = 0
    for wire, call in entries:
        move = codec.read_move(wire)
        places = game.gesture(move)
        said = [] if call is None else _remarks(call)
        node = ";"
        if places or isinstance(game, Go):
            # during swap2 of gomoku the colors alternate, not the seats
            color = COLORS[game.turn(state) if isinstance(game, Go) else stones % 2]
            stones += 1
            node += f"{color}[{_point(places[0], game.size) if places else ''}]"
            if call is not None and call.left_ms is not None:
                node += f"{color}L[{call.left_ms / 1000:g}]"
        else:
            said.insert(0, game.notation(move))
        state = game.apply(state, move)
        yield node + (f"C[{_quoted('; '.join(said))}]" if said else "")


def _remarks(call: Call) -> list[str]:
    """Return the bot's figures with the time of the move, and its note."""
    figures = [] if call.value is None else [f"value {call.value:+d}"]
    figures += [data_text(call.data)] if call.data else []
    if figures:
        figures.append(f"{call.charged_ns / SECOND_NS:.3f} s")
    return [*figures, *([call.note] if call.note else [])]


def _point(place: Place, size: int) -> str:
    row, column = divmod(place, size)
    return f"{chr(ord('a') + column)}{chr(ord('a') + row)}"


def _quoted(text: str) -> str:
    return re.sub(r"[]:\\]", r"\\\g<0>", escaped(text))
