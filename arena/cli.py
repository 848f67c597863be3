"""The command `arena`: parses, calls, prints; decides nothing.

Results go to stdout, all else to stderr. Exit codes: 0 done, 1 the verdict is "fail", 2 wrong
usage or config, 3 a bot's faults exceed what was allowed, 4 undecided at the cap, 5 our own fault,
130 interrupted (what was played is kept).
"""

import sys

import typer

# Each of these modules adds its commands to the application, in the order of the help.
# isort: off
from arena.commands import contests, games, bots, results, setup  # noqa: F401
from arena.commands.app import app
# isort: on

OUR_FAULT = 5


def main() -> None:
    """Run the command and turn what goes wrong into a sentence and an exit code."""
    from arena.errors import ArenaError

    try:
        app()
    except ArenaError as error:
        from arena.reports.annotations import error_text

        typer.secho(error_text(error), fg=typer.colors.RED, err=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()  # the reader has seen enough
        sys.exit(0)
    except Exception:  # noqa: BLE001 - whatever it is, it is ours and not a verdict
        import traceback

        traceback.print_exc()
        sentence = "error: a fault of arena's own, see above; what was played is kept"
        typer.secho(sentence, fg=typer.colors.RED, err=True)
        sys.exit(OUR_FAULT)
