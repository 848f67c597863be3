"""The order in which each worker collects the files of the whole suite."""

from collections.abc import Collection
from pathlib import Path

TESTS = Path(__file__).parent


def files_in_turn(worker: int, workers: int, ignored: Collection[str] = ()) -> list[str]:
    """Return all test files, from another one on for each worker, without the `ignored` paths.

    In a new checkout the first import of a test compiles its file, longer than the rest of the
    collection. Side by side, all workers would compile each file at the same moment.

    Pytest does not apply `--ignore` to a file that is named, so such files are left out here.
    """
    left_out = [Path(path).resolve() for path in ignored]
    files = [
        str(file)
        for file in sorted(TESTS.rglob("test_*.py"))
        if not any(file.is_relative_to(path) for path in left_out)
    ]
    first = len(files) * worker // workers
    return files[first:] + files[:first]
