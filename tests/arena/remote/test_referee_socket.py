"""The door's unix socket."""

from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.remote.poller import Poller
from arena.remote.referee_socket import RefereeSocket


def test_a_path_that_no_socket_can_have_is_refused_with_its_cure(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 120) / "door"

    with pytest.raises(UsageError, match=r"longer than 107 bytes .*; set XDG_CACHE_HOME"):
        RefereeSocket(path, Poller(), lambda _: None)

    assert not path.parent.exists()
