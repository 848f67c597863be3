"""An event as its config describes it: read, checked as a whole, and ready to be played.

Everything that is wrong with a config is said at once, each with its place in the file. Relative
paths in a config are relative to its own folder.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from arena.bots.manifest import Manifest, find_bot
from arena.bots.shipped import resolve
from arena.config.formats import format_faults
from arena.config.gate import GateRule, gate_faults, gate_rule
from arena.config.model import (
    BotSection,
    EventSection,
    GateSection,
    Isolation,
    LimitsSection,
    OpeningsSection,
    ScoreSection,
    TimeSection,
)
from arena.config.openings import OpeningRule, boards_of, opening_rule
from arena.errors import BotError, ConfigError, Problem
from arena.reading.checking import Fault, Keys, Section, check, problems
from arena.reading.names import folded
from arena.reading.source import Loc, Source, parse_source, read_source
from referee.catalog import AnyGame, BrokenGameError, UnknownGameError, game_class, game_names
from referee.job import ClaimPolicy, Limits, ScoreRule, TimeControl
from referee.options import did_you_mean, game_model, quoted
from referee.sandbox.visible_paths import objection

_SECTIONS: dict[str, type[Section]] = {
    "openings": OpeningsSection,
    "gate": GateSection,
    "time": TimeSection,
    "score": ScoreSection,
    "limits": LimitsSection,
}


@dataclass(frozen=True, kw_only=True)
class Entrant:
    """A player of the event: a bot under a name, with arguments of its own."""

    name: str
    reference: str
    """The bot as the config names it."""
    args: tuple[str, ...] = ()
    share: tuple[str, ...] = ()
    """What its bot.yaml may name beside its own files, as the config names it."""
    isolation: Isolation | None = None
    """Whether it is shut in; None is as the event says."""
    scratch: Literal["keep", "none"] = "none"
    """Whether it has a folder that lasts."""
    manifest: Manifest


@dataclass(frozen=True, kw_only=True)
class Config:
    """A config that makes sense."""

    name: str
    game: AnyGame
    entrants: tuple[Entrant, ...]
    format: Literal["round_robin", "gauntlet", "swiss", "knockout", "ladder", "solo", "gate"]
    repeat: int | None
    """None: so often that each player sits in each seat once."""
    boards: int
    openings: OpeningRule | None
    challengers: tuple[str, ...] | None
    """Of a gauntlet; None is the first player."""
    rounds: int | None
    """Of a swiss; None is the usual number."""
    seeding: tuple[str, ...] | None
    """Of a knockout, the best first; None is the order of the players."""
    tie_breaks: int
    certainty: float
    gate: GateRule | None
    """Only for the format gate."""
    seats: tuple[int, ...]
    """The numbers of players a match may have."""
    seat_orders: Literal["rotate", "all"]
    matches: int | None
    seed: int | None
    """None: to be drawn when the event begins."""
    claims: ClaimPolicy
    max_plies: int | None
    time: TimeControl
    score: ScoreRule
    limits: Limits
    isolation: Isolation
    installations: tuple[str, ...]
    """Absolute paths."""
    build_network: Literal["allow", "deny"]
    slots: int | Literal["auto"]
    pin: Literal["auto", "none"]
    cores: int
    withdraw_after: int
    """How many faults in a row end a player's part in the event; 0: none do."""
    restart: Literal["match", "never"]
    transport: Literal["ipc", "tcp"]
    bonus: dict[str, Decimal]
    source: Source = field(repr=False, compare=False)
    """Where it was read, for errors that are found later."""

    def problem(self, entrant: Entrant, detail: str) -> Problem:
        """Return what is wrong with a player, at its place in the file."""
        return self.source.problem(detail, ("bots", self.entrants.index(entrant)))


def load_config(path_text: str) -> Config:
    """Read the config of that name, ours where there is no such file; raises ArenaError."""
    path = resolve(path_text)
    source = read_source(path, path_text if Path(path_text) == path else str(path))
    return _config(source, source.values(), path.parent)


def make_config(values: Mapping[str, Any], *, folder: Path, origin: str) -> Config:
    """Return the config that a command line stands for, or raise ConfigError.

    `values` are as they would stand in a file, `origin` is what errors call it.
    """
    return _config(Source(origin, ""), dict(values), folder)


def read_assignment(text: str) -> tuple[str, Any]:
    """Return the key and the value of `key=value`, the value read as in a file.

    Raises ConfigError.
    """
    key, equals, value = text.partition("=")
    if not key.strip() or not equals or not value.strip():
        raise ConfigError([Problem("-o", f"must be key=value, not {quoted(text)}")])
    try:
        source = parse_source(f"value: {value}", "-o")
        found = source.problems
    except ConfigError as error:
        found = list(error.problems)
    if found:
        raise ConfigError([Problem("-o", f"{quoted(text)}: {found[0].detail}")])
    return key.strip(), source.values()["value"]


def _config(source: Source, values: dict[str, Any], folder: Path) -> Config:
    section, faults = check(EventSection, values, _KeysOf(values))
    entrants, found = _entrants(values, folder)
    faults += found
    shown, found = _installations(section, folder)
    faults += found
    openings: OpeningRule | None = None
    elsewhere: list[Problem] = []
    if section:
        faults += [*_seat_faults(section, len(section.bots)), *_event_faults(section, entrants)]
        faults += gate_faults(section)
        openings, found, elsewhere = opening_rule(section, _seats(section), folder)
        faults += found
    wrong = [*problems(source, faults), *elsewhere]
    if section is None or wrong:
        raise ConfigError(wrong)
    return replace(_made(section, entrants, openings, source), installations=shown)


def _made(
    section: EventSection,
    entrants: Sequence[Entrant],
    openings: OpeningRule | None,
    source: Source,
) -> Config:
    plain = {
        name: getattr(section, name)
        for name in EventSection.model_fields
        if name not in ("bots", *_SECTIONS)
    }
    plain["boards"] = boards_of(section, openings)
    plain["seats"] = _seats(section)
    plain["format"] = section.format or _only_format(section.game)
    if section.format == "gate":
        plain["withdraw_after"] = 0
    time, limits = section.time, section.limits
    return Config(
        **plain,
        entrants=tuple(entrants),
        openings=openings,
        gate=gate_rule(section),
        time=TimeControl(
            clock=time.clock,
            start_ns=time.start,
            start_free_ns=time.start_free,
            init_ns=time.init,
            per_move_ns=time.per_move,
            bank_ns=time.bank,
            wall_bank_ns=time.wall_bank,
            display_ns=time.display,
            term_ns=time.term,
            grace_ns=time.grace,
            strikes=time.strikes,
            ponder=time.ponder,
        ),
        score=ScoreRule(**dict(section.score)) if section.score else ScoreRule(),
        limits=Limits(
            memory_bytes=limits.memory,
            processes=limits.processes,
            files=limits.files,
            disk_bytes=limits.disk,
            scratch_bytes=limits.scratch,
            output_bytes=limits.output,
        ),
        source=source,
    )


def _entrants(values: Mapping[str, Any], folder: Path) -> tuple[list[Entrant], list[Fault]]:
    """Look for every bot that is named, whatever else is wrong."""
    entrants: list[Entrant] = []
    faults: list[Fault] = []
    bots = values.get("bots")
    seen: dict[str, str] = {}
    for place, entry in enumerate(bots if isinstance(bots, tuple) else ()):
        try:
            bot = BotSection.model_validate({"bot": entry} if isinstance(entry, str) else entry)
        except ValueError:
            continue  # the model says what is wrong
        loc: Loc = ("bots", place) if isinstance(entry, str) else ("bots", place, "bot")
        shared, found = _shared(bot.share, folder, place)
        faults += found
        entrant, detail = _entrant(bot, folder, shared, values)
        if entrant is None:
            faults.append(Fault(loc, detail))
            continue
        if detail:
            faults.append(Fault(loc, detail))
        if detail := _name_fault(entrant.name, seen):
            faults.append(Fault(("bots", place, "name") if bot.name else loc, detail))
        entrants.append(entrant)
    return entrants, faults


def _shared(names: Sequence[str], folder: Path, place: int) -> tuple[tuple[Path, ...], list[Fault]]:
    """Return the resolved paths of what the organiser shares with a bot."""
    paths = []
    faults = []
    for number, name in enumerate(names):
        try:
            paths.append((folder / Path(name).expanduser()).resolve(strict=True))
        except (OSError, ValueError, RuntimeError):
            detail = f"bots[{place}].share: there is no file or folder {quoted(name)}"
            faults.append(Fault(("bots", place, "share", number), detail))
    return tuple(paths), faults


def _entrant(
    bot: BotSection, folder: Path, shared: tuple[Path, ...], values: Mapping[str, Any]
) -> tuple[Entrant | None, str]:
    try:
        manifest = find_bot(bot.bot, folder, shared)
    except BotError as error:
        return None, str(error)
    except ConfigError as error:
        return None, f"bot {bot.bot} cannot be read:\n{error}"
    name = bot.name or manifest.name
    entrant = Entrant(
        name=name,
        reference=bot.bot,
        args=bot.args,
        share=bot.share,
        isolation=bot.isolation,
        scratch=bot.scratch,
        manifest=manifest,
    )
    game = values.get("game")
    game_name = game.get("name") if isinstance(game, Mapping) else None
    if game_name in game_names() and not manifest.plays(game_name):
        games = " and ".join(manifest.games or ())
        return entrant, f"bot {name} does not play {game_name}; it plays {games}"
    return entrant, ""


def _installations(
    section: EventSection | None, folder: Path
) -> tuple[tuple[str, ...], list[Fault]]:
    """Return the folders that bots are shown as absolute paths, and what is wrong with them."""
    paths: list[str] = []
    faults: list[Fault] = []
    for place, name in enumerate(section.installations if section else ()):
        try:
            path = (folder / Path(name).expanduser()).absolute()
            reason = objection(path) if path.is_dir() else "is no folder"
        except (OSError, ValueError, RuntimeError):
            path, reason = folder, "cannot be looked for"
        if reason is not None:
            detail = f"installations[{place}]: {quoted(name)} {reason}"
            faults.append(Fault(("installations", place), detail))
        paths.append(str(path))
    return tuple(paths), faults


def _name_fault(name: str, seen: dict[str, str]) -> str:
    if (form := folded(name)) not in seen:
        seen[form] = name
        return ""
    first = seen[form]
    fault = f"is there already as {quoted(first)}" if first != name else "is there already"
    return f"the player {quoted(name)} {fault}; give this one another name, {{name: ..., bot: ...}}"


def _only_format(game: AnyGame) -> Literal["round_robin", "solo"]:
    return "solo" if max(game.seats) == 1 else "round_robin"


def _seats(section: EventSection) -> tuple[int, ...]:
    return section.seats or (min(section.game.seats),)


def _seat_faults(section: EventSection, players: int) -> list[Fault]:
    game = section.game
    allowed = game.seats
    faults = []
    for place, seats in enumerate(section.seats or ()):
        if seats not in allowed:
            span = f"{min(allowed)} to {max(allowed)}" if len(allowed) > 1 else str(min(allowed))
            detail = f"{game.name} has {span} seats, not {seats}"
            faults.append(Fault(("seats", place), detail))
    if len(set(section.seats or ())) < len(section.seats or ()):
        faults.append(Fault(("seats",), "seats names a number twice"))
    needed = max(seats for seats in (*_seats(section), min(allowed)) if seats in allowed)
    if players < needed:
        detail = f"{needed} players or more are needed for {game.name}, not {players}"
        faults.append(Fault(("bots",), detail, is_of_key=True))
    return faults


def _event_faults(section: EventSection, entrants: Sequence[Entrant]) -> list[Fault]:
    game = section.game
    faults = []
    is_for_sets = section.format in (None, "round_robin")
    if section.matches is not None and max(_seats(section)) < 3 and is_for_sets:
        detail = "matches is for 3 seats and more; repeat says how often two players meet"
        faults.append(Fault(("matches",), detail, is_of_key=True))
    if is_for_sets and section.matches and (section.repeat or section.seat_orders == "all"):
        other = "repeat" if section.repeat else "seat_orders: all"
        faults.append(
            Fault(("matches",), f"matches and {other} exclude each other", is_of_key=True)
        )
    if section.claims == "required" and game.claims_type is None:
        faults.append(Fault(("claims",), f"{game.name} has no claims that could be required"))
    names = [entrant.name for entrant in entrants]
    faults += format_faults(section, _seats(section), names)
    for name in section.bonus:
        if name not in names:
            detail = f"bonus: there is no player {quoted(name)}; {did_you_mean(name, names)}"
            faults.append(Fault(("bonus", name), detail, is_of_key=True))
    return faults


class _KeysOf:
    """Tells which keys each map of a config may have."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def __call__(self, loc: Loc) -> Keys:
        if not loc:
            return Keys("", tuple(EventSection.model_fields), self._elsewhere())
        if loc[0] == "game":
            return self._game()
        if loc[0] == "bots":
            return Keys("a player", tuple(BotSection.model_fields))
        section = _SECTIONS[str(loc[0])]
        return Keys(str(loc[0]), tuple(section.model_fields))

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
