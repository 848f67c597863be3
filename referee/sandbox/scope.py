"""A control group from the service manager of this user, for a command that needs one."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from referee.sandbox.cures import SCOPE, has_user_manager

PROGRAM = Path("/usr/bin/systemd-run")
ROOT = Path("/")
PATIENCE_S = 10.0
_TRIED = "ARENA_SCOPE"
"""Variable of a command that runs in such a scope already."""


def scope_command(program: Path, root: Path, environ: Mapping[str, str]) -> list[str] | None:
    """Return the beginning of a command in a scope of its own; None if there can be none."""
    if _TRIED in environ or not has_user_manager(root) or not os.access(program, os.X_OK):
        return None
    command = [str(program), *SCOPE[1:], "--quiet", "--"]
    try:
        tried = subprocess.run(
            [*command, "/bin/true"],
            env=_environment(environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return command if tried.returncode == 0 else None


def enter_scope() -> None:
    """Run this command again, in a control group of its own; return if there can be none.

    The process stays the same, with its terminal and its parent.
    """
    command = scope_command(PROGRAM, ROOT, os.environ)
    if command is not None:
        sys.stdout.flush()
        sys.stderr.flush()
        again = [sys.executable, *sys.orig_argv[1:]]
        os.execve(command[0], [*command, *again], _environment(os.environ))  # noqa: S606


def _environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment by which the service manager is found, also without a session."""
    place = {"XDG_RUNTIME_DIR": f"/run/user/{os.geteuid()}"}
    return {**place, **environ, _TRIED: "1"}
