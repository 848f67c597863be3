"""The report of an event in each form, with hostile text of bots."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from events import crashed, job_of, keep, new_event, new_store, rekeyed, won_by

from arena.event.play.director import Ending
from arena.event.play.event_report import event_report
from arena.reports.document import badge_text, document_text
from arena.reports.junit import junit_text
from arena.reports.report import MOST_FAULTS, Report
from arena.reports.summary import LEAST, LIMIT, summary_text
from arena.results.standings import Table
from protocol.vocabulary import Termination
from referee.job import Absence
from referee.play.unplayed import unplayed
from referee.records.record import Record

EVIL = (
    "::error::|</pre></details></failure>]]>\"'& <script>x</script> **b** [a](b) `c` $x$ @you"
    " http://evil www.evil \x00\x07\x1b[31m\u202e\ud800\ufffe\x85"
)
DONE = Ending(missing=0)


def faulty(*names: str, said: str, key: str = "f", detail: str = "") -> Record:
    """Return the record of a match in which seat 1 crashed and printed something."""
    record = crashed(job_of(*names, key=key), 1)
    record.seats[1].output_tail = said
    record.seats[1].exit = "exit code 1"
    (fault,) = record.verdict.faults
    record.verdict = replace(record.verdict, faults=(replace(fault, detail=detail or "ended"),))
    return record


def report_of(
    folder: Path,
    records: Sequence[Record],
    names: Sequence[str] = ("ann", "bob"),
    ending: Ending = DONE,
    exit_code: int = 0,
) -> Report:
    store = new_store(folder)
    event = new_event(store, names, game={"name": "pente"})
    table = Table(tuple(names))
    for record in records:
        table.add(keep(store, event, record).seats)
    row = store.event(event)
    assert row is not None
    report = event_report(
        store, row, table, ending, command="tournament", exit_code=exit_code, onward="resume it"
    )
    store.close()
    return report


def suites_of(report: Report) -> dict[str, ET.Element]:
    return {suite.get("name", ""): suite for suite in xml_of(report)}


def xml_of(report: Report) -> ET.Element:
    return ET.fromstring(junit_text(report))  # noqa: S314 - it is our own


def count(element: ET.Element, what: str) -> int:
    return int(element.get(what, "-1"))


def test_a_lost_match_passes_and_a_fault_fails(tmp_path: Path) -> None:
    lost = won_by(job_of("ann", "bob", key="ann,bob/b0/0"), 1)
    report = report_of(tmp_path, [lost, faulty("ann", "bob", said="oh no\nit broke", key="k")])

    suites = suites_of(report)
    assert list(suites) == ["event", "ann - bob"]
    good, bad = suites["ann - bob"]
    assert good.find("failure") is None
    failure = bad.find("failure")
    assert failure is not None
    assert failure.get("type") == "crash"
    assert failure.get("message") == "ended"
    assert failure.text is not None
    assert "  oh no\n  it broke\n" in failure.text
    assert failure.text.endswith(
        "replay it with: arena replay 2 --db " + str(tmp_path / "arena.db")
    )


def withdrawn(*names: str, key: str) -> Record:
    """Return the record of a match that the second player, withdrawn, forfeited unplayed."""
    absence = Absence(seat=1, termination=Termination.NO_SHOW, detail="withdrawn after 1 fault")
    record = unplayed(job_of(*names, key=key, absences=(absence,)))
    assert record is not None
    return record


def test_an_unplayed_match_is_skipped_and_no_fault(tmp_path: Path) -> None:
    records = [faulty("ann", "bob", said="", key="f"), withdrawn("ann", "bob", key="w")]
    report = report_of(tmp_path, records)

    root = xml_of(report)
    assert [(count(root, what)) for what in ("tests", "failures", "skipped")] == [3, 1, 1]
    (skipped,) = root.iter("skipped")
    assert skipped.get("message") == "bob: withdrawn"
    document = json.loads(document_text(report))
    assert (document["fault_count"], len(document["faults"])) == (1, 1)
    assert [(row["faults"], row["unplayed"]) for row in document["standings"]] == [(0, 0), (1, 1)]
    assert "| faults | unplayed |" in summary_text(report)
    assert "<summary>1 fault</summary>" in summary_text(report)


def test_a_seat_lost_for_making_a_match_void_is_a_fault(tmp_path: Path) -> None:
    absence = Absence(seat=1, termination=Termination.MEMORY, detail="had more memory")
    record = unplayed(job_of("ann", "bob", key="v", absences=(absence,)))
    assert record is not None

    report = report_of(tmp_path, [record])

    row = json.loads(document_text(report))["standings"][1]
    assert (row["faults"], row["unplayed"]) == (1, 0)


def test_the_counts_of_the_xml_are_those_of_its_cases(tmp_path: Path) -> None:
    names = ("ann", "bob", "cat")
    records = [
        won_by(job_of("ann", "bob"), 0),
        won_by(job_of("bob", "ann"), 0),
        faulty("cat", "ann", said=""),
    ]
    root = xml_of(report_of(tmp_path, records, names))

    for element in (root, *root):
        assert count(element, "tests") == len(list(element.iter("testcase")))
        assert count(element, "failures") == len(list(element.iter("failure")))
        assert count(element, "errors") == len(list(element.iter("error")))
    assert [suite.get("name") for suite in root] == ["event", "ann - bob", "ann - cat"]


def test_a_case_has_the_number_and_the_time_of_its_match(tmp_path: Path) -> None:
    record = won_by(job_of("ann", "bob", key="ann,bob/b0/0"), 0)
    record.seats[0].wall_ns, record.seats[1].wall_ns = 1_500_000_000, 250_000

    _, suite = xml_of(report_of(tmp_path, [record]))

    (case,) = suite.iter("testcase")
    assert case.get("name") == "ann,bob/b0/0"
    assert case.get("time") == "1.500250"
    properties = {each.get("name"): each.get("value") for each in case.iter("property")}
    assert properties["match"] == "1"


def test_text_of_bots_is_escaped_in_the_xml(tmp_path: Path) -> None:
    names = ("ann", 'b<&">|`ob')
    said = f"{EVIL}\n" * 3
    report = report_of(tmp_path, [faulty(*names, said=said, detail=EVIL)], names)

    suites = suites_of(report)

    (case,) = suites[" - ".join(names)]
    failure = case.find("failure")
    assert failure is not None
    shown = EVIL.replace("\x00\x07\x1b", "\\x00\\x07\\x1b").replace("\x85", "\\x85")
    shown = shown.replace("\u202e\ud800\ufffe", "\\u202e\\ud800\\ufffe")
    assert failure.get("message") == shown
    assert (failure.text or "").count(shown) == 3 + 1  # its output, and the detail


def test_text_of_bots_is_escaped_in_the_summary(tmp_path: Path) -> None:
    names = ("ann", "b<|`*ob")
    page = summary_text(report_of(tmp_path, [faulty(*names, said=EVIL, detail=EVIL)], names))

    assert page.isprintable() is False  # line ends
    assert page.replace("\n", "").isprintable()
    assert "<script>" not in page
    assert page.count("</pre>") == page.count("<pre>") == 1
    assert page.count("</details>") == page.count("<details>") == 1
    row = next(line for line in page.splitlines() if line.startswith("| 2 |"))
    assert row.startswith(r"| 2 | b\<\|\`\*ob | ")
    assert row.replace(r"\|", "").count("|") == 12


def test_names_cannot_become_markdown_markup(tmp_path: Path) -> None:
    report = replace(
        report_of(tmp_path, []), headline="# see http://x.y, www.x.y, @you, [a](b) and $x$"
    )

    line = summary_text(report).splitlines()[2]

    assert line == (r"\# see http&#58;//x.y, www&#46;x.y, &#64;you, \[a\](b) and \$x\$")


def test_the_summary_begins_with_the_verdict_and_folds_faults(tmp_path: Path) -> None:
    lines = summary_text(
        report_of(tmp_path, [won_by(job_of("ann", "bob"), 0), faulty("ann", "bob", said="x")])
    ).splitlines()

    assert lines[:3] == [
        "### arena tournament: finished",
        "",
        "event: ann is first of 2 after 2 matches",
    ]
    fold = lines.index("<details><summary>1 fault</summary>")
    assert next(lines.index(line) for line in lines if line.startswith("| 1 | ann | ")) < fold
    assert lines[-1] == "</details>"


@pytest.mark.parametrize("room", [LEAST, 5000, 20_000])
def test_a_summary_is_cut_to_its_limit_with_a_note(tmp_path: Path, room: int) -> None:
    names = [f"bot {number:03} <é>" for number in range(300)]
    records = [faulty(*names[:2], said="é<" * 2000, key=f"k{number}") for number in range(9)]

    page = summary_text(report_of(tmp_path, records, names), room)

    assert len(page.encode()) <= room
    assert "Cut here: GitHub shows pages of 1 MiB at most; `arena show 1` shows all of it." in page
    assert page.count("<details>") == page.count("</details>")
    assert page.count("<pre>") == page.count("</pre>")


def test_files_of_thousands_of_huge_faults_stay_readable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.reports.report.MOST_FAULTS", 2)
    huge = faulty("ann", "bob", said="<" * 100_000, detail="|" * 100_000)
    report = report_of(tmp_path, [rekeyed(huge, str(number)) for number in range(3)])
    played = report.played
    assert played is not None
    assert len(played.faults) == 2
    assert count(xml_of(report), "failures") == 3
    many = replace(played, faults=played.faults * (MOST_FAULTS // 2), fault_count=5000)

    page = summary_text(replace(report, played=many))

    assert LIMIT - 50_000 < len(page.encode()) <= LIMIT < 1024 * 1024
    assert "5000 faults" in page
    assert len(badge_text(report)) < 1000
    assert len(document_text(replace(report, played=many)).encode()) < 8_000_000


def test_without_space_no_summary_is_written(tmp_path: Path) -> None:
    assert summary_text(report_of(tmp_path, []), LEAST - 1) == ""


def test_the_document_has_the_documented_facts(tmp_path: Path) -> None:
    records = [won_by(job_of("ann", "bob"), 0), faulty("ann", "bob", said="x")]

    found = json.loads(document_text(report_of(tmp_path, records)))

    assert (found["schema"], found["outcome"], found["exit_code"]) == (2, "finished", 0)
    assert found["event"]["seed"] == "1"
    assert found["game"] == {"name": "pente"}
    assert found["matches"] == {"played": 2, "missing": 0, "undecided": []}
    assert [row["bot"] for row in found["standings"]] == ["ann", "bob"]
    assert found["standings"][0]["wins"] == 2
    assert [each["bot"] for each in found["ratings"]["players"]] == ["ann", "bob"]
    (fault,) = found["faults"]
    assert (fault["match"], fault["bot"], fault["termination"]) == (2, "bob", "crash")
    assert found["gate"] is None


def test_the_documented_keys_are_those_of_the_document(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs/howto/ci.md").read_text()
    found = json.loads(document_text(report_of(tmp_path, [faulty("ann", "bob", said="x")])))

    names = [*found, *found["event"], *found["standings"][0], *found["faults"][0]]
    assert [name for name in names if f"`{name}`" not in page] == []


def test_numbers_that_json_does_not_have_are_null(tmp_path: Path) -> None:
    report = replace(report_of(tmp_path, []), gate={"llr": [math.inf, math.nan, -math.inf]})

    assert json.loads(document_text(report))["gate"] == {"llr": [None, None, None]}


@pytest.mark.parametrize(
    ("ending", "outcome", "says"),
    [
        (Ending(missing=2, is_interrupted=True), "interrupted", "interrupted, 2 matches missing"),
        (Ending(missing=3, is_halted=True), "halted", "halted, 3 matches missing"),
        (
            Ending(missing=1, undecided=("a/b",)),
            "incomplete",
            "1 match always void; 0 matches",
        ),
    ],
)
def test_an_event_that_is_not_finished_is_an_error_and_says_why(
    tmp_path: Path, ending: Ending, outcome: str, says: str
) -> None:
    report = report_of(tmp_path, [], ending=ending, exit_code=130)

    assert report.outcome == outcome
    assert f"event: {says}" in summary_text(report)
    error = suites_of(report)["event"].find("testcase/error")
    assert error is not None
    assert error.get("type") == outcome
    assert json.loads(badge_text(report))["color"] == "lightgrey"
    assert json.loads(document_text(report))["matches"]["missing"] == ending.missing


def test_a_badge_has_the_format_of_shields(tmp_path: Path) -> None:
    badge = json.loads(badge_text(report_of(tmp_path, [won_by(job_of("ann", "bob"), 0)])))

    assert badge == {
        "schemaVersion": 1,
        "label": "event",
        "message": "ann is first of 2 after 1 match",
        "color": "blue",
    }
