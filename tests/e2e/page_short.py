"""The commands of pages with fewer and shorter matches; all else is as printed."""

import re
from collections.abc import Mapping, Sequence
from itertools import chain

PLIES = 4
FEW = ("--cap", "20")  # the fewest of which a gate can say anything
SHORTER: Mapping[str, Sequence[str]] = {
    "match": ("--games", "2"),
    "gate": (*FEW, "--alpha", "0.45", "--beta", "0.45"),
    "tune": FEW,
}
"""Options behind those of a command without a config; the last one counts."""
KEYS: Mapping[str, int | str] = {"max_plies": PLIES, "slots": 1, "restart": "never"}
"""Keys of a config that these commands get, unless they say otherwise: few processes start."""
SEARCH = {True: ("--pairs", "1"), False: ("--iterations", "2")}
_VERDICT = re.compile(r"^gate [A-Z]+: ", re.MULTILINE)
JUDGED = frozenset(["gate", "tune", "merge"])
VERDICTS = frozenset([1, 4])
"""Exit codes of a gate that failed or stayed undecided: so few matches decide by chance."""


def shortened(words: Sequence[str]) -> list[str]:
    """Return the command with fewer and shorter matches."""
    command = words[0]
    if command not in SHORTER or "--dry-run" in words or _config(words):
        return [*words]
    search = SEARCH["--grid" in words] if command == "tune" else ()
    said = {word.partition("=")[0] for word in words}
    keys = [("-c", f"{key}={value}") for key, value in KEYS.items() if key not in said]
    return [*words, *search, *SHORTER[command], *chain(*keys)]


def is_verdict(words: Sequence[str], code: int, said: str) -> bool:
    """Return whether an exit code is the verdict of a gate that was played."""
    return words[0] in JUDGED and code in VERDICTS and _VERDICT.search(said) is not None


def _config(words: Sequence[str]) -> bool:
    return any(word.endswith((".yaml", ".yml")) for word in words[1:3])
