"""The vectors agree with the codec, the models and the referee."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import make_vectors
import pytest
from cases import TOKEN

from protocol.codec import MAX_CALL_BYTES, decode
from protocol.errors import MalformedError, WireError
from protocol.link import ClosedError, Listener, RefusedHelloError
from protocol.messages import (
    Bye,
    Display,
    Error,
    Init,
    Message,
    Move,
    Picture,
    Ping,
    Play,
    Pong,
    Ready,
    Term,
    parse,
)
from referee.errors import Forfeit
from referee.job import TimeControl
from referee.move_codec import MoveCodec
from referee.options import make_game
from referee.records.record import NullCost
from referee.seats.bot_seat import BotSeat
from referee.seats.seat import OpenCall
from referee.seats.stopwatch import Stopwatch

Case = dict[str, Any]

CALLS: dict[str, type[Message]] = {
    "init": Init,
    "move": Move,
    "display": Display,
    "term": Term,
    "ping": Ping,
    "error": Error,
}
REPLIES: dict[str, type[Message]] = {
    "init": Ready,
    "move": Play,
    "display": Picture,
    "term": Bye,
    "ping": Pong,
}
FIELDS = {"name", "about", "direction", "hex", "valid", "message", "rule"}
FIELDS |= {"answers", "game", "outcome"}  # of replies
FIELDS |= {"after", "reply", "stderr", "exit", "bot"}  # of calls


def _read(group: str) -> list[Case]:
    cases: list[Case] = json.loads((make_vectors.VECTORS / f"{group}.json").read_text())
    return cases


GROUPS = {path.stem: _read(path.stem) for path in sorted(make_vectors.VECTORS.glob("*.json"))}
ALL = [case for cases in GROUPS.values() for case in cases]


def _payload(case: Case) -> bytes:
    if isinstance(case["hex"], str):
        return bytes.fromhex(case["hex"])
    return b"".join(bytes.fromhex(piece) * times for piece, times in case["hex"])


def _plain(value: Any) -> Any:
    """Return a decoded value as JSON values."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _where(take: Callable[[Case], bool]) -> pytest.MarkDecorator:
    chosen = [case for case in ALL if take(case)]
    return pytest.mark.parametrize("case", chosen, ids=[case["name"] for case in chosen])


class OneMessage:
    """A link to a peer that sends one message and closes."""

    def __init__(self, payload: bytes) -> None:
        self._payload: bytes | None = payload

    def send(self, payload: bytes) -> None:
        del payload

    def receive(self, until_ns: int) -> bytes:
        del until_ns
        if self._payload is None:
            raise ClosedError("closed its connection")
        payload, self._payload = self._payload, None
        return payload


class Idle:
    """A process without CPU time and a stopped clock."""

    has_hit_memory_limit = False
    shortage = None

    def cpu_ns(self) -> int:
        return 0

    def queued_ns(self) -> dict[int, int]:
        return {}

    def wait_end(self, wait_ns: int) -> str:
        del wait_ns
        return "exit code 0"

    def suspend(self) -> None:
        raise AssertionError

    resume = suspend

    def now_ns(self) -> int:
        return 0


def _outcome_of_hello(payload: bytes, path: Path) -> str:
    listener = Listener(TOKEN, path)
    try:
        listener.read_hello(payload)
    except RefusedHelloError:
        return "no_show"
    except WireError:
        return "stranger"
    finally:
        listener.close()
    return "taken"


def _outcome_of_reply(case: Case) -> str:
    model = REPLIES[case["answers"]]
    if "game" in case:
        model = MoveCodec(make_game(case["game"], {})).play_model
    idle = Idle()
    watch, null = Stopwatch(0, idle, TimeControl(), idle), NullCost(wall_ns=0, cpu_ns=0)
    player = BotSeat(0, OneMessage(_payload(case)), idle, watch, null=null)
    call = OpenCall(name=case["answers"], fields={}, model=model, limit_ns=1)
    reply, _ = player.ask(call)
    if isinstance(reply, Forfeit):
        return "stray" if player.strays else reply.termination
    return "taken"


def _decode_call(payload: bytes) -> Case:
    return decode(payload, limit=MAX_CALL_BYTES)


def _parse_call(payload: bytes) -> Message:
    fields = _decode_call(payload)
    kind = fields.get("type")
    return parse(CALLS[kind] if isinstance(kind, str) else Ping, fields)


def test_the_files_match_the_cases() -> None:
    expected = {name: make_vectors.text_of(cases) for name, cases in make_vectors.GROUPS.items()}
    written = {path.stem: path.read_text() for path in make_vectors.VECTORS.glob("*.json")}

    assert written == expected, "run: python tests/protocol/make_vectors.py"


def test_names_are_unique_and_fields_known() -> None:
    names = [case["name"] for case in ALL]

    assert len(set(names)) == len(names) >= 80
    assert {field for case in ALL for field in case} <= FIELDS
    assert all(case["about"] and "\n" not in case["about"] for case in ALL)


@_where(lambda case: case["direction"] == "reply")
def test_a_reply_has_the_outcome_of_its_case(case: Case, tmp_path: Path) -> None:
    if case["answers"] is None:
        outcome = _outcome_of_hello(_payload(case), tmp_path / "s")
    else:
        outcome = _outcome_of_reply(case)

    assert outcome == ("taken" if case["valid"] else case["outcome"])


@_where(lambda case: "message" in case)
def test_a_valid_message_decodes_to_its_json(case: Case) -> None:
    assert _plain(_decode_call(_payload(case))) == case["message"]


@_where(lambda case: "message" in case and case["message"]["type"] in CALLS)
def test_calls_fit_the_models_unless_they_are_future_calls(case: Case) -> None:
    fields = _decode_call(_payload(case))
    model = CALLS[fields["type"]]
    if "tomorrow" in case["name"]:
        with pytest.raises(MalformedError):
            parse(model, fields)
    else:
        parse(model, fields)


@_where(lambda case: case["direction"] == "call" and case["valid"])
def test_the_expected_reply_to_a_call_is_valid(case: Case) -> None:
    fields = _decode_call(_payload(case))
    if case["reply"] is None:
        assert fields["type"] == "error" or fields["type"] not in CALLS
        return
    said = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in case["reply"].items()
    }
    reply = parse(REPLIES[fields["type"]], said)
    assert vars(reply)["id"] == fields["id"]
    if fields["type"] == "move":
        assert _plain(fields["legal"]) == [case["reply"]["move"]]


@_where(lambda case: case["direction"] == "call" and not case["valid"])
def test_a_broken_call_cannot_be_sent_by_a_referee(case: Case) -> None:
    refuses = _decode_call if case["bot"] == "any" else _parse_call

    with pytest.raises(WireError):
        refuses(_payload(case))


@_where(lambda case: case["direction"] == "call")
def test_the_calls_before_a_call_are_valid(case: Case) -> None:
    calls = {call["name"]: call for call in GROUPS["calls"]}

    assert all(name in calls for name in case["after"])
    assert all(calls[name].get("exit") is None for name in case["after"])
