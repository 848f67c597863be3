"""Write a new bot: the starter of a language in a self-contained folder."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from arena.bots.building import DEPENDENCIES
from arena.bots.manifest import MAX_REFERENCE, Manifest, read_manifest
from arena.bots.programs import check_programs
from arena.bots.shipped import MANIFEST, shipped_bots
from arena.bots.sources import OUTPUTS, collect, copy_file, outputs_of
from arena.errors import MissingToolchainError, UsageError, cause
from arena.new_files import take_back
from arena.reading.names import name_objection
from protocol.wording import did_you_mean, quoted
from referee.catalog import UnknownGameError, game_class, game_names

STARTERS = "starter/"
OPPONENT = "random"
README = "README.md"
IGNORED = ".gitignore"
OTHER_NAMES = {
    "c++": "cpp",
    "golang": "go",
    "js": "javascript",
    "node": "javascript",
    "py": "python",
    "rs": "rust",
    "ts": "typescript",
}
"""What people call a language, with the name of its starter."""
GAME = "pente"
"""Game of the suggested commands if none was given."""


@dataclass(frozen=True, kw_only=True)
class Scaffold:
    """A newly written bot."""

    folder: Path
    files: tuple[str, ...]
    commands: tuple[str, ...]
    """Suggested next commands, relative to the current directory."""
    missing: str | None
    """Missing toolchain and the command to install it, or None."""


def starters() -> dict[str, Path]:
    """Return the manifests of the starters by language."""
    return {
        name.removeprefix(STARTERS): path
        for name, path in shipped_bots().items()
        if name.startswith(STARTERS)
    }


def write_bot(language: str, folder: Path, game: str | None) -> Scaffold:
    """Write a language's starter into a new or empty folder; raises UsageError before it writes."""
    starter = _starter(language)
    _check_game(starter, language, game)
    name = _name_of(folder)
    sources = collect(starter, starter.files)
    text = _manifest_text(starter.path.read_text(), game)
    readme = _readme(name, game or _first_game(starter), tuple(sources))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for place, source in sources.items():
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            copy_file(starter, source, folder / place)
        (folder / MANIFEST).write_text(text)
        (folder / README).write_text(readme)
        (folder / IGNORED).write_text(_ignored(starter, tuple(sources)))
    except OSError as error:
        take_back(folder, (*sources, MANIFEST, README, IGNORED))
        raise UsageError(f"{folder}: cannot be written: {cause(error, folder)}") from None
    return Scaffold(
        folder=folder,
        files=(MANIFEST, *sources, README, IGNORED),
        commands=_commands(_typed(folder), game or _first_game(starter)),
        missing=_missing(read_manifest(folder / MANIFEST)),
    )


def _starter(language: str) -> Manifest:
    found = starters()
    if language not in found:
        known = ", ".join(found)
        meant = OTHER_NAMES.get(language.casefold(), language)
        hint = did_you_mean(meant, tuple(found))
        also = "" if hint.startswith("known") else f" known: {known}"
        other = (
            "; a program in any other language plays with `protocol: jsonl` in its bot.yaml, see"
            ' "Write a bot in any language (JSON lines)" in the documentation'
        )
        raise UsageError(f"no starter for the language {quoted(language)}; {hint}{also}{other}")
    return read_manifest(found[language])


def _check_game(starter: Manifest, language: str, game: str | None) -> None:
    if game is None:
        return
    if game not in (known := game_names()):
        raise UsageError(str(UnknownGameError(game, known)))
    if not starter.plays(game):
        played = " and ".join(starter.games or ())
        raise UsageError(f"the starter in {language} does not play {game}; it plays {played}")


def _name_of(folder: Path) -> str:
    """Return the name of a bot in this folder; raise UsageError if none may be written there."""
    if len(str(folder)) > MAX_REFERENCE:
        raise UsageError(f"the folder's path has more than {MAX_REFERENCE} characters")
    try:
        name = folder.resolve().name
        is_in_use = folder.exists() and (not folder.is_dir() or any(folder.iterdir()))
    except (OSError, ValueError, RuntimeError) as error:
        raise UsageError(f"{str(folder)!a}: {cause(error, folder)}") from None
    if is_in_use:
        what = "is not empty" if folder.is_dir() else "is not a folder"
        raise UsageError(f"{folder} {what}; give a new folder, nothing was written")
    if reason := name_objection(name):
        raise UsageError(
            f"{str(folder)!a}: the folder's name becomes the bot's name, which {reason}"
        )
    return name


def _first_game(starter: Manifest) -> str:
    return starter.games[0] if starter.games else GAME


def _manifest_text(text: str, game: str | None) -> str:
    """Return the starter's manifest without `name` and `files`, and with the game, if any.

    The new bot has the name of its folder and all files in it. The manifest is edited as text, so
    that comments and other keys stay unchanged.
    """
    text = text.rstrip() + "\n"
    for key in ("name", "files", *(("games",) if game else ())):
        text = re.sub(rf"^{key}:.*\n(?:[ \t-].*\n)*", "", text, flags=re.MULTILINE)
    return text + (f"games: [{game}]\n" if game else "")


def _ignored(starter: Manifest, sources: tuple[str, ...]) -> str:
    """Return a .gitignore: databases of matches, and whatever a build by hand leaves."""
    folders = {OUTPUTS[source] for source in sources if source in OUTPUTS}
    names = ["arena.db*", *sorted(outputs_of(starter.build or ())), *(f"{n}/" for n in folders)]
    if any(source.endswith(".py") for source in sources):
        names.append("__pycache__/")
    return "".join(f"{name}\n" for name in names)


def _commands(reference: str, game: str) -> tuple[str, ...]:
    fewest = game_class(game).seats[0]
    opponents = f" {OPPONENT}" * (fewest - 1)
    return (
        f"arena check {reference} --game {game}",
        f"arena match {reference}{opponents} --game {game}",
        "arena replay 1",
    )


def _typed(folder: Path) -> str:
    """Return the folder as a shell argument; never the name of a shipped bot."""
    text = str(folder)
    return shlex.quote(text if text.startswith((".", "/")) else f"./{text}")


def _readme(name: str, game: str, sources: tuple[str, ...]) -> str:
    commands = _commands(".", game)
    check, match, replay = commands
    rules = f"arena games {game}"
    width = max(map(len, commands))
    main = next(source for source in sources if Path(source).stem in ("main", "Starter"))
    is_kit = len(sources) > 1  # otherwise it reads and writes JSON lines itself
    kit = (
        " The other sources are the kit, which exchanges messages with the referee."
        if is_kit
        else ""
    )
    streams = "stdout or stderr" if is_kit else "stderr"
    return f"""# {name}

A bot that plays random legal moves. The bot is `{main}`: change how it chooses a move, and play
again. `{MANIFEST}` has its commands. Arena always plays the current files and builds them when
needed.{kit}

In this folder:

    {check:{width}}  # does the bot speak the protocol?
    {match:{width}}  # play two matches
    {replay:{width}}  # step through the first one
    {rules:{width}}  # rules, moves, and the fields that the bot receives

The bot runs in a copy of this folder, so relative paths of its files work. What it prints to
{streams} is kept with the match: `arena show --match 1 --output {name}`.{_packages_text(sources)}
"""


def _packages_text(sources: tuple[str, ...]) -> str:
    named = [f"`{source}`" for source in sources if source in DEPENDENCIES]
    if not named:
        return ""
    return f"""

A build has no network, only the packages in {named[0]} of this starter, which Arena downloads once.
To use other packages, give `--build-network allow` to these commands, or set `build_network: allow`
in the config of an event."""


def _missing(manifest: Manifest) -> str | None:
    try:
        check_programs(manifest, [manifest.build, manifest.run, manifest.starts])
    except MissingToolchainError as error:
        return error.detail
    return None
