"""A match in words: claims as sentences, who played, who won and why."""

from dataclasses import replace
from typing import Any

import pytest
from events import job_of, won_by
from fakes import FIRST, RESIGN, FakeBot, Hang, played

from arena.errors import UsageError
from arena.people.result import result_text
from arena.terminal.story import check_replay, claims_text, step_line, title_text
from arena.text import beside, wrapped
from referee.records.record import Record
from referee.records.replay import steps

EVIL = "\x1b[2J\u202eevil"
ESCAPED = r"\x1b[2J\u202eevil"


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ({"captures": [], "victory": False}, "claims no captures and no victory"),
        (
            {"captures": [[[0, 1], [0, 2]], [[-1, 3], [4, 5]]], "victory": True},
            "claims captures (0,1)-(0,2), (-1,3)-(4,5) and victory",
        ),
        ({"board": ["0110"] * 4}, "claims a board of 4 rows"),
        ({"removed": 5, "board": ["1"]}, "claims removed 5 and a board of 1 row"),
        ({"board": [EVIL]}, "claims a board of 1 row"),
        ({EVIL: EVIL}, f"claims {ESCAPED} {ESCAPED}"),
        ({"x": [[EVIL, 1]]}, f"claims x ({ESCAPED},1)"),
    ],
)
def test_claims_are_words(claims: dict[str, Any], words: str) -> None:
    assert claims_text(claims) == words


def ended(*bots: FakeBot, game: str = "pente", names: tuple[str, ...] = ("ann", "bob")) -> Record:
    return played(job_of(*names, game=game), list(bots)).record


@pytest.mark.usefixtures("small_games")
def test_an_opening_with_hidden_moves_is_shown_to_a_spectator_only() -> None:
    job = replace(job_of("ann", "bob", game="phantom"), history=({"seat": 0, "move": {"cell": 4}},))
    start = next(iter(steps(job, ())))

    assert step_line(job, start) == "start, after the opening 4"
    assert step_line(job, start, 1) == "start, after the opening"


def test_a_fault_is_reported_with_its_kind_and_its_reason() -> None:
    record = ended(FakeBot(FIRST), FakeBot(Hang()))

    assert result_text(record).startswith("ann wins: timeout, bob: ")
    assert result_text(record).endswith("points ann 5, bob 0")


def test_a_draw_is_won_by_nobody_and_a_shared_place_by_those_who_share_it() -> None:
    record = ended(FakeBot(RESIGN), FakeBot())
    verdict = replace(record.verdict, places=(1, 1), reason="full board")
    record.verdict = verdict
    assert result_text(record) == "no winner: full board; points ann 0, bob 5"

    names = ("ann", "bob", "cay")
    record = ended(
        FakeBot(RESIGN), FakeBot(RESIGN), FakeBot(), game="chinese_checkers", names=names
    )
    record.verdict = replace(record.verdict, places=(1, 1, 3), reason="both home")
    assert result_text(record).startswith("ann and bob share first place: both home; points ann 0")


def test_equal_points_do_not_explain_different_places() -> None:
    record = ended(FakeBot(RESIGN), FakeBot())
    record.verdict = replace(
        record.verdict, places=(2, 1), points=(0, 0), scores=("0", "0"), reason="round limit"
    )

    assert result_text(record) == "bob wins: round limit"


def test_scores_are_shown_if_they_differ_from_the_points() -> None:
    record = ended(FakeBot(RESIGN), FakeBot())
    record.verdict = replace(record.verdict, scores=("-1.5", "5"))

    assert result_text(record).endswith("points ann 0, bob 5; scores ann -1.5, bob 5")


def test_names_of_strangers_are_escaped_in_title_and_result() -> None:
    record = ended(FakeBot(RESIGN), FakeBot(), names=("ann", EVIL))

    assert title_text(3, record) == f"match 3, pente: ann X - {ESCAPED} O"
    assert result_text(record) == f"{ESCAPED} wins: resignation; points ann 0, {ESCAPED} 5"


def test_seats_without_marks_are_named_alone() -> None:
    record = ended(FakeBot(RESIGN), FakeBot(), game="matchsticks")

    assert title_text(3, record) == "match 3, matchsticks: ann - bob"


def test_long_text_is_wrapped_with_its_indent_and_without_escapes() -> None:
    lines = wrapped(f"  one two three\n\n{EVIL}", 10)

    assert lines[:3] == ["  one two", "  three", ""]
    assert all(line.isprintable() and len(line) <= 10 for line in lines)


@pytest.mark.parametrize(("width", "line"), [(12, "left  right"), (11, "left right"), (10, "left")])
def test_a_text_stands_beside_another_only_where_it_fits(width: int, line: str) -> None:
    assert beside("left", "right", width) == line  # the last column stays free


def test_a_long_title_is_cut_and_what_stands_beside_it_stays() -> None:
    title = "match 3, chinese_checkers: anna (red) - benedict (blue) - charlotte - dominic (last)"

    line = beside(title, "ply 12 of 300, ? for keys", 80)

    assert len(line) == 79
    assert line.startswith("match 3, chinese_checkers: anna (red) - ")
    assert line.endswith(" ply 12 of 300, ? for keys")


def test_a_record_that_contradicts_the_rules_is_refused() -> None:
    record = won_by(job_of("ann", "bob"), 0)
    check_replay(record, None)
    stored = record.to_json()
    stored["calls"]["move"] = [
        move and {**move, "v": EVIL if "v" in move else None} for move in stored["calls"]["move"]
    ]

    with pytest.raises(UsageError, match="the match cannot be replayed: ply 0: "):
        check_replay(Record.from_json(stored), None)
