"""A report as Markdown for people: the verdict first, then the table, faults folded away."""

from collections.abc import Sequence

from arena.ratings.text import elo_cells, scale_text
from arena.reports.escaping import CELL, DETAIL, cut, markdown, paragraph, table_parts, xml_text
from arena.reports.report import FaultNote, PlayedEvent, Report
from arena.reports.standings import standings_cells
from arena.results.secrecy import seed_text
from arena.text import plural

LIMIT = 1_000_000
"""Limit of a page in bytes; GitHub drops pages above 1 MiB."""
LEAST = 1000
"""Minimum of a page in bytes."""
_FOLDED = "</details>\n"


def summary_text(report: Report, limit: int = LIMIT) -> str:
    """Return the page of a report in at most `limit` bytes; empty below LEAST."""
    if limit < LEAST:
        return ""
    page = _Page(limit, _cut_note(report))
    page.add(f"### arena {report.command}: {report.outcome}\n\n{_paragraph(report.headline)}\n")
    if report.detail:
        page.add(f"\n<pre>{xml_text(cut(report.detail, DETAIL))}</pre>\n")
    if report.facts:
        page.table(["", ""], [(name, text) for name, text in report.facts])
    if report.played:
        _add_played(page, report, report.played)
    return page.text()


def _add_played(page: "_Page", report: Report, played: PlayedEvent) -> None:
    if played.matches:
        page.add(f"\nstandings by {_line(played.table.ranked_by)}:\n")
        elo = elo_cells(played.event, played.ratings)
        page.table(*standings_cells(played.table, elo))
        if elo:
            page.add(f"\n{_line(scale_text(played.ratings))}\n")
    page.add(f"\n{_where(report, played)}\n")
    for title, note in played.notes:
        page.add(f"\n{_paragraph(title)}:\n\n<pre>{xml_text(cut(note, DETAIL))}</pre>\n")
    if report.undecided:
        what = plural(len(report.undecided), "match")
        page.add(f"\n{what} void in every attempt: {_line(', '.join(report.undecided))}\n")
    if played.fault_count:
        page.add(f"\n<details><summary>{plural(played.fault_count, 'fault')}</summary>\n", _FOLDED)
        for fault in played.faults:
            page.add(_fault(fault))
        if (more := played.fault_count - len(played.faults)) > 0:
            page.add(f"\n... and {more} more\n")
        page.close()


def _where(report: Report, played: PlayedEvent) -> str:
    event = played.event
    missing = f", {report.missing} missing" if report.missing else ""
    played_text = f"{plural(len(played.matches), 'match')} played{missing}"
    return _paragraph(f"{played_text}; seed {seed_text(event)}; event {event.id} in {played.db}")


def _fault(fault: FaultNote) -> str:
    head = f"match {fault.match}: {fault.headline()}"
    return f"\n**{_line(head)}**\n\n<pre>{xml_text(fault.text())}</pre>\n"


def _line(text: str) -> str:
    return markdown(cut(text, CELL))


def _paragraph(text: str) -> str:
    return paragraph(cut(text, CELL))


def _cut_note(report: Report) -> str:
    where = ""
    if report.played:
        where = f"; `arena show {report.played.event.id}` shows all of it"
    return f"\nCut here: GitHub shows pages of 1 MiB at most{where}.\n"


class _Page:
    """A text with a size limit; the rest is omitted and a note added."""

    def __init__(self, limit: int, note: str) -> None:
        self._parts: list[str] = []
        self._left = limit - len(note.encode())
        self._note = note
        self._is_cut = False
        self._open = ""

    def add(self, text: str, closing: str = "") -> None:
        """Add a text; `closing` is added at the end at the latest."""
        size = len(text.encode()) + len(closing.encode())
        self._is_cut |= size > self._left
        if not self._is_cut:
            self._left -= size
            self._parts.append(text)
            self._open = closing or self._open

    def close(self) -> None:
        """Add the open closing text."""
        self._parts.append(f"\n{self._open}" if self._open else "")
        self._open = ""

    def table(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        for part in table_parts(header, rows):
            self.add(part)

    def text(self) -> str:
        self.close()
        return "".join([*self._parts, self._note if self._is_cut else ""])
