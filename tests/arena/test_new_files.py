"""Commands that write new files, on a full disk: the same command works once there is room."""

import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.bots.scaffold import write_bot
from arena.cluster.keys import write_keys
from arena.errors import UsageError
from arena.remote.keys import write_key


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Have longer files fail as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize(
    ("write", "size"),
    [
        (lambda folder: write_key("alice", folder), 20),
        (lambda folder: write_keys(folder / "keys", ["one"]), 20),
        (lambda folder: write_keys(folder / "keys", ["one"]), 300),  # a key fits, no certificate
        (lambda folder: write_bot("python", folder / "mine", None), 20),
        (lambda folder: write_bot("java", folder / "mine", None), 4000),
    ],
)
def test_a_command_that_has_failed_on_a_full_disk_works_again(
    write: Callable[[Path], object], size: int, tmp_path: Path
) -> None:
    with files_of_at_most(size), pytest.raises(UsageError, match="File too large"):
        write(tmp_path)

    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    write(tmp_path)
