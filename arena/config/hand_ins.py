"""Bots of a config by a pattern: `bots: ["hand-ins/*.zip"]`, all files and folders that match.

A player of a pattern is named by its own file or folder, never by the `name` in its bot.yaml, so
that nobody who joins, leaves or chooses a name renames another. Of `tim.zip` and `tim (1).zip`, as
browsers name a second download, the newest plays as tim.
"""

import fnmatch
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from arena.bots.archives import stem_of, suffix_of
from arena.bots.engine_reference import is_bare
from arena.bots.manifest import MAX_REFERENCE, UNPRINTABLE
from arena.bots.named_files import kind_of
from arena.bots.shipped import MANIFEST
from arena.reading.checking import KeyFault
from arena.reading.names import allowed_name, casefolded, hashed_name
from arena.reading.source import Loc
from protocol.wording import escaped, quoted

_PATTERN: Final = re.compile(r"[*?\[]")
_REPEATED: Final = re.compile(r"(.+?) ?\(([0-9]{1,4})\)")
"""Name of a second download, like `tim (1)`."""


@dataclass
class HandIns:
    """The bots of a config, with all that its patterns match."""

    entries: list[Any] = field(default_factory=list)
    places: list[Loc] = field(default_factory=list)
    """The place of each entry in the file."""
    matched: dict[int, str] = field(default_factory=dict)
    """The numbers of the entries that matched a pattern, each with why it is no bot, or ""."""
    faults: list[KeyFault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Lines for the organiser."""


def with_hand_ins(entries: Sequence[Any], places: Sequence[Loc], folder: Path) -> HandIns:
    """Return the entries of `bots`, each pattern replaced by what it matches in the folder."""
    found = HandIns()
    for entry, loc in zip(entries, places, strict=True):
        pattern = entry.get("bot") if isinstance(entry, Mapping) else entry
        if not isinstance(pattern, str) or not _is_pattern(pattern, folder):
            found.entries.append(entry)
            found.places.append(loc)
        elif isinstance(entry, Mapping) and "name" in entry:
            detail = f"{quoted(pattern)} may be several bots, which cannot have one name"
            found.faults.append(KeyFault((*loc, "name"), detail))
        else:
            try:
                paths = _matches(pattern, folder)
            except ValueError as error:  # of a pattern like **.zip
                found.faults.append(KeyFault(loc, f"{quoted(pattern)} is no pattern: {error}"))
                continue
            _add(found, entry, loc, paths, folder)
    return found


def newest(paths: Mapping[Path, Path]) -> tuple[dict[Path, str], list[str]]:
    """Return the paths that play, with the names of their entrants, and a line for each choice.

    `paths` maps each path to the file or folder of its entrant, often itself.
    """
    entrants = _entrants(paths.values())
    groups: dict[tuple[Path, str], list[Path]] = {}
    for path, own in paths.items():
        groups.setdefault(entrants[own], []).append(path)
    chosen, notes = {}, []
    for (_, name), same in groups.items():
        *older, last = sorted(same, key=_age)
        chosen[last] = name
        if older:
            names = " and ".join(quoted(path.name) for path in older)
            detail = f"{quoted(last.name)} plays, which is newer than {names}"
            notes.append(f"{escaped(name)}: {detail}")
    return chosen, notes


def name_by_path(path: Path) -> str:
    """Return the name that a pattern gives the player with this file or folder."""
    return allowed_name(_own_name(Path(os.path.abspath(path))))  # noqa: PTH100 - links keep their names


def _entrants(owns: Iterable[Path]) -> dict[Path, tuple[Path, str]]:
    """Return the folder and the name of the entrant of each file or folder."""
    found = {own: (own.parent, _own_name(own)) for own in owns}
    archives = {found[own] for own in found if suffix_of(own.name)}
    for own, (folder, name) in list(found.items()):
        repeated = _REPEATED.fullmatch(name) if suffix_of(own.name) else None
        if repeated and (folder, repeated[1]) in archives:
            found[own] = (folder, repeated[1])
    return found


def _own_name(path: Path) -> str:
    if suffix_of(path.name):
        return stem_of(path.name)
    if path.name == MANIFEST:
        return path.parent.resolve().name
    return path.stem if kind_of(path) == "file" else path.name


def _is_pattern(reference: str, folder: Path) -> bool:
    """Whether a reference is a pattern, and not the path of a file with such a name."""
    if is_bare(reference) or not _PATTERN.search(reference):
        return False
    try:
        return not (folder / Path(reference).expanduser()).exists()
    except (OSError, ValueError, RuntimeError):
        return False


def _matches(pattern: str, folder: Path) -> dict[Path, Path]:
    """Return the visible files and folders that match, each with that of its entrant.

    This is the first one with a name that the pattern leaves open: of `students/*/*.zip` each
    folder is an entrant, whatever the archives in it are called.
    """
    path, place = _first_open(pattern, folder)
    root = Path(*path.parts[:place])
    if any("**" in part != "**" for part in path.parts[place:]):
        raise ValueError("** stands for folders, and for no part of a name")
    depth = None if "**" in path.parts[place] else place + 1
    folders_only = pattern.endswith("/")
    return {
        each: Path(*each.parts[:depth])
        for each in sorted(set(_found(root, path.parts[place:])))
        if not any(part[0] == "." or part == "__MACOSX" for part in each.parts[place:])
        and (kind_of(each) == "folder" or not folders_only)
    }


def _found(place: Path, parts: Sequence[str]) -> Iterator[Path]:
    """Yield what matches the parts of a pattern in a folder, some of it several times.

    Unlike `Path.glob`, a link of an author that cannot be followed raises no error.
    """
    if not parts:
        yield place
    elif parts[0] == "**":
        for folder, _, _ in os.walk(place):
            yield from _found(Path(folder), parts[1:])
    elif _PATTERN.search(parts[0]):
        for name in fnmatch.filter(_listed(place), parts[0]):
            yield from _found(place / name, parts[1:])
    elif os.path.lexists(place / parts[0]):
        yield from _found(place / parts[0], parts[1:])


def _listed(folder: Path) -> list[str]:
    try:
        return [path.name for path in folder.iterdir()]
    except OSError:  # no folder, or one that may not be read
        return []


def _first_open(pattern: str, folder: Path) -> tuple[Path, int]:
    """Return the path of a pattern and the number of its first part that leaves a name open."""
    path = folder / Path(pattern).expanduser()
    return path, next(place for place, part in enumerate(path.parts) if _PATTERN.search(part))


def _add(found: HandIns, entry: Any, loc: Loc, paths: Mapping[Path, Path], folder: Path) -> None:
    own = dict(entry) if isinstance(entry, Mapping) else {"bot": entry}
    if not paths:
        detail = f"no file or folder matches {quoted(own['bot'])}"
        found.faults.append(KeyFault(loc, detail))
    chosen, notes = newest(paths)
    found.notes += notes
    for path, name in _named(chosen).items():
        is_inside = path.is_relative_to(folder)
        # no name of a shipped bot has a dot in front
        text = f"./{path.relative_to(folder)}" if is_inside else str(path)
        reason = _objection(path, paths[path]) or _link_objection(path, own["bot"], folder)
        if not text.isprintable() or len(text) > MAX_REFERENCE:
            reason = UNPRINTABLE
            text = escaped(text)[:MAX_REFERENCE]
        found.matched[len(found.entries)] = reason
        found.entries.append({**own, "name": name, "bot": text})
        found.places.append(loc)


def _objection(path: Path, own: Path) -> str:
    """Return why a path is no bot of the entrant of the file or folder `own`; "" if it may be.

    In the folder of an entrant a link may be a stranger's, and lead to the bot of another.
    """
    if not os.path.exists(path):  # noqa: PTH110 - Path raises errors of some links
        return "points to no file"
    if path == own or path.resolve().is_relative_to(own.resolve()):
        return ""
    return "is a link that points outside its entrant's folder; put a copy there"


def _link_objection(path: Path, pattern: str, folder: Path) -> str:
    """Return why a match of a pattern with `**` is no bot; "" if no part of its path is a link.

    Such a pattern tells no folder of an organiser from one of an entrant, who could link to the
    bot of another.
    """
    pattern_path, place = _first_open(pattern, folder)
    if "**" not in pattern_path.parts[place]:
        return ""
    own = [path, *path.parents][: len(path.parts) - place]
    if not any(part.is_symlink() for part in own):
        return ""
    return "is a link or in a linked folder, where ** does not look; put a copy there"


def _named(chosen: Mapping[Path, str]) -> dict[Path, str]:
    """Return the name of each player: that of its file or folder, as far as a bot may have it.

    If that is the name of another file, too, the player gets a hash, never the one of that file.
    """
    allowed = {path: allowed_name(name) for path, name in chosen.items()}
    first: dict[str, Path] = {}
    for path in sorted(allowed, key=lambda path: allowed[path] != chosen[path]):
        first.setdefault(casefolded(allowed[path]), path)
    for path, name in allowed.items():
        if first[casefolded(name)] != path:
            allowed[path] = hashed_name(name, chosen[path])
    return allowed


def _age(path: Path) -> tuple[int, int]:
    """Return a number that is larger for a newer file, and its number for files of one time."""
    repeated = _REPEATED.fullmatch(stem_of(path.name))
    return path.lstat().st_mtime_ns, int(repeated[2]) if repeated else 0
