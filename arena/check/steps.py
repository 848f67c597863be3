"""The table of all steps of `arena check`, each with its section of the protocol.

A step starts one or more bot processes, or plays on in that of the step before. It returns a short
finding, or None; it raises StepFailed or StepSkipped.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from arena.check import odd_calls, own_board, requirements
from arena.check.bench import Alter, Bench, Setting
from arena.check.options import has_display, option_values
from arena.text import config_value
from referee.catalog import AnyGame
from referee.job import SECOND_NS, TimeControl


@dataclass(frozen=True)
class Step:
    """One requirement on a bot."""

    name: str
    run: Callable[[Bench], str | None]
    advice: str = ""
    """Advice for a failure, with the section of SPEC.md; empty if it depends on the fault alone."""
    is_basic: bool = False
    """Whether all later steps depend on it."""


def steps_for(game: AnyGame) -> list[Step]:
    """Return all steps for a bot in this game, in order."""
    return [*_basic(), *_arrival(), *_seats(game), *_calls(), *_game(game), *_term(), *_end()]


def _basic() -> Iterator[Step]:
    yield Step(
        "starts, connects and sends hello",
        requirements.starts,
        "with `protocol: jsonl` print hello and flush it; otherwise connect to ARENA_ENDPOINT as a"
        " DEALER and send hello with ARENA_TOKEN (6). If the bot ended, its last output shows why",
        is_basic=True,
    )
    yield Step(
        "answers a ping before the first init",
        requirements.answers_ping,
        "reply with pong and the id of the ping, at any time (5.3)",
        is_basic=True,
    )
    yield Step(
        "answers init, move and term",
        partial(requirements.plays, Setting(turns=1)),
        is_basic=True,
    )


def _arrival() -> Iterator[Step]:
    yield Step(
        "names itself", requirements.names_itself, "hello may have name, version and language (6)"
    )
    yield Step(
        "sends no message without a call",
        requirements.is_quiet,
        "after hello, send one reply to each call and nothing else (5.1)",
    )
    yield Step(
        "echoes any id up to 2^53",
        requirements.echoes_ids,
        "store ids in 64 bits and repeat the id of the call (5.2)",
    )
    yield Step(
        "uses one kind of envelope",
        requirements.keeps_envelope,
        "send each message as one frame; only a REQ adds an empty frame before it (3.3)",
    )
    yield Step(
        "connects over tcp",
        requirements.connects_over_tcp,
        "pass ARENA_ENDPOINT unchanged to the socket: ipc:// or tcp:// (3.1)",
    )
    yield Step(
        "runs twice at the same time",
        requirements.runs_twice,
        "use no fixed port, path or lock file; HOME and TMPDIR belong to the process (3.1)",
    )


def _seats(game: AnyGame) -> Iterator[Step]:
    few, most = min(game.seats), max(game.seats)
    advice = "read seat and seats from init; moves and turns are given by seat (7)"
    for seat in range(few):
        yield Step(
            f"plays in seat {seat} of {few}",
            partial(requirements.plays_on, Setting(seat=seat, turns=3)),
            advice,
        )
    if most > few:
        for seat in (0, most - 1):
            yield Step(
                f"plays in seat {seat} of {most}",
                partial(requirements.plays_on, Setting(seat=seat, seats=most)),
                advice,
            )
    yield Step(
        "plays 20 moves",
        partial(requirements.plays_on, Setting(turns=20)),
        "update the position with opponent_moves: the moves of the others, oldest first (7)",
    )
    history = "begin with view, the position after history, or replay history (7, init)"
    for plies, name in (
        (2 * few, "continues from a history that includes its own moves"),
        (2 * few - 1, "continues from a history of odd length"),
        (20, "continues from a long history"),
    ):
        yield Step(name, partial(requirements.plays_on, Setting(history=plies, turns=3)), history)
    yield Step(
        "continues from a history in the last seat",
        partial(requirements.plays_on, Setting(seat=few - 1, history=3 * few, turns=3)),
        history,
    )
    yield Step(
        "plays a dozen long matches in one process, most from deep positions",
        own_board.keeps_its_board,
        "set up the position of init.history, or of init.view, at each init, and clear what is left"
        " of the match before (7, 11.2)",
    )


def _calls() -> Iterator[Step]:
    for name, alter, advice in (*_odd_calls(), *_odd_bytes()):
        yield Step(name, partial(requirements.plays_on, Setting(alter=alter)), advice)
    for name, payload in odd_calls.BROKEN.items():
        yield Step(
            f"exits after {name}",
            partial(requirements.ends_at, payload),
            "write the error to stderr and exit with a code other than 0 (10.2)",
        )


def _odd_calls() -> tuple[tuple[str, Alter, str], ...]:
    """Return names, changes of calls, and advice."""
    ignore = "ignore unknown fields and calls, at any depth (10.2)"
    return (
        ("ignores unknown fields in every call", odd_calls.unknown_fields, ignore),
        (
            "ignores calls of an unknown type",
            odd_calls.after_unknown_calls,
            f"{ignore}; send no reply, which needs a DEALER socket",
        ),
        (
            "answers pings between all calls",
            odd_calls.after_pings,
            "reply with pong and continue (5.3)",
        ),
        (
            "accepts nil in an optional field",
            odd_calls.nil_fields,
            "treat nil in an optional field like an omitted field (4.6)",
        ),
        (
            "accepts fields in any order",
            odd_calls.reversed_fields,
            "read fields by name; `type` may come last (4.3)",
        ),
        ("accepts calls of 1 MiB", odd_calls.large, "accept calls of up to 1,048,576 bytes (4.7)"),
        ("accepts values nested 16 deep", odd_calls.deep, "accept a nesting of 16 (4.4)"),
        (
            "accepts the longest names and the largest seed",
            odd_calls.long_names,
            "accept UTF-8 texts of up to 400 characters and seeds of 32 bits (7, init)",
        ),
    )


def _odd_bytes() -> tuple[tuple[str, Alter, str], ...]:
    """Return names, changes of bytes, and advice."""
    whole = "use a ZeroMQ library, or read until a frame is complete (appendix A)"
    return (
        (
            "accepts values in their longest form",
            odd_calls.in_long_forms,
            "read all forms (4.3, B)",
        ),
        ("accepts calls that arrive byte by byte", odd_calls.byte_by_byte, whole),
        ("accepts two calls that arrive at once", odd_calls.in_one_piece, whole),
        ("accepts short calls in long frames", odd_calls.in_long_frames, whole),
        ("accepts ZMTP heartbeats", odd_calls.after_heartbeats, whole),
    )


def _game(game: AnyGame) -> Iterator[Step]:
    claims = "make each claim as described in section 14, or none at all (7, play)"
    if game.claims_type is not None:
        yield Step("makes only true claims", requirements.claims_rightly, claims)
        yield Step("makes all required claims", requirements.makes_every_claim, claims)
    if has_display(game):
        yield Step(
            "shows the board",
            requirements.shows_board,
            "reply to display with the board after all moves, its own included (7, display)",
        )
    yield Step(
        "plays without a list of legal moves",
        requirements.does_without_legal,
        "if legal_omitted is true, find a move without the list, or resign (7, move)",
    )
    for option, value in option_values(game):
        yield Step(
            f"plays with {option}: {config_value(value)}",
            partial(own_board.plays_option, option, value),
            "read init.options; resign if the bot cannot play with a value (7, init)",
        )
    yield from _times()


def _times() -> Iterator[Step]:
    bank = TimeControl(bank_ns=60 * SECOND_NS, increment_ns=SECOND_NS, bank_moves=40)
    advice = "read the limits from init.time, and left_ms from each move call with a bank (7, 8)"
    yield Step("plays with a bank", partial(requirements.plays_on, Setting(time=bank)), advice)
    yield Step(
        "moves at once if no time is left",
        partial(requirements.plays_on, Setting(time=bank, alter=odd_calls.little_time)),
        advice,
    )
    yield Step(
        "plays with the wall clock",
        partial(requirements.plays_on, Setting(time=TimeControl(clock="wall"))),
        advice,
    )
    yield Step(
        "uses no CPU time between calls",
        requirements.rests,
        "block in the socket without polling; compute only during calls (8.4)",
    )
    yield Step(
        "repeats its moves with the same seed",
        requirements.repeats_itself,
        "take all random numbers from init.seed, so that matches can be repeated (7, init)",
    )


def _term() -> Iterator[Step]:
    yield Step(
        "exits with 0 after its last match",
        requirements.exits,
        "after term with last: true send bye, wait until it is sent, and exit (11.1)",
    )
    yield Step(
        "leaves no process behind", requirements.leaves_nothing, "end child processes too (11.1)"
    )
    yield Step(
        "says bye to a term without init",
        requirements.takes_term_alone,
        "term may come first (5.4)",
    )
    again = "after term with last: false wait for init and reset all state (11.2)"
    yield Step("plays a second match", partial(requirements.plays_again, 2), again)
    yield Step(
        "plays a third match, in another seat and variant",
        partial(requirements.plays_again, 3),
        again,
    )
    yield Step(
        "moves after a history as in the match itself",
        own_board.moves_alike_after_history,
        "look whether init.history is replayed to its end: moves, captures, turns. A difference"
        " is no fault of a bot that plans ahead or keeps a table of positions",
    )
    yield Step(
        "moves after other matches as in a new process",
        own_board.moves_alike_after_matches,
        f"{again}. A difference is no fault of a bot that learns, or that seeds its random numbers"
        " only once",
    )
    yield Step(
        "accepts every termination",
        requirements.takes_endings,
        "reply with bye to every termination, unknown words included (9)",
    )
    yield Step(
        "frees its memory between matches", requirements.keeps_memory, "free all memory of a match"
    )


def _end() -> Iterator[Step]:
    gone = "exit when the connection closes; watch the socket monitor, or let reads fail (3.4)"
    yield Step("exits if the referee disappears before init", requirements.ends_when_alone, gone)
    yield Step("exits if the referee disappears during a match", requirements.ends_in_match, gone)
    yield Step(
        "accepts an error notice",
        requirements.takes_error,
        "write it to stderr; do not reply (5.5, 10.2)",
    )
    yield Step(
        "prints little",
        requirements.prints_little,
        "print less: output is kept up to a limit, and writing takes time of the bot",
    )
