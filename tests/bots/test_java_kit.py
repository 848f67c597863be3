import shutil
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
def java_probe(tmp_path_factory: pytest.TempPathFactory) -> Probe:
    java = shutil.which("java")
    if java is None or shutil.which("mvn") is None:
        missing("java and mvn for the Java kit")
    folder = tmp_path_factory.mktemp("java")
    for source in (BOTS / "sdk" / "java").iterdir():
        shutil.copy(source, folder)
    shutil.copy(Path(__file__).with_name("probes") / "Probe.java", folder)
    subprocess.run(["mvn", "-q", "-B", "compile"], cwd=folder, check=True)
    classes = f"{folder}/target/classes:{folder}/target/dependency/*"
    flags = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx64m"]
    return Probe(folder, [str(java), *flags, "-cp", classes, "Probe"])


@pytest.mark.parametrize("game", MOVES)
def test_a_move_goes_through_its_type_and_back(java_probe: Probe, game: str) -> None:
    kit_probes.check_typed_moves(java_probe, game)


def test_what_a_match_tells_arrives(java_probe: Probe) -> None:
    kit_probes.check_told(java_probe, note="[4294967295, cpu, 1, 3, 7]")


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
    java_probe: Probe, does: str, reply: dict[str, Any]
) -> None:
    kit_probes.check_answers(java_probe, does, reply)


@pytest.mark.parametrize(
    ("does", "complaint"),
    [
        ("nothing", "move 9: onMove must return play(move), resign() or done(), not null"),
        ("long", "move 9: play: 70"),
        ("float", "move 9: play.claims.board[1]: cannot be sent: Double 0.5"),
        ("huge", "move 9: play.claims.removed: cannot be sent: Long 9007199254740993"),
        ("bytes", "move 9: play.claims.board: cannot be sent: String"),
        ("empty", "move 9: play.claims: cannot be sent: "),
        ("note", "move 9: play.note: 1025 characters; the limit is 1024"),
    ],
)
def test_a_wrong_answer_ends_the_bot_and_is_named(
    java_probe: Probe, does: str, complaint: str
) -> None:
    said = end_at_its_turn(java_probe, does)

    assert said.startswith(f"arena_bot: {complaint}")
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("does", "complaint"),
    [
        ("panic", "java.lang.ArrayIndexOutOfBoundsException"),
        ("nil", "java.lang.NullPointerException: play: the move is null"),
        ("memory", "java.lang.OutOfMemoryError"),
    ],
)
def test_an_exception_ends_the_bot_with_a_trace(
    java_probe: Probe, does: str, complaint: str
) -> None:
    said = end_at_its_turn(java_probe, does)

    assert said.startswith(f"arena_bot: move 9: {complaint}")
    assert "Probe.java:" in said


MOVE = kit_probes.CALL


@pytest.mark.parametrize(
    ("payload", "complaint"),
    [
        (msgpack.packb({**MOVE, "ply": "0"}), "move.ply: Long expected, not String 0"),
        (msgpack.packb({**MOVE, "ply": True}), "move.ply: Long expected, not Boolean true"),
        (msgpack.packb({"type": "ping"}), "ping.id: Long expected, not nothing"),
        (
            msgpack.packb(
                {"type": "init", "id": 1, **INIT, "time": {**INIT["time"], "bank_ms": "1"}}
            ),
            "init.time.bank_ms: Long expected, not String 1",
        ),
        (
            msgpack.packb({"type": "init", "id": 1, **INIT, "seat": 2**40}),
            "init.seat: an int expected, not Long 1099511627776",
        ),
        (
            msgpack.packb({"type": "term", "id": 1, **TERM, "scores": ["1", 2]}),
            "term.scores: String expected, not Long 2",
        ),
        (msgpack.packb([1]), "a call is a map with a type, not ArrayList [1]"),
    ],
)
def test_what_is_no_call_ends_the_bot_and_is_named(
    java_probe: Probe, payload: bytes, complaint: str
) -> None:
    assert complaint in end_at(java_probe, payload)


def test_frames_come_in_pieces_and_commands_between(java_probe: Probe, folder: Path) -> None:
    kit_probes.check_frames(java_probe, folder)


def test_nothing_is_set_aside_for_a_frame_that_is_too_long(java_probe: Probe, folder: Path) -> None:
    kit_probes.check_promises(java_probe, folder)


def test_a_bot_whose_referee_is_gone_ends(java_probe: Probe) -> None:
    kit_probes.check_hang_up(java_probe)


def test_a_bot_with_no_referee_ends(java_probe: Probe) -> None:
    kit_probes.check_alone(java_probe)


def test_display_without_a_board_is_named(java_probe: Probe) -> None:
    display = msgpack.packb({"type": "display", "id": 4})

    assert "display 4: this game asks for the board" in end_at(java_probe, display)
