"""Lines for owners and organisers of remote bots: what they say, and how many there are."""

import time

import pytest

from arena.remote.join import line_about
from arena.remote.limited import LINES, Limited
from protocol.codec import encode_fields

INIT = {"type": "init", "id": 1, "game": "pente", "seat": 1, "players": ("ann\x1b", "bob", "cid")}
TERM = {"type": "term", "id": 9, "termination": "normal", "scores": ("5", "0"), "reason": "five"}


def test_an_owner_reads_the_calls_to_the_bot() -> None:
    assert line_about(encode_fields(INIT), "pente") == "pente, seat 1: against ann\\x1b, cid"
    assert line_about(encode_fields(TERM), "pente") == "pente: normal, scores by seat 5 0: five"
    assert line_about(encode_fields({"type": "move", "id": 2}), "pente") is None


@pytest.mark.parametrize(
    "call",
    [
        b"",
        b"\xa4init",
        b"\xff" * 100 + b"\xa4term",
        encode_fields({"type": "init", "id": 1}),
        encode_fields({**INIT, "players": 7}),
        encode_fields({**TERM, "scores": 7}),
        encode_fields({"type": "move", "note": "init", "id": 1}),
    ],
    ids=["empty", "cut", "late", "no fields", "players", "scores", "another"],
)
def test_a_wrong_call_of_a_host_says_nothing(call: bytes) -> None:
    assert line_about(call, "pente") is None


def test_a_hostile_reason_is_cut() -> None:
    said = line_about(encode_fields({**TERM, "reason": "x\n" * 10_000}), "pente")

    assert said is not None
    assert said.isprintable()
    assert len(said) == 200


def test_lines_about_one_entrant_are_left_out_after_some(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now_s[0])
    said: list[str] = []
    lines = Limited(said.append)

    for _ in range(10 * LINES):
        lines.say("alice", "joined: alice")
    lines.say("bob", "joined: bob")

    left_out = "alice: more lines are left out for a minute"
    assert said == ["joined: alice"] * LINES + [left_out, "joined: bob"]
    now_s[0] = 61.0
    lines.say("alice", "joined: alice")
    assert said[-1] == "joined: alice"
