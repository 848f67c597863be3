import json
import socket
from pathlib import Path
from typing import Any

import pytest
from c_programs import RawReferee, built, frame
from router_seat import BOTS, TOKEN, Seat

LEGAL = [{"v": v, "h": h} for v in range(-2, 3) for h in range(5)]


@pytest.fixture(scope="module")
def starter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("starter")
    (program,) = built("starter/c", folder)
    return folder / program


@pytest.fixture(params=["ipc", "tcp"])
def transport(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def seat(program: Path, transport: str = "ipc") -> Seat:
    return Seat(program.parent, [str(program)], transport=transport)


def test_it_has_less_than_sixty_lines() -> None:
    assert len((BOTS / "starter" / "c" / "main.c").read_text().splitlines()) < 60


def test_hello_tells_who_it_is_and_what_it_wants(starter: Path, transport: str) -> None:
    with seat(starter, transport) as referee:
        assert referee.hello == {
            "type": "hello",
            "protocol": 1,
            "token": TOKEN,
            "name": "starter-c",
            "version": "1",
            "language": "c",
            "wants": ["view", "legal"],
        }


def test_two_matches_are_played_in_one_process(starter: Path, transport: str) -> None:
    with seat(starter, transport) as referee:
        for match in range(2):
            referee.init()
            for _ in range(200):
                assert referee.call("ping") == {"type": "pong"}
                play = referee.move(legal=LEGAL)
                assert play.keys() == {"type", "move"}
                assert play["type"] == "play"
                assert play["move"] in LEGAL
            referee.term(last=match == 1)

        assert referee.end() == (0, "", "")


def _moves_of(starter: Path, seed: int) -> list[dict[str, int]]:
    with seat(starter) as referee:
        referee.init(seed=seed)
        return [referee.move(legal=LEGAL)["move"] for _ in range(30)]


def test_the_starter_draws_its_moves_from_the_seed(starter: Path) -> None:
    moves = _moves_of(starter, 1997)

    assert moves == _moves_of(starter, 1997)
    assert moves != _moves_of(starter, 1998)
    assert len({str(move) for move in moves}) > 10


@pytest.mark.parametrize(
    "move",
    [
        {"v": -9, "h": 9},
        {"row": True, "line": 63, "start": 0, "end": 63},
        {"from": [252, -63], "to": [0, 0]},
        {"row": 9, "col": 29},
    ],
)
def test_the_starter_plays_the_moves_of_every_game(starter: Path, move: dict[str, Any]) -> None:
    with seat(starter) as referee:
        referee.init()

        assert referee.move(legal=[move])["move"] == move


@pytest.mark.parametrize(("seats", "answer"), [(1, "done"), (2, "resign")])
def test_the_starter_without_a_move_stops(starter: Path, seats: int, answer: str) -> None:
    with seat(starter) as referee:
        referee.init(seats=seats)

        assert referee.move(legal=[]) == {"type": "play", answer: True}
        assert referee.move(legal_omitted=True) == {"type": "play", answer: True}


VECTORS = Path(__file__).parents[2] / "protocol" / "vectors"
CALLS = {case["name"]: case for case in json.loads((VECTORS / "calls.json").read_text())}
BROKEN = {case["name"]: case for case in json.loads((VECTORS / "broken_calls.json").read_text())}


def _bytes_of(case: dict[str, Any]) -> bytes:
    pieces = case["hex"] if isinstance(case["hex"], list) else [[case["hex"], 1]]
    return b"".join(bytes.fromhex(piece) * times for piece, times in pieces)


def _play_up_to(referee: RawReferee, case: dict[str, Any]) -> None:
    referee.shake_hands()
    for name in case["after"]:
        referee.say(frame(_bytes_of(CALLS[name])))
        assert referee.receive()["type"] == CALLS[name]["reply"]["type"]


@pytest.mark.parametrize("name", CALLS)
def test_the_starter_answers_the_calls_of_the_vectors(
    starter: Path, folder: Path, name: str
) -> None:
    case = CALLS[name]
    with RawReferee(starter, folder) as referee:
        _play_up_to(referee, case)
        referee.say(frame(_bytes_of(case)))

        if case["reply"] is not None:
            assert referee.receive() == case["reply"]
        if "exit" in case:
            assert referee.ended() == (case["exit"], "")
        else:
            assert referee.ask("ping", 99) == {"type": "pong", "id": 99}
            referee.socket.shutdown(socket.SHUT_WR)
            code, said = referee.ended()
            assert code == 1
            assert all(part in said for part in case.get("stderr", []))


@pytest.mark.parametrize("name", BROKEN)
def test_the_starter_ends_at_the_broken_calls_of_the_vectors(
    starter: Path, folder: Path, name: str
) -> None:
    case = BROKEN[name]
    with RawReferee(starter, folder) as referee:
        _play_up_to(referee, case)
        referee.say(frame(_bytes_of(case)))

        code, said = referee.ended()

        assert code == 1
        assert said.startswith("arena_bot: ")
