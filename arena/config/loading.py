"""Read the config of an event, from a file or a command line.

All problems of a config are reported together, each with its place in the file. Relative paths in a
config are relative to its own folder.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, get_args

from arena.bots.kits import kit_hashes
from arena.bots.shipped import resolve
from arena.config.adjudicate import AdjudicateSection
from arena.config.comparing import comparing_faults, question_of, search_of
from arena.config.entrants import find_entrants
from arena.config.event import Config, Entrant
from arena.config.formats import COMPARING, chosen_format, chosen_seats, format_faults
from arena.config.hand_ins import HandIns, with_hand_ins
from arena.config.model import BotSection, EventSection
from arena.config.odds import odds_faults
from arena.config.openings import OpeningsFound, boards_of, find_openings
from arena.config.own_bots import adjudication_faults, tables_folder
from arena.config.pondering import with_pondering
from arena.config.qualifiers import Qualify, with_qualifiers
from arena.config.runner import find_runner
from arena.config.tune import ParameterSection
from arena.errors import BotError, ConfigError
from arena.reading.checking import KeyFault, Keys, Section, check, of_key, problems
from arena.reading.quantities import MB
from arena.reading.source import Loc, Source, read_source
from protocol.wording import did_you_mean, quoted
from referee.cache import arena_cache
from referee.catalog import BrokenGameError, UnknownGameError, game_class
from referee.options import game_model
from referee.sandbox import objection


def _sections_of(model: type[Section]) -> dict[str, type[Section]]:
    """Return the sections in a section by key: the keys with nested keys."""
    return {
        key: part
        for key, field in model.model_fields.items()
        for part in (field.annotation, *get_args(field.annotation))
        if isinstance(part, type) and issubclass(part, Section)
    }


_ELSEWHERE: Final[Mapping[str, Mapping[str, str]]] = {
    "adjudicate": {"max_plies": "the event, beside it"},
    "time": {
        "tc": "bank and increment: tc=10+0.1 is bank=10s and increment=100ms",
        "st": "per_move: st=0.5 is per_move=500ms",
    },
}
"""Keys that are expected in a section, by its name, each with its place."""
_SECTIONS: Final[Mapping[str, type[Section]]] = _sections_of(EventSection)
SKIP_BROKEN: Final = "\n  (--skip-broken plays without it)"
TABLES: Final = ("hash", "usi_hash", "hashsize")
"""Options of engines with the size of a table in MB, in lower case."""


def load_config(
    path_text: str, *, skip_broken: bool = False, qualify: Qualify | None = None
) -> Config:
    """Read a config by path, or a shipped one by name; raises ArenaError.

    With `skip_broken`, broken bots are left out unless the config says otherwise. `qualify` finds
    the bots of other events.
    """
    path = resolve(path_text)
    source = read_source(path, path_text if Path(path_text) == path else str(path))
    values = source.values()
    if skip_broken and values.get("broken", "stop") == "stop":
        values["broken"] = "leave_out"
    return _config(source, values, path.parent, qualify)


def make_config(values: Mapping[str, Any], *, folder: Path, origin: str) -> Config:
    """Return the config of a command line's values; raises ConfigError about `origin`."""
    return _config(Source(origin, ""), dict(values), folder)


def _config(
    source: Source, values: dict[str, Any], folder: Path, qualify: Qualify | None = None
) -> Config:
    values, places, faults = with_qualifiers(values, qualify)
    hand_ins = with_hand_ins(values["bots"], places, folder) if places else HandIns()
    if faults := [*faults, *hand_ins.faults]:
        raise ConfigError(problems(source, faults))
    if places:
        values = {**values, "bots": tuple(hand_ins.entries)}
    section, faults = check(EventSection, values, _KeysOf(values))
    can_skip = source.text and values.get("format") not in COMPARING  # not in `arena match`
    hint = SKIP_BROKEN if can_skip else ""
    entrants, found = find_entrants(values, folder, hint, hand_ins.matched)
    faults += found
    installations, found = _installations(section, folder)
    faults += found
    openings, runner = OpeningsFound(), None
    if section:
        faults += [*_seat_faults(section, _players(section)), *_event_faults(section, entrants)]
        faults += [*comparing_faults(section), *odds_faults(section)]
        faults += adjudication_faults(section, entrants, folder)
        runner, found = find_runner(section, folder)
        faults += found
        entrants, found = _fitted(section, entrants)
        faults += found
        is_once = all(not each.broken and each.manifest.repeats for each in entrants)
        openings = find_openings(section, chosen_seats(section), folder, is_once=is_once)
        faults += openings.faults
    wrong = [*problems(source, _placed(faults, hand_ins.places)), *openings.problems]
    if section is None or wrong:
        raise ConfigError(wrong)
    completed = {
        "bots": tuple(entrants),
        "format": chosen_format(section),
        "seats": chosen_seats(section),
        "boards": boards_of(section, openings),
        "openings": openings.section,
        "opening_lines": openings.lines,
        "balancer": openings.balancer,
        "runner_manifest": runner,
        "adjudicate": _adjudicate(section, folder),
        "gate": question_of(section),
        "tune": search_of(section),
        "withdraw_after": 0 if section.format in COMPARING else section.withdraw_after,
        "installations": installations,
        "source": source,
        "folder": str(folder.resolve()),
        "kits": _kits(entrants),
        "places": tuple(hand_ins.places),
        "notes": (*hand_ins.notes, *(f"warning: {note}" for note in openings.notes)),
    }
    # not validated again, since validation expects times and sizes as text
    return Config.model_construct(**{**dict(section), **completed})


def _adjudicate(section: EventSection, folder: Path) -> AdjudicateSection | None:
    """Return the section `adjudicate` with the absolute path of its tablebases."""
    terms = section.adjudicate
    if terms is None or terms.tablebases is None:
        return terms
    return terms.model_copy(update={"tablebases": tables_folder(terms.tablebases, folder)})


def _kits(entrants: Sequence[Entrant]) -> dict[str, dict[str, str]]:
    """Return the hashes of Arena's files in the bots; a file that is gone is reported later."""
    kits = {}
    for entrant in entrants:
        with suppress(OSError, BotError):
            kits[entrant.name] = {} if entrant.broken else kit_hashes(entrant.manifest)
    return kits


def _placed(faults: Sequence[KeyFault], places: Sequence[Loc]) -> list[KeyFault]:
    """Return the faults of bots at their places in the file."""
    return [
        replace(fault, loc=(*places[fault.loc[1]], *fault.loc[2:]))
        if fault.loc[:1] == ("bots",) and len(fault.loc) > 1 and isinstance(fault.loc[1], int)
        else fault
        for fault in faults
    ]


def _within_memory(
    section: EventSection, entrants: Sequence[Entrant]
) -> tuple[list[Entrant], list[KeyFault]]:
    """Return the bots; an engine with a table above the memory is a broken one, or a fault."""
    kept: list[Entrant] = []
    faults: list[KeyFault] = []
    for entrant in entrants:
        detail = _table_objection(section, entrant)
        if detail and section.broken == "stop":
            faults.append(KeyFault(("bots",), detail))
        kept.append(entrant.model_copy(update={"broken": detail}) if detail else entrant)
    return kept, faults


def _fitted(
    section: EventSection, entrants: Sequence[Entrant]
) -> tuple[list[Entrant], list[KeyFault]]:
    """Return the entrants as this event has them, and the faults of what does not fit."""
    kept, faults = _within_memory(section, entrants)
    kept, more = with_pondering(section, kept)
    return kept, [*faults, *more]


def _table_objection(section: EventSection, entrant: Entrant) -> str:
    """Return why the table of an engine does not fit into the limit of memory, or ""."""
    most = section.limits.memory // MB
    for name, value in () if entrant.broken else entrant.manifest.options.items():
        if name.lower() in TABLES and type(value) is int and value >= most:
            return (
                f"{entrant.name}: its option {name} of {value} MB does not fit into the memory"
                f" limit, {most} MB; lower it in the bot.yaml, or raise limits.memory in a config"
            )
    return ""


def _installations(
    section: EventSection | None, folder: Path
) -> tuple[tuple[str, ...], list[KeyFault]]:
    """Return the absolute paths of the folders visible to bots, and their faults."""
    paths: list[str] = []
    faults: list[KeyFault] = []
    for place, name in enumerate(section.installations if section else ()):
        try:
            path = (folder / Path(name).expanduser()).absolute()
            reason = objection(path, arena_cache()) if path.is_dir() else "is not a folder"
        except (OSError, ValueError, RuntimeError):
            path, reason = folder, "cannot be searched"
        if reason is not None:
            detail = f"installations[{place}]: {quoted(name)} {reason}"
            faults.append(KeyFault(("installations", place), detail))
        paths.append(str(path))
    return tuple(paths), faults


def _players(section: EventSection) -> int:
    """Return the number of players; a tuning adds one, the first bot with other values."""
    return len(section.bots) + (section.format == "tune")


def _seat_faults(section: EventSection, players: int) -> Iterator[KeyFault]:
    game = section.game
    allowed = game.seats
    for place, seats in enumerate(section.seats or ()):
        if seats not in allowed:
            span = f"{min(allowed)} to {max(allowed)}" if len(allowed) > 1 else str(min(allowed))
            detail = f"{game.name} has {span} {'seat' if span == '1' else 'seats'}, not {seats}"
            if span == "1":
                detail += "; to compare bots, play each alone in a tournament"
            yield KeyFault(("seats", place), detail)
    if len(set(section.seats or ())) < len(section.seats or ()):
        yield KeyFault(("seats",), "seats names a number twice")
    needed = max(seats for seats in (*chosen_seats(section), min(allowed)) if seats in allowed)
    if players < needed:
        least = f"exactly {needed}" if len(allowed) == 1 else f"{needed} or more"
        detail = f"a match of {game.name} needs {least} players, but the event has {players}"
        yield of_key(detail, "bots")


def _event_faults(section: EventSection, entrants: Sequence[Entrant]) -> Iterator[KeyFault]:
    game = section.game
    is_for_sets = section.format in (None, "round_robin")
    if section.matches is not None and max(chosen_seats(section)) < 3 and is_for_sets:
        detail = "matches is for 3 or more seats; set repeat, the number of matches of two players"
        yield of_key(detail, "matches")
    if is_for_sets and section.matches and (section.repeat or section.seat_orders == "all"):
        other = "repeat" if section.repeat else "seat_orders: all"
        yield of_key(f"matches and {other} exclude each other", "matches")
    if section.claims == "required" and game.claims_type is None:
        yield KeyFault(("claims",), f"{game.name} has no claims, so none can be required")
    if section.broken != "stop" and section.format in COMPARING:
        kind = "gate: it has two bots, and" if section.format == "gate" else "tuning: it"
        needed = "both" if section.format == "gate" else "its bots"
        yield of_key(f"broken is not for a {kind} needs {needed}", "broken")
    names = [entrant.name for entrant in entrants]
    yield from _remote_faults(section, entrants)
    yield from format_faults(section, chosen_seats(section), names)
    for key, named in (("bonus", section.bonus), ("anchor", section.anchor)):
        for name in named:
            if name not in names:
                detail = f"{key}: no player is named {quoted(name)}; {did_you_mean(name, names)}"
                yield of_key(detail, key, name)


def _remote_faults(section: EventSection, entrants: Sequence[Entrant]) -> Iterator[KeyFault]:
    """Yield what an event with remote bots cannot have."""
    first = next((entrant.name for entrant in entrants if entrant.remote is not None), None)
    if first is None:
        return
    if section.time.clock != "wall":
        detail = f"{first} is remote, so only wall time can be measured; set time: {{clock: wall}}"
        yield KeyFault(("time", "clock"), detail)
    if section.restart == "never":
        detail = f"{first} is remote, so it is started for each match; set restart: match"
        yield KeyFault(("restart",), detail)
    if section.format == "gate":
        yield KeyFault(("format",), f"{first} is remote; a gate compares two bots on one machine")
    if section.format == "tune":
        yield KeyFault(
            ("format",), f"{first} is remote; a tuning sets the options of its bots here"
        )


class _KeysOf:
    """The known keys of each map of a config."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def __call__(self, loc: Loc) -> Keys:
        if not loc:
            return Keys("", tuple(EventSection.model_fields), self._elsewhere())
        if loc[0] == "game":
            return self._game()
        if loc[0] == "bots":
            return _keys("a player", BotSection, loc[2:])
        if loc[:2] == ("tune", "parameters"):
            return Keys("a parameter", tuple(ParameterSection.model_fields))
        return _keys(str(loc[0]), _SECTIONS[str(loc[0])], loc[1:])

    def _elsewhere(self) -> dict[str, str]:
        homes = {"game": self._game().known, "players of bots": tuple(BotSection.model_fields)}
        homes |= {name: tuple(section.model_fields) for name, section in _SECTIONS.items()}
        return {key: name for name, keys in homes.items() for key in keys}

    def _game(self) -> Keys:
        game = self._values.get("game")
        name = game.get("name") if isinstance(game, Mapping) else None
        try:
            options = game_model(game_class(str(name))).model_fields
        except (UnknownGameError, BrokenGameError):
            return Keys("game", ("name",))
        return Keys(f"game {name}", ("name", *options))


def _keys(where: str, model: type[Section], rest: Loc) -> Keys:
    """Return the known keys of a section, or of the section in it that `rest` leads to."""
    if rest and (inner := _sections_of(model).get(str(rest[0]))) is not None:
        return Keys(f"{rest[0]} of {where}", tuple(inner.model_fields))
    return Keys(where, tuple(model.model_fields), _ELSEWHERE.get(where.partition(" ")[0], {}))
