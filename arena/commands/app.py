"""The application of `arena`, and the options shared by several commands.

The modules of a command are imported when it runs, so `arena --help` loads none of them.
"""

from pathlib import Path
from typing import Annotated, Literal

import typer

app = typer.Typer(
    name="arena",
    help="Fair contests between game-playing programs in any language.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Db = Annotated[Path, typer.Option("--db", help="The database of everything played.")]
DB = Path("arena.db")
Network = Literal["allow", "deny"]
BuildNetwork = Annotated[
    Network, typer.Option("--build-network", help="Whether builds of bots may use the network.")
]
Junit = Annotated[
    Path | None, typer.Option("--junit", metavar="FILE", help="Write JUnit XML, a case a match.")
]
Summary = Annotated[
    Path | None, typer.Option("--summary", metavar="FILE", help="Append a page of Markdown.")
]
Json = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Write all results for scripts.")
]
Badge = Annotated[
    Path | None, typer.Option("--badge", metavar="FILE", help="Write a shields.io endpoint.")
]
