"""What root may do with a bot of another user."""

import errno
import os

import pytest

from referee.sandbox import can_set_cores, unprivileged

NICE = 1 << 23
CHANGES = 1 << 0 | 1 << 6 | 1 << 7


@pytest.mark.parametrize(
    ("user", "capabilities", "can"),
    [
        (0, CHANGES | NICE, True),
        (0, CHANGES, False),
        (0, 0, True),  # its bots are of its own user
        (1000, 0, True),
    ],
)
def test_the_cores_of_another_users_bot_need_a_capability(
    monkeypatch: pytest.MonkeyPatch, user: int, capabilities: int, *, can: bool
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(unprivileged, "_capabilities", lambda: capabilities)

    assert can_set_cores() is can


def test_no_cores_are_set_where_the_kernel_refuses_the_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "sched_setaffinity", refuse)

    assert not can_set_cores()
