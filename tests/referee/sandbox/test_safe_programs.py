"""Arena starts no program by its bare name, which the system would look for on the PATH."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

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
