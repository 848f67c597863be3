"""The names by which others use the sandbox."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee import sandbox

ROOT = Path(__file__).parents[3]
FACE = Path(sandbox.__file__)
OWN = ("referee/", "tests/referee/")
"""The referee is built on the modules of the sandbox, and so are their tests."""
LOOK_INSIDE = {
    "tests/bench/engines.py": "measures each tool in the group it started in",
    "tests/docs/test_containers.py": "compares the messages about containers with their page",
    "tests/forking.py": "forgets in a fork what modules keep",
    "tests/bench/restarts.py": "starts a launcher as the referee does",
    "tests/e2e/evidence.py": "tells the locks and groups of a referee from outside",
}
LIGHT = """
import sys
from referee import sandbox
print(*sorted(name for name in sys.modules if name.startswith("referee.sandbox")))
"""


def imports(file: Path) -> Iterator[tuple[str, str]]:
    """Yield each import in a file as module and name."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)


def users() -> Iterator[tuple[str, str, str]]:
    """Yield each import from the sandbox outside of it and of the referee: file, module, name."""
    for top in ("arena", "tests"):
        for file in (ROOT / top).rglob("*.py"):
            path = str(file.relative_to(ROOT))
            for module, name in () if path.startswith(OWN) else imports(file):
                if module.startswith("referee.sandbox") or f"{module}.{name}" == "referee.sandbox":
                    yield path, module, name


def test_others_import_from_the_face_alone() -> None:
    inside = {file for file, module, _ in users() if module != "referee.sandbox"}
    modules = {
        file
        for file, module, name in users()
        if module == "referee.sandbox" and name not in sandbox.__all__
    }

    assert inside | modules == set(LOOK_INSIDE)


def test_each_name_of_the_face_is_used_or_shown() -> None:
    page = (ROOT / "docs/howto/use-the-sandbox-in-your-own-program.md").read_text()
    used = {name for _, _, name in users()}

    assert [name for name in sandbox.__all__ if name not in used and f"`{name}" not in page] == []


def test_the_face_is_the_same_for_a_type_checker_and_at_run_time() -> None:
    shown = {
        (module.removeprefix("referee.sandbox."), name)
        for module, name in imports(FACE)
        if module.startswith("referee.sandbox.")
    }
    placed = {(module, name) for module, names in sandbox._PLACES.items() for name in names}

    assert shown == placed
    assert sorted(name for _, name in placed) == sorted(sandbox.__all__)
    assert all(getattr(sandbox, name) is not None for name in sandbox.__all__)


def test_an_unknown_name_is_an_error() -> None:
    with pytest.raises(AttributeError, match=r"'referee\.sandbox' has no attribute 'nothing'"):
        sandbox.nothing  # noqa: B018 - the attribute is looked up


def test_the_face_loads_no_module_before_its_use() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", LIGHT], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert ran.stdout.split() == ["referee.sandbox"]
