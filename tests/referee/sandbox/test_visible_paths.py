"""Files visible to sandboxed bots, whatever their commands name."""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from programs import Running, end_of

from referee.sandbox import visible_paths
from referee.sandbox.directory import SandboxDirectory
from referee.sandbox.errors import NoStartError, SandboxError
from referee.sandbox.isolation import Access
from referee.sandbox.limits import Limits, Tier
from referee.sandbox.probe import refusal
from referee.sandbox.process import environment
from referee.sandbox.program import Program
from referee.sandbox.visible_paths import (
    installations,
    is_visible,
    objection,
    own_paths,
    recent_own_paths,
    recent_system_paths,
    rust_toolchain,
    system_paths,
    without_shims,
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Yield a home with Arena's cache, the home of this process."""
    made = tmp_path / "people" / "ann"
    (made / ".cache" / "arena" / "bots").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(made))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("RUSTUP_HOME", raising=False)
    return made


def program(path: Path, text: str = "#!/bin/sh\n") -> Path:
    """Create an executable and its parent folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    "path",
    ["/", "/usr/..", "/etc", "/home", "/opt", "/var", "/root", "/proc/self/root", "/proc", "/dev"],
)
def test_a_shared_folder_is_never_visible(path: str) -> None:
    assert objection(Path(path), None)


@pytest.mark.parametrize(
    "path", [".", "..", ".cache", ".cache/arena", ".cache/arena/bots", ".cache/arena/bots/rival-1"]
)
def test_homes_the_cache_and_their_parents_are_never_visible(home: Path, path: str) -> None:
    assert objection(home / path, home / ".cache" / "arena")


def test_a_link_is_judged_by_its_target(home: Path) -> None:
    (home / "tools").mkdir()
    (home / "tools" / "node").symlink_to(home)
    (home / "tools" / "all").symlink_to("/proc/self/root")

    assert objection(home / "tools", None) is None
    assert objection(home / "tools" / "node", None) == "is a home"
    assert objection(home / "tools" / "all", None)


def test_only_the_cache_of_its_user_is_hidden(home: Path, tmp_path: Path) -> None:
    cache = tmp_path / "caches" / "here"

    assert objection(tmp_path / "caches", None) is None
    assert objection(tmp_path / "caches", cache) == "contains the cache of prepared bots"
    assert objection(cache / "bots", cache) == "is in the cache of prepared bots"
    assert objection(home / ".cache" / "arena", cache) is None


def test_a_separate_installation_is_visible_if_in_the_path(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = program(home / ".nvm" / "versions" / "node" / "v20" / "bin" / "node")
    (node.parent.parent / "lib").mkdir()
    assert node.parent.parent not in installations(None)

    monkeypatch.setenv("PATH", f"{node.parent}:/usr/bin:/bin")

    assert node.parent.parent in installations(None)
    assert is_visible(node, None)


def test_settings_linked_from_a_toolchains_own_folder_are_visible(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del home
    etc, own = tmp_path / "etc", tmp_path / "opt" / "maven"
    monkeypatch.setattr(visible_paths, "_ETC", etc)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    program(own / "bin" / "mvn")
    (own / "conf").mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "mvn").symlink_to(own / "bin" / "mvn")
    for name, mode in (("settings", 0o644), ("secret", 0o640), ("others", 0o644)):
        (etc / name).mkdir(parents=True)
        file = etc / name / f"{name}.xml"
        file.write_text(name)
        file.chmod(mode)
    (own / "conf" / "settings.xml").symlink_to(etc / "settings" / "settings.xml")
    (own / "conf" / "secret.xml").symlink_to(etc / "secret" / "secret.xml")
    (own / "conf" / "gone.xml").symlink_to(etc / "gone.xml")
    (own / "all").symlink_to(etc)
    (own / "out").symlink_to(tmp_path)

    shown = [path for path in installations(None) if path.is_relative_to(tmp_path)]

    assert etc / "settings" / "settings.xml" in shown
    assert not [path for path in shown if etc.is_relative_to(path)]
    assert not [path for path in shown if path.is_relative_to(etc / "secret")]
    assert not [path for path in shown if path.is_relative_to(etc / "others")]


@pytest.mark.parametrize("folder", [".local", ".", "tools/.."])
def test_in_a_mixed_folder_only_the_program_is_visible(
    home: Path, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "tools").mkdir()
    node = program(home / folder / "bin" / "node")
    (node.parent.parent / "lib").mkdir()
    (home / ".local" / "share").mkdir(parents=True, exist_ok=True)
    monkeypatch.setenv("PATH", f"{node.parent}:/usr/bin:/bin")

    shown = installations(None)

    assert node.resolve() in shown
    assert not any(home.is_relative_to(path) for path in shown)
    assert not any((home / ".local" / "share").is_relative_to(path) for path in shown)


def test_an_installation_that_contains_the_current_folder_is_hidden(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = program(home / "work" / "contest" / "bin" / "node")
    (home / "work" / "contest" / "lib").mkdir()
    monkeypatch.setenv("PATH", f"{node.parent}:/usr/bin:/bin")
    monkeypatch.chdir(home / "work" / "contest")

    assert home / "work" / "contest" not in installations(None)


def test_the_default_toolchain_of_rustup_is_visible_without_cargo(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rustup = program(home / ".cargo" / "bin" / "rustup")
    (rustup.parent / "cargo").symlink_to("rustup")
    (home / ".cargo" / "credentials.toml").write_text("secret")
    toolchain = home / ".rustup" / "toolchains" / "stable-x86_64-unknown-linux-gnu"
    program(toolchain / "bin" / "rustc")
    (home / ".rustup" / "settings.toml").write_text('default_toolchain = "stable"\n')
    monkeypatch.setenv("PATH", f"{rustup.parent}:/usr/bin:/bin")

    assert rust_toolchain() == toolchain
    assert toolchain in installations(None)
    assert not any(path.is_relative_to(home / ".cargo") for path in installations(None))


@pytest.mark.parametrize("chosen", ["global", "folder", "environment"])
def test_the_version_of_pyenv_is_visible_in_place_of_its_shims(
    home: Path, chosen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shim = program(home / ".pyenv" / "shims" / "python3")
    for version in ("3.11.7", "3.12.1"):
        (program(home / f".pyenv/versions/{version}/bin/python3").parents[1] / "lib").mkdir()
    monkeypatch.chdir(home)
    monkeypatch.delenv("PYENV_VERSION", raising=False)
    (home / ".pyenv" / "version").write_text("system\n" if chosen != "global" else "3.12.1\n")
    if chosen == "folder":
        (home / ".python-version").write_text("3.9.1\n3.12.1\n")
    elif chosen == "environment":
        monkeypatch.setenv("PYENV_VERSION", "3.12.1:../../..")
    monkeypatch.setenv("PATH", f"{shim.parent}:/usr/bin:/bin")

    path = without_shims(os.environ["PATH"])

    assert path == f"{home}/.pyenv/versions/3.12.1/bin:/usr/bin:/bin"
    assert home / ".pyenv/versions/3.12.1" in installations(None)
    assert not is_visible(shim, None)


def test_the_shims_of_pyenv_are_left_out_if_the_system_is_chosen(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYENV_VERSION", raising=False)
    monkeypatch.chdir(home)
    (home / ".pyenv").mkdir()
    (home / ".pyenv" / "version").write_text("system\n")

    assert without_shims(f"/bin:{home}/.pyenv/shims:/usr/bin") == "/bin:/usr/bin"
    assert without_shims("/opt/shims::/bin") == "/opt/shims::/bin"


@pytest.mark.parametrize("kind", ["pipe", "folder", "endless"])
def test_no_file_of_a_stranger_makes_the_choice_of_a_version_wait(
    home: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.delenv("PYENV_VERSION", raising=False)
    monkeypatch.chdir(home)
    version = home / ".pyenv" / "versions" / "3.12.1"
    version.mkdir(parents=True)
    (home / ".pyenv" / "version").write_text("3.12.1\n")
    choice = home / ".python-version"
    if kind == "endless":
        choice.symlink_to("/dev/zero")
    else:
        (os.mkfifo if kind == "pipe" else os.mkdir)(choice)

    found = without_shims(f"{home}/.pyenv/shims")

    assert found == ("" if kind == "endless" else f"{version}/bin")


def test_a_version_of_pyenv_without_its_last_number_is_the_newest(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYENV_VERSION", "3.12:3.1")
    for version in ("3.12.9", "3.12.10", "3.13.1"):
        (home / ".pyenv" / "versions" / version).mkdir(parents=True)

    assert without_shims(f"{home}/.pyenv/shims") == f"{home}/.pyenv/versions/3.12.10/bin"


def test_a_link_outside_of_visible_folders_is_hidden_whatever_it_links_to(home: Path) -> None:
    python = home / "venv" / "bin" / "python3"
    python.parent.mkdir(parents=True)
    python.symlink_to("/usr/bin/env")

    assert not is_visible(python, None)
    assert is_visible(python, None, [str(home / "venv")])


@pytest.mark.parametrize("python", ["prefix", "base_prefix"])
def test_an_interpreter_directly_in_a_home_is_hidden(
    home: Path, python: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, python, str(home))
    visible_paths.installations_for.cache_clear()
    try:
        assert not any(home.is_relative_to(path) for path in installations(None))
    finally:
        visible_paths.installations_for.cache_clear()


COMMANDS = (
    "/usr/../bin/sh",
    "/proc/self/root/bin/sh",
    "/proc/self/cwd/../../../../../../../../../../bin/sh",
    "/bin/../../../bin/sh",
    "/",
    "",
    "/proc/1/root/bin/sh",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_a_bot_cannot_widen_its_view(command: str, tmp_path: Path) -> None:
    plain = Program(name="bot", argv=("./bot",), folder=str(tmp_path))

    assert own_paths(replace(plain, argv=(command, command))) == own_paths(plain)


def test_a_command_in_another_home_makes_none_of_it_visible(home: Path, tmp_path: Path) -> None:
    tool = program(home / "tools" / "x" / "bin" / "tool")
    bot = Program(name="bot", argv=(str(tool),), folder=str(tmp_path / "bot"))

    assert not any(path.is_relative_to(home) for path in own_paths(bot))
    assert not is_visible(tool, None)
    assert is_visible(tool, None, [str(home / "tools" / "x")])


def test_a_named_private_folder_voids_the_match(tmp_path: Path) -> None:
    (tmp_path / "all").symlink_to("/")
    bot = Program(name="bot", argv=("x",), folder=str(tmp_path))

    for path in ("/", "/proc/self/root", str(tmp_path / "all")):
        with pytest.raises(SandboxError, match="cannot be sandboxed"):
            own_paths(replace(bot, installations=(path,)))
    with pytest.raises(SandboxError, match="cannot be sandboxed"):
        own_paths(replace(bot, folder="/usr/.."))


@pytest.fixture
def secret() -> Iterator[Path]:
    """Yield a world-readable file of a rival, in an open folder."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    path = folder / "main.py"
    path.write_text("the rival's plan")
    path.chmod(0o644)
    yield path
    shutil.rmtree(folder)


Printed = Callable[..., str]


@pytest.fixture
def printed(subreaper: None, tmp_path: Path) -> Printed:
    """Return a function that runs a command in a tier and returns its output."""
    del subreaper

    def run(tier: Tier, *argv: str, named: tuple[str, ...] = ()) -> str:
        if (reason := refusal(tier)) is not None:
            pytest.skip(f"{tier} is refused here: {reason}")
        folder = tmp_path / "bot"
        folder.mkdir(mode=0o755, exist_ok=True)
        player = Program(
            name="bot",
            argv=argv,
            folder=str(folder),
            asks_for_processes=True,
            tier=tier,
            installations=named,
        )
        room = SandboxDirectory()
        access = Access(directory=room.path)
        try:
            env = environment(player, access)
            process = Running(player, Limits(), env, None, access)
            try:
                end_of(process)
                return process.tail()
            finally:
                process.stop()
        except NoStartError as error:
            return str(error)
        finally:
            room.remove()

    return run


@pytest.mark.parametrize("tier", ["namespaces", "landlock"])
@pytest.mark.parametrize("command", ["/usr/../bin/sh", "/proc/self/root/bin/sh", "link"])
def test_a_bot_with_the_root_as_its_command_reads_nothing(
    printed: Printed, secret: Path, tmp_path: Path, tier: Tier, command: str
) -> None:
    (tmp_path / "bot").mkdir(mode=0o755)
    (tmp_path / "bot" / "link").symlink_to("/usr/../bin/sh")
    script = f"cat {secret} /proc/self/root{secret} /proc/1/root{secret}; ls /etc/passwd; echo end"

    said = printed(tier, command if "/" in command else f"./{command}", "-c", script)

    assert "the rival's plan" not in said
    assert "\nend\n" in f"\n{said}"
    assert tier == "landlock" or "\n/etc/passwd\n" not in f"\n{said}"


@pytest.mark.parametrize("tier", ["namespaces", "landlock"])
def test_programs_named_by_the_organiser_can_run(
    printed: Printed, tmp_path: Path, tier: Tier
) -> None:
    tool = program(tmp_path / "tools" / "bin" / "tool", "#!/bin/sh\necho it runs\n")
    for folder in (tool, *tool.parents):
        if folder.is_relative_to(tmp_path / "tools"):
            os.chmod(folder, 0o755)  # noqa: PTH101, S103 - whatever the umask

    assert "it runs" not in printed(tier, str(tool))
    assert "it runs" in printed(tier, str(tool), named=(str(tmp_path / "tools"),))


def test_recent_paths_follow_the_settings_at_once_and_files_after_a_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now_s)
    folder, more = tmp_path / "bot", tmp_path / "more"
    folder.mkdir()
    bot = Program(name="x", argv=("x",), folder=str(folder), installations=(str(more),))
    before = recent_own_paths(bot)
    assert before == own_paths(bot)

    more.mkdir()
    assert recent_own_paths(bot) == before
    now_s += 1
    assert recent_own_paths(bot) == own_paths(bot) != before
    monkeypatch.setenv("HOME", str(folder))
    with pytest.raises(SandboxError):
        recent_own_paths(bot)
    assert recent_system_paths() == system_paths()
