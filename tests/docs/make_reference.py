"""Writes the generated pages of docs/reference: `python tests/docs/make_reference.py`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer
from protocol_page import protocol_page
from typer.testing import CliRunner

from arena.commands.loading import application
from arena.config.schema import config_schema, manifest_schema
from referee.open_spiel.classes import class_of
from referee.open_spiel.library import REFUSED, game_types
from referee.open_spiel.parameters import options_of

app = application()

FOLDER = Path(__file__).parent.parent.parent / "docs/reference"
GENERATED = "Generated from the code by `python tests/docs/make_reference.py`."
EXAMPLE = """`arena init tournament FILE BOTS` writes a first config. A commented example is
configs/pente.yaml; editors complete these keys from configs/schema.json."""
EXIT_CODES = """Exit codes: 0 done or passed, 1 the verdict is "failed", 2 wrong usage or config,
3 a bot fails the preflight, or its faults exceed the allowed number, 4 undecided at the cap,
5 an internal error, 130 interrupted (finished matches are kept).
"""
BOT = """A bot is a folder with a `bot.yaml`. It has the command that runs the bot and, if needed,
its games, its build and more:

```yaml
name: mine
games: [pente]
run: ["{python}", main.py]
```
"""
ENTRY = """An entry of `bots` in a config is the name of a shipped bot, a path to a folder, or a
map with these keys. `uci:./engine` (or `usi:`, `ucci:`, `cecp:`) names an engine without a
bot.yaml.

```yaml
bots: [greedy, ./mine, {bot: searcher, name: deep, args: [--depth, 6]}]
```
"""
OUTSIDE = """## Files outside the folder

The content of a bot tells its versions apart: where it changes, matches are played again, and a
gate is another gate. It covers the bot's files, `build` and `run`, and what lies outside the
folder:

* the program that `run` starts, by its path or found on the PATH;
* shared libraries that these programs name in their ELF files, in folders of users;
* files and folders with an absolute path in `run`, `options` or `args`, also within a list like
  `/a:/b` and in the text after `sh -c`; programs on the PATH that these name.

Their bytes count, not their times. Beyond 1 GB for all paths of a bot together, like tablebases,
the names, sizes and times of the files count. These do not count:

* what the bot's sandbox hides (`isolation` and `installations` of the event decide this);
* interpreters, shells and starters like `python3`, `java`, `sh` and `env`, if they are the system's
  or a toolchain's: a security update makes no other bot. Other files below `/usr`, but not
  `/usr/local` and `/usr/games`, count only as the program of `run`;
* the log of an engine, by its option's name, like `Debug Log File`; name no other file that a bot
  writes;
* modules and libraries that a program loads later by itself, and paths that a script has inside.

A program that belongs to the bot is best copied into its folder, or built there by `build`.
"""
OPEN_SPIEL = """Games of OpenSpiel that can be played, with their numbers of seats. How:
[Play games of OpenSpiel](../howto/openspiel.md).

* *Chance*: outcomes are drawn during the game, or at its beginning.
* *Hidden*: what a seat sees differs from what others see.
* *At once*: all seats choose in one round. They are asked one after another, and each receives the
  moves of the others when all have chosen.
"""
WIDE = {2**128 - 1: "2^128 - 1"}
WIDTH = {"COLUMNS": "100", "TERMINAL_WIDTH": "100"}


def command_names() -> list[str]:
    """Return the names of all commands, those of a group with its name before theirs."""
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    names = []
    for name, command in commands.items():
        inner = getattr(command, "commands", None)
        names += [f"{name} {part}" for part in inner] if inner else [name]
    return sorted(names)


def commands_page() -> str:
    """Return the help of every command."""
    run = CliRunner()
    parts = [
        f"# Commands\n\n{GENERATED}\n",
        EXIT_CODES,
    ]
    for name in command_names():
        text = run.invoke(app, [*name.split(), "--help"], env=WIDTH, prog_name="arena").output
        parts.append(f"## arena {name}\n\n```\n{text.strip()}\n```\n")
    return "\n".join(parts)


def config_page() -> str:
    """Return every key of a config with its type, default and meaning."""
    schema = config_schema()
    parts = [
        f"# Configs\n\n{GENERATED}\n\n{EXAMPLE}\n",
    ]
    parts += _section("An event", schema, schema)
    parts += _section("A player of bots", schema["$defs"]["BotSection"], schema)
    for key in ("openings", "gate", "tune", "adjudicate", "time", "score", "limits", "runner"):
        parts += _section(key, _resolved(schema["properties"][key], schema), schema)
        if key == "tune":
            parts += _section("A parameter of tune", schema["$defs"]["ParameterSection"], schema)
        if key == "adjudicate":
            parts += _section("adjudicate.draw", schema["$defs"]["DrawRuleSection"], schema)
            parts += _section("adjudicate.resign", schema["$defs"]["ResignRuleSection"], schema)
    for option in schema["properties"]["game"].get("oneOf", []):
        game = _resolved(option, schema)
        name = game["properties"]["name"]["const"]
        parts += _section(f"game: {name}", game, schema)
    return "\n".join(parts)


def bot_page() -> str:
    """Return every key of a bot.yaml."""
    schema = manifest_schema()
    entry = config_schema()
    parts = [f"# bot.yaml and bots\n\n{GENERATED}\n", BOT]
    parts += _section("Keys of a bot.yaml", schema, schema)
    parts.append(ENTRY)
    parts += _section("Keys of an entry of bots", entry["$defs"]["BotSection"], entry)
    parts.append(OUTSIDE)
    return "\n".join(parts)


def open_spiel_page() -> str:
    """Return the table of OpenSpiel's games."""
    rows = []
    for name, kind in game_types().items():
        seats = class_of(name).seats
        facts = (
            kind.chance_mode.name != "DETERMINISTIC",
            kind.information.name == "IMPERFECT_INFORMATION",
            kind.dynamics.name == "SIMULTANEOUS",
        )
        marks = " | ".join("yes" if fact else "" for fact in facts)
        span = f"{seats[0]}-{seats[-1]}" if len(seats) > 1 else f"{seats[0]}"
        options = ", ".join(f"`{option}`" for option in options_of(name))
        rows.append(f"| `open_spiel/{name}` | {span} | {marks} | {options} |")
    refused = [f"* `{name}`: {reason}." for name, reason in REFUSED.items()]
    return "\n".join(
        [
            f"# Games of OpenSpiel\n\n{GENERATED}\n\n{OPEN_SPIEL}",
            "| name | seats | chance | hidden | at once | options |",
            "|---|---|---|---|---|---|",
            *rows,
            f"\n{len(rows)} games. Each also has the option `points_per_unit`. Not offered are",
            "wrappers around other games, games read from a file, mean-field games, and:\n",
            *refused,
            "",
        ]
    )


def man_page() -> str:
    """Return the manual page arena(1)."""
    run = CliRunner()
    parts = [
        '.TH ARENA 1 "" "Arena" "User Commands"',
        ".SH NAME",
        "arena \\- fair contests between game-playing programs",
        ".SH SYNOPSIS",
        ".B arena",
        "COMMAND [OPTIONS] [ARGUMENTS]",
        ".SH COMMANDS",
    ]
    narrow = {**WIDTH, "COLUMNS": "76"}
    for name in command_names():
        text = run.invoke(app, [*name.split(), "--help"], env=narrow, prog_name="arena")
        lines = [_roff(line) for line in text.output.strip().splitlines()]
        parts += [f".SS arena {name}", ".nf", *lines, ".fi"]
    return "\n".join([*parts, ".SH EXIT STATUS", _roff(" ".join(EXIT_CODES.split())), ""])


def _roff(line: str) -> str:
    text = line.rstrip().replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text[:1] in (".", "'") else text


def _section(title: str, part: dict[str, Any], schema: dict[str, Any]) -> list[str]:
    rows = [
        f"| `{key}` | {_kind(value, schema)} | {_default(value)} | {_meaning(value, schema)} |"
        for key, value in part["properties"].items()
    ]
    return [f"## {title}\n", "| key | type | default | meaning |\n|---|---|---|---|", *rows, ""]


def _resolved(part: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in part:
        found: dict[str, Any] = schema["$defs"][part["$ref"].rpartition("/")[2]]
        return found
    for choice in part.get("anyOf", []):
        if "$ref" in choice:
            return _resolved(choice, schema)
    return part


def _kind(part: dict[str, Any], schema: dict[str, Any]) -> str:
    if "enum" in part:
        return " \\| ".join(f"`{value}`" for value in part["enum"])
    if "const" in part:
        return f"`{part['const']}`"
    if "anyOf" in part:
        kinds = [_kind(choice, schema) for choice in part["anyOf"]]
        return " \\| ".join(dict.fromkeys(kind for kind in kinds if kind != "null"))
    if "$ref" in part:
        return "map"
    kind = str(part.get("type", "map"))
    low, high = part.get("minimum"), part.get("maximum")
    if low is not None and high is not None:
        return f"{kind} {low}..{WIDE.get(high, high)}"
    return {"object": "map", "array": "list"}.get(kind, kind)


def _default(part: dict[str, Any]) -> str:
    default = part.get("default")
    if default in (None, "") or isinstance(default, dict | list):
        return ""
    return f"`{default if isinstance(default, str) else json.dumps(default)}`"


def _meaning(part: dict[str, Any], schema: dict[str, Any]) -> str:
    text = part.get("description") or _resolved(part, schema).get("description", "")
    return " ".join(str(text).split()).replace("|", "\\|")


PAGES: dict[str, Callable[[], str]] = {
    "bot-yaml.md": bot_page,
    "commands.md": commands_page,
    "config.md": config_page,
    "openspiel-games.md": open_spiel_page,
    "protocol.md": lambda: protocol_page(GENERATED),
    "../arena.1": man_page,
}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page())
