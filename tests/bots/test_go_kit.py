import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import kit_probes
import msgpack
import pytest
from c_programs import missing
from kit_probes import MOVES, Probe, end_at, end_at_its_turn
from router_seat import BOTS, INIT, TERM


@pytest.fixture(scope="module")
def go_probe(tmp_path_factory: pytest.TempPathFactory) -> Probe:
    if shutil.which("go") is None:
        missing("go for the Go kit")
    folder = tmp_path_factory.mktemp("go")
    for source in (BOTS / "sdk" / "go").iterdir():
        shutil.copy(source, folder)
    shutil.copy(Path(__file__).with_name("probes") / "probe.go", folder)
    subprocess.run(["go", "build", "-buildvcs=false", "-o", "bot", "."], cwd=folder, check=True)
    return Probe(folder, [str(folder / "bot")])


@pytest.mark.parametrize("game", MOVES)
def test_a_move_goes_through_its_type_and_back(go_probe: Probe, game: str) -> None:
    kit_probes.check_typed_moves(go_probe, game)


def test_what_a_match_tells_arrives(go_probe: Probe) -> None:
    kit_probes.check_told(go_probe, note="4294967295 cpu 1 3 7")


@pytest.mark.parametrize(
    ("does", "reply"),
    [
        ("resign", {"resign": True}),
        ("done", {"done": True}),
        (
            "claims",
            {
                "move": {"v": 0, "h": -4},
                "claims": {"victory": False, "captures": [[[0, 1], [0, 2]]]},
            },
        ),
    ],
)
def test_what_a_bot_answers_stands_in_its_play(
    go_probe: Probe, does: str, reply: dict[str, Any]
) -> None:
    kit_probes.check_answers(go_probe, does, reply)


@pytest.mark.parametrize(
    ("does", "complaint"),
    [
        ("nothing", "move 9: OnMove must return Play(move), Resign() or Done()"),
        ("long", "move 9: play: 70"),
        ("float", "move 9: play.move.from[1]: a float, binary data or an extension (cb)"),
        ("huge", "move 9: play.move.v: an integer outside +-2^53"),
        ("bytes", "move 9: play.move.v: text that is not UTF-8"),
        ("empty", "move 9: play.move: a map that is empty"),
        ("nil", "move 9: play.move: nothing"),
        ("note", "move 9: play.note: 1025 characters; the limit is 1024"),
    ],
)
def test_a_wrong_answer_ends_the_bot_and_is_named(
    go_probe: Probe, does: str, complaint: str
) -> None:
    said = end_at_its_turn(go_probe, does)

    assert said.startswith(f"arena_bot: {complaint}")
    assert said.count("\n") == 1


def test_a_panic_ends_the_bot_with_a_trace(go_probe: Probe) -> None:
    said = end_at_its_turn(go_probe, "panic")

    assert said.startswith("arena_bot: move 9: panic: runtime error: index out of range")
    assert "probe.go:" in said


MOVE = kit_probes.CALL


@pytest.mark.parametrize(
    ("payload", "complaint"),
    [
        (msgpack.packb({**MOVE, "ply": "0"}), 'move.ply: int expected, not "0"'),
        (msgpack.packb({**MOVE, "ply": True}), "move.ply: int expected, not true"),
        (msgpack.packb({**MOVE, "legal": [{}]}), "call.legal[0]: a map that is empty"),
        (msgpack.packb({"type": "ping"}), "ping.id: int64 expected, not nothing"),
        (
            msgpack.packb(
                {"type": "init", "id": 1, **INIT, "time": {**INIT["time"], "bank_ms": "1"}}
            ),
            'init.time.bank_ms: int64 expected, not "1"',
        ),
        (
            msgpack.packb({"type": "term", "id": 1, **TERM, "scores": ["1", 2]}),
            "term.scores[1]: string expected, not 2",
        ),
        (msgpack.packb([1]), "a call is a map with a type, not [1]"),
    ],
)
def test_what_is_no_call_ends_the_bot_and_is_named(
    go_probe: Probe, payload: bytes, complaint: str
) -> None:
    assert complaint in end_at(go_probe, payload)


def test_frames_come_in_pieces_and_commands_between(go_probe: Probe, folder: Path) -> None:
    kit_probes.check_frames(go_probe, folder)


def test_nothing_is_set_aside_for_a_frame_that_is_too_long(go_probe: Probe, folder: Path) -> None:
    kit_probes.check_promises(go_probe, folder)


def test_a_bot_whose_referee_is_gone_ends(go_probe: Probe) -> None:
    kit_probes.check_hang_up(go_probe)


def test_a_bot_with_no_referee_ends(go_probe: Probe) -> None:
    kit_probes.check_alone(go_probe)


def test_display_without_a_board_is_named(go_probe: Probe) -> None:
    display = msgpack.packb({"type": "display", "id": 4})

    assert "display 4: this game asks for the board" in end_at(go_probe, display)


def test_signals_do_not_end_the_wait_for_a_call(go_probe: Probe) -> None:
    with go_probe.seat("signals") as seat:
        for _ in range(100):
            seat.signal(signal.SIGALRM)
            assert seat.call("ping") == {"type": "pong"}
