"""Arena starts no program by its bare name, which the system would look for on the PATH."""

import ast
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.sandbox import tiers
from referee.sandbox.bubblewrap import NOT_INSTALLED
from referee.sandbox.cures import cure
from referee.sandbox.safe_programs import REPLACEABLE, why_missing
from referee.sandbox.unprivileged import NOBODY

ROOT = Path(__file__).parents[3]
STARTS = frozenset(
    {
        *(("subprocess", name) for name in ("run", "Popen", "call", "check_call", "check_output")),
        *(("os", name) for name in ("system", "popen", "execl", "execv", "execve", "execvp")),
        *(("os", name) for name in ("execvpe", "posix_spawn", "posix_spawnp", "spawnv", "spawnvp")),
        ("asyncio", "create_subprocess_exec"),
        ("asyncio", "create_subprocess_shell"),
        ("webbrowser", "open"),
    }
)


def bare_names(source: str) -> Iterator[str]:
    """Yield the programs that a module starts by a name without a folder."""
    tree = ast.parse(source)
    commands = {
        target.id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=module), attr=name), args=[first, *_]
            ) if (module, name) in STARTS:
                pass
            case _:
                continue
        command = commands.get(first.id) if isinstance(first, ast.Name) else first
        program = command.elts[0] if isinstance(command, ast.List | ast.Tuple) else command
        if isinstance(program, ast.Constant) and not str(program.value).startswith("/"):
            yield str(program.value)
        elif (module, name) in {("os", "system"), ("os", "popen"), ("webbrowser", "open")}:
            yield f"{module}.{name}"


@pytest.mark.parametrize("package", ["arena", "protocol", "referee"])
def test_no_program_is_started_by_its_bare_name(package: str) -> None:
    files = sorted((ROOT / package).rglob("*.py"))
    found = {
        path.relative_to(ROOT).as_posix(): names
        for path in files
        if (names := list(bare_names(path.read_text())))
    }

    assert files
    assert found == {}


@pytest.mark.parametrize(
    "source",
    [
        'subprocess.run(["git", "log"])',
        'command = ["git", "log"]\nsubprocess.Popen(command)',
        'os.execvp("git", words)',
        "os.system(text)",
    ],
)
def test_a_bare_name_is_seen(source: str) -> None:
    assert list(bare_names(source))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("folder", "bin may be written by everybody"),
        (2**16 + 7, "bwrap belongs to user 65543"),
        (NOBODY, "bwrap belongs to user 65534, or a user without an id in this user namespace"),
    ],
)
def test_a_program_that_others_can_replace_is_not_called_absent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str | int, said: str
) -> None:
    program = tmp_path / "bin" / "bwrap"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"bin{os.pathsep}{program.parent}")
    if isinstance(change, int):
        owner, status = change, Path.stat

        def stat(path: Path, **given: bool) -> os.stat_result:
            found = status(path, **given)
            uid = owner if path == program else found.st_uid
            return os.stat_result([*found[:4], uid, *found[5:]])

        monkeypatch.setattr(Path, "stat", stat)
        monkeypatch.setattr(os, "geteuid", lambda: 0)
    else:
        program.parent.chmod(0o777)

    reason = tiers.Namespaces.missing()

    assert reason is not None
    assert reason.startswith(f"{program} {REPLACEABLE}: ")
    assert reason.endswith(said)
    assert "own bubblewrap" in cure(reason)
    assert why_missing("bwrap-of-nobody", "bubblewrap") == NOT_INSTALLED
