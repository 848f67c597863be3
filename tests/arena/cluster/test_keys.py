"""Keys of a cluster, and the refusal of anything that others can reach without them."""

import os
from pathlib import Path

import pytest

from arena import errors
from arena.cluster import dask_settings
from arena.cluster import keys as subject
from arena.cluster.keys import (
    AUTHORITY,
    CERTIFICATE,
    KEY,
    check_keys,
    own_keys,
    security,
    write_keys,
)
from arena.cluster.link import SchedulerLink
from arena.cluster.scheduler import run_scheduler
from arena.cluster.worker import WorkerTerms, run_worker
from arena.config.cluster import Address
from arena.errors import UsageError


def test_each_machine_gets_keys_that_only_its_owner_can_read(tmp_path: Path) -> None:
    one, two = write_keys(tmp_path / "keys", ["one", "two"])
    (three,) = write_keys(tmp_path / "keys", ["three"])

    for folder in (one, two, three):
        check_keys(folder)
        assert (folder / KEY).stat().st_mode & 0o777 == 0o600
    authorities = {(folder / AUTHORITY).read_bytes() for folder in (one, two, three)}
    assert len(authorities) == 1
    assert len({(folder / CERTIFICATE).read_bytes() for folder in (one, two, three)}) == 3
    assert (tmp_path / "keys").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("name", ["../up", "", "a/b", "a\nb"])
def test_a_name_that_cannot_be_a_folder_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the machine"):
        write_keys(tmp_path, [name])


def test_keys_are_never_replaced(tmp_path: Path) -> None:
    (one,) = write_keys(tmp_path, ["one"])
    before = (one / KEY).read_bytes()

    with pytest.raises(UsageError, match="has keys already"):
        write_keys(tmp_path, ["one"])
    assert (one / KEY).read_bytes() == before


def test_keys_that_cannot_be_used_are_named_with_the_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = write_keys(tmp_path, ["one", "two"])
    with pytest.raises(UsageError, match=r"has no authority\.pem; name the folder of a machine"):
        check_keys(tmp_path / "nobody")
    (one / KEY).chmod(0o644)
    with pytest.raises(UsageError, match="chmod 600"):
        check_keys(one)
    (one / KEY).chmod(0o600)
    (one / KEY).write_bytes((two / KEY).read_bytes())
    with pytest.raises(UsageError, match="cannot be used"):
        check_keys(one)
    monkeypatch.setattr("arena.cluster.certificates.DAYS", 0)
    (old,) = write_keys(tmp_path / "old", ["old"])
    with pytest.raises(UsageError, match="has expired on"):
        check_keys(old)


def test_without_keys_nothing_of_a_cluster_is_reached_from_other_machines() -> None:
    there = Address("192.0.2.1", 0)  # for documentation: nothing is there
    for run in (
        lambda: run_scheduler(there, None),
        lambda: run_scheduler(Address("0.0.0.0", 0), None),  # noqa: S104 - it is refused
        lambda: run_worker(WorkerTerms(scheduler=there)),
        lambda: SchedulerLink(there, None),
    ):
        with pytest.raises(UsageError, match=r"can be reached from other machines.* --keys"):
            run()


def test_on_the_loopback_the_keys_are_those_of_the_user() -> None:
    secure = security(Address("127.0.0.1", 8786), None)
    folder = own_keys()
    again = security(Address("localhost", 8786), None)

    assert secure.require_encryption
    for settings in (secure, again):
        used = settings.get_tls_config_for_role("worker")
        assert used["ca_file"] == str(folder / AUTHORITY)
        assert used["key"] == str(folder / KEY)
    for path in (folder, folder.parent, folder / KEY):
        assert not path.stat().st_mode & 0o077


def test_keys_of_the_user_that_cannot_be_written_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")

    with pytest.raises(UsageError, match="/dev/null"):
        own_keys()


def test_a_worker_has_a_printable_name() -> None:
    with pytest.raises(UsageError, match="--name"):
        run_worker(WorkerTerms(scheduler=Address("127.0.0.1", 1), name="a\x1b[31m"))


@pytest.mark.parametrize("package", ["distributed", "cryptography"])
def test_a_missing_extra_is_named_with_its_installation(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(errors, "find_spec", lambda name: None if name == package else name)

    with pytest.raises(UsageError, match=rf"needs the package {package}.* pip install -e "):
        dask_settings.check_extra()


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(UsageError, match="file"):
        write_keys(tmp_path / "file" / "keys", ["one"])
    assert os.listdir(tmp_path) == ["file"]  # noqa: PTH208 - names only
    assert subject.AUTHORITY_KEY not in os.listdir(tmp_path)  # noqa: PTH208 - names only
