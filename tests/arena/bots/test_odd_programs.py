"""Whatever a bot's program is, it is prepared or refused in a sentence, soon, and alone.

ARENA_FUZZ says how many are made of each kind; a few hundred by default.
"""

import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from builds import MakeBot
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.bots import prepare as preparing
from arena.bots.manifest import Manifest
from arena.bots.prepare import PreparedBot, content_of, prepare_all
from arena.errors import BotError, BuildError

EXAMPLES = int(os.environ.get("ARENA_FUZZ", "150"))
PATIENCE_S = 60
fuzzed = settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def tried(manifest: Manifest, cache: Path) -> PreparedBot | BotError:
    """Prepare a bot; fail if that never ends, or ends as an internal error."""
    results: list[PreparedBot | BotError] = []
    thread = threading.Thread(
        target=lambda: results.extend(prepare_all([manifest], cache)), daemon=True
    )
    thread.start()
    thread.join(PATIENCE_S)
    assert results, "preparing waits, or has failed"
    (result,) = results
    assert "internal error" not in str(result)
    return result


@pytest.fixture(scope="module")
def root() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp())
    yield folder
    shutil.rmtree(folder)


def manifest_of(folder: Path, run: Sequence[str], build: Sequence[str] | None = None) -> Manifest:
    return Manifest(
        name="mine",
        path=folder / "bot.yaml",
        folder=folder,
        run=tuple(run),
        build=tuple(build) if build else None,
    )


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("./", "is a folder"),
        ("/", "is a folder"),
        ("/bin", "is a folder"),
        ("./sub", "is a folder"),
        ("./sub/..", "is a folder"),
        ("/dev/null", "is no ordinary file"),
        (f"./{'x' * 300}", "cannot be started: File name too long"),
        ("./" + "x/" * 2047, "cannot be started: File name too long"),
        ("./main.txt/x", "is not there; see `run` in bot.yaml"),
    ],
)
def test_a_program_that_is_none_is_refused(
    make_bot: MakeBot, cache: Path, program: str, says: str
) -> None:
    manifest = make_bot(sources={"main.txt": "", "sub/file": ""}, run=[program])

    result = tried(manifest, cache)

    assert isinstance(result, BotError)
    assert result.detail.endswith(says)
    assert len(result.detail) < 300


@pytest.mark.parametrize(
    ("interpreter", "says"),
    [
        (b"\xff" * 250, "is not there"),
        (b"/" + b"x" * 300, "is not there"),  # the kernel reads no more than a part of the line
        (b"/bin", "is a folder"),
        (b"/dev/null", "is no ordinary file"),
        (b"loop", "cannot be started: Too many levels of symbolic links"),
        (b"/bin/sh/x", "is not there"),
        (b"/a\x00b", "cannot be started: its name is none of a file"),
    ],
)
def test_an_interpreter_that_is_no_program_is_refused(
    make_bot: MakeBot,
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    interpreter: bytes,
    says: str,
) -> None:
    manifest = make_bot(sources={"bot": "", "fill": ""}, build=["true"], run=["./bot"])

    def built(manifest: Manifest, *_: object) -> Path:
        folder = cache / "built"
        shutil.copytree(manifest.path.parent, folder)
        (folder / "bot").write_bytes(b"#!" + interpreter + b"\n")
        (folder / "bot").chmod(0o755)
        (folder / "loop").symlink_to("loop")
        return folder

    monkeypatch.setattr(preparing, "build", built)

    result = tried(manifest, cache)

    assert isinstance(result, BotError)
    assert result.detail.endswith(f", which {says}")


def test_a_pipe_in_place_of_a_program_is_not_waited_for(make_bot: MakeBot, cache: Path) -> None:
    pipe = cache.parent / "pipe"
    os.mkfifo(pipe)
    pipe.chmod(0o755)

    result = tried(make_bot(run=[str(pipe)]), cache)

    assert isinstance(result, BotError)
    assert result.detail.endswith("is no ordinary file")


def test_a_file_without_an_end_is_not_read_to_its_end(make_bot: MakeBot, cache: Path) -> None:
    contents: list[str] = []
    manifest = make_bot(run=["/proc/self/pagemap"])
    thread = threading.Thread(
        target=lambda: contents.append(content_of(manifest, None)), daemon=True
    )
    thread.start()
    thread.join(PATIENCE_S)

    assert contents, "its content is read without end"
    assert isinstance(tried(manifest, cache), BotError)


def test_a_program_may_be_unreadable(make_bot: MakeBot, cache: Path) -> None:
    program = cache.parent / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o111)

    assert isinstance(tried(make_bot(run=[str(program)]), cache), PreparedBot)


@pytest.mark.parametrize("script", ["mkdir bot", "ln -s / bot", "ln -s . bot", "ln -s bot bot"])
def test_a_build_that_leaves_no_program_is_refused(
    make_bot: MakeBot, cache: Path, script: str
) -> None:
    command = ["sh", "-c", f"rm bot; {script}"]

    result = tried(make_bot(sources={"bot": ""}, build=command, run=["./bot"]), cache)

    assert isinstance(result, BotError)
    assert not isinstance(result, BuildError)


def test_an_error_of_one_bot_leaves_the_others(
    make_bot: MakeBot, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content_hash = preparing.content_hash

    def failing(manifest: Manifest, files: dict[str, Path]) -> str:
        if manifest.name == "bad":
            raise RuntimeError("a case nobody thought of")
        return content_hash(manifest, files)

    monkeypatch.setattr(preparing, "content_hash", failing)

    bad, good = prepare_all([make_bot("bad"), make_bot("good")], cache)

    assert isinstance(good, PreparedBot)
    assert isinstance(bad, BotError)
    assert "by an internal error of Arena; please report it: RuntimeError at" in bad.detail


programs = st.one_of(
    st.sampled_from(["./", "/", ".", "..", "./sub", "./pipe", "./link", "./loop", "sh", "./gone"]),
    st.text(min_size=1, max_size=300).filter(str.isprintable).map(lambda text: f"./{text}"),
    st.integers(min_value=1, max_value=5000).map(lambda size: f"./{'x/' * size}"),
)
firsts = st.one_of(
    st.binary(max_size=300).map(lambda text: b"#!" + text),
    st.sampled_from(
        [b"/", b"/nowhere/x", b"/bin/sh", b"bot", b"./bot", b"sub", b"pipe", b"loop"]
    ).map(lambda text: b"#! " + text + b" -x\r\n"),
    st.binary(max_size=100),
)


def file(place: Path, first: bytes) -> None:
    place.write_bytes(first)
    place.chmod(0o755)


LEAVES: dict[str, Callable[[Path, bytes], None]] = {
    "file": file,
    "folder": lambda place, _: place.mkdir(),
    "pipe": lambda place, _: os.mkfifo(place, 0o755),
    "link": lambda place, first: place.symlink_to(os.fsdecode(first.replace(b"\0", b"")) or "x"),
    "loop": lambda place, _: place.symlink_to(place.name),
    "link to the machine": lambda place, _: place.symlink_to("/"),
    "nothing": lambda *_: None,
}


@fuzzed
@given(program=programs, first=firsts, left=st.sampled_from(sorted(LEAVES)), is_built=st.booleans())
def test_any_program_is_prepared_or_refused(
    root: Path, program: str, first: bytes, left: str, is_built: object
) -> None:
    folder, result = root / "mine", root / "result"
    for each in (folder, result, root / "cache"):
        shutil.rmtree(each, ignore_errors=True)
    folder.mkdir()
    (folder / "sub").mkdir()
    file(folder / "bot", first)

    def built(*_: object) -> Path:
        result.mkdir()
        LEAVES[left](result / "bot", first)
        os.mkfifo(result / "pipe", 0o755)
        (result / "loop").symlink_to("loop")
        return result

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(preparing, "build", built)
        for run in ([program], ["./bot"]):
            manifest = manifest_of(folder, run, ["true"] if is_built else None)
            found = tried(manifest, root / "cache")
            is_path = "/" in run[0]
            assert isinstance(found, BotError) or not is_path or (found.folder / run[0]).is_file()
