"""What a bot names outside its folder is part of its content."""

import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from random import Random

import pytest
from builds import MakeBot

from arena.bots import outside
from arena.bots import shared_libraries as libraries
from arena.bots.building import BuildTerms
from arena.bots.manifest import find_bot
from arena.bots.outside import content_parts, outside_paths
from arena.bots.prepare import content_of, prepare
from arena.bots.shared_libraries import shared_libraries

Write = Callable[..., Path]
OPEN = BuildTerms(isolation="none")


@pytest.fixture(autouse=True)
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a folder of the test first on the PATH."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes a file below the folder of the test."""

    def written(name: str, text: str = "1", mode: int = 0o755) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    return written


@pytest.mark.parametrize(
    "keys",
    [
        {"run": ["engine"]},
        {"run": ["{at}/programs/engine"]},
        {"run": ["engine"], "protocol": "jsonl"},
        {"run": ["engine"], "protocol": "uci"},
        {"run": ["sh", "-c", "exec engine --quiet"]},
        {"run": ["sh", "-c", "exec {at}/programs/engine"]},
        {"run": ["env", "THREADS=1", "engine"]},
        {"run": ["{python}", "main.txt", "{at}/programs/engine"]},
        {"run": ["{python}", "main.txt", "--with={at}/programs/engine"]},
        {"run": ["{python}", "main.txt", "-w{at}/programs/engine"]},
        {"run": ["./main.txt"], "protocol": "uci", "options": {"EvalFile": "{at}/programs/engine"}},
        {"run": ["./main.txt"], "protocol": "uci", "options": {"SyzygyPath": "/no:{at}/programs"}},
    ],
)
def test_a_named_file_that_is_built_again_is_another_content(
    make_bot: MakeBot, write: Write, tmp_path: Path, keys: dict[str, object]
) -> None:
    engine = write("programs/engine", "first")
    mine = make_bot(**_at(keys, tmp_path))

    before = content_of(mine, None)
    write("programs/engine", "other")
    after = content_of(mine, None)
    write("programs/engine", "first")

    assert before != after
    assert content_of(mine, None) == before, (
        "the same bytes are the same content, whatever their time"
    )
    engine.unlink()
    assert content_of(mine, None) not in (before, after)


def test_a_prepared_bot_has_the_content_of_its_program(
    make_bot: MakeBot, write: Write, cache: Path
) -> None:
    write("programs/engine", "first")
    mine = make_bot(run=["engine"])

    first = prepare(mine, cache, OPEN)
    write("programs/engine", "other")
    second = prepare(mine, cache, OPEN)

    assert first.content != second.content
    assert first.folder == second.folder, "its own files are the same, so nothing is built again"


def test_a_bot_that_names_nothing_outside_keeps_its_content(make_bot: MakeBot) -> None:
    contents = [
        content_of(
            make_bot(run=["./main.txt", "--depth", "/", "/dev/null", "/no/such", "a=b"]), None
        ),
        content_of(make_bot(run=["{python}", "main.txt"]), None),
        content_of(make_bot(run=["python3", "main.txt"]), None),
        content_of(make_bot(run=["/usr/bin/env", "python3", "main.txt"]), None),
        content_of(make_bot(run=["sh", "-c", "exec /bin/cat main.txt | tee log | sort"]), None),
    ]

    assert [content[:16] for content in contents] == KEPT


KEPT = [
    "9e006a09aac72914",
    "24ea41cde9e5a643",
    "43eec54470018f3f",
    "286df0aba1c94277",
    "ab7d97d3878c8dfb",
]
"""Contents as they were when they had the files of the folder only."""


@pytest.mark.parametrize("path", ["/", "/home", "/usr", "/usr/lib", "/etc", "/proc/cpuinfo"])
def test_a_folder_of_many_programs_is_no_part_of_a_bot(make_bot: MakeBot, path: str) -> None:
    assert outside_paths(make_bot(run=["./main.txt", path])) == []


def test_an_interpreter_of_the_system_is_no_part_of_a_bot(make_bot: MakeBot) -> None:
    for program in ("python3", "sh", "/bin/sh", "perl", "env", "java"):
        assert outside_paths(make_bot(run=[program, "main.txt"])) == []


def test_a_program_with_the_name_of_an_interpreter_is_part_of_a_bot(
    make_bot: MakeBot, write: Write
) -> None:
    engine = write("elsewhere/sh")

    assert outside_paths(make_bot(run=[str(engine)])) == [engine]


def test_the_log_of_an_engine_is_no_part_of_it(make_bot: MakeBot, write: Write) -> None:
    log = str(write("engine.log"))
    options = {"Debug Log File": log, "LogFile": log, "log": log, "Logistic": log}

    parts = content_parts(make_bot(run=["./main.txt"], protocol="uci", options=options), None)

    assert len(parts) == 1


def test_files_of_a_named_folder_count_with_their_names(
    make_bot: MakeBot, write: Write, tmp_path: Path
) -> None:
    write("tables/3/KQvK", "1")
    (tmp_path / "tables" / "loop").symlink_to(tmp_path / "tables")
    mine = make_bot(run=["./main.txt", "--tables", str(tmp_path / "tables")])
    contents = [content_of(mine, None)]

    for name, text in (("3/KQvK", "2"), ("3/KRvK", "2"), ("4/KRvK", "2")):
        write(f"tables/{name}", text)
        contents.append(content_of(mine, None))
    (tmp_path / "tables" / "4" / "KRvK").rename(tmp_path / "tables" / "4" / "KBvK")
    contents.append(content_of(mine, None))

    assert len(set(contents)) == len(contents)


def test_a_large_folder_is_compared_by_sizes_and_times(
    make_bot: MakeBot, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outside, "MAX_HASHED", 10)
    table = write("tables/KQvK", "x" * 20)
    os.utime(table, ns=(1, 1))
    mine = make_bot(run=["./main.txt", str(tmp_path / "tables")])
    before = content_of(mine, None)

    table.write_text("y" * 20)
    os.utime(table, ns=(1, 1))
    assert content_of(mine, None) == before
    os.utime(table, ns=(1, 2))
    assert content_of(mine, None) != before


def test_a_hidden_folder_is_not_read(
    make_bot: MakeBot, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("large/network")
    mine = make_bot(run=["./main.txt", str(tmp_path / "large")])

    def refused(path: Path) -> Iterator[object]:
        raise AssertionError(f"{path} is listed")

    monkeypatch.setattr(outside, "_entries", refused)

    assert content_parts(mine, ()) == []


def test_the_bytes_of_all_files_together_are_limited(
    make_bot: MakeBot, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outside, "MAX_HASHED", 30)
    files = [write(f"net{number}", "x" * 20) for number in range(3)]
    mine = make_bot(run=["./main.txt", *map(str, files)])
    before = content_parts(mine, None)
    for file in files:
        times = file.stat()
        file.write_text("y" * 20)
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))

    after = content_parts(mine, None)
    assert [one != other for one, other in zip(before, after, strict=True)] == [True, False, False]


def test_a_file_that_is_not_changed_is_read_once(
    make_bot: MakeBot, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("programs/engine", "a large network")
    mine = make_bot(run=["engine"])
    content = content_of(mine, None)

    def refused(path: Path) -> int:
        raise AssertionError(f"{path} is read again")

    monkeypatch.setattr(outside, "open_without_links", refused)

    assert content_of(mine, None) == content


def test_a_pipe_and_a_loop_of_links_do_not_stop_it(
    make_bot: MakeBot, tmp_path: Path, write: Write
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    long = "/" + "a" * 4000
    words = [str(tmp_path / "pipe"), str(tmp_path / "loop"), long, "/a\N{SNOWMAN}", "//", "/:/"]

    assert outside_paths(make_bot(run=["./main.txt", *words])) == []
    write("tables/a")
    os.mkfifo(tmp_path / "tables" / "pipe")
    (tmp_path / "tables" / "loop").symlink_to("loop")
    mine = make_bot(run=["./main.txt", str(tmp_path / "tables")])
    assert len(content_parts(mine, None)) == 1


def test_the_arguments_of_a_player_count_too(make_bot: MakeBot, write: Write, cache: Path) -> None:
    network = write("net.bin", "first")
    bot = prepare(make_bot(), cache, OPEN)
    before = bot.player("ann", ["--net", str(network)]).content

    write("net.bin", "other")

    assert bot.player("ann", ["--net", str(network)]).content != before


def _at(keys: dict[str, object], folder: Path) -> dict[str, object]:
    """Return keys of a bot.yaml with the folder of the test in the place of `{at}`."""

    def placed(value: object) -> object:
        if isinstance(value, dict):
            return {key: placed(each) for key, each in value.items()}
        if isinstance(value, list):
            return [placed(each) for each in value]
        return str(value).replace("{at}", str(folder))

    return {key: placed(each) for key, each in keys.items()}


def test_a_library_that_a_program_names_is_part_of_its_bot(
    make_bot: MakeBot, tmp_path: Path
) -> None:
    place = tmp_path / "built"
    (place / "lib").mkdir(parents=True)

    def compiled(value: int) -> None:
        (place / "deep.c").write_text(f"int deep(void) {{ return {value}; }}")
        (place / "near.c").write_text("int deep(void); int near(void) { return deep(); }")
        (place / "main.c").write_text("int near(void); int main(void) { return near(); }")
        shared = ["cc", "-shared", "-fPIC", "-o"]
        here = ["-Llib", "-Wl,-rpath,$ORIGIN"]
        for command in (
            [*shared, "lib/libdeep.so", "deep.c"],
            [*shared, "lib/libnear.so", "near.c", *here, "-ldeep"],
            ["cc", "-o", "engine", "main.c", "-Llib", "-Wl,-rpath,$ORIGIN/lib", "-lnear"],
        ):
            subprocess.run(command, cwd=place, check=True)

    compiled(1)
    mine = make_bot(run=[str(place / "engine")])
    own = make_bot("own", run=["./engine"])
    shutil.copy(place / "engine", tmp_path / "bots" / "own" / "engine")
    before = content_of(mine, None)
    names = [path.name for path in outside_paths(mine)]
    engine = (place / "engine").read_bytes()
    compiled(2)

    assert names == ["engine", "libnear.so", "libdeep.so"]
    assert (place / "engine").read_bytes() == engine
    assert content_of(mine, None) != before
    assert outside_paths(own) == [], "its libraries would be in its own folder"
    alone = [path.name for path in outside_paths(find_bot(f"uci:{place}/engine", tmp_path))]
    assert alone == ["libnear.so", "libdeep.so"]


@pytest.mark.parametrize("seed", range(20))
def test_a_damaged_program_names_no_library(write: Write, tmp_path: Path, seed: int) -> None:
    chance = Random(seed)
    data = bytearray(Path(sys.executable).resolve().read_bytes()[: 1 << 16])
    for _ in range(64):
        data[chance.randrange(6, 4096)] = chance.randrange(256)
    broken = write("broken")
    broken.write_bytes(data)

    assert [path for path in shared_libraries([broken]) if path.is_relative_to(tmp_path)] == []


def program_of(names: Sequence[str], folders: Sequence[str]) -> bytes:
    """Return an ELF file of 64 bits with these libraries and paths of folders, and no code."""
    texts = b"".join(text.encode() + b"\0" for text in (*names, *folders))
    tags = [1] * len(names) + [29] * len(folders)
    places = accumulate((len(text) + 1 for text in (*names, *folders)), initial=0)
    table = [(5, start := 64 + 2 * 56), *zip(tags, places, strict=False)]
    dynamic = b"".join(struct.pack("<qQ", *entry) for entry in table)
    whole = len(texts) + start
    return b"".join(
        [
            struct.pack(
                "<16s2HI3QI6H", b"\x7fELF\x02\x01", 2, 62, 1, 0, 64, 0, 0, 64, 56, 2, 0, 0, 0
            ),
            struct.pack("<2I6Q", 1, 0, 0, 0, 0, whole, whole, 0),
            struct.pack("<2I6Q", 2, 0, whole, whole, 0, len(dynamic), len(dynamic), 0),
            texts,
            dynamic,
        ]
    )


def test_a_program_cannot_have_libraries_looked_for_without_end(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked, is_file = [], libraries._is_file

    def counted(path: Path) -> bool:
        looked.append(path)
        return is_file(path)

    monkeypatch.setattr(libraries, "_is_file", counted)
    names = [f"lib{number}.so" for number in range(50)]
    folders = ":".join(f"/{number}" for number in range(700))
    data = program_of(names, [folders, folders, "$ORIGIN"])
    for name in names:
        write(name).write_bytes(data)

    assert shared_libraries([tmp_path / "lib0.so"]) == []
    assert len(looked) == 50 * (libraries.MAX_FOLDERS + 2)

    looked.clear()
    monkeypatch.setattr(libraries, "MAX_PLACES", 120)
    for name in names:
        (tmp_path / name).write_bytes(program_of([*names, "/none", "none"], ["$ORIGIN"]))
    assert shared_libraries([tmp_path / "lib0.so"]) == [tmp_path / name for name in names]
    assert len(looked) == 50 + 2 * 3
