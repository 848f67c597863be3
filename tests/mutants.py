"""Change one place of the source after another, and count the changes that no test notices.

    make mutants AREA=arena/gate/tally.py

mutmut changes a copy of the checkout in `build/mutants`, and runs the tests of the module (see
`where.py`) once for each change, the quickest first. It prints every change that no test notices.
"""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import where
from mutmut.stats import status_by_exit_code

COPY = where.ROOT / "build" / "mutants"
PROGRAMS = ("bots/", "e2e/")
"""Folders whose tests start programs: too slow to run once for each change."""
MOST_SURVIVORS = 0.05
ALIVE = ("survived", "no tests")
COLUMNS = (*ALIVE, "timeout", "suspicious")
OPTIONS = ("-o", "addopts=", "-p", "no:cacheprovider", "-q", "-x", "-m", "not simulation")
SETTINGS = """
[tool.mutmut]
source_paths = {packages}
only_mutate = [{only}]
also_copy = ["bots", "configs", "docs", "protocol", "README.md"]
pytest_add_cli_args = {options}
pytest_add_cli_args_test_selection = {tests}
"""


def main(area: str) -> int:
    """Return 0 if tests notice enough of the changes of an area."""
    copy_checkout()
    without_strict(area)
    with (COPY / "pyproject.toml").open("a") as settings:
        settings.write(
            SETTINGS.format(
                packages=json.dumps(where.PACKAGES),
                only=json.dumps(area if area.endswith(".py") else f"{area}/*"),
                options=json.dumps(OPTIONS),
                tests=json.dumps(tests_of(area)),
            )
        )
    mutmut = Path(sys.executable).with_name("mutmut")
    children = str(len(os.sched_getaffinity(0)))
    subprocess.run([mutmut, "run", "--max-children", children], cwd=COPY, check=False)
    return printed(dict(ends_of_modules()))


def copy_checkout() -> None:
    """Copy what git knows or would add, so that nothing in the checkout changes."""
    shutil.rmtree(COPY, ignore_errors=True)
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=where.ROOT, check=True, capture_output=True, text=True)
    for name in filter(None, listed.stdout.split("\0")):
        target = COPY / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(where.ROOT / name, target)


def without_strict(area: str) -> None:
    """Remove `strict=True`, which checks that no sequence is shorter: no test can miss it."""
    paths = [COPY / area] if area.endswith(".py") else (COPY / area).rglob("*.py")
    for path in paths:
        path.write_text(path.read_text().replace(", strict=True)", ")"))


def tests_of(area: str) -> list[str]:
    """Return the files of tests of the modules in an area, without those that start programs."""
    modules = [each for each in where.modules() if each == area or each.startswith(f"{area}/")]
    files = {name for module in modules for name in where.files_of(module)}
    found = [f"tests/{name}" for name in sorted(files) if not name.startswith(PROGRAMS)]
    if not found:
        raise SystemExit(f"{area}: no module here has tests that start no programs")
    return found


def ends_of_modules() -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each changed module with the end of the tests for each change."""
    for path in sorted((COPY / "mutants").rglob("*.py.meta")):
        if codes := json.loads(path.read_text())["exit_code_by_key"]:
            ends = {name: status_by_exit_code[code] for name, code in codes.items()}
            yield str(path.relative_to(COPY / "mutants").with_suffix("")), ends


def printed(modules: dict[str, dict[str, str]]) -> int:
    """Print the table and the survivors; return 1 if they are too many."""
    print("\n" + " ".join([f"{'module':36}", "changes", *(f"{name:>10}" for name in COLUMNS)]))
    total: Counter[str] = Counter()
    for module, ends in modules.items():
        counts = Counter(ends.values())
        total += counts
        print(row(module, counts))
    print(row("all", total))
    for ends in modules.values():
        for name, end in ends.items():
            if end in ALIVE:
                print(f"{end}: {name}")
    print(f"`mutmut show NAME` in {COPY.relative_to(where.ROOT)} shows a change")
    return int(sum(total[end] for end in ALIVE) > MOST_SURVIVORS * total.total())


def row(name: str, counts: Counter[str]) -> str:
    """Return the number of changes, and of those that end in each of the columns."""
    cells = [f"{name:36}", f"{counts.total():7}", *(f"{counts[each]:10}" for each in COLUMNS)]
    return " ".join(cells)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1].rstrip("/")))
