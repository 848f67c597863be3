"""The kits in C++ and Rust by their own programs in `probes`: what the vectors do not see."""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgpack
import pytest
from languages import LANGUAGES, Language, Starter
from router_seat import INIT, TERM, TOKEN, Seat
from waiting import PATIENCE_S

KITS = {language.name: language for language in LANGUAGES if language.name in ("cpp", "rust")}
PROBES = Path(__file__).with_name("probes")
MIB = 1024 * 1024
MOVES: dict[str, dict[str, Any]] = {
    "pente": {"v": -9, "h": 9},
    "matchsticks": {"row": True, "line": 63, "start": 0, "end": 63},
    "chinese_checkers": {"from": [252, -63], "to": [0, 0]},
    "down_n_out": {"row": 9, "col": 29},
    "damspel": {"from": [3, 2], "to": [5, 4]},
}
GONE = "arena_bot: the connection to the referee is closed\n"


class Probe:
    """A program with one of the kits."""

    def __init__(self, argv: tuple[str, ...], folder: Path) -> None:
        self._argv, self._folder = argv, folder

    def seat(self, **options: Any) -> Seat:
        return Seat(self._folder, self._argv, **options)

    def end_of(self, do: str) -> tuple[int, str]:
        """Have it do in a move what ends it; return its exit code and stderr."""
        with self.seat() as seat:
            seat.init()
            call = {"type": "move", "ply": 0, "opponent_moves": []}
            code, _, said = ask(seat, {**call, **told(do)})
            return code, said

    @contextmanager
    def gate(self) -> Iterator[int]:
        """Make the pipe that a thinking bot waits at; give its other end."""
        os.mkfifo(self._folder / "gate")
        gate = os.open(self._folder / "gate", os.O_RDWR)
        yield gate
        os.close(gate)

    def alone(self, **environment: str) -> tuple[int, str]:
        """Run it without a referee; return its exit code and stderr."""
        done = subprocess.run(
            self._argv,
            cwd=self._folder,
            env={"PATH": os.environ["PATH"], **environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
        return done.returncode, done.stderr


@pytest.fixture(scope="module", params=KITS)
def kit(
    request: pytest.FixtureRequest,
    starters: Callable[[Language], Starter],
    tmp_path_factory: pytest.TempPathFactory,
) -> Probe:
    starter = starters(KITS[request.param])
    program = PROBES / f"probe{Path(starter.language.main).suffix}"
    folder = tmp_path_factory.mktemp(f"probe-{request.param}")
    return Probe(starter.rebuilt_with(program, folder), folder)


def told(do: str, move: Any = None) -> dict[str, Any]:
    """Return the fields of a move call that tells the probe what to do."""
    return {"view": {"do": do}, "legal": [{"x": 1} if move is None else move]}


def ask(seat: Seat, call: dict[str, Any]) -> tuple[int, str, str]:
    """Make a call that ends the bot; return its exit code, stdout and stderr."""
    seat.send(msgpack.packb({"id": 7, **call}))
    return seat.end()


def test_what_a_bot_does_not_tell_is_left_out_of_hello(kit: Probe) -> None:
    with kit.seat() as seat:
        assert not seat.hello.get("wants")
        assert seat.hello.keys() - {"wants"} == {"type", "protocol", "token", "language"}


@pytest.mark.parametrize("game", MOVES)
def test_the_moves_of_a_game_are_typed(kit: Probe, game: str) -> None:
    with kit.seat() as seat:
        seat.init()

        assert seat.move(**told(f"typed {game}", MOVES[game]))["move"] == MOVES[game]


@pytest.mark.parametrize(
    ("game", "move", "place"),
    [
        ("pente", {"v": 0}, "h"),
        ("pente", {"v": "0", "h": 0}, "move.v: "),
        ("pente", {"v": 0, "h": True}, "move.h: "),
        ("pente", {"v": 0, "h": 2**40}, "move.h: "),
        ("matchsticks", {**MOVES["matchsticks"], "row": 1}, "move.row: "),
        ("matchsticks", {**MOVES["matchsticks"], "end": None}, "move.end: "),
        ("down_n_out", {"row": 1, "col": [2]}, "move.col: "),
        ("damspel", {"from": [0, 0], "to": 3}, "move.to: "),
        ("damspel", {"from": [0, "x"], "to": [1, 1]}, "move.from"),
        ("damspel", {"from": [0], "to": [1, 1]}, "move.from"),
    ],
)
def test_an_error_in_a_typed_move_names_the_field(
    kit: Probe, game: str, move: dict[str, Any], place: str
) -> None:
    with kit.seat() as seat:
        seat.init()
        call = {"type": "move", "ply": 0, "opponent_moves": []}

        code, _, said = ask(seat, {**call, **told(f"typed {game}", move)})

        assert code == 1
        assert said.startswith("arena_bot: move")
        assert place in said


@pytest.mark.parametrize(
    ("do", "reply"),
    [
        ("resign", {"resign": True}),
        ("done", {"done": True}),
        ("play", {"move": {"x": 1}}),
        ("all", {"move": {"x": 1}, "claims": {"victory": True}, "note": "h\u00e9"}),
    ],
)
def test_what_a_bot_answers_stands_in_its_play(kit: Probe, do: str, reply: dict[str, Any]) -> None:
    with kit.seat() as seat:
        seat.init()

        assert seat.move(**told(do)) == {"type": "play", **reply}


MISTAKES = [
    ("long note", "play.note: 1025 characters; the limit is 1024"),
    ("large", "play: 70028 bytes; the limit is 65536"),
    ("float", "play: cannot be sent: "),
    ("2^53 + 1", "play: cannot be sent: "),
    ("empty map", "play: cannot be sent: "),
    ("deep", "play: cannot be sent: "),
    ("fail", "no idea"),
]


@pytest.mark.parametrize(("do", "complaint"), MISTAKES)
def test_a_bot_that_goes_wrong_ends_and_says_why(kit: Probe, do: str, complaint: str) -> None:
    code, said = kit.end_of(do)

    assert code == 1
    assert said.startswith("arena_bot: ")
    assert complaint in said


@pytest.mark.parametrize(
    ("do", "complaint"),
    [
        ("latin-1", "play: cannot be sent: "),
        ("fail", "move: the bot threw: no idea"),
        ("throw 3", "move: the bot threw a value that is not a std::exception"),
    ],
)
@pytest.mark.parametrize("kit", ["cpp"], indirect=True)
def test_whatever_a_bot_in_cpp_throws_is_told(kit: Probe, do: str, complaint: str) -> None:
    code, said = kit.end_of(do)

    assert code == 1
    assert said.startswith(f"arena_bot: {complaint}")


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        ({"type": "move", "ply": "0", "opponent_moves": []}, "move.ply: "),
        ({"type": "move", "ply": True, "opponent_moves": []}, "move.ply: "),
        ({"type": "move", "ply": 0, "opponent_moves": 3}, "move.opponent_moves: "),
        ({"type": "init", **INIT, "view": ["."]}, "init.view: "),
        ({"type": "init", **INIT, "seed": None}, "init.seed: "),
        ({"type": "term", **TERM, "last": 1}, "term.last: "),
        ({"type": "error", "code": "crash", "detail": 3}, "error.detail: "),
        ({"type": "ping", "id": "7"}, "ping.id: "),
        ({"type": 3}, "a call is a map with a type, not {"),
        ({"type": "ping", "padding": "x" * MIB}, "a call of 10486"),
    ],
)
def test_what_is_wrong_with_a_call_is_named(
    kit: Probe, call: dict[str, Any], complaint: str
) -> None:
    with kit.seat() as seat:
        code, _, said = ask(seat, call)

        assert code == 1
        assert said.startswith(f"arena_bot: {complaint}")
        assert said.count("\n") == 1


def test_a_bot_that_cannot_show_the_board_says_so(kit: Probe) -> None:
    with kit.seat() as seat:
        seat.init()

        code, _, said = ask(seat, {"type": "display"})

        assert code == 1
        assert "this game asks for the board: the bot must have on_display" in said


def test_a_storm_of_signals_loses_no_reply_and_not_the_last(kit: Probe) -> None:
    with kit.seat() as seat:
        for match in range(10):
            seat.init(match="storm")
            for _ in range(20):
                assert seat.move(**told("play"))["move"] == {"x": 1}
            seat.term(last=match == 9)
        assert seat.end() == (0, "", "")


def test_a_bot_whose_referee_is_gone_ends(kit: Probe) -> None:
    with kit.seat() as seat:
        seat.init()
        seat.hang_up()

        assert seat.end() == (1, "", GONE)


def test_a_bot_whose_referee_goes_while_it_thinks_ends(kit: Probe) -> None:
    with kit.gate() as gate, kit.seat() as seat:
        seat.init()
        call = {"type": "move", "id": 7, "ply": 0, "opponent_moves": []}
        seat.send(msgpack.packb({**call, **told("think")}))
        assert seat.read_output(1) == b"!"
        seat.hang_up()
        os.write(gate, b"x")

        assert seat.end() == (1, "", GONE)


@pytest.mark.parametrize(
    "endpoint", ["ipc:///tmp/no-such-folder/s", "tcp://127.0.0.1:1", "nothing", ""]
)
def test_a_bot_with_no_referee_ends(kit: Probe, endpoint: str) -> None:
    code, said = kit.alone(ARENA_ENDPOINT=endpoint, ARENA_TOKEN=TOKEN)

    assert code == 1
    assert said.startswith("arena_bot: ")
    assert said.count("\n") == 1


@pytest.mark.parametrize("missing", ["ARENA_ENDPOINT", "ARENA_TOKEN"])
def test_a_bot_started_by_hand_says_who_starts_bots(kit: Probe, missing: str) -> None:
    environment = {"ARENA_ENDPOINT": "ipc:///tmp/s", "ARENA_TOKEN": TOKEN}
    del environment[missing]

    code, said = kit.alone(**environment)

    assert code == 1
    assert "ARENA_ENDPOINT and ARENA_TOKEN must be set" in said


def test_what_was_printed_is_not_lost_at_the_exit(kit: Probe) -> None:
    with kit.seat() as seat:
        seat.init()
        seat.move(**told("print"))
        seat.term()

        assert seat.end() == (0, "thinking", "")
