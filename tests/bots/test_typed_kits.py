"""One suite for the kits with typed calls and moves; `typed_kits.py` has what is special to each.

The probes are built once, as the cases of a kit stand together.
"""

import signal
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import kit_probes
import pytest
from kit_probes import MOVES, Probe, end_at, end_at_its_turn
from typed_kits import BY_NAME, KITS, TypedKit, packed

ANSWERS: dict[str, dict[str, Any]] = {
    "resign": {"resign": True},
    "done": {"done": True},
    "claims": {
        "move": {"v": 0, "h": -4},
        "claims": {"victory": False, "captures": [[[0, 1], [0, 2]]]},
    },
}


@pytest.fixture(scope="module")
def probes(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Probe]:
    """Return a function that builds the probe of a kit once."""
    return cache(lambda name: BY_NAME[name].probe(tmp_path_factory.mktemp(name)))


@pytest.fixture(params=BY_NAME)
def probe(request: pytest.FixtureRequest, probes: Callable[[str], Probe]) -> Probe:
    return probes(request.param)


def each(
    cases: Callable[[TypedKit], Iterable[tuple[Any, ...]]], names: str
) -> pytest.MarkDecorator:
    """Parametrize by the cases of each kit."""
    values = [(kit.name, *case) for kit in KITS for case in cases(kit)]
    return pytest.mark.parametrize(f"probe, {names}", values, indirect=["probe"])


@pytest.mark.parametrize("game", MOVES)
def test_a_move_of_a_game_is_typed_in_both_directions(probe: Probe, game: str) -> None:
    kit_probes.check_typed_moves(probe, game)


@each(lambda kit: [(kit.note,)], "note")
def test_the_fields_of_all_calls_arrive(probe: Probe, note: str) -> None:
    kit_probes.check_told(probe, note=note)


@pytest.mark.parametrize("does", ANSWERS)
def test_an_answer_is_sent_in_a_play_message(probe: Probe, does: str) -> None:
    kit_probes.check_answers(probe, does, ANSWERS[does])


@each(lambda kit: kit.mistakes.items(), "does, complaint")
def test_an_invalid_answer_ends_the_bot_and_is_named(
    probe: Probe, does: str, complaint: str
) -> None:
    said = end_at_its_turn(probe, does)

    assert said.startswith(f"arena_bot: {complaint}")
    assert said.count("\n") == 1


@each(lambda kit: [(*case, kit.source) for case in kit.exceptions.items()], "does, says, source")
def test_an_exception_ends_the_bot_with_a_trace(
    probe: Probe, does: str, says: str, source: str
) -> None:
    said = end_at_its_turn(probe, does)

    assert said.startswith(f"arena_bot: move 9: {says}")
    assert f"{source}:" in said


@each(lambda kit: kit.broken_calls, "call, complaint")
def test_an_invalid_call_ends_the_bot_and_is_named(probe: Probe, call: Any, complaint: str) -> None:
    assert complaint in end_at(probe, packed(call))


def test_frames_may_arrive_in_pieces_with_commands_between(probe: Probe, folder: Path) -> None:
    kit_probes.check_frames(probe, folder)


def test_no_memory_is_reserved_for_a_frame_over_the_limit(probe: Probe, folder: Path) -> None:
    kit_probes.check_promises(probe, folder)


def test_a_bot_ends_with_its_connection(probe: Probe) -> None:
    kit_probes.check_hang_up(probe)


def test_a_bot_without_a_referee_ends(probe: Probe) -> None:
    kit_probes.check_alone(probe)


def test_display_without_a_board_is_named(probe: Probe) -> None:
    said = end_at(probe, packed({"type": "display", "id": 4}))

    assert "display 4: this game asks for the board" in said


@pytest.mark.parametrize("probe", [kit.name for kit in KITS if kit.handles_signals], indirect=True)
def test_signals_do_not_end_the_wait_for_a_call(probe: Probe) -> None:
    with probe.seat("signals") as seat:
        for _ in range(100):
            seat.signal(signal.SIGALRM)
            assert seat.call("ping") == {"type": "pong"}
