"""Why no bot has a name, and what the user may have meant."""

import re
from itertools import islice
from pathlib import Path

from arena.bots.installations import installed
from arena.bots.shipped import MANIFEST
from arena.errors import absence
from protocol.wording import did_you_mean, nearest_name, quoted

ENGINES = {
    "gnuchess": "protocol: uci, run: [gnuchess, --uci]",
    "gnugo": "protocol: gtp, games: [go], run: [gnugo, --mode, gtp, --chinese-rules]",
    "gpsusi": "protocol: usi, run: [gpsusi]",
    "gtp-rhino": "protocol: gtp, games: [open_spiel/othello], run: [gtp-rhino]",
}
"""The bot.yaml of engines that need another than `protocol: uci` and their name."""

MAX_NEIGHBOURS = 1000
"""Entries of a folder that are compared with a wrong name."""


def absent_text(reference: str, path: Path, shipped: tuple[str, ...]) -> str:
    """Return why there is no bot of this name or path, and a hint."""
    if len(reference.split()) > 1:
        return "this bot does not exist; write arguments of a bot in args"
    if "/" in reference and not reference.startswith("starter/"):
        if "*" in reference:
            return f"nothing exists at {path}; patterns are not expanded, so list each bot"
        return f"{absence(path)}{_nearby(path)}"
    hint = did_you_mean(reference, shipped)
    if hint.startswith("known"):
        program = reference.rpartition(":")[2]  # also of xboard:fairymax, which is no protocol here
        if re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", program) and installed(program):
            return program_hint(program)
        listed = "`arena bots` lists the shipped bots"  # too many names for a message
        hint = _nearby(path).removeprefix("; ") or listed
    return f"this bot does not exist; {hint}"


def _nearby(path: Path) -> str:
    """Return a hint at an entry of the same folder with a similar name, or at a missing folder."""
    try:
        names = [found.name for found in islice(path.parent.iterdir(), MAX_NEIGHBOURS)]
    except OSError:
        return f"; no folder is at {path.parent}" if not path.parent.exists() else ""
    meant = nearest_name(path.name, [name for name in names if name != path.name])
    if meant is None:
        return ""
    shown = str(path.parent / meant)
    return f"; did you mean {quoted(shown if '/' in shown else f'./{shown}')}?"


def program_hint(program: str) -> str:
    """Return how an engine that is installed becomes a bot."""
    known = ENGINES.get(program)
    if known is None:
        return (
            f"{program} is an installed program and no bot of Arena; if it is an engine of UCI,"
            f" name uci:{program} instead, or cecp:{program} for the protocol of xboard, usi: or"
            f" ucci: for these; an engine of GTP or Gomocup needs a {MANIFEST} with its protocol"
        )
    return (
        f"{program} is an installed engine; this makes it a bot:\n"
        f"  mkdir {program} && echo '{{{known}}}' > {program}/{MANIFEST}\n"
        f"then name ./{program} instead"
    )
