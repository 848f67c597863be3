"""Reports in one file: their policy, their size, and that no foreign text is markup."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from events import crashed, job_of
from random_matches import GAMES, random_record
from reported import data_of, store_with

from arena.pages.event_page import event_page
from arena.pages.report_file import _code_lines, match_html, report_html
from arena.pages.svg import board_svg, position_svg
from arena.text import plural
from referee.job import PERSON
from referee.rules.layout import Layout, Piece

EVIL = '</script><script>alert(1)</script><img src=x onerror="alert(2)">\u202e'
MB = 1_000_000


def hashes_of(page: str, tag: str) -> list[str]:
    bodies = re.findall(rf"<{tag}>(.*?)</{tag.split(maxsplit=1)[0]}>", page, re.DOTALL)
    return [base64.b64encode(hashlib.sha256(body.encode()).digest()).decode() for body in bodies]


@pytest.mark.parametrize(
    ("total", "format_", "count"),
    [
        (4, "round_robin", "2 of 4"),
        (2, "round_robin", "2"),
        (4, "ladder", "2 of at most 4"),
        (None, "swiss", "2"),
    ],
)
def test_an_unfinished_event_says_how_many_matches_it_has(
    tmp_path: Path, total: int | None, format_: str, count: str
) -> None:
    store, played = store_with(tmp_path, *(random_record("pente", key=key) for key in "ab"))
    event = replace(played.event, config={"format": format_}, total=total)

    assert ("matches", count) in event_page(store, replace(played, event=event))["facts"]


def test_a_person_is_not_rated_in_a_report(tmp_path: Path) -> None:
    store, played = store_with(tmp_path, random_record("pente"))
    person = replace(played.event, entrants=dict.fromkeys(played.event.entrants, PERSON))

    rated = event_page(store, played)
    unrated = event_page(store, replace(played, event=person))

    assert rated["ratings"]
    assert rated["progress"]
    assert unrated == {**rated, "ratings": [], "scale": "", "progress": {}}


@pytest.mark.parametrize("name", GAMES)
def test_a_report_has_the_event_and_its_boards(name: str, tmp_path: Path) -> None:
    store, played = store_with(tmp_path, random_record(name, key="a"), random_record(name, key="b"))

    event, *boards = data_of(report_html(store, played, MB))

    assert [match["key"] for match in event["matches"]] == ["a", "b"]
    assert len(boards) == 2
    assert len(event["layouts"]) == 1
    assert event["omitted"] == ""


def test_the_options_of_the_game_are_written_as_in_a_config(tmp_path: Path) -> None:
    record = random_record("pente")
    store, played = store_with(tmp_path, record, fen=None, chess960=False, size=9)

    event, *_ = data_of(report_html(store, played, MB))

    assert event["facts"][0] == ["game", "pente, chess960 false, size 9"]


def test_the_policy_allows_only_the_own_script_and_style(tmp_path: Path) -> None:
    store, played = store_with(tmp_path, random_record("pente"))
    page = report_html(store, played, MB)

    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy
    assert policy[1].startswith("default-src 'none'; ")
    for tag, directive in (('script type="module"', "script-src"), ("style", "style-src")):
        (found,) = hashes_of(page, tag)
        assert f"{directive} 'sha256-{found}'" in policy[1]
    assert "unsafe" not in policy[1]
    assert "http:" not in re.sub(r"http://www\.w3\.org/\S+", "", page)


def test_no_foreign_text_is_in_the_page_itself(tmp_path: Path) -> None:
    record = crashed(job_of("ann", "bob"), 1)
    record.seats[1].output_tail = EVIL
    store, played = store_with(tmp_path, record, name=EVIL)

    page = report_html(store, played, MB)

    assert EVIL not in page
    assert "alert" not in page.replace("&lt;script&gt;alert(1)", "").replace("alert(2)", "")
    assert page.count("<script") == 2
    assert "\u202e" not in page
    event, *_ = data_of(page)
    assert event["name"] == EVIL.replace("\u202e", "\\u202e")  # the page writes a text node
    assert EVIL.replace("\u202e", "") in event["faults"][0]["output"].replace("\u202e", "")


def test_only_comments_are_taken_out_of_a_script() -> None:
    module = """import { a } from "./a.mjs";
/** One line. */
export const one = 1;
/** @type {number} */ let two = 2;
const three = 3;
  /**
   * Many lines.
   */
  const four = /** @type {number} */ (4);
// Another one.
const five = 5;
"""

    assert list(_code_lines(module)) == [
        "const one = 1;",
        "let two = 2;",
        "const three = 3;",
        "const four = (4);",
        "const five = 5;",
    ]


def test_half_of_a_surrogate_pair_is_an_escape_in_the_data(tmp_path: Path) -> None:
    record = random_record("pente", plies=2)
    record.calls.note(note="\ud800 half")

    page = report_html(*store_with(tmp_path, record), MB)

    _, board = data_of(page)
    assert "\ud800 half" in json.dumps(board, ensure_ascii=False)


def test_boards_beyond_the_size_stay_out_and_the_page_says_so(tmp_path: Path) -> None:
    records = [random_record("pente", key=str(number)) for number in range(8)]
    store, played = store_with(tmp_path, *records)
    whole = report_html(store, played, MB)
    small = report_html(store, played, len(whole) - 2000)

    event, *boards = data_of(small)
    assert len(small) < len(whole)
    assert 0 < len(boards) < 8
    assert len(event["matches"]) == 8
    assert f"boards of {plural(8 - len(boards), 'match')} are" in event["omitted"]


def test_a_report_is_small(tmp_path: Path) -> None:
    records = [random_record("pente", key=str(number)) for number in range(20)]
    store, played = store_with(tmp_path, *records)
    assert len(report_html(store, played, MB)) <= 60_000 + 20 * 2_000


def test_one_match_is_a_page_of_its_own(tmp_path: Path) -> None:
    store, played = store_with(tmp_path, random_record("damspel"))
    row = next(store.matches(played.event.id))

    event, board = data_of(match_html(played.event, row, store.record(row.id)))

    assert event["boards"] == {str(row.id): 0}
    assert board["text"]


def test_a_letter_at_the_rim_of_a_map_is_whole() -> None:
    picture = board_svg(
        Layout(kind="free", spots=((0, 0), (4, 0))), {0: Piece(shape="text", text="A")}
    )

    assert 'viewBox="-1.20 -1.20 6.40 2.40"' in picture
    assert 'd="M-1.2-1.2h6.4v2.4h-6.4z"' in picture


@pytest.mark.parametrize("name", GAMES)
def test_a_position_is_drawn_without_a_script(name: str) -> None:
    picture = position_svg(random_record(name), 3)

    assert picture.startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    assert "<script" not in picture
