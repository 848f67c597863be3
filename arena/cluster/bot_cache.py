"""The cache of a worker: bots built here from bundles, by content and toolchain."""

import hashlib
import os
import platform
import shutil
import tempfile
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from arena.bots.building import BuildTerms
from arena.bots.manifest import Manifest
from arena.bots.outside import Shown, played_paths
from arena.bots.prepare import PreparedBot, prepare_files
from arena.cluster.bundle import bundle_name, unpack
from arena.cluster.orders import Delivery, WorkerAnswer
from arena.errors import ArenaError, cause
from referee.sandbox import remove_directory

Seal = Mapping[str, tuple[int, ...]]
"""State of each file of a folder by its name: inode, mode, size and times."""


class Unable(Exception):  # noqa: N818 - an answer, not an error
    """The worker cannot play a match now; `answer` says why."""

    def __init__(self, answer: WorkerAnswer) -> None:
        super().__init__(str(answer))
        self.answer = answer


class BotCache:
    """The bots built on this machine, by the name of their bundle."""

    def __init__(self, folder: Path) -> None:
        self.bots: dict[str, PreparedBot] = {}
        self._seals: dict[str, Seal] = {}
        """State of the files of each bot when they were prepared."""
        self._folder = folder
        self._building = 0
        self._lock = threading.Lock()

    def has(self, bundle: str, *, is_open: bool = False) -> bool:
        """Whether the bot of a bundle is ready; a cleaner may have removed its folder.

        With `is_open` nothing kept the bot from changing its own files in earlier matches: they
        must be as they were prepared.
        """
        bot = self.bots.get(bundle)
        if bot is None or not bot.folder.is_dir():
            return False
        return not is_open or _seal_of(bot.folder, self._seals[bundle]) == self._seals[bundle]

    def is_building(self) -> bool:
        """Whether a build is running, whose processes are children of this one."""
        return self._building > 0

    def scratch_folder(self, event: str, player: str) -> str:
        """Return the lasting folder of a player of an event on this machine."""
        return str(self._folder / "scratch" / event / player)

    def build(self, delivery: Delivery, data: bytes) -> None:
        """Build the bot of a bundle if necessary; raises Unable."""
        with self._lock:
            self._building += 1
        try:
            if not self.has(delivery.bundle, is_open=True):
                bot = self._build(delivery, data, self.bots.get(delivery.bundle))
                self._seals[delivery.bundle] = _seal_of(bot.folder)
                self.bots[delivery.bundle] = bot
        except (ArenaError, ValueError, OSError) as error:
            raise Unable(WorkerAnswer(unable={delivery.bundle: cause(error)})) from None
        finally:
            with self._lock:
                self._building -= 1

    def _build(self, delivery: Delivery, data: bytes, changed: PreparedBot | None) -> PreparedBot:
        """Build a bot; the result of a `changed` one's build is not used again."""
        if bundle_name(data) != delivery.bundle:
            raise ValueError("the bundle does not fit its hash; it was changed on its way")
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o755)
        terms = BuildTerms(
            isolation=delivery.isolation,
            network=delivery.network,
            installations=delivery.installations,
        )
        aside = Path(tempfile.mkdtemp(prefix=".bundle.", dir=self._folder))
        try:
            manifest, files = unpack(data, aside / delivery.bundle)
            if changed is not None and manifest.build:
                remove_directory(changed.folder)
            cache = self._folder / toolchain_key(manifest)
            bot = prepare_files(manifest, files, cache, terms)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
        if delivery.content == bot.own_content:  # the director has none of its files outside
            return replace(bot, content=bot.own_content)
        if bot.content != delivery.content:
            raise ValueError(_another(manifest, terms.shown))
        return bot


def _seal_of(folder: Path, named: Collection[str] | None = None) -> Seal:
    """Return the state of these files of a folder, or of all; a file that is missing has none.

    A program cannot choose the time of the last change that the kernel keeps. New files do not
    count: an interpreter may have written them.
    """
    names = _names(folder) if named is None else named
    return {name: _state(folder / name) for name in names}


def _names(folder: Path) -> Iterator[str]:
    for root, _, names in os.walk(folder):
        for name in names:
            yield os.path.relpath(os.path.join(root, name), folder)  # noqa: PTH118 - many files


def _state(path: Path) -> tuple[int, ...]:
    try:
        status = path.lstat()
    except OSError:
        return ()
    return (status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _another(manifest: Manifest, shown: Shown) -> str:
    """Return why a bot is not the director's, though its bundle arrived whole."""
    if not (paths := played_paths(manifest, shown)):
        return "the files of the bundle are not those of the event's bot"
    named = ", ".join(map(str, paths))
    return f"another {named} there than on the director's machine; make them the same"


def toolchain_key(manifest: Manifest) -> str:
    """Return the name of the folder of bots built by this toolchain for this kind of processor.

    Homes are often shared between machines of a cluster, and a program built on one may not run on
    another.
    """
    parts = [platform.machine(), platform.libc_ver()[1], _processor() if manifest.build else ""]
    for command in (manifest.build, manifest.run):
        parts += _program(command)
    return hashlib.sha256("\0".join(parts).encode(errors="surrogateescape")).hexdigest()[:16]


def _program(command: Sequence[str] | None) -> list[str]:
    path = shutil.which(command[0]) if command and "/" not in command[0] else None
    if path is None:
        return [platform.python_version()] if command and command[0] == "{python}" else [""]
    program = Path(path).resolve()
    status = program.stat()
    return [str(program), str(status.st_size), str(status.st_mtime_ns)]


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    except OSError:
        return os.uname().machine
    return next((line for line in lines if line.startswith(("flags", "Features"))), "")
