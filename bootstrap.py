#!/usr/bin/env python3
"""Run a command in the project's own virtual environment, which is made when it is not there yet.

    python3 bootstrap.py arena tournament configs/pente.yaml
    python3 bootstrap.py pytest

Needs Python 3.11 or later with venv, and a C compiler for the bots written in C. Everything else is
installed into .venv beside this file; delete that folder to start over.
"""

import fcntl
import hashlib
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
USAGE, FAILED, INTERRUPTED = 2, 5, 130  # as the command itself ends


def main():
    """Set up what the command needs, then become it."""
    if sys.version_info < (3, 11):  # noqa: UP036 - this file is what says so
        stop("Python 3.11 or later is needed, this is " + sys.version.split()[0], USAGE)
    if len(sys.argv) < 2:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(USAGE)
    extra = "" if sys.argv[1] == "arena" else "[dev]"
    stamp = VENV / ("installed-dev" if extra else "installed")
    wanted = hashlib.sha256(
        (ROOT / "pyproject.toml").read_bytes()
        + (ROOT / "constraints.txt").read_bytes()
        + sys.version.encode()
    ).hexdigest()
    if not is_written(stamp, wanted):
        with pathlib.Path(__file__).open("rb") as own:
            fcntl.flock(own, fcntl.LOCK_EX)  # two commands at once: one installs, the other waits
            if not is_written(stamp, wanted):
                install(extra)
                stamp.write_text(wanted)
    program = VENV / "bin" / sys.argv[1]
    if not program.exists():
        stop(f"there is no {sys.argv[1]} in {VENV}", USAGE)
    os.environ["PATH"] = f"{VENV / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    os.execv(program, [str(program), *sys.argv[2:]])  # noqa: S606 - no shell is the point


def is_written(stamp, wanted):
    """Return whether what is wanted was installed before."""
    return stamp.exists() and stamp.read_text() == wanted


def install(extra):
    """Make the environment and install the project into it, editable."""
    print("bootstrap: installing into .venv (once)", file=sys.stderr)
    run(sys.executable, "-m", "venv", str(VENV))
    run(
        *(str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
        *("--constraint", str(ROOT / "constraints.txt"), "--editable", f"{ROOT}{extra}"),
    )


def run(*command):
    """Run a command; stop if it fails, with a code that is no verdict of a gate."""
    code = subprocess.run(command, check=False).returncode
    if code:
        what = f"{' '.join(command)} failed with exit code {code}"
        stop(f"{what}\nsee above; the same command tries again (pip needs its index)", FAILED)


def stop(text, code):
    """Say why nothing was run and end."""
    print(f"bootstrap: {text}", file=sys.stderr)
    sys.exit(code)


try:
    main()
except KeyboardInterrupt:
    sys.exit(INTERRUPTED)
