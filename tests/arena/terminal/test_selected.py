"""Matches of one bot, faults and notable matches, as the command `show` prints them."""

import csv
import io
import unicodedata

import pytest
from course import Class, alphabetical
from events import crashed, won_by
from typer.testing import CliRunner

from arena.commands.loading import application
from referee.job import Job
from referee.records.match_end import MatchEnd

app = application()


def shown(*words: str) -> list[str]:
    result = CliRunner().invoke(app, [*words], env={"COLUMNS": "200"})
    assert result.exit_code == 0, (result.output, result.exception)
    return result.output.splitlines()


def with_an_upset(job: Job) -> MatchEnd:
    """Let the first name win, but dan crash against bob and beat ann once."""
    if job.key == "dan,bob/b0/0":
        record = crashed(job, 0)
        record.seats[0].output_tail = "Traceback\nIndexError: \033[2J out of range\n"
        return MatchEnd(job, record.finished())
    if job.key == "dan,ann/b0/0":
        return alphabetical_reversed(job)
    return alphabetical(job)


def alphabetical_reversed(job: Job) -> MatchEnd:
    return MatchEnd(job, won_by(job, int(job.names()[0] < job.names()[1])).finished())


def test_the_matches_of_a_bot_are_seen_from_its_seat_with_its_earlier_versions(
    course: Class,
) -> None:
    course.play(with_an_upset)
    course.submit("dan", "second")
    course.play(alphabetical, may_update=True)

    lines = shown("show", "cup", "--bot", "dan")

    assert lines[0].startswith("match  bot    against  seat  result  score  plies  CPU")
    rows = [line.split() for line in lines[2:]]
    assert [row[1] for row in rows] == ["dan"] * 6 + ["dan@1"] * 6
    assert [row[4] for row in rows[:6]] == ["lost"] * 6
    assert sorted(row[4] for row in rows[6:]) == ["crash", *["lost"] * 4, "won"]
    assert len(shown("show", "cup", "--bot", "dan@1")) == 2 + 6


def test_a_name_is_found_in_any_unicode_form_and_with_more_spaces(course: Class) -> None:
    split = unicodedata.normalize("NFD", "J\u00f6rg")
    course.submit(split, "first")
    course.submit("O  Neil", "first")
    course.config("ann", split, "O  Neil")
    course.play(alphabetical)

    for typed in (split, "O  Neil"):
        assert shown("show", "cup", "--bot", typed)
        assert shown("show", "--match", "1", "--output", typed)
        assert shown("report", "cup", "--for", typed)
        assert shown("rate", "cup", "--anchor", f"{typed}=1800")
    assert {row["bot"] for row in csv.DictReader(shown("export", "cup", "--standings"))} == {
        "ann",
        "J\u00f6rg",
        "O Neil",
    }


def test_a_bot_that_did_not_play_is_explained(course: Class) -> None:
    (course.folder / "bob" / "bot.yaml").write_text("rum: [./bot]\n")
    course.play(alphabetical, skip_broken=True)

    result = CliRunner().invoke(app, ["show", "cup", "--bot", "bob"])
    assert "played no match\nLEFT OUT: bob: " in str(result.exception)
    assert 'unknown key "rum"' in str(result.exception)
    result = CliRunner().invoke(app, ["show", "cup", "--bot", "bo"])
    assert 'did you mean "bob"' in str(result.exception)


def test_faults_are_listed_with_their_call_and_detail(course: Class) -> None:
    course.play(with_an_upset)

    lines = shown("show", "cup", "--faults")

    assert len(lines) == 3
    assert lines[2].split()[1:5] == ["dan", "crash", "init", "0"]
    assert lines[2].endswith(r"exit code 1: IndexError: \x1b[2J out of range")
    assert shown("show", "cup", "--faults", "--bot", "ann") == ["no faults"]
    assert shown("show", "--faults", "--bot", "dan") == lines


def test_notable_matches_are_upsets_extremes_and_faults(course: Class) -> None:
    course.play(with_an_upset)

    lines = shown("show", "cup", "--notable")

    upset = lines[lines.index("upsets:") + 1]
    assert "dan 5 - ann 0" in upset
    assert " Elo lower)" in upset
    assert [line for line in lines if not line.startswith(" ") and line] == [
        "upsets:",
        "shortest:",
        "longest:",
        "faults:",
    ]
    assert lines[-1].endswith("(dan: crash)")
    assert len(lines) <= 4 * 7


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["show", "cup", "--bot", "dam"], 'did you mean "dan"'),
        (["show", "--match", "1", "--faults"], "--match shows one match"),
        (["export", "--csv", "--standings"], "name one"),
    ],
)
def test_wrong_use_is_one_sentence(course: Class, words: list[str], says: str) -> None:
    course.play()

    result = CliRunner().invoke(app, words)

    assert says in str(result.exception)
    assert "\n" not in str(result.exception)


def test_standings_are_written_as_csv_with_seconds(course: Class) -> None:
    course.play(alphabetical)

    rows = list(csv.DictReader(io.StringIO("\n".join(shown("export", "cup", "--standings")))))

    assert [(row["rank"], row["bot"], row["wins"]) for row in rows] == [
        ("1", "ann", "6"),
        ("2", "bob", "4"),
        ("3", "cat", "2"),
        ("4", "dan", "0"),
    ]
    assert (rows[0]["cpu_s"], rows[0]["wall_s"], rows[0]["cpu_per_match_s"]) == (
        "0.015",
        "0.015",
        "0.003",
    )
