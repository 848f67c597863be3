"""Bundles: the files of a bot on their way to a worker, named by a hash of all their bytes.

A bundle is a tar file with a description of the bot and its files, always the same bytes for the
same bot, so that an unchanged bot is sent to a worker once.
"""

import hashlib
import io
import json
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import Field, TypeAdapter

from arena.bots.manifest import Manifest
from arena.bots.outside import Shown, content_parts
from arena.bots.prepare import collect_all, content_hash, with_parts
from arena.bots.protocols import Option
from arena.bots.sources import BOT_BYTES, FOLDER_LEVELS, MAX_FILES, is_executable, read_chunks
from arena.errors import BotError, cause
from arena.reading.fields import BotName

_HEAD = "bot.json"
_FILES = "files/"
_MAX_HEAD = 1 << 20


@dataclass(frozen=True)
class Bundle:
    """A packed bot."""

    name: str
    """Hash of `data`."""
    content: str
    """Hash of the bot, like that of a `PreparedBot`."""
    data: bytes


Text = Annotated[str, Field(pattern=r"^[^\x00]*$")]
Command = Annotated[tuple[Text, ...], Field(min_length=1)]


@dataclass(frozen=True, kw_only=True)
class Head:
    """The description of a bot in its bundle."""

    name: BotName
    language: Text | None
    build: Command | None
    run: Command
    starts: Command | None
    options: dict[str, Option] = field(default_factory=dict)
    outside: tuple[str, ...] = ()
    """Hashes of what it names outside its folder; a worker built it with others if they differ."""


_HEADS = TypeAdapter(Head)


def bundle_name(data: bytes) -> str:
    """Return the name of a bundle: the hash of its bytes."""
    return hashlib.sha256(data).hexdigest()


def pack(manifest: Manifest, shown: Shown) -> Bundle:
    """Return the bundle of a bot; raises BotError if its files cannot be read.

    `shown` is what its sandbox shows of the machines; None if nothing is hidden from it.
    """
    try:
        files = collect_all(manifest)
        outside = content_parts(manifest, shown)
        data = _packed(manifest, files, outside)
        content = with_parts(content_hash(manifest, files), outside)
        return Bundle(bundle_name(data), content, data)
    except OSError as error:
        raise BotError(manifest.name, f"cannot be packed for workers: {cause(error)}") from None


def _packed(manifest: Manifest, files: Mapping[str, Path], outside: Sequence[str]) -> bytes:
    keys = [key for key in Head.__dataclass_fields__ if key != "outside"]
    head = {key: getattr(manifest, key) for key in keys}
    head["outside"] = list(outside)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        _add(tar, _HEAD, json.dumps(head).encode(), 0o644)
        for place, path in files.items():
            mode = 0o755 if is_executable(path) else 0o644
            _add(tar, _FILES + place, b"".join(read_chunks(manifest, path)), mode)
    return packed.getvalue()


def _add(tar: tarfile.TarFile, name: str, data: bytes, mode: int) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(data), mode
    tar.addfile(entry, io.BytesIO(data))


def unpack(data: bytes, folder: Path) -> tuple[Manifest, dict[str, Path]]:
    """Unpack a bundle of `pack` into a folder; return bot and files, or raise ValueError."""
    folder.mkdir(parents=True)
    files: dict[str, Path] = {}
    left = BOT_BYTES
    head: Head | None = None
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
            for entry in tar:
                left -= entry.size
                if not entry.isreg() or entry.size < 0 or left < 0 or len(files) >= MAX_FILES:
                    raise ValueError(f"{entry.name!r} is not allowed in a bundle")
                file = tar.extractfile(entry)
                assert file is not None  # noqa: S101 - a regular file
                if entry.name == _HEAD:
                    head = _HEADS.validate_json(file.read(_MAX_HEAD), strict=True)
                    continue
                place = _place_of(entry.name)
                path = folder / place
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("xb") as copy:
                    copy.write(file.read())
                path.chmod(0o755 if entry.mode & 0o100 else 0o644)
                files[place] = path
    except (tarfile.TarError, OSError, RecursionError) as error:
        raise ValueError(f"not a bundle: {cause(error)}") from None
    if head is None:
        raise ValueError("not a bundle: it has no description of the bot")
    facts = {key: value for key, value in vars(head).items() if key != "outside"}
    manifest = Manifest(path=folder / "bot.yaml", folder=folder, **facts)
    return manifest, dict(sorted(files.items()))


def _place_of(name: str) -> str:
    place = PurePosixPath(name.removeprefix(_FILES))
    is_below = name.startswith(_FILES) and not place.is_absolute() and ".." not in place.parts
    if not is_below or not 1 <= len(place.parts) <= FOLDER_LEVELS + 1:
        raise ValueError(f"{name!r} is not allowed in a bundle")
    return str(place)
