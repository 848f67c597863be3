"""Builds of hostile bots: refused accesses, and no effect on other bots."""

import contextlib
import os
import shlex
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from builds import ALLOWED, Build, MakeBot, bot
from preloaded import PreloadedModule

from arena.bots import building
from arena.bots.building import BuildTerms
from arena.bots.prepare import prepare
from arena.errors import BuildError, MachineError
from referee.sandbox import Built, Groups, Tier, Users, live_children

MB = 1 << 20


def test_a_build_accesses_only_its_own_files(build: Build, tier: Tier, secret: Path) -> None:
    assert tier
    made = build(
        f"cat {secret} /proc/self/root{secret} > got 2>&1; echo spoilt > {secret};"
        f" touch {secret}.new; echo mine > own; true"
    )

    assert "open with" not in (made.folder / "got").read_text()
    assert secret.read_text() == "open with e4"
    assert os.listdir(secret.parent) == ["plan.txt"]  # noqa: PTH208 - names suffice
    assert (made.folder / "own").read_text() == "mine\n"


def test_a_build_reaches_no_other_bot(build: Build, tier: Tier, cache: Path) -> None:
    assert tier
    rival = build("echo victim > $HOME/state; echo victim > out", "rival")
    places = f"{cache} {cache.parent}/builds"
    spoilt = build(
        f"for place in {places} {rival.folder}; do ls -R $place; cat $place/out; "
        f"echo spoilt > $place/out; done > seen 2>/dev/null;"
        f" for shop in {cache.parent}/builds/*/home; do echo spoilt > $shop/state; done; true",
        "spoiler",
    )

    seen = (spoilt.folder / "seen").read_text()
    assert "victim" not in seen
    assert rival.folder.name not in seen
    assert (rival.folder / "out").read_text() == "victim\n"
    again = build("cat $HOME/state > out", "rival", **{"main.txt": "changed"})
    # another command is another bot, but the workshop is that of the place of its bot.yaml
    assert (again.folder / "out").read_text() == "victim\n"


CONNECT = "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])), 5)"


def test_a_build_has_the_network_only_if_it_is_allowed(build: Build, tier: Tier) -> None:
    assert tier
    with socket.create_server(("127.0.0.1", 0)) as server:
        connect = f'{shlex.quote(sys.executable)} -I -S -c "{CONNECT}" {server.getsockname()[1]}'
        with pytest.raises(BuildError, match="--build-network allow, or build_network: allow"):
            build(connect)
        build(connect, terms=ALLOWED)
        server.settimeout(60)
        server.accept()[0].close()


def test_packages_of_go_are_kept_in_folders_that_their_user_can_remove(tmp_path: Path) -> None:
    environment = building._environment(tmp_path, has_network=False)

    assert "-modcacherw" in environment["GOFLAGS"].split()


@pytest.mark.parametrize(
    "output",
    [
        "error: no matching package named `rand` found\nlocation searched: crates.io index",
        "go: example.org/x@v1.0.0: module lookup disabled by GOPROXY=off",
        "npm error code ENOTCACHED",
        "Unknown host central.example: Temporary failure in name resolution -> [Help 1]",
        "ERROR: No matching distribution found for requests",
        "curl: (6) Could not resolve host: example.org",
        "OSError: [Errno 101] Network is unreachable",
    ],
)
def test_a_build_that_needs_the_network_is_recognised(output: str) -> None:
    assert building.wants_network(output)


@pytest.mark.parametrize("tier", ["none"], indirect=True)
def test_a_failed_build_shows_its_error_without_advice_on_networks(
    build: Build, tier: Tier
) -> None:
    assert tier
    with pytest.raises(BuildError) as why:
        build("printf '\\033[31mmain.c:5:1: error: expected a brace\\033[0m\\n'; exit 1")
    assert str(why.value).endswith("\n    main.c:5:1: error: expected a brace")
    with pytest.raises(BuildError) as why:
        build('echo "$PWD/main.c:1"; seq -f "main.c:%g" 2 100; exit 1')
    lines = str(why.value).splitlines()[1:]
    middle = "    ... 60 lines left out"
    assert lines == [f"    main.c:{n}" for n in range(1, 21)] + [middle] + [
        f"    main.c:{n}" for n in range(81, 101)
    ]
    with pytest.raises(BuildError, match=r"it printed nothing$"):
        build("exit 1")


@pytest.mark.parametrize("tier", ["namespaces", "landlock", "limits"], indirect=True)
def test_no_process_of_a_build_survives_it(build: Build, tier: Tier, tmp_path: Path) -> None:
    assert tier
    seconds = f"{os.getpid()}{len(str(tmp_path))}.25"
    build(
        f"setsid sh -c 'sleep {seconds} & sleep {seconds}' >/dev/null 2>&1 & sleep {seconds} & true"
    )

    assert [pid for pid, words in commands() if seconds in words] == []


DIRECTOR = """
import sys
from pathlib import Path
from arena.bots import building
from arena.bots.prepare import prepare
from arena.bots.manifest import read_manifest
building.best_build_tier = lambda: (sys.argv[3], "")
prepare(read_manifest(Path(sys.argv[1])), Path(sys.argv[2]))
"""


@pytest.mark.parametrize("victims", ["director", "builder", "director and builder"])
@pytest.mark.parametrize("tier", ["namespaces", "landlock", "limits"], indirect=True)
def test_no_process_of_a_build_survives_the_kill_of_its_builder(
    tier: Tier, victims: str, tmp_path: Path, cache: Path
) -> None:
    seconds = f"{os.getpid()}{len(str(tmp_path))}.5"
    script = f"setsid sh -c 'sleep {seconds} & sleep {seconds}' & sleep {seconds}"
    manifest = bot(tmp_path / "bots" / "mine", script)
    (tmp_path / "builds_one_bot.py").write_text(DIRECTOR)
    director = PreloadedModule(
        ["builds_one_bot", str(manifest.path), str(cache), tier],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_until(lambda: len(running("sleep", seconds)) == 3)
        warden = min(live_children(director.pid))
        (builder,) = live_children(warden)
        pids = {"director": [director.pid], "builder": [builder]}
        pids["director and builder"] = [director.pid, builder]
        for pid in pids[victims]:
            with contextlib.suppress(ProcessLookupError):  # it may end with the director
                os.kill(pid, signal.SIGKILL)

        wait_until(lambda: not running("sleep", seconds))
        assert running("sleep", seconds) == []
        if victims == "builder":
            assert "its builder was ended by SIGKILL" in director.communicate(timeout=120)[1]
    finally:
        for survivor in running("sleep", seconds):
            os.kill(survivor, signal.SIGKILL)
        director.kill()
        director.communicate()


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait for what must come; only a hang takes as long as the bound."""
    until = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.02)


def running(program: str, word: str) -> list[int]:
    return [pid for pid, words in commands() if words[0] == program and word in words]


def test_a_build_that_forks_endlessly_is_limited_in_processes(
    build: Build, tier: Tier, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert tier
    if (groups := Groups.probe()) is None:
        pytest.skip("no control group can be made here")
    groups.close()
    monkeypatch.setattr(building, "LIMITS", replace(building.LIMITS, processes=20))
    seconds = f"{os.getpid()}.75"
    bomb = f"for n in $(seq 60); do sleep {seconds} & done; true"
    with pytest.raises(BuildError, match="ended with exit code") as why:
        build(bomb)

    assert "fork" in str(why.value)
    assert running("sleep", seconds) == []


def test_a_build_that_never_ends_is_killed(
    build: Build, tier: Tier, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert tier
    monkeypatch.setattr(building, "BUILD_S", 1)
    seconds = f"{os.getpid()}.125"

    with pytest.raises(BuildError, match="its build took longer than 1 s"):
        build(f"sleep {seconds} & sleep {seconds}")

    assert running("sleep", seconds) == []


def commands() -> list[tuple[int, list[str]]]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        found.append((int(folder.name), words))
    return found


@pytest.mark.parametrize("tier", ["namespaces", "landlock", "limits"], indirect=True)
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can change the user")
def test_a_build_of_root_is_not_root(build: Build, tier: Tier) -> None:
    assert tier
    made = build("id -u > uid; chmod 4755 uid; grep CapEff /proc/self/status > caps")

    assert (made.folder / "uid").read_text() != "0\n"
    assert "CapEff:\t0000000000000000" in (made.folder / "caps").read_text()
    result = (made.folder / "uid").stat()
    assert (result.st_uid, stat.S_IMODE(result.st_mode)) == (0, 0o755)


@pytest.mark.parametrize("tier", ["landlock", "limits"], indirect=True)
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can change the user")
def test_each_build_of_root_has_its_own_user(build: Build, tier: Tier) -> None:
    assert tier
    build("id -u > uid; mkdir $HOME/d; id -u > $HOME/d/state; chmod 700 $HOME/d")
    users = Users.probe()
    assert users is not None
    taken = [users.take() for _ in range(40)]  # as by other builds at the same time
    try:
        again = build("id -u > uid; cat $HOME/d/state > state && rm -r $HOME/d && id -u > $HOME/s")
    finally:
        users.close()

    own, earlier = (int((again.folder / name).read_text()) for name in ("uid", "state"))
    assert own not in taken  # it may be the earlier one, if another process held that meanwhile
    assert min(own, earlier) > 65534  # no user of this machine


@pytest.mark.parametrize("tier", ["limits"], indirect=True)
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can change the owner")
def test_a_link_left_by_a_build_changes_no_owner_of_its_target(
    build: Build, tier: Tier, secret: Path, cache: Path
) -> None:
    """Where `fs.protected_hardlinks` is off, a build can make such links itself."""
    assert tier
    build("true")
    (home,) = (cache.parent / "builds").glob("*/home")
    (home / "link").symlink_to(secret)
    (home / "hard").hardlink_to(secret)
    build("true", **{"main.txt": "changed"})

    assert secret.stat().st_uid == 0


DEEP = "for n in $(seq 150); do mkdir d && cd d; done; true"


@pytest.mark.parametrize("place", ["", "cd $HOME && "])
def test_folders_too_deep_fail_one_build_and_not_the_next(
    build: Build, tier: Tier, place: str
) -> None:
    assert tier
    with pytest.raises(BuildError, match="its build made folders more than 100 deep"):
        build(place + DEEP)

    build("true")


HOARD = (
    f"{shlex.quote(sys.executable)} -I -S"
    ' -c "kept = bytearray(1 << 30); kept[::4096] = kept[::4096]"'
)
FLOOD = "head -c 100000000 /dev/zero"
FILL = "for n in 1 2 3 4 5 6; do head -c 4000000 /dev/zero > fill$n; done; rm -f nothing"


@pytest.mark.parametrize(
    ("script", "limits", "says"),
    [
        (HOARD, {"memory_bytes": 200 * MB}, "ended with"),
        (FLOOD, {}, "printed more than 64 MB"),
        (FILL, {"disk_bytes": 8 * MB}, "wrote more than 8 MB"),
        ("truncate -s 6M hole1 hole2", {"disk_bytes": 8 * MB}, "wrote more than 8 MB"),
        ("head -c 60000000 /dev/zero > $HOME/cache", {"disk_bytes": 8 * MB}, "ended with|wrote"),
        ("exit 7", {}, "ended with exit code 7"),
        ("kill -9 $$", {}, "ended with signal SIGKILL"),
    ],
)
def test_a_build_over_its_limits_is_an_error_of_its_bot(  # noqa: PLR0917
    build: Build,
    tier: Tier,
    monkeypatch: pytest.MonkeyPatch,
    script: str,
    limits: dict[str, int],
    says: str,
) -> None:
    assert tier
    monkeypatch.setattr(building, "LIMITS", replace(building.LIMITS, **limits))

    with pytest.raises(BuildError, match=f"its build ({says})") as refused:
        build(script)

    assert refused.value.bot == "mine"


def test_required_isolation_refuses_a_build_in_a_weaker_tier(
    build: Build, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(building, "best_build_tier", lambda: ("limits", "no bubblewrap"))

    with pytest.raises(BuildError, match=r"isolation is required for its build.*no bubblewrap"):
        build("true", terms=BuildTerms(isolation="require"))
    build("true")

    assert "REDUCED ISOLATION: mine is built with limits alone" in capsys.readouterr().err


def test_a_build_is_reported_in_one_line_with_its_time(
    build: Build, capsys: pytest.CaptureFixture[str]
) -> None:
    build("true")
    build("true")

    lines = capsys.readouterr().err.splitlines()
    (line,) = (line for line in lines if not line.startswith("REDUCED ISOLATION: "))
    assert line.startswith("mine: built in ")
    assert line.endswith(" s: sh -c true")


def test_a_build_that_lacks_room_is_no_fault_of_its_bot(
    make_bot: MakeBot, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = Built(fault="ended with exit code 1", output="", lack="No space left on device")
    monkeypatch.setattr(building, "carry_out", lambda *_: built)

    with pytest.raises(MachineError, match="No space left on device, which is no bot's fault"):
        prepare(make_bot(build=["true"]), cache)
