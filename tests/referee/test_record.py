"""The record of a match: content, scores, and replay."""

import copy
import json
import zlib
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from fakes import (
    DONE,
    FIRST,
    GARBAGE,
    RESIGN,
    Fail,
    FailedBot,
    FakeBot,
    Hang,
    Played,
    Say,
    play,
    play_match,
)
from verifying import verify

from protocol.codec import stored
from protocol.link import ClosedError
from referee.job import ScoreRule, TimeControl
from referee.options import make_game
from referee.records import record
from referee.records.calls import Calls
from referee.records.record import Record
from referee.records.replay import ReplayError, steps
from referee.records.scoring import score, to_text

STAR = {"game": "chinese_checkers", "options": {"game_size": 3, "max_rounds": 4}}
ALONE = {"game": "down_n_out", "options": {"rows": 4, "cols": 5, "colors": 2}}
TIMED = {"time": TimeControl(clock="wall"), "score": ScoreRule(per_second=Decimal("0.5"))}
CRASH = Fail(ClosedError("gone"), ended="exit code 1")
ILLEGAL = play({"from": [0, 0], "to": [0, 0]})
CENTRE = {"v": 0, "h": 0}

ENDINGS: dict[str, Callable[[], Played]] = {
    "by the rules": lambda: play_match(FakeBot(), FakeBot(), game="damspel", **TIMED),
    "no show": lambda: play_match(FailedBot(), FakeBot(), **TIMED),
    "nobody shows up": lambda: play_match(FailedBot(), FailedBot()),
    "fault in init": lambda: play_match(FakeBot(), FakeBot(init=Say(GARBAGE)), **TIMED),
    "fault in the pings": lambda: play_match(FakeBot(ping=Hang()), FakeBot()),
    "both fail": lambda: play_match(FakeBot(init=CRASH), FakeBot(init=Hang())),
    "illegal move": lambda: play_match(FakeBot(FIRST, play(CENTRE)), FakeBot(), **TIMED),
    "timeout": lambda: play_match(FakeBot(FIRST, FIRST, Hang()), FakeBot(), **TIMED),
    "resignation": lambda: play_match(FakeBot(FIRST), FakeBot(FIRST, RESIGN), **TIMED),
    "adjudication": lambda: play_match(FakeBot(), FakeBot(), max_plies=9, **TIMED),
    "no ply at all": lambda: play_match(FakeBot(), FakeBot(), max_plies=0),
    "alone": lambda: play_match(FakeBot(), **ALONE, **TIMED),
    "done": lambda: play_match(FakeBot(FIRST, DONE), **ALONE, **TIMED),
    "fault alone": lambda: play_match(FakeBot(FIRST, CRASH), **ALONE, **TIMED),
    "wrong picture": lambda: play_match(
        FakeBot(display={"type": "picture", "board": []}),
        game="down_n_out",
        options={"rows": 4, "cols": 5, "display": "check"},
    ),
    "false claim": lambda: play_match(FakeBot({**FIRST, "claims": {"victory": True}}), FakeBot()),
    "one of three retires": lambda: play_match(
        FakeBot(), FakeBot(FIRST, ILLEGAL), FakeBot(), **STAR, **TIMED
    ),
    "the last of a round retires": lambda: play_match(
        FakeBot(), FakeBot(), FakeBot(FIRST, CRASH), **STAR
    ),
    "two of three retire": lambda: play_match(
        FakeBot(FIRST, FIRST, RESIGN), FakeBot(ILLEGAL), FakeBot(), **STAR, **TIMED
    ),
    "three of six never came": lambda: play_match(
        FailedBot(), FakeBot(), FailedBot(), FakeBot(), FakeBot(), FailedBot(), **STAR
    ),
    "from an opening": lambda: play_match(
        FakeBot(), FakeBot(), history=({"seat": 0, "move": CENTRE},), max_plies=4, **TIMED
    ),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_kind_of_match_can_be_played_again_from_its_record(ending: str) -> None:
    match = ENDINGS[ending]()

    verify(match.record)

    assert json.loads(json.dumps(match.record.to_json())) == match.stored
    replayed = list(steps(match.job, match.calls))
    moves = [call for call in match.calls if call.move is not None]
    assert [step.ply for step in replayed if step.call and step.call.move is not None] == [
        ply + 1 for ply in range(len(moves))
    ]
    assert replayed[0].call is None
    assert replayed[0].ply == 0


def test_the_replayed_positions_are_those_of_the_match() -> None:
    match = ENDINGS["adjudication"]()
    game = make_game("pente", {})

    state = game.start(2, match.job.board_seed)
    for step in list(steps(match.job, match.calls))[1:]:
        assert step.call is not None
        assert step.call.notation is not None
        state = game.apply(state, game.parse(step.call.notation))
        assert step.state == state


def tampered(record: dict[str, Any], *path: Any, value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(record)
    place = changed
    for part in path[:-1]:
        place = place[part]
    assert place[path[-1]] != value
    place[path[-1]] = value
    return changed


@pytest.mark.parametrize(
    ("ending", "path", "value"),
    [
        ("by the rules", ["verdict", "points"], [1, 1]),
        ("by the rules", ["verdict", "places"], [1, 1]),
        ("by the rules", ["verdict", "scores"], ["1", "1"]),
        ("by the rules", ["calls", "move", 2, "from"], [9, 9]),
        ("by the rules", ["calls", "move", 2, "from"], "a1"),
        ("by the rules", ["calls", "move", 2], {"v": 0, "h": 0}),
        ("by the rules", ["calls", "seat", 2], 1),
        ("by the rules", ["calls", "charged_ns", 2], 10**9),
        ("by the rules", ["options"], {"rows": 8}),
        ("adjudication", ["verdict", "points"], [1, 0]),
        ("adjudication", ["max_plies"], None),
        ("adjudication", ["max_plies"], 10),
        ("alone", ["board_seed"], "12"),
        ("alone", ["score", "per_second"], None),
        ("done", ["verdict", "points"], [10**6]),
        ("resignation", ["verdict", "points"], [0, 5]),
        ("illegal move", ["verdict", "faults"], []),
        ("illegal move", ["verdict", "faults", 0, "seat"], 1),
        ("illegal move", ["verdict", "faults", 0, "termination"], "timeout"),
        ("illegal move", ["calls", "fault", 4], "timeout"),
        ("one of three retires", ["calls", "seat", 7], 0),
        ("nobody shows up", ["verdict", "points"], [5, 0]),
        ("from an opening", ["history", 0, "seat"], 1),
        ("from an opening", ["history", 0, "move", "v"], 3),
        ("from an opening", ["history", 0, "move"], {}),
    ],
)
def test_a_manipulated_record_is_detected(ending: str, path: list[Any], value: Any) -> None:
    stored = ENDINGS[ending]().stored
    verify(Record.from_json(stored))

    with pytest.raises(ReplayError):
        verify(Record.from_json(tampered(stored, *path, value=value)))


DEEP: list[Any] = json.loads("[" * 900 + "]" * 900)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["verdict", "scores"], ["5"]),
        (["verdict", "scores"], ["5", "1e999999999"]),
        (["verdict", "scores"], ["5", "NaN"]),
        (["verdict", "points"], [5]),
        (["verdict", "places"], [1, 2, 3]),
        (["verdict", "places"], [2, 2]),
        (["verdict", "places"], [1, 2**63]),
        (["seats"], []),
        (["calls", "seat", 2], 2),
        (["calls", "seat", 2], -1),
        (["verdict", "faults", 0, "seat"], 7),
        (["calls", "move", 2, "v"], b""),
        (["calls", "move", 2, "v"], DEEP),
        (["calls", "note", 2], 1),
        (["options"], {"size": DEEP}),
        (["seats", 0, "hello"], {"name": DEEP}),
        (["options"], {"size": b"19"}),
        (["seats", 0, "hello"], {"name": {b"a": 1}}),
    ],
)
def test_a_record_that_readers_would_stumble_over_is_no_record(path: list[Any], value: Any) -> None:
    stored = play_match(FakeBot({**FIRST, "note": "n"}, CRASH), FakeBot()).stored
    assert Record.from_json(stored).to_json() == stored

    with pytest.raises(ValueError, match=r"seat|validation error|deeper than 32|none of JSON"):
        Record.from_json(tampered(stored, *path, value=value))


def test_a_move_of_the_history_too_deep_for_readers_is_refused() -> None:
    stored = ENDINGS["from an opening"]().stored

    with pytest.raises(ValueError, match="nested deeper than 32"):
        Record.from_json(tampered(stored, "history", 0, "move", "v", value=DEEP))


def test_a_record_may_be_large_only_by_many_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    def packed(calls: object, seats: object) -> bytes:
        return zlib.compress(stored({"format": record.FORMAT, "calls": calls, "seats": seats}))

    many = ["x" * 50] * 50
    columns = {"seat": [0] * 50, "note": many}
    monkeypatch.setattr(record, "MAX_REST_BYTES", 1000)
    monkeypatch.setattr(record, "MAX_VALUE_BYTES", 100)

    assert record.stored_fields(packed(columns, []))["calls"] == columns
    with pytest.raises(ValueError, match="beside its calls"):
        record.stored_fields(packed({}, many))
    for value in ("x" * 2000, {"x": ["x" * 2000]}, [["x" * 60], "x" * 60] * 20):
        with pytest.raises(ValueError, match="a value of a call has more than"):
            record.stored_fields(packed({"note": [None, value]}, []))
    with pytest.raises(TypeError, match="no map"):
        record.stored_fields(packed(many, []))


def test_a_record_without_its_last_move_is_detected() -> None:
    record = ENDINGS["by the rules"]().record
    last = max(number for number, call in enumerate(record.calls) if call.move is not None)
    record.calls = Calls([*record.calls[:last], *record.calls[last + 1 :]])

    with pytest.raises(ReplayError, match="not over"):
        verify(record)


def test_the_record_has_all_facts_to_show_and_judge_the_match() -> None:
    note = play(CENTRE, note="centre", claims={"victory": False})
    control = TimeControl(clock="wall", bank_ns=10**9)
    match = play_match(FakeBot(note), FakeBot(), time=control, max_plies=1, claims="required")
    move, fault = match.calls[2], match.stored["verdict"]["faults"][0]

    assert json.loads(json.dumps(match.record.to_json())) == match.stored
    assert match.stored["format"] == 2
    assert match.stored["players"] == [
        {"name": "bot0", "content": f"{0:064x}"},
        {"name": "bot1", "content": f"{1:064x}"},
    ]
    assert match.stored["time"]["bank_ns"] == 10**9
    assert move.fault == fault["termination"] == "false_claim"
    assert (fault["seat"], fault["call"], fault["ply"]) == (0, "move", 0)
    assert [seat["charged_ns"] for seat in match.stored["seats"]] == [2 * 10**6, 2 * 10**6]


def test_remarks_are_kept_with_their_reply() -> None:
    plan = [{"v": 2**53, "h": 0}, CENTRE]
    remarks = {"note": "", "value": 0, "plan": plan, "data": {"depth": 2**53}}
    empty: dict[str, Any] = {"note": None, "value": None, "plan": [], "data": None}
    last = {**RESIGN, "value": -1000, "plan": plan[:1], "data": {"nodes": 0}}
    match = play_match(FakeBot(play(CENTRE, **remarks), last), FakeBot({**FIRST, **empty}))

    first, other, resigned = match.record.calls[2:5]

    assert match.verdict.termination == "resignation"
    assert [(call.note, call.value, call.plan, call.data) for call in (first, other, resigned)] == [
        ("", 0, plan, {"depth": 2**53}),
        (None, None, None, None),
        (None, -1000, plan[:1], {"nodes": 0}),
    ]


def test_a_match_without_remarks_has_no_columns_for_them() -> None:
    match = play_match(FakeBot(), FakeBot(), max_plies=4)

    assert not {"note", "value", "plan", "data"} & match.stored["calls"].keys()


def test_a_move_is_recorded_with_claims_note_and_times() -> None:
    said = play(CENTRE, note="centre", claims={"victory": False})
    control = TimeControl(clock="wall", bank_ns=10**9)

    match = play_match(FakeBot(said), FakeBot(), time=control, max_plies=1)

    assert {name: column[2] for name, column in match.stored["calls"].items()} == {
        "seat": 0,
        "call": "move",
        "ply": 0,
        "wall_ns": 10**6,
        "cpu_ns": 1_000_000,
        "charged_ns": 10**6,
        "grace_ns": 0,
        "move": CENTRE,
        "notation": "0,0",
        "claims": {"victory": False},
        "note": "centre",
        "left_ms": 999,
    }


def test_a_record_has_keys_for_what_is_added_to_a_bank_only_with_a_value() -> None:
    stored = play_match(FakeBot(), FakeBot(), max_plies=1).stored
    bank = TimeControl(clock="wall", bank_ns=10**10, increment_ns=10**8, bank_moves=40)
    other = play_match(FakeBot(), FakeBot(), max_plies=1, time=bank)

    assert set(other.stored["time"]) - set(stored["time"]) == {"increment_ns", "bank_moves"}
    assert Record.from_json(other.stored).job.time == bank


SECOND = 10**9


@pytest.mark.parametrize(
    ("rule", "points", "charged_ns", "expected"),
    [
        ({}, 7, 5 * SECOND, "7"),
        ({}, 0, 0, "0"),
        ({}, 1200, 0, "1200"),
        ({"per_second": "1"}, 7, 0, "7"),
        ({"per_second": "1"}, 7, SECOND, "6"),
        ({"per_second": "1"}, 7, 1_234_567, "6.998765"),
        ({"per_second": "0.1"}, 0, 3 * SECOND, "-0.3"),
        ({"per_second": "1"}, 0, 1, "0"),
        ({"per_second": "1"}, 0, 499, "0"),
        ({"per_second": "1"}, 0, 1500, "-0.000002"),
        ({"per_second": "10000"}, 81, SECOND, "-9919"),
        ({"per_second": "1", "floor": "0"}, 3, 9 * SECOND, "0"),
        ({"per_second": "1", "floor": "-2.5"}, 3, 9 * SECOND, "-2.5"),
        ({"percent_per_ms": "1"}, 2562, SECOND // 100, "2305.8"),
        ({"percent_per_ms": "1"}, 2562, SECOND // 10, "0"),
        ({"percent_per_ms": "1"}, 2562, SECOND, "0"),
        ({"percent_per_ms": "0.01"}, 1000, 1_500_000, "999.85"),
        ({"percent_per_ms": "0.01", "per_second": "2"}, 1000, 10**6, "999.898"),
        ({"per_second": "0.3"}, 10**9, SECOND // 3, "999999999.9"),
    ],
)
def test_a_score_is_exact_to_the_microsecond(
    rule: dict[str, str], points: int, charged_ns: int, expected: str
) -> None:
    made = ScoreRule(**{name: Decimal(value) for name, value in rule.items()})

    assert to_text(score(made, points, charged_ns)) == expected


def test_a_score_is_not_rounded_before_it_is_written() -> None:
    assert score(ScoreRule(per_second=Decimal(1)), 1, 1) == Decimal("0.999999999")
