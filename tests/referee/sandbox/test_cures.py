"""Cures for a weak sandbox."""

import os
from pathlib import Path

import pytest

from referee.sandbox.bubblewrap import NOT_INSTALLED
from referee.sandbox.cures import cure, group_cure

REFUSED = "bwrap: No permissions to create new namespace"


@pytest.mark.parametrize(
    ("release", "command"),
    [
        ("ID=debian\n", "apt-get install bubblewrap"),
        ('ID="rocky"\nID_LIKE="rhel centos fedora"\n', "dnf install bubblewrap"),
        ("ID=arch\n", "pacman -S bubblewrap"),
        ("ID=unheard-of\n", "install bubblewrap"),
        ("", "install bubblewrap"),
    ],
)
def test_the_cure_for_a_missing_program_is_the_package_command_of_the_system(
    tmp_path: Path, release: str, command: str
) -> None:
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "os-release").write_text(release)

    assert cure(NOT_INSTALLED, tmp_path) == command


@pytest.mark.parametrize(
    ("name", "value", "command"),
    [
        (
            "proc/sys/kernel/apparmor_restrict_unprivileged_userns",
            "1\n",
            "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        (
            "proc/sys/kernel/unprivileged_userns_clone",
            "0\n",
            "sysctl -w kernel.unprivileged_userns_clone=1",
        ),
        ("proc/sys/user/max_user_namespaces", "0\n", "sysctl -w user.max_user_namespaces=15000"),
        ("proc/sys/user/max_user_namespaces", "96365\n", "allow unprivileged user namespaces on"),
        (".dockerenv", "", "start the container with --security-opt seccomp=unconfined"),
    ],
)
def test_the_cure_for_forbidden_namespaces_is_what_forbids_them(
    tmp_path: Path, name: str, value: str, command: str
) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(value)

    assert cure(REFUSED, tmp_path).startswith(command)


def test_the_cure_for_an_old_bubblewrap_is_a_newer_one(tmp_path: Path) -> None:
    assert cure("bwrap: Unknown option --size", tmp_path) == "install bubblewrap 0.8 or newer"


def test_the_cure_is_the_command_of_the_service_manager(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1997)
    command = "systemd-run --user --scope -p Delegate=yes arena ..."

    assert "as root" in group_cure(tmp_path)
    (tmp_path / "run/systemd/system").mkdir(parents=True)
    assert group_cure(tmp_path) == f"sudo loginctl enable-linger 1997, and then {command}"
    (tmp_path / "run/user/1997/systemd").mkdir(parents=True)
    assert group_cure(tmp_path) == command
