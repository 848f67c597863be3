"""The table of all steps of `arena check`, each with its section of the protocol.

A step has one or more bot processes of its own. It returns a short finding, or None; it raises
StepFailed or StepSkipped.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from arena.check import calls, runs
from arena.check.bench import Alter, Bench, Setting
from arena.check.options import option_values
from referee.catalog import AnyGame
from referee.job import SECOND_NS, TimeControl


@dataclass(frozen=True)
class Step:
    """One requirement on a bot."""

    name: str
    run: Callable[[Bench], str | None]
    advice: str
    """Advice for a failure, with the section of SPEC.md."""
    is_basic: bool = False
    """Whether all later steps depend on it."""


def steps_for(game: AnyGame) -> list[Step]:
    """Return all steps for a bot in this game, in order."""
    return [*_basic(), *_arrival(), *_seats(game), *_calls(), *_game(game), *_term(), *_end()]


def _basic() -> Iterator[Step]:
    yield Step(
        "starts, connects and says hello",
        runs.starts,
        "connect to ARENA_ENDPOINT as a DEALER and send hello with ARENA_TOKEN at once (6)",
        is_basic=True,
    )
    yield Step(
        "answers a ping before the first init",
        runs.answers_ping,
        "reply pong with the call's id, at any time (5.3)",
        is_basic=True,
    )
    yield Step(
        "answers init, plays a legal move, says bye",
        partial(runs.plays, Setting(turns=1)),
        "reply to init with ready, to move with play, to term with bye; each with the id (5, 7)",
        is_basic=True,
    )


def _arrival() -> Iterator[Step]:
    yield Step("says who it is", runs.names_itself, "hello may have name, version and language (6)")
    yield Step(
        "sends nothing that was not asked for",
        runs.is_quiet,
        "after hello a bot only replies, once to each call (5.1)",
    )
    yield Step(
        "echoes any id up to 2^53",
        runs.echoes_ids,
        "keep ids in 64 bits and send back the call's own (5.2)",
    )
    yield Step(
        "keeps to one kind of envelope",
        runs.keeps_envelope,
        "one message is one frame; a REQ puts an empty one before each (3.3)",
    )
    yield Step(
        "connects over tcp",
        runs.connects_over_tcp,
        "hand ARENA_ENDPOINT to the socket as it is: ipc:// or tcp:// (3.1)",
    )
    yield Step(
        "runs twice at the same time",
        runs.runs_twice,
        "use no fixed port, path or lock file; HOME and TMPDIR are the process's own (3.1)",
    )


def _seats(game: AnyGame) -> Iterator[Step]:
    few, most = min(game.seats), max(game.seats)
    advice = "init tells seat and seats; turn and moves are told by seat (7)"
    for seat in range(few):
        yield Step(
            f"plays in seat {seat} of {few}",
            partial(runs.plays, Setting(seat=seat, turns=3)),
            advice,
        )
    if most > few:
        for seat in (0, most - 1):
            yield Step(
                f"plays in seat {seat} of {most}",
                partial(runs.plays, Setting(seat=seat, seats=most)),
                advice,
            )
    yield Step(
        "plays on for 20 moves",
        partial(runs.plays, Setting(turns=20)),
        "keep the position: opponent_moves brings what the others played, oldest first (7)",
    )
    history = "start from view, which is the position after history, or replay history (7, init)"
    for plies, name in (
        (2 * few, "goes on from a history, its own moves among it"),
        (2 * few - 1, "goes on from a history of odd length"),
        (20, "goes on from a long history"),
    ):
        yield Step(name, partial(runs.plays, Setting(history=plies, turns=3)), history)
    yield Step(
        "goes on from a history in the last seat",
        partial(runs.plays, Setting(seat=few - 1, history=3 * few, turns=3)),
        history,
    )


def _calls() -> Iterator[Step]:
    yield from _odd_calls()
    yield from _odd_bytes()
    for name, payload in calls.BROKEN.items():
        yield Step(
            f"ends at {name}",
            partial(runs.ends_at, payload),
            "say on stderr what is wrong and exit with a code that is not 0 (10.2)",
        )


def _odd_calls() -> Iterator[Step]:
    ignore = "ignore what you do not know, at any depth (10.2)"
    altered: tuple[tuple[str, Alter, str], ...] = (
        ("ignores unknown fields in every call", calls.changed(calls.unknown_fields), ignore),
        (
            "ignores calls of an unknown type",
            calls.after_unknown_calls,
            f"{ignore}, send nothing; a REQ cannot, a DEALER can",
        ),
        ("answers pings between all calls", calls.after_pings, "reply pong, go on (5.3)"),
        (
            "takes nil for a field that is left out",
            calls.changed(calls.nil_fields),
            "nil in an optional field is the same as no field (4.6)",
        ),
        (
            "takes fields in any order",
            calls.changed(calls.reversed_fields),
            "read fields by name, `type` may come last (4.3)",
        ),
        (
            "takes calls of 1 MiB",
            calls.changed(calls.large),
            "make room for 1 048 576 bytes a call (4.7)",
        ),
        ("takes calls 16 deep", calls.changed(calls.deep), "values nest up to 16 deep (4.4)"),
        (
            "takes the longest names and the largest seed",
            calls.changed(calls.long_names),
            "texts are UTF-8 of up to 400 characters, a seed has 32 bits (7, init)",
        ),
    )
    for name, alter, advice in altered:
        yield Step(name, partial(runs.plays, Setting(alter=alter)), advice)


def _odd_bytes() -> Iterator[Step]:
    whole = "leave it to a ZeroMQ library, or read until a frame is whole (appendix A)"
    altered: tuple[tuple[str, Alter, str], ...] = (
        ("takes values in their longest form", calls.in_long_forms, "read all forms (4.3, B)"),
        ("takes calls that arrive byte by byte", calls.byte_by_byte, whole),
        ("takes two calls that arrive at once", calls.in_one_piece, whole),
        ("takes short calls in long frames", calls.in_long_frames, whole),
        ("survives heartbeats of ZMTP", calls.after_heartbeats, whole),
    )
    for name, alter, advice in altered:
        yield Step(name, partial(runs.plays, Setting(alter=alter)), advice)


def _game(game: AnyGame) -> Iterator[Step]:
    claims = "make each claim as section 14 has it, or none at all (7, play)"
    yield Step("is right in what it claims", runs.claims_rightly, claims)
    yield Step("makes every claim", runs.makes_every_claim, claims)
    yield Step(
        "shows the board when asked",
        runs.shows_board,
        "reply to display with the board after all moves, your own last one too (7, display)",
    )
    yield Step(
        "gets along without the legal moves",
        runs.does_without_legal,
        "where legal_omitted is true find a move, or resign (7, move)",
    )
    for option, value in option_values(game):
        yield Step(
            f"plays with {option}: {value}",
            partial(runs.plays_option, option, value),
            "init.options has every option; resign what you do not play (7, init)",
        )
    yield from _times()


def _times() -> Iterator[Step]:
    bank = TimeControl(bank_ns=60 * SECOND_NS)
    advice = "read limits from init.time, and left_ms from each move where there is one (7, 8)"
    yield Step("plays with a bank", partial(runs.plays, Setting(time=bank)), advice)
    yield Step(
        "moves at once when no time is left",
        partial(runs.plays, Setting(time=bank, alter=calls.changed(calls.little_time))),
        advice,
    )
    yield Step(
        "plays by the wall clock",
        partial(runs.plays, Setting(time=TimeControl(clock="wall"))),
        advice,
    )
    yield Step(
        "rests while it is not called",
        runs.rests,
        "wait in the socket, without polling; think only when called (8.4)",
    )
    yield Step(
        "plays the same again with the same seed",
        runs.repeats_itself,
        "take all chance from init.seed, and a match can be played again (7, init)",
    )


def _term() -> Iterator[Step]:
    yield Step(
        "exits with 0 after its last match",
        runs.exits,
        "after term with last: true send bye, wait until it has left, and exit (11.1)",
    )
    yield Step("leaves no process behind", runs.leaves_nothing, "end your children too (11.1)")
    yield Step("says bye to a term without init", runs.takes_term_alone, "there may be none (5.4)")
    again = "after term with last: false wait for the next init and begin anew (11.2)"
    yield Step("plays a second match", partial(runs.plays_again, 2), again)
    yield Step("plays a third in another seat and variant", partial(runs.plays_again, 3), again)
    yield Step(
        "takes every termination",
        runs.takes_endings,
        "say bye whatever the match ended by; there may be new words (9)",
    )
    yield Step(
        "keeps its memory over 20 matches", runs.keeps_memory, "free what belongs to a match"
    )


def _end() -> Iterator[Step]:
    gone = "end when the connection closes; look at the socket's monitor, or let reads fail (3.4)"
    yield Step("ends when the referee is gone before init", runs.ends_when_alone, gone)
    yield Step("ends when the referee is gone in mid-match", runs.ends_in_match, gone)
    yield Step(
        "takes an error notice", runs.takes_error, "write it to stderr; do not reply (5.5, 10.2)"
    )
    yield Step(
        "prints little",
        runs.prints_little,
        "output is kept up to a limit, and writing it takes your time",
    )
