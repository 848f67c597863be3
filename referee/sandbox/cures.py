"""Cures for a weak sandbox on this machine, for its administrator to carry out."""

import os
from collections.abc import Mapping
from pathlib import Path

from referee.sandbox.bubblewrap import NOT_INSTALLED
from referee.sandbox.safe_programs import REPLACEABLE

_INSTALLERS: Mapping[str, str] = {
    "alpine": "apk add bubblewrap",
    "arch": "pacman -S bubblewrap",
    "debian": "apt-get install bubblewrap",
    "fedora": "dnf install bubblewrap",
    "rhel": "dnf install bubblewrap",
    "suse": "zypper install bubblewrap",
    "ubuntu": "apt-get install bubblewrap",
}
_SETTINGS = (
    (
        "sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    ),
    ("sys/kernel/unprivileged_userns_clone", "0", "sysctl -w kernel.unprivileged_userns_clone=1"),
    ("sys/user/max_user_namespaces", "0", "sysctl -w user.max_user_namespaces=15000"),
)
"""Kernel settings against namespaces: file in /proc, forbidding value, command to allow them."""
SCOPE = ("systemd-run", "--user", "--scope", "-p", "Delegate=yes")
"""Command that runs another one in a control group of its user."""
_CONTAINER_MARKS = (".dockerenv", "run/.containerenv")
_IN_CONTAINER = (
    "start the container with --security-opt seccomp=unconfined --security-opt apparmor=unconfined"
    " --security-opt systempaths=unconfined"
)


def cure(reason: str, root: Path = Path("/")) -> str:
    """Return a command or advice that allows namespaces if refused for this reason."""
    if reason == NOT_INSTALLED:
        return _installer(root)
    if REPLACEABLE in reason:
        return "have root own bubblewrap and the folders above it, and nobody else write there"
    if "Unknown option" in reason:
        return "install bubblewrap 0.8 or newer"
    for name, value, command in _SETTINGS:
        if _content_of(root / "proc" / name).strip() == value:
            return command
    if any((root / mark).exists() for mark in _CONTAINER_MARKS):
        return _IN_CONTAINER
    return "allow unprivileged user namespaces on this machine"


def group_cure(root: Path = Path("/")) -> str:
    """Return a command or advice that gives each bot a control group of its own."""
    user = os.geteuid()
    if not user:
        return "let root make control groups in /sys/fs/cgroup, which is read-only here"
    if has_user_manager(root):
        return f"{' '.join(SCOPE)} arena ..."
    if (root / "run/systemd/system").is_dir():
        return f"sudo loginctl enable-linger {user}, and then {' '.join(SCOPE)} arena ..."
    return (
        "run Arena as root, or in a control group that this user owns, see"
        ' "Sandbox bots" in the documentation'
    )


def has_user_manager(root: Path = Path("/")) -> bool:
    """Return whether the service manager of this user runs."""
    return (root / "run/user" / str(os.geteuid()) / "systemd").is_dir()


def _installer(root: Path) -> str:
    lines = [line.partition("=") for line in _content_of(root / "etc/os-release").splitlines()]
    release = {key: value.strip("\"'") for key, _, value in lines}
    systems = [release.get("ID", ""), *release.get("ID_LIKE", "").split()]
    return next(
        (_INSTALLERS[name] for name in systems if name in _INSTALLERS), "install bubblewrap"
    )


def _content_of(path: Path) -> str:
    """Return the text of a file of the system, or nothing if it cannot be read."""
    try:
        return path.read_text()
    except OSError:
        return ""
