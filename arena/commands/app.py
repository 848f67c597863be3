"""The application of `arena`, and the options shared by several commands."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from arena.commands.light import LightCommand, LightGroup
from arena.reading.choices import Isolation, NetworkAccess
from arena.streams import let_go
from referee.seeds import MAX_SEED

Run = TypeVar("Run", bound=Callable[..., Any])


class App(typer.Typer):
    """An application of light commands."""

    def command(self, name: str | None = None, **options: Any) -> Callable[[Run], Run]:
        """Return a decorator that adds a command."""
        return super().command(name, **{"cls": LightCommand, **options})


class _Readable(LightGroup):
    """The commands, for a reader that may close the pipe of the output, like `head`: code 0.

    Typer would end with code 1, so that a shell with `pipefail` calls the whole pipe failed.
    """

    def make_context(self, *given: Any, **options: Any) -> Any:
        """Parse the arguments; this prints help."""
        with _until_the_reader_leaves():
            return super().make_context(*given, **options)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with _until_the_reader_leaves():
            return super().invoke(ctx)


@contextmanager
def _until_the_reader_leaves() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        let_go(sys.stdout)
        let_go(sys.stderr)
        raise typer.Exit from None


def examples(*commands: str) -> str:
    """Return commands as the end of a help text."""
    return "\n".join(["\b", "Examples:", *(f"  {command}" for command in commands)])


app = App(
    name="arena",
    cls=_Readable,
    help="Fair contests between game-playing programs in any language.",
    epilog=examples(
        "arena match greedy random",
        "arena init python my-bot",
        "arena play pente",
    ),
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def new_group(name: str, about: str) -> App:
    """Add a group of commands to the application and return it."""
    group = App(
        cls=LightGroup,
        help=about,
        short_help=about,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.add_typer(group, name=name)
    return group


def guard() -> None:
    """Make all bots of this process end with it; to be called before any thread starts."""
    from arena.machine.open_files import require_open_files
    from referee.sandbox import guard_command

    require_open_files()
    guard_command()


def seed_number(given: str | int) -> int:
    """Return the seed that an option or its default gives."""
    text = str(given)
    if text.isdecimal() and len(text) <= len(str(MAX_SEED)) and int(text) <= MAX_SEED:
        return int(text)
    raise typer.BadParameter(f"a whole number from 0 to 2^128 - 1 expected, not {text[:50]!r}")


Db = Annotated[Path, typer.Option("--db", help="Database of results.")]
DB = Path("arena.db")
EventArgument = Annotated[
    str | None, typer.Argument(metavar="event", help="Number or name of an event.  [the newest]")
]
Options = Annotated[
    list[str] | None, typer.Option("-o", metavar="KEY=VALUE", help="Option of the game.")
]
Times = Annotated[
    list[str] | None,
    typer.Option("-t", metavar="KEY=VALUE", help="Time limit, like per_move=100ms."),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("-c", metavar="KEY=VALUE", help="Key of a config, like limits.memory=2GB."),
]
Pgn = Annotated[
    Path | None,
    typer.Option("--pgn", metavar="FILE", help="Add each match of chess when it ends, as PGN."),
]
EngineLog = Annotated[
    Path | None,
    typer.Option(
        "--engine-log", metavar="DIR", help="Write every line to and from engines to files in DIR."
    ),
]
TableEvery = Annotated[
    int | None,
    typer.Option("--table-every", min=0, metavar="N", help="Matches between tables; 0: none. [10]"),
]
Each = Annotated[
    list[str] | None,
    typer.Option("--each", metavar="KEY=VALUE", help="Setting of all engines, like Hash=64."),
]
Openings = Annotated[
    str | None,
    typer.Option(
        "--openings",
        metavar="PLIES|FILE",
        help="Random plies, or a file of openings; BOOK.pgn:16 takes 16 plies of each game.",
    ),
]
SEED = typer.Option(
    "--seed", parser=seed_number, metavar="N", help="Seed of all random choices, below 2^128."
)
Seed = Annotated[int | None, SEED]
New = Annotated[bool, typer.Option("--new", help="Start a new event; do not resume one.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the schedule and stop.")]
NoPreflight = Annotated[bool, typer.Option("--no-preflight", help="Skip the test of each bot.")]
Cluster = Annotated[
    str | None,
    typer.Option("--cluster", metavar="HOST:PORT|local:N", help="Machines to play on."),
]
Keys = Annotated[
    Path | None, typer.Option("--keys", metavar="DIR", help="Keys of this machine in a cluster.")
]
BotIsolation = Annotated[
    Isolation,
    typer.Option("--isolation", help="Whether the bot is sandboxed; none: for one that you trust."),
]
BuildNetwork = Annotated[
    NetworkAccess, typer.Option("--build-network", help="Network access of builds.")
]
