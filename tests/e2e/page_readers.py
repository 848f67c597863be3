"""What the readers of pages have done before the first command of a page."""

from collections.abc import Mapping
from dataclasses import dataclass, field

CUP = "arena tournament cup.yaml"


@dataclass(frozen=True)
class Reader:
    """What a reader has beside the folder of `page_folder.py`."""

    before: tuple[str, ...] = ()
    """Commands that the page has in words, or that came on a page before."""
    files: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    """Files that the page shows: the language of each block, and its number among those of it."""


_SHARD = "arena gate ./engine git:main --game chess --openings book.epd --seed 7"
READERS = {
    "README.md": Reader((CUP,)),
    "docs/howto/check-a-bot.md": Reader((CUP,)),
    "docs/howto/foreign-referee.md": Reader(
        files={
            "nim/main.py": ("python", 0),
            "nim/bot.yaml": ("yaml", 0),
            "one/main.py": ("python", 1),
            "best/main.py": ("python", 2),
            "nim.yaml": ("yaml", 1),
        }
    ),
    "docs/howto/from-gomill.md": Reader(
        ("rm new old; cp -r gnugo new; cp -r third old; echo '# old' >> old/engine",)
    ),
    "docs/howto/from-openbench.md": Reader(
        (f"{_SHARD} --shard 2/3 --db two.db", f"{_SHARD} --shard 3/3 --db three.db")
    ),
    "docs/howto/isolation.md": Reader((CUP,)),
    "docs/howto/json-lines.md": Reader(
        files={"first/main.pl": ("perl", 0), "first/bot.yaml": ("yaml", 0)}
    ),
    "docs/howto/league-deadlines-and-grades.md": Reader(
        ("arena league new our-league --game pente",)
    ),
    "docs/howto/league-for-entrants.md": Reader((f"{CUP} --db match-17.db",)),
    "docs/howto/league-workers.md": Reader(("arena league new our-league --game pente",)),
    "docs/howto/mactech.md": Reader(
        ("cp -rL bots/classics/pente-1997 old-pente", "cp old-pente/*.c MyPente.c")
    ),
    "docs/howto/play.md": Reader((CUP,)),
    "docs/howto/reports.md": Reader((CUP, f"{CUP} --new", f"{CUP} --new")),
    "docs/reference/commands.md": Reader(
        (
            CUP,
            "sed -i 's/name: cup/name: my/' my.yaml",
            "cp configs/formats/tune.yaml .",
            *(f"{_SHARD} --shard {part}/2 --db shard-{part}.db" for part in (1, 2)),
        )
    ),
}
"""Readers of pages for which the folder alone is not enough."""
