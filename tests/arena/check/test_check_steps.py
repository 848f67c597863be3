"""The steps of `arena check` without a bot: their list, their calls, their text."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgpack
import pytest

from arena.check import odd_calls
from arena.check.bench import Bench
from arena.check.check import find
from arena.check.findings import Finding, causes_text, finding_text, summary
from arena.check.options import option_values
from arena.check.outcomes import StepFailed, StepSkipped
from arena.check.own_board import event_matches
from arena.check.partners import history
from arena.check.steps import Step, steps_for
from protocol.codec import MAX_CALL_BYTES, decode, encode_fields
from protocol.errors import WireError
from protocol.messages import Init, Move, Term, parse
from protocol.vocabulary import Termination
from protocol.zmtp import Session, frame
from referee.catalog import AnyGame
from referee.errors import BrokenMatchError
from referee.job import Player
from referee.options import make_game
from referee.records.record import Fault

GAMES = ("pente", "matchsticks", "chinese_checkers", "down_n_out", "damspel", "chess")
INIT: dict[str, Any] = {
    "type": "init",
    "id": 7,
    "protocol": 1,
    "game": "pente",
    "options": {"half_size": 9},
    "match": "m",
    "seat": 0,
    "seats": 2,
    "players": ["one", "two"],
    "seed": 5,
    "time": {
        "clock": "cpu",
        "init_ms": 1,
        "per_move_ms": 1,
        "display_ms": 1,
        "term_ms": 1,
        "grace_ms": 1,
        "ponder": False,
    },
    "history": [{"seat": 0, "move": {"v": 0, "h": -3}}],
    "view": {"turn": 1, "ply": 1},
}
MOVE: dict[str, Any] = {
    "type": "move",
    "id": 8,
    "ply": 1,
    "opponent_moves": [],
    "legal": [{"v": 0, "h": 0}],
}
TERM: dict[str, Any] = {
    "type": "term",
    "id": 9,
    "opponent_moves": [],
    "termination": "normal",
    "scores": ["1", "0"],
    "reason": "five in a row",
    "offenders": [],
    "last": True,
}


class Wire:
    """A link that records the sent bytes and answers pings."""

    def __init__(self) -> None:
        self.bytes = b""

    def pack(self, payload: bytes) -> bytes:
        return frame(payload)

    def send_packed(self, packed: bytes) -> None:
        self.bytes += packed

    def send(self, payload: bytes) -> None:
        self.send_packed(self.pack(payload))

    def receive(self, until_ns: int) -> bytes:
        assert until_ns > 0
        return encode_fields({"type": "pong", "id": 2**53})

    def messages(self) -> list[Any]:
        """Return the message as decoded by a library of the peer."""
        session = Session(2 * MAX_CALL_BYTES)
        greeting = bytes(session.outgoing)
        ready = frame(b"\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER", flags=4)
        session.feed(greeting + ready)
        return [msgpack.unpackb(message) for message in session.feed(self.bytes)]


def sent(alter: Any, call: dict[str, Any]) -> list[Any]:
    wire = Wire()
    alter(wire, encode_fields(call))
    return wire.messages()


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_forty_steps_and_more_each_with_its_own_name(name: str) -> None:
    steps = steps_for(make_game(name, {}))

    names = [step.name for step in steps]
    assert len(names) >= 40
    assert len(names) == len(set(names))
    assert [step.is_basic for step in steps] == [True] * 3 + [False] * (len(steps) - 3)


def test_options_are_tried_at_the_ends_of_their_range_if_they_make_a_game() -> None:
    assert list(option_values(make_game("pente", {}))) == [
        ("half_size", 15),
        ("second_stone", "both"),
        ("second_stone", "free"),
        ("fours", "exact"),
        ("fours", "windows"),
    ]
    assert ("men_rows", 13) not in list(option_values(make_game("damspel", {})))


@pytest.mark.parametrize("name", GAMES)
def test_a_history_is_legal_and_leaves_the_game_open(name: str) -> None:
    game = make_game(name, {}).variants()[0][1]
    state: Any = game.start(min(game.seats), 1)
    for played in history(game, min(game.seats), 9, 1):
        assert played["seat"] == game.turn(state)
        state = game.apply(state, game.move_type(**_python_names(played["move"])))
    assert game.outcome(state) is None


def _python_names(move: dict[str, Any]) -> dict[str, Any]:
    return {"from_" if name == "from" else name: value for name, value in move.items()}


@pytest.mark.parametrize(
    "alter",
    [
        odd_calls.byte_by_byte,
        odd_calls.in_long_frames,
        odd_calls.in_long_forms,
        odd_calls.after_heartbeats,
        odd_calls.reversed_fields,
    ],
)
@pytest.mark.parametrize("call", [INIT, MOVE, TERM])
def test_other_encodings_have_the_same_meaning(alter: Any, call: dict[str, Any]) -> None:
    assert sent(alter, call) == [call]


@pytest.mark.parametrize("alter", [odd_calls.after_unknown_calls, odd_calls.in_one_piece])
def test_an_unknown_call_goes_first(alter: Any) -> None:
    assert sent(alter, MOVE) == [odd_calls.UNKNOWN, MOVE]


def test_long_forms_are_longer_than_any_other() -> None:
    wire = Wire()

    odd_calls.in_long_forms(wire, encode_fields({"type": "x", "id": -1}))  # type: ignore[arg-type]

    assert wire.bytes[2:] == (
        b"\xdf\0\0\0\x02\xdb\0\0\0\x04type\xdb\0\0\0\x01x\xdb\0\0\0\x02id" + b"\xd3" + b"\xff" * 8
    )


def test_a_ping_goes_first_and_wants_its_pong() -> None:
    wire = Wire()
    odd_calls.after_pings(wire, encode_fields(MOVE))  # type: ignore[arg-type]  # a fake
    assert wire.messages() == [{"type": "ping", "id": 2**53}, MOVE]

    wire.receive = lambda until_ns: encode_fields({"type": "pong", "id": until_ns and 1})  # type: ignore[method-assign]
    with pytest.raises(StepFailed, match="a ping before move: no pong"):
        odd_calls.after_pings(wire, encode_fields(MOVE))  # type: ignore[arg-type]  # a fake


@pytest.mark.parametrize("alter", [odd_calls.large, odd_calls.deep, odd_calls.unknown_fields])
@pytest.mark.parametrize("call", [INIT, MOVE, TERM])
def test_added_fields_are_within_the_limits_and_leave_moves_unchanged(
    alter: Any, call: dict[str, Any]
) -> None:
    (fields,) = sent(alter, call)

    assert set(call) < set(fields)
    assert [dict(move) for move in fields.get("legal", ())] == call.get("legal", [])
    assert [played["move"] for played in fields.get("history", ())] == [
        played["move"] for played in call.get("history", ())
    ]
    if alter is odd_calls.large:
        assert MAX_CALL_BYTES - 64 <= len(encode_fields(fields)) <= MAX_CALL_BYTES


@pytest.mark.parametrize(
    ("alter", "call", "model"),
    [
        (odd_calls.nil_fields, INIT, Init),
        (odd_calls.nil_fields, MOVE, Move),
        (odd_calls.little_time, MOVE, Move),
        (odd_calls.without_legal, MOVE, Move),
        (odd_calls.long_names, INIT, Init),
    ],
)
def test_changed_calls_are_calls_that_a_referee_could_send(
    alter: Any, call: dict[str, Any], model: Any
) -> None:
    (fields,) = sent(alter, call)

    assert fields != call
    parse(model, decode(encode_fields(fields), limit=MAX_CALL_BYTES))


def test_a_match_ends_with_the_given_termination() -> None:
    (fields,) = sent(odd_calls.ended_by("crash"), TERM)

    assert parse(Term, decode(encode_fields(fields))).termination == "crash"
    assert sent(odd_calls.ended_by("crash"), MOVE) == [MOVE]


@pytest.mark.parametrize("payload", odd_calls.BROKEN.values(), ids=odd_calls.BROKEN)
def test_a_broken_call_is_not_a_valid_call(payload: bytes) -> None:
    try:
        fields = decode(payload, limit=MAX_CALL_BYTES)
    except WireError:
        return
    assert type(fields.get("type")) is not str or type(fields.get("id")) is not int


def bench() -> Bench:
    game: AnyGame = make_game("pente", {})
    return Bench(Player(name="b", argv=("b",), folder="/", content="0"), game, None)


def raising(error: Exception) -> Callable[[Bench], str | None]:
    def run(_: Bench) -> str | None:
        raise error

    return run


def test_a_basic_step_that_fails_is_the_last() -> None:
    steps = [
        Step("first", lambda _: "found", "do it"),
        Step("second", raising(StepFailed("no")), "do it"),
        Step("third", raising(StepSkipped("not here")), "do it"),
        Step("fourth", raising(BrokenMatchError("the referee was stopped")), "do it"),
        Step("fifth", raising(StepFailed("no")), "do it", is_basic=True),
        Step("sixth", lambda _: None, "do it"),
    ]

    assert [(found.verdict, found.detail) for found in find(steps, bench())] == [
        ("ok", "found"),
        ("FAIL", "no"),
        ("skip", "not here"),
        ("skip", "the referee was stopped"),
        ("FAIL", "no"),
    ]


def test_a_finding_is_one_line() -> None:
    step = Step("says bye", lambda _: None, "reply to term (5)")
    fine = Finding(number=3, step=step, verdict="ok", detail="\x1b[31mred")
    failed = Finding(number=12, step=step, verdict="FAIL", detail="no reply")

    assert finding_text(fine) == "  3 ok   says bye: \\x1b[31mred"
    assert finding_text(failed) == " 12 FAIL says bye"


LEGAL_ADVICE = (
    'play one of the legal moves: `wants: ["legal"]` in hello adds them to each call;'
    " `arena games pente` prints the rules"
)
FIELDS_ADVICE = (
    "send the fields of the reply, no more and no fewer; `arena games pente` lists those of a move"
)


def failure(
    number: int, name: str, termination: Termination, detail: str, output: str = ""
) -> Finding:
    fault = Fault(seat=0, termination=termination, detail=detail, call="move", ply=number)
    prefix = "match 2: " if number == 57 else ""
    return Finding(
        number=number,
        step=Step(name, lambda _: None),
        verdict="FAIL",
        detail=f"{prefix}{fault}",
        fault=fault,
        output=output,
    )


def test_failures_with_one_cause_are_one_report() -> None:
    wrong = "both coordinates of the first player's second stone must be 3 or more"
    findings = [
        failure(44, "plays with second_stone: both", Termination.ILLEGAL_MOVE, f"(4, 0): {wrong}"),
        failure(50, "plays with a bank", Termination.MALFORMED, "play.move.v: missing"),
        failure(57, "plays a third match", Termination.ILLEGAL_MOVE, f"(-3, 0): {wrong}"),
    ]

    assert causes_text(findings, "pente") == "\n".join(
        [
            "step 44 failed: plays with second_stone: both",
            f"  illegal_move, call move: (4, 0): {wrong}",
            f"  do: {LEGAL_ADVICE}",
            "  the same cause failed:",
            "     57 plays a third match",
            "",
            "step 50 failed: plays with a bank",
            "  malformed, call move: play.move.v: missing",
            f"  do: {FIELDS_ADVICE}",
        ]
    )
    assert summary(findings, 60, "1 s") == ("60 steps in 1 s: 0 ok, 3 failed, 57 skipped; 2 causes")


def test_an_error_in_every_match_gets_the_advice_of_its_fault() -> None:
    found = [
        replace(
            failure(number, "", Termination.ILLEGAL_MOVE, "(0, 0): the point is occupied"),
            step=Step(f"step {number}", lambda _: None, f"advice {number}"),
        )
        for number in (5, 9, 10, 11, 14, 16, 17, 18)
    ]

    assert f"  do: {LEGAL_ADVICE}" in causes_text(found, "pente")
    assert "  the same cause failed: 9-11, 14, 16-18" in causes_text(found, "pente")
    assert "  do: advice 5" in causes_text(found[:2], "pente")


def test_crashes_are_distinguished_by_their_last_words() -> None:
    ended = "ended during the move call: exit code 1"
    crashes = [
        failure(number, f"step {number}", Termination.CRASH, ended, f"Traceback {number}\n{last}")
        for number, last in enumerate(["KeyError: 'v'", "IndexError", "KeyError: 'v'"], start=1)
    ]

    text = causes_text(crashes, "pente")

    assert text.count("do: the bot ended during the call") == 2
    assert "  the same cause failed:\n      3 step 3" in text


def test_what_an_old_entry_cannot_be_asked_is_counted_apart() -> None:
    step = Step("continues from a history", lambda _: None)
    skipped = Finding(step=step, verdict="skip", detail="cannot be asked: other moves")

    assert summary([skipped], 2, "1 s") == (
        "2 steps in 1 s: 0 ok, 0 failed, 1 skipped, 1 cannot be asked by the bot's calls"
    )


def test_a_hint_is_reported_after_the_failures_and_fails_no_bot() -> None:
    step = Step("moves alike", lambda _: None, "look there")
    hint = Finding(number=7, step=step, verdict="hint", detail="ply 3: a1, b2")
    failed = failure(9, "plays with a bank", Termination.MALFORMED, "play.move.v: missing")

    assert finding_text(hint) == "  7 hint moves alike"
    assert causes_text([hint, failed], "pente").endswith(
        "\n\nstep 7 gives a hint: moves alike\n  ply 3: a1, b2\n  do: look there"
    )
    assert summary([hint], 7, "1 s") == "7 steps in 1 s: 0 ok, 0 failed, 6 skipped, 1 hint"


@pytest.mark.parametrize("name", GAMES)
def test_most_long_matches_begin_with_a_board_on_which_moves_collide(name: str) -> None:
    game = make_game(name, {}).variants()[0][1]
    matches = event_matches(game)

    assert {match.seat for match in matches} == set(range(min(game.seats)))
    assert [match.is_last for match in matches] == [False] * 11 + [True]
    deep = [match for match in matches if match.history > 2 * (match.seats or 0)]
    assert len(deep) >= 4
    for match in deep:
        whole = history(game, match.seats or 0, 240, match.seed)
        assert match.history == len(whole) // 2


@pytest.mark.parametrize("name", ["pente", "damspel"])
def test_games_without_a_display_have_no_step_about_it(name: str) -> None:
    steps = steps_for(make_game(name, {}))

    assert not [step for step in steps if "display" in step.advice or "board" in step.name]


def test_games_with_a_display_have_its_step() -> None:
    assert "shows the board" in [step.name for step in steps_for(make_game("down_n_out", {}))]
    assert "makes only true claims" not in [s.name for s in steps_for(make_game("damspel", {}))]


def test_values_of_options_are_written_as_in_a_config() -> None:
    names = [step.name for step in steps_for(make_game("chess", {}))]

    assert "plays with chess960: true" in names
