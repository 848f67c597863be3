"""Prepare bots to play: copy the files of each to a separate folder and build them once.

The folder's name has the hash of the bot's files and commands, so a changed bot gets another folder
and an unchanged one is ready at once. A folder is made under a temporary name and then renamed, so
that an existing folder is complete and two directors may prepare the same bot.
"""

import contextlib
import hashlib
import json
import os
import py_compile
import shutil
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import cache_from_source
from itertools import repeat
from pathlib import Path
from py_compile import PycInvalidationMode

from arena.bots.building import BuildTerms, build
from arena.bots.compiled_bridges import lend_bridge
from arena.bots.installations import installed
from arena.bots.manifest import Manifest
from arena.bots.outside import Shown, argument_parts, content_parts
from arena.bots.programs import NOT_THERE, check_programs, shortened, start_objection
from arena.bots.shipped import is_shipped_source
from arena.bots.sources import collect, copy_file, is_executable, read_chunks
from arena.bots.unused import mark_used, remove_unused
from arena.errors import BROKEN_DISK, ArenaError, BotError, MachineError, UsageError, cause
from arena.new_files import rename_whole
from protocol.wording import escaped
from referee.cache import arena_cache
from referee.job import Player

DIGITS = 32
"""Hex digits of the hash in a folder's name: 128 bits, against forged collisions."""

MAX_TEMPORARY = 107 - len("/arena-4194304-12345678/1234/s")
"""Limit in bytes of the path of the temporary folder.

The path of a socket has at most 107 bytes, with the name of its bot's sandbox directory.
"""
UNREADABLE = "unreadable"
"""Content of a bot with files that cannot be read."""
_ANOTHER_CACHE = "; bots are kept in {}; set XDG_CACHE_HOME to a writable folder"


@dataclass(frozen=True, kw_only=True)
class PreparedBot:
    """A bot ready to start."""

    name: str
    argv: tuple[str, ...]
    """Command without the arguments of a player."""
    folder: Path
    """Working directory of the bot: its files and the results of its build."""
    content: str
    """Hash of its files, its build and run commands, and the files outside that these name."""
    own_content: str
    """The same without the files outside."""
    source: Path | None
    """The author's folder; None for a program without a manifest."""
    shown: tuple[str, ...] | None = ()
    """What its sandbox shows of the machine; None if nothing is hidden from it."""
    processes: bool = False
    """Whether it starts other programs."""

    def player(self, name: str, args: Sequence[str] = ()) -> Player:
        """Return a player of this bot; `args` are part of its content hash."""
        return Player(
            name=name,
            argv=(*self.argv, *args),
            folder=str(self.folder),
            source=str(self.source or ""),
            content=player_content(self.content, args, self.shown),
            processes=self.processes,
        )


def player_content(content: str, args: Sequence[str], shown: Shown) -> str:
    """Return the content hash of a player with the hash of its bot and its own arguments."""
    return _digest([content, *args, *argument_parts(args, shown)]) if args else content


def cache_folder() -> Path:
    """Return the folder of prepared bots: `arena/bots` in the user's cache."""
    return arena_cache() / "bots"


def prepare(
    manifest: Manifest,
    cache: Path | None = None,
    terms: BuildTerms = BuildTerms(),  # noqa: B008 - frozen
) -> PreparedBot:
    """Copy and build the bot unless it is ready; raise BotError on failure."""
    with _border(manifest):
        try:
            files = collect_all(manifest)
        except OSError as error:
            raise BotError(manifest.name, f"cannot be prepared: {cause(error)}") from None
        return prepare_files(manifest, files, cache, terms)


@contextlib.contextmanager
def _border(manifest: Manifest) -> Iterator[None]:
    """Turn every error of one bot into a BotError: it must not end the event of the others."""
    try:
        yield
    except (ArenaError, MemoryError):
        raise
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        detail = escaped(f"{type(error).__name__} at {where}: {error}")
        raise BotError(
            manifest.name,
            f"cannot be prepared, by an internal error of Arena; please report it: {detail}",
        ) from error


def collect_all(manifest: Manifest) -> dict[str, Path]:
    """Return the resolved paths of a bot's files by relative path; raises BotError, OSError."""
    return collect(manifest, [*manifest.files, *manifest.lent])


def prepare_files(
    manifest: Manifest, files: dict[str, Path], cache: Path | None, terms: BuildTerms
) -> PreparedBot:
    """Copy and build a bot from these files like `prepare`; raises MachineError for a full disk."""
    with _border(manifest):
        return _prepared(manifest, files, cache, terms)


def _prepared(
    manifest: Manifest, files: dict[str, Path], cache: Path | None, terms: BuildTerms
) -> PreparedBot:
    _check_temporary_folder()
    try:
        content = content_hash(manifest, files)
        folder = (cache or cache_folder()) / f"{manifest.name}-{content[:DIGITS]}"
        if folder.is_dir() and not _is_unchanged(manifest, files, folder, content):
            shutil.rmtree(folder)
        if not folder.is_dir():
            check_programs(manifest, [manifest.build, manifest.run, manifest.starts])
            _make(manifest, files, folder, content, terms)
            remove_unused(folder.parent)
        mark_used(folder)
        argv = _command(manifest, folder)
    except OSError as error:
        kept = cache or cache_folder()
        if error.errno in BROKEN_DISK:
            detail = f"{error.strerror}, which is no bot's fault; check the disk of {kept}"
            raise MachineError(f"bot {manifest.name} cannot be prepared: {detail}") from None
        hint = "" if kept.is_dir() and os.access(kept, os.W_OK) else _ANOTHER_CACHE.format(kept)
        raise BotError(manifest.name, f"cannot be prepared: {cause(error)}{hint}") from None
    return PreparedBot(
        name=manifest.name,
        argv=argv,
        folder=folder,
        content=_with_outside(content, manifest, terms.shown),
        own_content=content,
        source=manifest.folder,
        shown=terms.shown,
        processes=manifest.processes,
    )


def _check_temporary_folder() -> None:
    """Raise UsageError if the sockets of bots would have too long a path, MachineError if none."""
    try:
        folder = str(Path(tempfile.gettempdir()).absolute())
    except OSError as error:
        raise MachineError(f"{error.strerror}; make room in one of them, or set TMPDIR") from None
    if (length := len(os.fsencode(folder))) > MAX_TEMPORARY:
        raise UsageError(
            f"TMPDIR has {length} bytes, sockets allow {MAX_TEMPORARY} at most: {folder}\n"
            "set a shorter one, like TMPDIR=/tmp"
        )


def prepare_all(
    manifests: Sequence[Manifest],
    cache: Path | None = None,
    terms: Sequence[BuildTerms] | None = None,
) -> list[PreparedBot | BotError]:
    """Prepare each bot by its terms; an error stands in the place of its bot.

    The same bot is prepared once. One program is several bots if its settings differ.
    """
    ready: dict[tuple[object, ...], PreparedBot | BotError] = {}
    found = []
    for manifest, own in zip(manifests, terms or repeat(BuildTerms()), strict=False):
        key = (manifest.path, manifest.build, manifest.run, own)
        if key not in ready:
            try:
                ready[key] = prepare(manifest, cache, own)
            except BotError as error:
                ready[key] = error
        found.append(ready[key])
    return found


def content_of(manifest: Manifest, shown: Shown) -> str:
    """Return the content of a bot that is not prepared; "unreadable" if its files are."""
    try:
        with _border(manifest):
            return _with_outside(own_content_of(manifest), manifest, shown)
    except BotError:
        return UNREADABLE


def own_content_of(manifest: Manifest) -> str:
    """Return the hash of a bot's own files and commands; "unreadable" if the files are.

    It tells nothing of files outside, as one that the bot names and may not see.
    """
    try:
        return content_hash(manifest, collect_all(manifest))
    except (BotError, OSError):
        return UNREADABLE


def _with_outside(content: str, manifest: Manifest, shown: Shown) -> str:
    parts = content_parts(manifest, shown) if content != UNREADABLE else []
    return with_parts(content, parts)


def with_parts(content: str, outside: Sequence[str]) -> str:
    """Return the hash of a bot's files and commands, and of the files outside that these name."""
    return _digest([content, *outside]) if outside else content


def content_hash(manifest: Manifest, files: dict[str, Path]) -> str:
    """Return the hash of a bot's files and of its build and run commands."""
    parts = [json.dumps([manifest.build, manifest.run])]
    for name, path in files.items():
        mark = "x" if is_executable(path) else "-"
        parts += [name, mark, _file_digest(manifest, path)]
    return _digest(parts)


def _file_digest(manifest: Manifest, path: Path) -> str:
    digest = hashlib.sha256()
    for chunk in read_chunks(manifest, path):
        digest.update(chunk)
    return digest.hexdigest()


def _digest(parts: Sequence[str]) -> str:
    """Return a hash of texts, distinct for each list of texts."""
    return hashlib.sha256(json.dumps(list(parts)).encode()).hexdigest()


def _is_unchanged(manifest: Manifest, files: dict[str, Path], folder: Path, content: str) -> bool:
    """Whether a prepared folder was not changed since, for example by the bot itself.

    Unknown for the result of a build, which nothing here is compared with.
    """
    return manifest.build is not None or _is_copy(manifest, files, folder, content)


def _is_copy(manifest: Manifest, files: dict[str, Path], folder: Path, content: str) -> bool:
    """Whether a folder has copies of these files with the content hash of the bot."""
    copies = {name: folder / name for name in files}
    if not all(copy.is_file() and copy.stat().st_nlink == 1 for copy in copies.values()):
        return False
    return content_hash(manifest, copies) == content


def _make(
    manifest: Manifest, files: dict[str, Path], folder: Path, content: str, terms: BuildTerms
) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
    aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        for name, path in files.items():
            copy = aside / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy_file(manifest, path, copy)
        if not _is_copy(manifest, files, aside, content):
            raise BotError(manifest.name, "its files are changing; try again")
        if manifest.build:
            _build(manifest, files, aside, terms)
        else:
            _compile_kits(manifest, files, aside)
        _open_to_others(aside)
        try:
            rename_whole(aside, folder)
        except OSError:
            if not folder.is_dir():  # otherwise another director has made the same folder
                raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _compile_kits(manifest: Manifest, files: dict[str, Path], aside: Path) -> None:
    """Compile Arena's Python modules, since a bot cannot and would do so at each start.

    Python uses the result only with the hash of the module beside it. The author's hostile files
    are not compiled, since this process is outside the sandbox.
    """
    for name, path in files.items():
        if path.suffix == ".py" and is_shipped_source(path) and name not in manifest.run:
            compiled = cache_from_source(str(aside / name))
            by_hash = PycInvalidationMode.CHECKED_HASH
            py_compile.compile(str(path), compiled, name, doraise=True, invalidation_mode=by_hash)


def _build(manifest: Manifest, files: dict[str, Path], aside: Path, terms: BuildTerms) -> None:
    """Build the copied files and replace them with the result."""
    command = [_word(word) for word in manifest.build or ()]
    copies = {name: aside / name for name in files}
    result = build(manifest, command, copies, aside.parent.parent / "builds", terms)
    shutil.rmtree(aside)
    result.rename(aside)


def _open_to_others(folder: Path) -> None:
    """Let other users read and run the folder, but not write: a bot may run as another user."""
    for root, _, names in os.walk(folder):
        Path(root).chmod(0o755)
        for name in names:
            path = Path(root) / name
            if not path.is_symlink():
                path.chmod(0o755 if is_executable(path) else 0o644)


def _command(manifest: Manifest, folder: Path) -> tuple[str, ...]:
    if manifest.starts:
        _located(manifest, manifest.starts, folder)
    bridge = lend_bridge(manifest.run, folder)
    program = bridge or _located(manifest, manifest.run, folder)
    return (program, *map(_word, manifest.run[1:]))


def _located(manifest: Manifest, command: Sequence[str], folder: Path) -> str:
    """Return the path of the command's program; raise BotError if it cannot be started."""
    program = command[0]
    if program == "{python}":
        return _word(program)
    if "/" not in program:
        check_programs(manifest, [command])
        return installed(program) or program
    if objection := start_objection(folder, program):
        is_there = objection != NOT_THERE
        when = " after the build" if manifest.build and not is_there else ""
        hint = "" if is_there else _hint(manifest, program)
        raise BotError(manifest.name, f"its program {shortened(program)} {objection}{when}{hint}")
    return program


def _hint(manifest: Manifest, program: str) -> str:
    """Return where a program may be that is not in the prepared folder."""
    here = manifest.path.parent / program
    if os.path.exists(here):  # noqa: PTH110 - Path raises errors of a folder that is hidden
        return (
            ": hidden folders and virtual environments are not copied; write its absolute path"
            f" in `run`, {here.absolute()}"
        )
    return "; see `run` in bot.yaml"


def _word(word: str) -> str:
    return sys.executable if word == "{python}" else word
