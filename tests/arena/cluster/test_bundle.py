"""Bundles: the same bytes for the same bot, and nothing else is unpacked."""

import io
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from arena.bots.manifest import read_manifest
from arena.bots.outside import content_parts
from arena.cluster.bot_cache import BotCache, Unable
from arena.cluster.bundle import bundle_name, pack, unpack
from arena.cluster.orders import Delivery

HEAD = b'{"name": "mine", "language": null, "build": null, "run": ["./main"], "starts": null}'


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    (folder / "deep").mkdir(parents=True)
    (folder / "main.sh").write_text("#!/bin/sh\nexec sleep 1\n")
    (folder / "main.sh").chmod(0o755)
    (folder / "deep" / "table.txt").write_text("1 2 3\n")
    (folder / "bot.yaml").write_text("run: [./main.sh]\n")
    return folder / "bot.yaml"


def delivery_of(bundle: str, content: str) -> Delivery:
    return Delivery(
        bundle=bundle, content=content, isolation="none", network="deny", installations=()
    )


def test_a_bundle_has_the_same_bytes_wherever_and_whenever_it_is_packed(
    bot: Path, tmp_path: Path
) -> None:
    first = pack(read_manifest(bot), ())
    moved = bot.parent.rename(tmp_path / "elsewhere")
    (moved / "main.sh").touch()
    (moved / "bot.yaml").write_text("name: mine\nrun: [./main.sh]\n")

    assert pack(read_manifest(moved / "bot.yaml"), ()) == first


def test_a_bot_comes_out_of_a_bundle_as_it_went_in(bot: Path, tmp_path: Path) -> None:
    packed = pack(read_manifest(bot), ())
    kept = BotCache(tmp_path / "cache")

    kept.build(delivery_of(packed.name, packed.content), packed.data)

    ready = kept.bots[packed.name]
    assert ready.content == packed.content
    assert (ready.folder / "deep" / "table.txt").read_text() == "1 2 3\n"
    assert (ready.folder / "main.sh").stat().st_mode & 0o777 == 0o755
    assert list((tmp_path / "cache").glob(".bundle*")) == []


def test_a_bundle_that_does_not_fit_its_hash_is_refused(bot: Path, tmp_path: Path) -> None:
    packed = pack(read_manifest(bot), ())
    changed = packed.data.replace(b"sleep 1", b"sleep 2")
    kept = BotCache(tmp_path / "cache")

    with pytest.raises(Unable, match="does not fit its hash"):
        kept.build(delivery_of(packed.name, packed.content), changed)
    with pytest.raises(Unable, match="not those of the event's bot"):
        kept.build(delivery_of(bundle_name(changed), packed.content), changed)
    assert kept.bots == {}


def test_a_worker_without_a_toolchain_says_so(bot: Path, tmp_path: Path) -> None:
    manifest = replace(read_manifest(bot), build=("no-such-compiler", "main.c"))
    packed = pack(manifest, ())

    with pytest.raises(Unable, match=r'needs \\"no-such-compiler\\"|needs "no-such-compiler"'):
        BotCache(tmp_path / "cache").build(delivery_of(packed.name, packed.content), packed.data)


@pytest.mark.parametrize(
    "name", ["files/../../evil", "files//etc/evil", "evil", "files/", "files/.."]
)
def test_no_file_leaves_the_folder_of_a_bundle(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"not allowed in a bundle|not a bundle"):
        unpack(_tar(tarfile.TarInfo(name)), tmp_path / "into")
    assert [path.name for path in tmp_path.iterdir()] == ["into"]


def test_links_and_devices_are_no_part_of_a_bundle(tmp_path: Path) -> None:
    link = tarfile.TarInfo("files/link")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"

    with pytest.raises(ValueError, match="not allowed in a bundle"):
        unpack(_tar(link), tmp_path / "into")


@pytest.mark.parametrize("size", ["-1", "-1000000000", "99999999999999", "1e9", ""])
def test_a_wrong_size_is_refused(size: str, tmp_path: Path) -> None:
    entry = tarfile.TarInfo("files/main")
    entry.pax_headers = {"size": size}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        tar.addfile(entry, io.BytesIO())

    with pytest.raises(ValueError, match=r"not a bundle|not allowed in a bundle"):
        unpack(packed.getvalue(), tmp_path / "into")


def test_folders_too_deep_for_a_bot_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not allowed in a bundle"):
        unpack(_tar(tarfile.TarInfo(f"files/{'a/' * 1900}main")), tmp_path / "into")


@pytest.mark.parametrize(
    "head",
    [
        b"[" * 100_000,
        b"[]",
        b'"run"',
        b"1" * 5000,
        HEAD.replace(b"mine", b"../../mine"),
        HEAD.replace(b'"mine"', b"null"),
        HEAD.replace(b'["./main"]', b"[]"),
        HEAD.replace(b'["./main"]', b'"./main"'),
        HEAD.replace(b'["./main"]', b"[1]"),
        HEAD.replace(b"./main", b"\\u0000"),
        HEAD.replace(b'"starts"', b'"begins"'),
    ],
    ids=range(11),
)
def test_a_wrong_description_is_refused(head: bytes, tmp_path: Path) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - of several readers
        unpack(_tar(tarfile.TarInfo("bot.json"), head), tmp_path / "into")


def test_a_right_description_is_read(tmp_path: Path) -> None:
    manifest, files = unpack(_tar(tarfile.TarInfo("bot.json"), HEAD), tmp_path / "into")

    assert (manifest.name, manifest.run, files) == ("mine", ("./main",), {})


_LONG_NAME = tarfile.TarInfo()
_LONG_NAME.type, _LONG_NAME.size = tarfile.GNUTYPE_LONGNAME, 1


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"x" * 2000, id="text"),
        pytest.param(b"\0" * 10240, id="zeros"),
        pytest.param((_LONG_NAME.tobuf() + b"\0" * 512) * 5000, id="names of names"),
    ],
)
def test_other_bytes_are_no_bundle(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not a bundle"):
        unpack(data, tmp_path / "into")


def _tar(entry: tarfile.TarInfo, data: bytes = b"") -> bytes:
    entry.size = len(data)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        tar.addfile(entry, io.BytesIO(data))
    return packed.getvalue()


def test_a_worker_with_another_program_outside_the_folder_is_unable(
    bot: Path, tmp_path: Path
) -> None:
    engine = tmp_path / "engine"
    engine.write_text("first")
    bot.write_text(f"run: [./main.sh, {engine}]\n")
    packed = pack(read_manifest(bot), None)
    kept = BotCache(tmp_path / "cache")

    engine.write_text("other")
    with pytest.raises(Unable, match=f"another {engine} there than on the director's machine"):
        kept.build(delivery_of(packed.name, packed.content), packed.data)
    assert pack(read_manifest(bot), None).name != packed.name, (
        "an old bundle on a worker is used no more"
    )
    engine.write_text("first")
    kept.build(delivery_of(packed.name, packed.content), packed.data)

    assert kept.bots[packed.name].content == packed.content


def test_a_program_that_only_workers_have_is_no_difference(bot: Path, tmp_path: Path) -> None:
    engine = tmp_path / "engine"
    bot.write_text(f"run: [./main.sh, {engine}]\n")
    packed = pack(read_manifest(bot), None)
    kept = BotCache(tmp_path / "cache")

    engine.write_text("here")
    kept.build(delivery_of(packed.name, packed.content), packed.data)

    assert kept.bots[packed.name].content == packed.content


def test_options_with_files_arrive_with_the_bot(bot: Path, tmp_path: Path) -> None:
    (tmp_path / "net").write_text("1")
    bot.write_text(f"run: [./main.sh]\nprotocol: uci\noptions: {{EvalFile: {tmp_path}/net}}\n")
    manifest = read_manifest(bot)
    packed = pack(manifest, None)

    unpacked, _ = unpack(packed.data, tmp_path / "unpacked")

    assert unpacked.options == manifest.options
    assert content_parts(unpacked, None) == content_parts(manifest, None) != []
