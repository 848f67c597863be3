"""A control group from the service manager."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from referee.sandbox import scope

MANAGER = f"run/user/{os.geteuid()}/systemd"


@pytest.mark.parametrize(("answer", "is_entered"), [('exec "$@"', True), ("exit 1", False)])
def test_a_scope_is_entered_only_if_the_service_manager_makes_one(
    tmp_path: Path, *, answer: str, is_entered: bool
) -> None:
    (tmp_path / MANAGER).mkdir(parents=True)
    program = tmp_path / "systemd-run"
    program.write_text(f'#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift\n{answer}\n')
    program.chmod(0o755)

    command = scope.scope_command(program, tmp_path, {"PATH": os.defpath})

    assert (command is not None) == is_entered
    assert scope.scope_command(program, tmp_path / "no", {}) is None
    assert scope.scope_command(program, tmp_path, {"ARENA_SCOPE": "1"}) is None


def test_a_command_that_needs_a_group_runs_again_in_a_scope(tmp_path: Path) -> None:
    (tmp_path / MANAGER).mkdir(parents=True)
    program = tmp_path / "systemd-run"
    program.write_text('#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift\nexec "$@"\n')
    program.chmod(0o755)
    code = f"""
import os, sys
from pathlib import Path
from referee.sandbox import scope
print(os.getpid(), os.environ.get("ARENA_SCOPE", "before"), *sys.argv[1:], flush=True)
scope.PROGRAM, scope.ROOT = Path({str(program)!r}), Path({str(tmp_path)!r})
scope.enter_scope()
print("continues")
"""
    ran = subprocess.run(
        [sys.executable, "-c", code, "one", "two words"],
        capture_output=True,
        text=True,
        check=True,
    )

    first, second, third = ran.stdout.splitlines()
    pid = first.split()[0]
    assert first == f"{pid} before one two words"
    assert second == f"{pid} 1 one two words"
    assert third == "continues"
