"""The page about one player: place, matches, times, faults with their meaning, and no forgery."""

import os
from pathlib import Path

import pytest
from course import NAMES, Class, open_store
from events import crashed, first_wins

from arena.errors import UsageError
from arena.formats.event_results import table_of
from arena.reports import entrant
from arena.reports.entrant import EXPLANATIONS, entrant_text
from arena.results.queries import find_event
from protocol.vocabulary import Termination
from referee.job import Job
from referee.records.match_end import MatchEnd
from referee.records.record import Record

HOSTILE = "</pre><script>x</script> | # [a](http://b)\033[2J"


def page(name: str) -> str:
    with open_store() as store:
        event = find_event(store, "cup")
        return entrant_text(store, event, table_of(store, event), name)


def bob_crashes_once(job: Job) -> MatchEnd:
    if job.key != "bob,cat/b0/0":
        return first_wins(job)
    record: Record = crashed(job, 0)
    record.seats[0].output_tail = HOSTILE
    return MatchEnd(job, record.finished())


def test_place_opponents_matches_times_and_faults_are_on_one_page(course: Class) -> None:
    course.play(bob_crashes_once)

    lines = page("bob").splitlines()

    assert lines[0] == "# bob in cup"
    assert lines[2] == ("Place 4 of 4: score 10, 2 wins, 0 draws, 4 losses in 6 matches; 1 fault.")
    assert "| cat | 0 | 0 | 2 | 0 |" in lines
    assert "| limit of a move | 2s |" in lines
    assert "| replies above 90 % of a limit | 0 |" in lines
    [fault] = [line for line in lines if "| crash |" in line]
    number = fault.split()[1]
    assert fault.startswith(f"| {number} | cat | 1 | crash | 0 | 0 |")
    assert f"### match {number}: crash, call init, ply 0" in lines
    assert EXPLANATIONS[Termination.CRASH] in lines
    assert f"replay it with: arena replay {number}</pre>" in lines
    assert len([line for line in lines if line.startswith("### ")]) == 1


def test_what_a_bot_printed_forges_nothing(course: Class) -> None:
    course.play(bob_crashes_once)

    text = page("bob")

    assert "<script>" not in text
    assert "\033" not in text
    assert text.count("</pre>") == 1


def test_only_the_first_faults_are_shown_in_full(
    course: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    def bob_crashes(job: Job) -> MatchEnd:
        seats = [seat for seat, name in enumerate(job.names()) if name == "bob"]
        return MatchEnd(job, crashed(job, *seats).finished()) if seats else first_wins(job)

    monkeypatch.setattr(entrant, "SHOWN_FAULTS", 2)
    course.config(more="withdraw_after: 0\n")
    course.play(bob_crashes)

    text = page("bob")

    assert text.count("### match") == 2
    assert text.count("| crash |") == 6
    assert "The faults of 4 more matches are in the table above only." in text
    assert "## Faults" not in page("ann")


def test_every_fault_has_a_meaning() -> None:
    assert set(EXPLANATIONS) == {kind for kind in Termination if kind.is_forfeit}


def test_earlier_versions_and_updates_are_on_the_page(course: Class) -> None:
    course.play()
    course.submit("bob", "second")
    course.play(may_update=True)

    text = page("bob")

    assert "| bob&#64;1 | score 15, 3 wins, 0 draws, 3 losses in 6 matches; 0 faults |" in text
    assert "bob has changed: 6 matches set aside" in text
    assert "bob&#64;1 |" not in page("ann")


def test_a_bot_that_did_not_play_gets_the_reason(course: Class) -> None:
    (course.folder / "bob" / "bot.yaml").write_text(
        "build: [sh, -c, 'echo bot.c:3 expected </pre>; exit 1']\nrun: [./bot]\n"
    )
    course.play(skip_broken=True)

    text = page("bob")

    assert "It has played no match." in text
    assert "bot.c:3 expected &lt;/pre&gt;" in text


def test_an_unknown_bot_is_one_sentence(course: Class) -> None:
    course.play()

    with pytest.raises(UsageError, match=r'^--for "bop": no such bot; did you mean "bob"'):
        page("bop")


@pytest.mark.usefixtures("course")
def test_the_command_writes_a_file_or_prints(course: Class) -> None:
    from typer.testing import CliRunner

    from arena.commands.loading import application

    course.play()
    run = CliRunner()

    printed = run.invoke(application(), ["report", "cup", "--for", "bob"])
    written = run.invoke(application(), ["report", "--for", "bob", "-o", "bob.md"])

    assert (printed.exit_code, written.exit_code) == (0, 0)
    assert printed.output == Path("bob.md").read_text() == page("bob")
    assert NAMES[1] in printed.output


def test_a_page_about_each_bot_is_written_into_a_folder_without_following_links(
    course: Class,
) -> None:
    from typer.testing import CliRunner

    from arena.commands.loading import application

    (course.folder / "bob" / "bot.yaml").write_text("build: ['false']\nrun: [./bot]\n")
    course.play(skip_broken=True)
    run = CliRunner()

    done = run.invoke(application(), ["report", "cup", "--each", "pages"])
    assert (done.exit_code, "pages/bob.md: 1 kB\n" in done.stderr) == (0, True)
    assert {path.name: path.read_text() for path in Path("pages").iterdir()} == {
        f"{name}.md": page(name) for name in NAMES
    }
    Path("pages/cat.md").unlink()
    Path("pages/cat.md").symlink_to("../secret")
    Path("pipes").mkdir()
    os.mkfifo(f"pipes/{NAMES[0]}.md")
    reader = os.open(f"pipes/{NAMES[0]}.md", os.O_RDONLY | os.O_NONBLOCK)  # or a writer would wait
    for words, says in (
        (["pages"], "would lead to another place"),
        (["pipes"], "would lead to another place"),
        (["pages", "--for", "bob"], "leave out --for and --output"),
        (["no/pages"], "--each no/pages/"),
    ):
        refused = run.invoke(application(), ["report", "--each", *words])
        assert isinstance(refused.exception, UsageError)
        assert says in str(refused.exception)
    assert not Path("secret").exists()
    os.close(reader)
