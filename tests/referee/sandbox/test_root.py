"""Which mounts root makes before bubblewrap, and what a bot sees of them."""

import json
import os
from pathlib import Path

import pytest
from programs import line_of
from sandboxed import IS_ROOT, Starter, of_tiers

from referee.sandbox.bubblewrap import HOME, Inside
from referee.sandbox.limits import Tier
from referee.sandbox.root import PLACE

ROOM = Path("/tmp/arena-1-00000000/b")  # noqa: S108 - nothing is made there


def inside(*visible: str, writable: tuple[Path, ...] = (), room: Path = ROOM) -> Inside:
    return Inside(
        system=(Path("/usr"), Path("/etc/localtime")),
        visible=tuple(Path(path) for path in visible),
        writable=writable,
        folder="/srv/bots/one",
        disk_bytes=1 << 20,
        scratch=None,
        may_start_processes=True,
        scratch_bytes=0,
        directory=room,
        keeps_network=False,
        is_renamed=True,
        has_zero=True,
    )


def test_root_mounts_what_no_other_mount_contains() -> None:
    root = inside("/srv/bots/one", "/usr/lib/go", "/tmp/bots/two").root()  # noqa: S108

    assert root is not None
    paths = ["/usr", "/etc/localtime", "/srv/bots/one", "/tmp/bots/two"]  # noqa: S108
    assert [path for path, _ in root.binds] == paths
    # bubblewrap mounts a new /tmp, and in it what lies there
    how, source, place = root.shown
    assert (how, place) == ("--ro-bind", "/tmp/bots/two")  # noqa: S108
    assert source.startswith(f"{PLACE}/")
    assert str(HOME) in root.step[3]


def test_bubblewrap_makes_the_mounts_of_a_build() -> None:
    assert inside(writable=(Path("/srv/build"),)).root() is None


def test_bubblewrap_makes_the_mounts_where_a_kept_root_has_no_place_for_the_room() -> None:
    assert inside(room=Path("/var/tmp/arena-1-00000000/b")).root() is None  # noqa: S108


@pytest.mark.skipif(not IS_ROOT, reason="only root makes mounts before bubblewrap")
@of_tiers("namespaces")
def test_mounts_of_root_and_of_bubblewrap_look_the_same(
    tier: Tier, start_in: Starter, folder: Path, room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = f"""
import json, os
mask = os.ST_RDONLY | os.ST_NOSUID | os.ST_NODEV
places = "/ /usr /etc /dev /dev/null /dev/shm /dev/pts /tmp /proc/sys {folder} {room}".split()
flags = {{place: os.statvfs(place).f_flag & mask for place in places}}
folders = [place for place in places if os.path.isdir(place)]
links = {{name: os.readlink("/dev/" + name) for name in "core fd ptmx stderr stdin stdout".split()}}
terminal = os.ttyname(os.openpty()[1])
print(json.dumps([flags, {{each: sorted(os.listdir(each)) for each in folders}}, links, terminal]))
"""
    by_root = line_of(start_in(tier, "-c", look))
    monkeypatch.setattr("referee.sandbox.tiers.Namespaces._can_mount", lambda _: False)
    by_bubblewrap = line_of(start_in(tier, "-c", look))

    assert json.loads(by_root) == json.loads(by_bubblewrap)
    assert json.loads(by_root)[0]["/"] == os.ST_RDONLY | os.ST_NOSUID | os.ST_NODEV
