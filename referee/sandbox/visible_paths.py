"""Allow-list of the files visible to a sandboxed bot. No bot can change it.

These are the system's programs and libraries, Arena's own interpreter, the toolchains on Arena's
PATH, and the organiser's `installations`. Paths are resolved before they are checked. Never
visible: "/", a home, the folder of temporary files, the cache of prepared bots, or any parent of
these. The commands of a bot have no influence on the list.
"""

import contextlib
import functools
import glob
import os
import pwd
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from referee.sandbox.errors import SandboxError
from referee.sandbox.program import Program

SYSTEM = tuple(
    Path(path)
    for path in ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
)
"""Programs and libraries of the system; some are links to others."""
TOOLCHAINS = (
    *("cargo", "clang", "cmake", "dotnet", "gcc", "ghc", "go", "java", "javac", "lua", "mono"),
    *("mvn", "node", "npm", "ocamlfind", "perl", "php", "python3", "ruby", "rustc", "zig"),
)
"""Programs with a visible installation, if on the PATH of Arena and in a separate folder."""
_SETTINGS = (
    *("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "java*"),
    "ssl/openssl.cnf",  # if present, node must read it to start
)
_NETWORK_SETTINGS = (
    *("ca-certificates", "gai.conf", "host.conf", "hosts", "nsswitch.conf", "pki", "resolv.conf"),
    "ssl/certs",
)
_ETC = Path("/etc")
_PROGRAM_FOLDERS = frozenset({"bin", "sbin"})
_SHARED = frozenset(
    Path("/", name)
    for name in (
        *("", "boot", "etc", "home", "media", "mnt", "nix", "opt", "root", "srv", "tmp", "var"),
        *("Users", "var/lib", "var/tmp"),
    )
)
"""Folders shared by many programs and people."""
_OF_THE_KERNEL = tuple(Path("/", name) for name in ("dev", "proc", "run", "sys"))
_DEFAULT_TOOLCHAIN = re.compile(r'^default_toolchain *= *"([\w.-]+)"', re.MULTILINE)
_VERSION = re.compile(r"\w[\w.+-]*")
"""Name of a version of pyenv, a folder of its own."""
_MAX_CHOICE = 4096
"""Limit of the characters read of the file with the chosen version of pyenv."""
_MIN_DEPTH = 2
"""Minimum depth below a home of an unlisted installation: `~/.local` has private files, too."""


def objection(path: Path, cache: Path | None) -> str | None:
    """Return the reason to hide a folder or file, as "is a home", or None.

    `cache` is the folder of all prepared programs (`Program.cache`).
    """
    try:
        real = path.resolve()
    except OSError as error:
        return f"cannot be looked at: {error.strerror}"
    if any(real.is_relative_to(folder) for folder in _OF_THE_KERNEL):
        return "is the kernel's"
    if cache is not None and cache in real.parents:
        return "is in the cache of prepared bots"
    return _overlap(real, cache)


def _overlap(real: Path, cache: Path | None) -> str | None:
    """Return the private folder shown by this path, in words; None without one."""
    if real in _SHARED:
        return "is shared by many programs and users"
    private = dict.fromkeys(_homes(), "a home")
    private[Path(tempfile.gettempdir()).resolve()] = "the folder of temporary files"
    if cache is not None:
        private[cache] = "the cache of prepared bots"
    for folder, what in private.items():
        if folder.is_relative_to(real):
            return f"is {what}" if folder == real else f"contains {what}"
    return None


def system_paths() -> list[Path]:
    """Return the system's own folders, and the settings needed to start programs."""
    settings = [path for pattern in _SETTINGS for path in Path("/etc").glob(pattern)]
    return [path for path in (*SYSTEM, *sorted(settings)) if path.exists()]


def network_paths() -> list[Path]:
    """Return the settings to find hosts and check certificates."""
    found = [path for pattern in _NETWORK_SETTINGS for path in Path("/etc").glob(pattern)]
    return _with_targets(sorted(found))


def recent_system_paths() -> list[Path]:
    """Return `system_paths` of at most a second ago: finding them takes as long as a start."""
    return list(_recent_system_paths(_moment()))


def recent_own_paths(program: Program) -> list[Path]:
    """Return `own_paths` of at most a second ago."""
    return list(_recent_own_paths(program, _moment()))


def _moment() -> tuple[str | int | None, ...]:
    """Return the settings that affect visible paths, and the second of the monotonic clock."""
    settings = [os.environ.get(name) for name in ("PATH", "HOME", "TMPDIR")]
    return (*settings, int(time.monotonic()))


@functools.lru_cache(maxsize=1)
def _recent_system_paths(moment: tuple[str | int | None, ...]) -> tuple[Path, ...]:
    del moment
    return tuple(system_paths())


@functools.lru_cache(maxsize=32)
def _recent_own_paths(program: Program, moment: tuple[str | int | None, ...]) -> tuple[Path, ...]:
    del moment
    return tuple(own_paths(program))


def own_paths(program: Program) -> list[Path]:
    """Return the paths this bot sees beside the system: its folder, a runner's bots, installations.

    Raises SandboxError for a forbidden path.
    """
    folders = [Path(path) for path in (program.folder, *program.guests)]
    named = [Path(path) for path in program.installations]
    for path in named:
        if (reason := objection(path, program.cache)) is not None:
            raise SandboxError(f"a bot cannot be sandboxed: {path} {reason}")
    # prepared bots lie in the cache, so only shared folders, homes and the cache are refused
    for folder in folders:
        if folder.resolve() in {*_SHARED, *_homes(), program.cache}:
            raise SandboxError(f"a bot cannot be sandboxed: its folder is {folder}")
    return _outermost([*folders, *installations(program.cache), *_with_targets(named)])


def installations(cache: Path | None) -> list[Path]:
    """Return the visible paths of every bot beside the system: interpreter and toolchains."""
    path = without_shims(os.environ.get("PATH", os.defpath))
    return list(installations_for(path, cache, Path.home(), Path.cwd()))


def rust_toolchain() -> Path | None:
    """Return the default toolchain of rustup; its `cargo` and `rustc` only forward to it."""
    home = Path(os.environ.get("RUSTUP_HOME") or Path.home() / ".rustup")
    try:
        found = _DEFAULT_TOOLCHAIN.search((home / "settings.toml").read_text())
        places = sorted((home / "toolchains").glob(f"{glob.escape(found[1])}*")) if found else []
    except (OSError, ValueError):
        return None
    return next((place for place in places if (place / "bin" / "rustc").is_file()), None)


def without_shims(path: str) -> str:
    """Return a PATH with the programs of pyenv's chosen versions in place of its shims.

    A shim is a script to find the program by files hidden from sandboxed bots.
    """
    return os.pathsep.join(part for each in path.split(os.pathsep) for part in _unshimmed(each))


def _unshimmed(folder: str) -> list[str]:
    root = Path(folder).parent
    if Path(folder).name != "shims" or "pyenv" not in root.name:
        return [folder]
    chosen = os.environ.get("PYENV_VERSION")
    files = [*(here / ".python-version" for here in (Path.cwd(), *Path.cwd().parents))]
    for file in [] if chosen else [*files, root / "version"]:
        try:
            chosen = chosen or _read_small(file)
        except (OSError, ValueError):
            continue
    versions = [_VERSION.fullmatch(name) for name in re.split(r"[\s:]+", chosen or "")]
    return [folder for name in versions if name for folder in _bin(root / "versions", name[0])]


def _read_small(path: Path) -> str:
    """Return the text of a small file. A pipe in a stranger's folder does not block."""
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), encoding="utf-8") as file:  # noqa: PTH123
        return file.read(_MAX_CHOICE)


def _bin(versions: Path, name: str) -> list[str]:
    """Return the folder of a version's programs; 3.12 is the newest of 3.12.0, 3.12.1 and so on."""
    exact = [versions / name] if (versions / name).is_dir() else []
    found = exact or sorted(
        versions.glob(f"{name}.*"), key=lambda each: list(map(int, re.findall(r"\d+", each.name)))
    )
    return [str(each / "bin") for each in found[-1:]]


def is_visible(program: Path, cache: Path | None, named: Sequence[str] = ()) -> bool:
    """Return whether bots see a program; `named` are the organiser's installations."""
    plain = Path(os.path.normpath(program))
    if any(plain.is_relative_to(folder) for folder in _OF_THE_KERNEL):
        return False  # the kernel's links differ for each process
    try:
        real = program.resolve()
    except OSError:
        return False
    shown = [*system_paths(), *installations(cache), *map(Path, named)]
    targets = [folder.resolve() for folder in shown]
    return all(
        any(path.is_relative_to(folder) for folder in (*shown, *targets)) for path in (plain, real)
    )


@functools.lru_cache(maxsize=8)
def installations_for(path: str, cache: Path | None, home: Path, here: Path) -> tuple[Path, ...]:
    """Return the installations for this PATH, cache, home and current folder."""
    del home  # read again by `objection`
    own = _with_targets([Path(sys.base_prefix), Path(sys.prefix)])
    found = [folder for folder in own if objection(folder, cache) is None]
    for name in TOOLCHAINS:
        if (program := shutil.which(name, path=path)) is None:
            continue
        if Path(program).resolve().name == "rustup":
            own = _with_targets([place]) if (place := rust_toolchain()) else []
            found += [folder for folder in own if objection(folder, cache) is None]
        else:
            places = _with_targets([Path(program)])
            found += [
                _installation(each, cache, here) for each in places if not _is_below(each, SYSTEM)
            ]
            found += _settings_of(places[-1])
    return tuple(_outermost(found))


def _installation(program: Path, cache: Path | None, here: Path) -> Path:
    """Return the installation folder of a toolchain's program, or only the program if unsure.

    An installation folder is separate, has libraries, and does not contain the current folder.
    """
    prefix = program.parent.parent
    real = prefix.resolve()
    is_own = (
        program.parent.name in _PROGRAM_FOLDERS
        and any((prefix / name).is_dir() for name in ("lib", "lib64", "libexec", "pkg"))
        and objection(prefix, cache) is None
        and not here.resolve().is_relative_to(real)
        and all(
            len(real.relative_to(home).parts) >= _MIN_DEPTH
            for home in _homes()
            if real.is_relative_to(home)
        )
    )
    return prefix if is_own else program


def _settings_of(program: Path) -> Iterator[Path]:
    """Yield the settings in /etc to which links of a toolchain's own folder lead.

    Landlock does not hide that a file exists, and a toolchain fails on settings that it may not
    read, as Debian's Maven does. Settings that not everybody may read stay hidden.
    """
    prefix = program.parent.parent
    is_own = program.parent.name in _PROGRAM_FOLDERS and prefix not in _SHARED | {*SYSTEM}
    shown = system_paths()
    for link in _links(prefix, prefix / "conf", prefix / "etc") if is_own else ():
        with contextlib.suppress(OSError):
            target = link.resolve()
            is_for_all = bool(target.stat().st_mode & stat.S_IROTH)
            if _ETC in target.parents and is_for_all and not _is_below(target, shown):
                yield target


def _links(*folders: Path) -> Iterator[Path]:
    """Yield the links in these folders."""
    for folder in folders:
        with contextlib.suppress(OSError):
            yield from (each for each in sorted(folder.iterdir()) if each.is_symlink())


@functools.lru_cache(maxsize=1)
def _known_homes() -> frozenset[Path]:
    homes = {Path(entry.pw_dir).resolve() for entry in pwd.getpwall() if entry.pw_dir}
    return frozenset(home for home in homes if not _is_of_system(home))


def _homes() -> frozenset[Path]:
    """Return the homes of all users but system users, with homes among programs."""
    mine = {Path.home().resolve(), Path(os.environ.get("HOME") or "/").resolve()}
    return _known_homes() | _children(Path("/home")) | mine - {Path("/")}


def _children(folder: Path) -> frozenset[Path]:
    try:
        return frozenset(child.resolve() for child in folder.iterdir())
    except OSError:
        return frozenset()


def _is_of_system(path: Path) -> bool:
    own = (*SYSTEM, *_OF_THE_KERNEL, Path("/nonexistent"))
    return path in _SHARED - {Path("/root")} or any(path.is_relative_to(each) for each in own)


def _with_targets(paths: Iterable[Path]) -> list[Path]:
    """Return the existing paths, and their resolved targets."""
    there = [path for path in paths if path.is_absolute() and path.exists()]
    plain = [path for path in there if ".." not in path.parts]
    return [*plain, *(path.resolve() for path in there)]


def _outermost(paths: Iterable[Path]) -> list[Path]:
    """Return the paths outside the system's folders and outside each other."""
    shown: list[Path] = []
    for path in sorted(set(paths)):
        if path.exists() and not _is_below(path, (*SYSTEM, *shown)):
            shown.append(path)
    return shown


def _is_below(path: Path, folders: Iterable[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)
