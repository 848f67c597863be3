"""Openings: drawn, read from a file, chosen by a bot; the same ones every time."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from events import job_of, keep, new_event, won_by
from outcomes import drawn as ended_even
from outcomes import played
from verifying import verify

from arena.config.event import Config
from arena.config.loading import make_config
from arena.errors import ConfigError
from arena.event.plan import make_plan
from arena.event.resume.balancing import most_even
from arena.results.store import MatchRow, Store
from arena.schedule.openings import (
    BOOK_BYTES,
    LOOKED_AT,
    DrawnOpenings,
    ListedOpenings,
    draws_boards,
    is_lost_at_once,
    notation_of,
    read_openings,
)
from arena.schedule.pairing import Pairing, ScheduleError
from arena.terminal.show_match import match_text
from arena.terminal.story import replay_lines
from referee.catalog import AnyGame
from referee.job import Player
from referee.move_codec import MoveCodec
from referee.options import make_game
from referee.records.result import SeatRow
from referee.seeds import derive_seed

GAMES: Mapping[str, Mapping[str, Any]] = {
    "pente": {},
    "matchsticks": {"dimension": 5},
    "chinese_checkers": {"game_size": 3},
    "damspel": {"rows": 6, "cols": 6, "men_rows": 2},
}
SEATED = [(name, size) for name in GAMES for size in make_game(name, GAMES[name]).seats]
SMALL = make_game("damspel", {"rows": 6, "cols": 6, "men_rows": 2})


def at(board: int, variant: str = "", seats: int = 2) -> Pairing:
    return Pairing(tuple("abcdef"[:seats]), board, variant, 0)


def drawn(game: AnyGame, plies: int = 4, seed: int = 1) -> DrawnOpenings:
    return DrawnOpenings(dict(game.variants()), plies, seed)


@pytest.mark.parametrize(("name", "seats"), SEATED)
def test_drawn_openings_are_legal_differ_and_leave_the_game_open(name: str, seats: int) -> None:
    game = make_game(name, GAMES[name])
    openings = drawn(game)
    for variant, rules in game.variants():
        codec = MoveCodec(rules)
        positions = []
        for board in range(20):
            state = rules.start(seats, derive_seed(1, "board", board))
            for entry in openings.of(at(board, variant, seats)):
                assert entry["seat"] == rules.turn(state)
                state = rules.apply(state, codec.read_move(entry["move"]))
            assert rules.outcome(state) is None
            assert not is_lost_at_once(rules, state)
            positions.append(rules.position(state))

        assert len(set(positions)) == len(positions)


def test_an_opening_depends_on_seed_and_board_alone() -> None:
    forwards, backwards, other = drawn(SMALL), drawn(SMALL), drawn(SMALL, seed=2)

    first = [forwards.of(at(board)) for board in range(8)]
    again = [backwards.of(at(board)) for board in reversed(range(8))]

    assert first == again[::-1]
    assert forwards.of(Pairing(("b", "a"), 3, "", 5)) == first[3]
    assert [other.of(at(board)) for board in range(8)] != first


def test_openings_stay_the_same_across_versions() -> None:
    assert notation_of(SMALL, drawn(SMALL).of(at(0))) == "c1-c2 e5-f4 c2-b3 c5-c4"


def test_every_legal_first_move_is_drawn() -> None:
    game = make_game("damspel", {"rows": 6, "cols": 6, "men_rows": 2})
    moves = {notation_of(game, drawn(game, 1, seed).of(at(0))) for seed in range(200)}

    assert moves == {game.notation(move) for move in game.legal(game.start(2, 0))}


def test_too_few_openings_are_reported_with_advice() -> None:
    with pytest.raises(ScheduleError, match="take more plies, or fewer boards"):
        drawn(SMALL, 1).of(at(40))


@pytest.mark.parametrize(
    ("moves", "is_lost"),
    [
        ("r0:0-1", True),  # two in a row: he takes both and has won
        ("r0:0", False),  # three: he takes the middle one
        ("r0:0 r1:1", True),  # two apart: whichever he takes, the other one goes
    ],
)
def test_a_position_that_one_move_decides_is_lost_at_once(moves: str, is_lost: bool) -> None:  # noqa: FBT001 - a column
    nim = make_game("matchsticks", {"dimension": 2, "board": ["11", "11"], "objectives": "normal"})
    state = nim.start(2, 0)
    for move in moves.split():
        state = nim.apply(state, nim.parse(move))

    assert is_lost_at_once(nim, state) is is_lost


def test_a_position_that_is_won_with_one_move_of_many_is_lost_at_once() -> None:
    pente = make_game("pente", {})
    state = pente.start(2, 0)
    for move in ("0,0", "5,-5", "0,3", "-5,5", "0,4", "5,5", "0,5", "-5,-5", "0,6", "8,0"):
        state = pente.apply(state, pente.parse(move))

    assert is_lost_at_once(pente, state)


def test_every_candidate_of_a_board_begins_on_the_board_of_its_matches() -> None:
    sticks = make_game("matchsticks", GAMES["matchsticks"])
    drawn = DrawnOpenings(dict(sticks.variants()), 4, 1, count=2)
    openings = drawn.of_candidates(lambda pairing: pairing.repeat)

    for variant, rules in sticks.variants():
        codec = MoveCodec(rules)
        for board in range(5):
            for number in range(2):
                state = rules.start(2, derive_seed(1, "board", board))
                for entry in openings.of(at(board, variant)._replace(repeat=number)):
                    state = rules.apply(state, codec.read_move(entry["move"]))


def test_boards_drawn_from_the_seed_are_distinguished_from_fixed_boards() -> None:
    drawing = {name: draws_boards(make_game(name, {})) for name in (*GAMES, "down_n_out")}

    assert drawing == {
        "pente": False,
        "matchsticks": True,
        "chinese_checkers": False,
        "damspel": False,
        "down_n_out": True,
    }


def test_a_file_has_one_opening_per_line(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    path.write_text("# two of them\n\na1-a2  b6-b5\n  a1-a2 d6-d5 # a slide\n")

    lines = read_openings(path, "openings.txt", SMALL, (2,))

    assert lines == ("a1-a2 b6-b5", "a1-a2 d6-d5")
    listed = ListedOpenings({"": SMALL}, lines)
    assert [notation_of(SMALL, listed.of(at(board))) for board in range(3)] == [*lines, lines[0]]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a1-a2\na1-a9\n", "o.txt:2:1: a1-a9: off the board"),
        ("a1-a2  zz", 'o.txt:1:8: "zz" is not a move'),
        ("a1-a2 b6-b5\n\na1-a2 b6-b5\n", "o.txt:3:1: the same position as line 1"),
        ("# nothing\n", "o.txt: has no openings; write one per line"),
        ("a1-a2\n" * 10_001, "o.txt:2:1: the same position as line 1"),
    ],
)
def test_errors_of_a_file_are_reported_with_their_lines(
    tmp_path: Path, text: str, says: str
) -> None:
    (tmp_path / "o.txt").write_text(text)

    with pytest.raises(ConfigError) as error:
        read_openings(tmp_path / "o.txt", "o.txt", SMALL, (2,))

    assert str(error.value).startswith(says)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("z" * 900_000, "o.txt:1:1: a move of 900,000 characters"),
        ("zz\n" * 50_000, "and 980 more"),
    ],
    ids=["long", "many"],
)
def test_errors_of_an_endless_file_are_short(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "o.txt").write_text(text)

    with pytest.raises(ConfigError) as error:
        read_openings(tmp_path / "o.txt", "o.txt", SMALL, (2,))

    assert says in str(error.value)
    assert len(str(error.value)) < 5_000


def test_an_opening_that_ends_the_game_is_refused(tmp_path: Path) -> None:
    nim = make_game("matchsticks", {"dimension": 1, "board": ["1"]})
    (tmp_path / "o.txt").write_text("r0:0\n")

    with pytest.raises(ConfigError, match=r'o\.txt:1:1: "r0:0" ends the game'):
        read_openings(tmp_path / "o.txt", "o.txt", nim, (2,))


@pytest.mark.parametrize("kind", ["absent", "folder", "binary", "huge"])
def test_an_unreadable_file_is_reported(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "o.txt"
    says = {
        "absent": "cannot be read: No such file",
        "folder": "is not a regular file",
        "binary": "is not UTF-8 text: byte 0xff in line 1",
        "huge": "is larger than 12 MiB",
    }
    if kind == "folder":
        path.mkdir()
    elif kind != "absent":
        path.write_bytes(b"\xff" if kind == "binary" else b"#" * (BOOK_BYTES + 1))

    with pytest.raises(ConfigError, match=says[kind]):
        read_openings(path, "o.txt", SMALL, (2,))


def config(folder: Path, **values: Any) -> Config:
    """Return a config of damspel between two bots."""
    for name in ("ann", "bob"):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "bot.yaml").write_text("run: [./bot]\n")
    game = {"name": "damspel", "rows": 6, "cols": 6, "men_rows": 2}
    given = {"name": "event", "game": game, "bots": ("./ann", "./bob"), **values}
    return make_config(given, folder=folder, origin="a test")


def players() -> dict[str, Player]:
    return {
        name: Player(name=name, argv=("bot",), folder=".", content=name) for name in ("ann", "bob")
    }


def test_both_matches_on_a_board_begin_with_its_opening(tmp_path: Path) -> None:
    plan = make_plan(config(tmp_path, openings={"random_plies": 4}, boards=3), players(), 7)
    jobs = [plan.job_of(pairing) for pairing in plan.pairings]
    by_board: dict[int, set[str]] = {}
    for pairing, job in zip(plan.pairings, jobs, strict=True):
        by_board.setdefault(pairing.board, set()).add(notation_of(SMALL, job.history))

    assert [len(job.history) for job in jobs] == [4] * 6
    assert sorted(by_board) == [0, 1, 2]
    assert all(len(openings) == 1 for openings in by_board.values())
    assert len(set.union(*by_board.values())) == 3


def test_without_openings_matches_begin_at_the_start(tmp_path: Path) -> None:
    plan = make_plan(config(tmp_path), players(), 7)

    assert plan.openings is None
    assert plan.job_of(plan.pairings[0]).history == ()


def test_too_few_openings_are_reported_before_the_first_match(tmp_path: Path) -> None:
    with pytest.raises(ScheduleError, match="has no opening"):
        make_plan(config(tmp_path, openings={"random_plies": 1}, boards=40), players(), 7)


@pytest.mark.parametrize("plies", [2, 4])
def test_openings_are_drawn_as_boards_are_played_where_every_board_has_one(
    monkeypatch: pytest.MonkeyPatch, plies: int
) -> None:
    drawn_so_far = []
    monkeypatch.setattr(
        "arena.schedule.openings.is_lost_at_once", lambda *_: drawn_so_far.append(1)
    )
    boards = [at(board) for board in range(300)]
    some, every = (drawn(make_game("pente", {}), plies) for _ in range(2))

    some.check(boards)
    sample, seen = len(drawn_so_far), [some.of(board) for board in boards]

    # of 360 second moves many are drawn twice
    assert sample == LOOKED_AT + (0 if plies > 2 else 300)
    assert seen == [every.of(board) for board in boards]


def test_a_gate_of_many_boards_draws_none_of_them_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = []
    monkeypatch.setattr("arena.schedule.openings.is_lost_at_once", lambda *_: looked_at.append(1))

    drawn(make_game("chess", {}), 4).check([at(54_999)])  # of some 72,000 positions

    assert len(looked_at) == LOOKED_AT


def test_where_many_openings_lose_at_once_all_boards_are_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arena.schedule.openings.is_lost_at_once", lambda *_: True)

    with pytest.raises(ScheduleError, match="has no opening"):
        drawn(make_game("pente", {}), 4).check([at(299)])


def test_a_board_without_an_opening_is_found_among_many() -> None:
    with pytest.raises(ScheduleError, match="has no opening"):
        drawn(SMALL, 2).check([at(199)])


def test_missing_openings_of_tie_breaks_are_reported_before_the_first_match(tmp_path: Path) -> None:
    form = config(tmp_path, format="knockout", openings={"random_plies": 1}, tie_breaks=40)

    with pytest.raises(ScheduleError, match="has no opening"):
        make_plan(form, players(), 7)


def test_a_ladder_ends_when_every_opening_was_played(tmp_path: Path) -> None:
    form = config(tmp_path, format="ladder", openings={"random_plies": 1}, matches=400)
    plan = make_plan(form, players(), 7)

    pairings = plan.format.known(played(plan.format, ended_even))

    jobs = [plan.job_of(pairing) for pairing in pairings]
    assert len({notation_of(SMALL, job.history) for job in jobs}) == len(jobs) / 2 > 5


def test_a_file_makes_as_many_boards_as_it_has_openings(tmp_path: Path) -> None:
    (tmp_path / "o.txt").write_text("a1-a2 b6-b5\na1-a2 d6-d5\na1-a2 f6-f5\n")

    assert config(tmp_path, openings={"file": "o.txt"}).boards == 3
    assert config(tmp_path, openings={"file": "o.txt"}, boards=2).boards == 2


def test_a_stored_match_shows_its_opening_and_is_replayed_from_it(store: Store) -> None:
    history = drawn(SMALL).of(at(0))
    options = {"rows": 6, "cols": 6, "men_rows": 2}
    job = job_of("ann", "bob", game="damspel", options=options, history=history)
    kept = keep(store, new_event(store), won_by(job, 0))
    record = store.record(kept.id)

    verify(record)
    assert "\nopening c1-c2 e5-f4 c2-b3 c5-c4\n" in match_text(kept, record)
    assert next(replay_lines(record)) == "start, after the opening c1-c2 e5-f4 c2-b3 c5-c4"
    assert kept.plies == 1  # plies of the opening have no seat


def match(plies: int, *, places: tuple[int, int] = (1, 2), fault: str | None = None) -> MatchRow:
    seats = tuple(SeatRow("bot", 0, place, "0", fault, 0, 0, 0, 0) for place in places)
    return MatchRow(1, 1, "key", 0, "", "normal", "", plies, "", seats)


@pytest.mark.parametrize(
    ("first", "second", "taken"),
    [
        (match(10), match(20), 1),
        (match(20), match(10), 0),
        (match(20), match(20), 0),
        (match(90), match(10, places=(1, 1)), 1),
        (match(90, fault="crash"), match(2), 1),
        (None, match(2), 1),
        (None, None, 0),
    ],
)
def test_of_two_openings_the_more_even_one_is_taken(
    first: MatchRow | None, second: MatchRow | None, taken: int
) -> None:
    found = {number: each for number, each in enumerate((first, second)) if each is not None}

    assert most_even(found) == taken
