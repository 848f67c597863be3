"""The command `arena`: parses, calls, prints; decides nothing.

Results go to stdout, all else to stderr. Exit codes: 0 done, 1 the verdict is "fail", 2 wrong
usage or config, 3 a bot's faults exceed what was allowed, 4 undecided at the cap, 5 our own fault,
130 interrupted (what was played is kept).
"""

import sys

OUR_FAULT = 5
INTERRUPTED = 130


def main() -> None:
    """Run the command and turn what goes wrong into a sentence and an exit code.

    All else is imported within, so that Ctrl-C ends without a traceback from the first moment.
    """
    try:
        _main()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _main() -> None:
    from arena.errors import ArenaError
    from arena.streams import is_full, let_go, make_ready

    make_ready()
    try:
        _run()
    except ArenaError as error:
        from arena.reports.annotations import error_text

        _fail(error_text(error), error.exit_code)
    except BrokenPipeError:
        let_go(sys.stdout)  # the reader has seen enough
        let_go(sys.stderr)
        sys.exit(0)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is ours and not a verdict
        if is_full(error):
            let_go(sys.stdout)
            _fail(f"error: the output cannot be written: {error.strerror}; make room", OUR_FAULT)
        import traceback

        traceback.print_exc()
        _fail("error: a fault of arena's own, see above; what was played is kept", OUR_FAULT)


def _run() -> None:
    from arena.commands.every import app

    try:
        app()
    finally:
        sys.stdout.flush()  # here, where a failure is told, and not when Python ends


def _fail(text: str, exit_code: int) -> None:
    import typer

    from arena.streams import lasting

    typer.secho(text, file=lasting(sys.stderr), fg=typer.colors.RED)
    sys.exit(exit_code)
