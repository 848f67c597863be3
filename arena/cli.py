"""Entry point of the command `arena`: results go to stdout, everything else to stderr."""

import atexit
import errno
import gc
import os
import sys

TYPE_CHECKING = False  # `typing` would take 10 ms here, in which Ctrl-C prints a traceback
if TYPE_CHECKING:
    from typing import NoReturn, TextIO


def run() -> "NoReturn":
    """Run the command and end at once: freeing every module first takes a third of its time."""
    try:
        main()
        code = 0
    except SystemExit as ending:
        if not isinstance(ending.code, int | None):
            raise
        code = ending.code or 0
    threading = sys.modules.get("threading")
    if threading is None or threading.active_count() == 1:
        atexit._run_exitfuncs()  # noqa: SLF001 - nothing public runs them
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except (OSError, ValueError):
            sys.exit(code)  # Python reports it
        os._exit(code)
    sys.exit(code)


def main() -> None:
    """Run the command; report errors, even Ctrl-C during an import, without a traceback."""
    try:
        _run_reporting_errors()
    except KeyboardInterrupt:
        from arena.exit_codes import ExitCode

        sys.exit(ExitCode.INTERRUPTED)


def _run_reporting_errors() -> None:
    from arena.errors import ArenaError, UncountedError
    from arena.exit_codes import ExitCode
    from arena.streams import let_go, make_ready

    gc.set_threshold(200_000)  # collections while modules load take a tenth of the start
    make_ready()
    log = sys.stderr
    if os.environ.get("GITHUB_ACTIONS") == "true":
        from arena.reports.annotations import guarded

        sys.stdout, sys.stderr = guarded(sys.stdout), guarded(sys.stderr)
    # no plugin of another package takes part in Arena's checks
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        _run_application()
    except ArenaError as error:
        if isinstance(error, UncountedError):
            from referee.sandbox import enter_scope

            enter_scope()
        from arena.reports.annotations import error_text

        _fail(error_text(error), error.exit_code, log)
    except BrokenPipeError:
        let_go(sys.stdout)  # the reader closed the pipe
        let_go(sys.stderr)
        sys.exit(ExitCode.DONE)
    except Exception as error:  # noqa: BLE001 - any other exception is an internal error
        if lack := _lack(error):
            _fail(f"error: {lack}", ExitCode.INTERNAL, log)
        import traceback

        from arena.terminal.output import tell

        tell(traceback.format_exc().rstrip())  # the error may quote a stranger
        _fail(_blame(error), ExitCode.INTERNAL, log)


def _blame(error: Exception) -> str:
    """Return whose error it is: that of a game's rules, or Arena's."""
    from referee.blame import rules_error
    from referee.rules import BrokenRulesError

    broken = rules_error(error)
    rules = f"the rules of the game {broken.game} raised {broken.text}" if broken else ""
    if isinstance(error, BrokenRulesError):
        rules = f"the rules of the game contradict themselves: {error}"
    return f"error: {rules or 'an internal error of Arena'}, see above; finished matches are kept"


def _lack(error: Exception) -> str | None:
    """Return what the machine has no room or resources for; None for other errors."""
    from arena.errors import missing_part
    from arena.streams import let_go, unwritten
    from referee.sandbox import EXHAUSTED

    if why := unwritten(error, sys.stdout):
        let_go(sys.stdout)
        return f"the output cannot be written: {why}"
    if not isinstance(error, OSError):
        return None
    if missing := missing_part(error):
        return missing
    if error.errno not in EXHAUSTED | {errno.EIO}:
        return None
    where = f"{error.filename}: " if error.filename else ""
    what = "a disk fails" if error.errno == errno.EIO else "the machine lacks resources"
    return f"{what}: {where}{error.strerror}; finished matches are kept"


def _run_application() -> None:
    from arena.commands.loading import application

    try:
        application(sys.argv[1:])()
    finally:
        sys.stdout.flush()  # flush before exit, so that an error is still reported


def _fail(text: str, exit_code: int, log: "TextIO") -> None:
    import typer

    from arena.streams import lasting
    from arena.terminal.output import is_colored
    from arena.text import folded, width_of
    from protocol.wording import visible

    color = typer.colors.RED if is_colored(log) else None
    typer.secho(folded(visible(text), width_of(log)), file=lasting(log), fg=color)
    sys.exit(exit_code)
