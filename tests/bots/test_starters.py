"""The starter of every language: the vectors, the protocol's check, and matches of every game."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from c_programs import missing
from languages import LANGUAGES, Language, Starter
from preloaded import run
from router_seat import TOKEN
from vector_seat import ALONE, BROKEN_CALLS, CALLS, Case, VectorSeat, bytes_of, same
from verifying import verify
from waiting import LONGEST_S, PATIENCE_S

from referee.job import SECOND_NS, Job, TimeControl
from referee.service.slot import Slot

MOST_LINES = 60
ROOT = Path(__file__).parents[2]
LEGAL = [{"v": v, "h": h} for v in range(-2, 3) for h in range(5)]
PATIENT = TimeControl(
    start_ns=PATIENCE_S * SECOND_NS,
    init_ns=PATIENCE_S * SECOND_NS,
    per_move_ns=PATIENCE_S * SECOND_NS,
    display_ns=PATIENCE_S * SECOND_NS,
    term_ns=PATIENCE_S * SECOND_NS,
)
MATCHES: dict[str, tuple[str, int, dict[str, Any]]] = {
    "pente": ("pente", 2, {}),
    "matchsticks": ("matchsticks", 2, {"objectives": "misere"}),
    "chinese_checkers": ("chinese_checkers", 2, {"game_size": 3, "max_rounds": 20}),
    "chinese_checkers of six": ("chinese_checkers", 6, {"game_size": 3, "max_rounds": 10}),
    "down_n_out": ("down_n_out", 1, {}),
    "damspel": ("damspel", 2, {}),
}


@pytest.fixture(scope="session", params=LANGUAGES, ids=lambda language: str(language.name))
def starter(request: pytest.FixtureRequest, starters: Callable[[Language], Starter]) -> Starter:
    language: Language = request.param
    return starters(language)


@pytest.fixture(scope="module")
def slot() -> Iterator[Slot]:
    slot = Slot(None)
    yield slot
    slot.close()


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: str(language.name))
def test_a_starter_has_less_than_sixty_lines(language: Language) -> None:
    assert len(language.sources[-1].read_text().splitlines()) < MOST_LINES


@pytest.mark.parametrize(
    "language",
    [language for language in LANGUAGES if language.formatter],
    ids=lambda language: str(language.name),
)
def test_kit_and_starter_are_formatted(language: Language) -> None:
    language.need_toolchain()
    program, *arguments = language.formatter
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    found = shutil.which(program, path=path)
    if found is None:
        missing(f"formatter {program}")
    command = [str(found), *arguments, *map(str, language.sources)]

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_an_unchanged_starter_is_not_built_again(starter: Starter) -> None:
    before = starter.bot.folder.stat()

    again = Starter.build(starter.language, starter.cache)

    assert again == starter
    assert again.bot.folder.stat().st_ino == before.st_ino


@pytest.mark.parametrize("transport", ["ipc", "tcp"])
def test_hello_tells_who_the_starter_is_and_what_it_wants(starter: Starter, transport: str) -> None:
    with starter.seat(transport) as seat:
        name = seat.hello.pop("name")
        assert name.startswith("starter")
        assert seat.hello == {
            "type": "hello",
            "protocol": 1,
            "token": TOKEN,
            "version": "1",
            "language": starter.language.name,
            "wants": ["view", "legal"],
        }


@pytest.mark.parametrize("name", ALONE)
def test_the_starter_answers_the_calls_of_the_vectors(
    starter: Starter, folder: Path, name: str
) -> None:
    case = CALLS[name]
    with VectorSeat(starter.bot.argv, starter.bot.folder, folder) as seat:
        seat.play_up_to(case)
        _answers(seat, case)

        if "exit" not in case:
            seat.hang_up()
        code, said = seat.ended()
        assert code == case["exit"] if "exit" in case else code >= 0
        assert all(part in said for part in case.get("stderr", []))


def test_the_starter_answers_the_calls_of_the_vectors_in_one_match_after_another(
    starter: Starter, folder: Path
) -> None:
    with VectorSeat(starter.bot.argv, starter.bot.folder, folder) as seat:
        for case in CALLS.values():
            if case["name"] not in ALONE:
                seat.play_up_to(case)
                _answers(seat, case)
                _answers(seat, CALLS["term: not the last"])


def _answers(seat: VectorSeat, case: Case) -> None:
    """Make the call of a case, which must get its own reply, or be ignored if it has none."""
    seat.send(bytes_of(case))
    if case["reply"] is None:
        seat.send(bytes_of(CALLS["ping: after init"]))
    reply = case["reply"] or CALLS["ping: after init"]["reply"]
    assert same(seat.receive(), reply), case["name"]


@pytest.mark.parametrize("name", BROKEN_CALLS)
def test_the_starter_survives_no_call_that_is_broken(
    starter: Starter, folder: Path, name: str
) -> None:
    case = BROKEN_CALLS[name]
    with VectorSeat(starter.bot.argv, starter.bot.folder, folder) as seat:
        seat.play_up_to(case)
        seat.send(bytes_of(case))

        reply = seat.receive()

        if reply is None:
            code, said = seat.ended()
            assert 1 <= code <= 127
            assert said != ""
        assert reply is None or case["bot"] == "any"


@pytest.mark.parametrize("transport", ["ipc", "tcp"])
def test_two_matches_are_played_in_one_process(starter: Starter, transport: str) -> None:
    with starter.seat(transport) as seat:
        for match in range(2):
            seat.init()
            for _ in range(20):
                assert seat.call("ping") == {"type": "pong"}
                play = seat.move(view={"board": ["0"]}, legal=LEGAL)
                assert play.keys() == {"type", "move"}
                assert play["move"] in LEGAL
            seat.term(last=match == 1)

        assert seat.end() == (0, "", "")


def _moves_of(starter: Starter, seed: int) -> list[dict[str, int]]:
    with starter.seat() as seat:
        seat.init(seed=seed)
        return [seat.move(view={"board": ["0"]}, legal=LEGAL)["move"] for _ in range(30)]


def test_the_starter_draws_its_moves_from_the_seed(starter: Starter) -> None:
    moves = _moves_of(starter, 1997)

    assert moves == _moves_of(starter, 1997)
    assert moves != _moves_of(starter, 1998)
    assert len({str(move) for move in moves}) > 10


@pytest.mark.parametrize(("seats", "answer"), [(1, "done"), (2, "resign")])
def test_the_starter_without_a_move_stops(starter: Starter, seats: int, answer: str) -> None:
    with starter.seat() as seat:
        seat.init(seats=seats)

        nothings: tuple[dict[str, Any], ...] = ({"legal": []}, {"legal_omitted": True})
        for nothing in nothings:
            assert seat.move(view={"board": ["0"]}, **nothing) == {"type": "play", answer: True}
        assert seat.call("display") == {"type": "picture", "board": ["0"]}


@pytest.mark.parametrize("match", MATCHES)
def test_the_starter_plays_every_game_to_its_end(starter: Starter, slot: Slot, match: str) -> None:
    game, seats, options = MATCHES[match]
    players = tuple(starter.bot.player(f"player {seat}") for seat in range(seats))

    given: dict[str, Any] = {"options": options, "players": players, "time": PATIENT}

    record = slot.play(Job(key=match, game=game, seed=5, board_seed=6, **given))

    assert record.verdict.termination == "normal"
    assert record.verdict.faults == ()
    verify(record)


def test_arena_check_finds_no_fault_in_the_starter(starter: Starter, tmp_path: Path) -> None:
    done = run(
        *("check", starter.language.starter),
        cwd=tmp_path,
        env={**os.environ, "XDG_CACHE_HOME": str(starter.cache)},
        timeout=LONGEST_S,
    )

    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert ", 0 failed" in done.stdout
