"""The openings of a config: its file and its balancing bot."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.books.formats import CUT_FORMATS, format_of
from arena.bots.manifest import Manifest, find_bot
from arena.config.gate import GateSection
from arena.config.model import EventSection, OpeningsSection
from arena.errors import BotError, ConfigError, Problem
from arena.reading.checking import KeyFault, of_key
from arena.text import plural
from referee.catalog import AnyGame

PLIES = 4
"""Plies of random openings, by default for formats that need openings."""
DRAWING = ("gate", "ladder", "tune")
"""Formats whose matches must differ from each other."""

BY_RESULTS = {"ladder": "ladder", "tune": "tuning"}
"""Formats whose boards depend on results, with a word for an event of each."""


@dataclass(frozen=True, kw_only=True)
class OpeningsFound:
    """The openings of a config, or the problems that were found."""

    section: OpeningsSection | None = None
    """Source of the openings, the default of the format included."""
    lines: tuple[str, ...] = ()
    """Contents of the file, in notation."""
    balancer: Manifest | None = None
    """Bot that chooses the more even one of two drawn openings."""
    faults: Sequence[KeyFault] = ()
    notes: Sequence[str] = ()
    """Warnings about the file."""
    problems: Sequence[Problem] = ()
    """Problems in the file of openings itself."""


def add_openings(values: dict[str, Any], text: str | None) -> None:
    """Add an option `--openings PLIES|FILE|FILE.pgn:PLIES` to the values of a config."""
    if text is not None:
        values["openings"] = values.get("openings", {}) | openings_value(text)


def openings_value(text: str) -> dict[str, Any]:
    """Return the section of a config for the value of this option."""
    if text.isdecimal():
        return {"random_plies": int(text)}
    file, colon, plies = text.rpartition(":")
    is_cut = colon and plies.isdecimal() and format_of(file) in CUT_FORMATS
    return {"file": file, "plies": int(plies)} if is_cut else {"file": text}


class _WrongError(Exception):
    """A problem in the config, or in the file it names."""

    def __init__(self, faults: Sequence[KeyFault] = (), elsewhere: Sequence[Problem] = ()) -> None:
        super().__init__()
        self.faults = list(faults)
        self.elsewhere = list(elsewhere)


def find_openings(
    section: EventSection, seats: tuple[int, ...], folder: Path, *, is_once: bool
) -> OpeningsFound:
    """Read the file of openings and find the bot that balances them.

    `is_once` says whether each opening is of use only once, unless the config decides it.
    """
    openings, game = section.openings, section.game
    if openings is None and section.format in DRAWING and max(game.seats) > 1:
        from arena.schedule.openings import draws_boards

        openings = None if draws_boards(game) else OpeningsSection(random_plies=PLIES)
    if openings is None:
        return OpeningsFound()
    try:
        _check_seats(game)
        notes: list[str] = []
        lines = _lines(openings.file, section, seats, folder, notes) if openings.file else ()
        lines = _from_start(lines, openings)
        reference = openings.balanced_by
        balancer = _balancer(reference, game, folder) if reference else None
    except _WrongError as wrong:
        return OpeningsFound(faults=wrong.faults, problems=wrong.elsewhere)
    faults = list(_balance_faults(section))
    if is_once if openings.book is None else openings.book == "once":
        faults += _shortages(section, len(lines))
    return OpeningsFound(
        section=openings, lines=lines, balancer=balancer, faults=faults, notes=notes
    )


def boards_of(section: EventSection, openings: OpeningsFound) -> int:
    """Return the number of boards: by default one for each opening of a file.

    A gate and a tuning have as many boards as pairs of matches.
    """
    is_open = "boards" not in section.model_fields_set and section.format not in ("gate", "tune")
    return len(openings.lines) if is_open and openings.lines else section.boards


def _balance_faults(section: EventSection) -> Iterator[KeyFault]:
    if section.format in BY_RESULTS and section.openings and section.openings.balanced_by:
        kind = BY_RESULTS[section.format]
        yield of_key(
            f"balanced_by is not for a {kind}: its boards depend on its results, so openings cannot"
            " be chosen before; remove it",
            "openings",
            "balanced_by",
        )


def _shortages(section: EventSection, lines: int) -> Iterator[KeyFault]:
    """Yield the faults of keys that need more openings than the file has."""
    again = "; `book: again` under openings (-c openings.book=again) uses them again"
    if 0 < lines < section.boards:
        boards = plural(section.boards, "board")
        detail = f"{boards} need as many openings, but the file has {plural(lines, 'opening')}"
        yield KeyFault(("boards",), detail + again)
    if section.format == "gate" and 0 < lines < (section.gate or GateSection()).completed().pairs:
        detail = (
            f"the file has {plural(lines, 'opening')}, so the gate ends after"
            f" {2 * lines} matches: cap must be {2 * lines} at most{again}"
        )
        yield KeyFault(("gate", "cap"), detail)


def _check_seats(game: AnyGame) -> None:
    if max(game.seats) == 1:
        detail = f"{game.name} has one seat and draws its boards from the seed: no openings"
        raise _WrongError([of_key(detail, "openings")])
    if game.has_chance:
        detail = f"{game.name} has draws, and those of each match are its own: no openings"
        raise _WrongError([of_key(detail, "openings")])


def _lines(
    file: str, section: EventSection, seats: tuple[int, ...], folder: Path, notes: list[str]
) -> tuple[str, ...]:
    # loads rules and wire
    from arena.books.book import is_book, read_book
    from arena.schedule.openings import draws_boards, read_openings

    loc, game = ("openings", "file"), section.game
    try:
        path = folder / Path(file).expanduser()
        if is_book(game.name, file):
            plies = section.openings.plies if section.openings else None
            needed, seed = _needed(section), section.seed or 0
            if needed is not None and section.openings and section.openings.start:
                needed += section.openings.start - 1
            return read_book(path, file, game, needed, seed, plies=plies, warn=notes.append)
        if draws_boards(game):
            detail = (
                f"{game.name} draws its boards from the seed, so that no file fits them; fix the"
                " board by the game's options, or take random_plies"
            )
            raise _WrongError([KeyFault(loc, detail)])
        return read_openings(path, file, game, seats)
    except ConfigError as error:
        raise _WrongError(elsewhere=error.problems) from None
    except (RuntimeError, ValueError) as error:  # of expanduser
        raise _WrongError([KeyFault(loc, f"openings.file: {error}")]) from None


def _from_start(lines: tuple[str, ...], openings: OpeningsSection) -> tuple[str, ...]:
    """Return the openings from the first one on that is to be played."""
    found = lines[(openings.start or 1) - 1 :]
    if openings.start and not found:
        detail = f"start is {openings.start}, but the file has {plural(len(lines), 'opening')}"
        raise _WrongError([of_key(detail, "openings", "start")])
    return found


def _needed(section: EventSection) -> int | None:
    """Return the number of openings that an event takes from a book; None for all of it."""
    from arena.schedule.openings import MAX_OPENINGS

    if section.format == "gate":
        return min((section.gate or GateSection()).completed().pairs, MAX_OPENINGS)
    if section.format == "tune":
        return min(section.tune.completed().boards if section.tune else 1, MAX_OPENINGS)
    if section.format == "ladder":  # each encounter of two players has another board
        return max(1, (section.matches or 100 * len(section.bots)) // 2)
    if "boards" not in section.model_fields_set:
        return None
    boards = section.boards + (section.tie_breaks if section.format == "knockout" else 0)
    return min(boards, MAX_OPENINGS)


def _balancer(reference: str, game: AnyGame, folder: Path) -> Manifest:
    loc = ("openings", "balanced_by")
    try:
        manifest = find_bot(reference, folder)
    except (BotError, ConfigError) as error:
        raise _WrongError([KeyFault(loc, f"openings.balanced_by: {error}")]) from None
    if not manifest.plays(game.name):
        games = " and ".join(manifest.games or ())
        detail = f"openings.balanced_by: {manifest.name} does not play {game.name} but {games}"
        raise _WrongError([KeyFault(loc, detail)])
    return manifest
