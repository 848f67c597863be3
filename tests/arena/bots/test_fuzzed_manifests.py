"""Any bot.yaml ends as a bot or in a sentence, soon, and brings nothing of others along.

ARENA_FUZZ says how many are made of each kind; a few hundred by default.
"""

import os
import sys
import tempfile
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from arena.bots.manifest import ManifestSection, read_manifest
from arena.bots.shipped import is_shipped_source
from arena.bots.sources import collect, read_chunks
from arena.config.loading import load_config
from arena.config.model import BotSection, EventSection
from arena.errors import BotError, ConfigError

EXAMPLES = int(os.environ.get("ARENA_FUZZ", "150"))
MEMORY = 64 * 1024 * 1024
"""Bytes that a reader may hold at its worst: a thousand times the largest manifest."""
FOREIGN = b"the organiser's own"

fuzzed = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
names = st.sampled_from(
    [
        "main.txt",
        "../rival/main.txt",
        ".link",
        ".loop",
        ".pipe",
        ".hard",
        "sub/main.txt",
        "sub",
        ".",
        "..",
        "",
        "/",
        "/dev/zero",
        "/dev/stdin",
        "/etc/shadow",
        "/proc/self/environ",
        "~",
        "~root/x",
        "{python}",
        "sh",
        "-o",
        "a/" * 2047,
    ]
)
texts = st.one_of(names, st.text(max_size=40))
scalars = st.one_of(
    texts,
    st.integers(),
    st.booleans(),
    st.floats().map(str),
    st.sampled_from(["~", "null", "1e3", "0x1", "1:30", "<<", "=", "pente", "jsonl", "mactech"]),
)


def quoted(text: str) -> str:
    """Return the text in double quotes with hostile characters as escapes or as they are."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def escaped(text: str) -> str:
    return '"' + "".join(f"\\U{ord(character):08x}" for character in text) + '"'


written = st.one_of(
    scalars.map(str),
    texts.map(quoted),
    st.text(st.characters(), max_size=20).map(escaped),
    st.sampled_from(
        [
            "*a",
            "&a [*a]",
            "!!python/object/apply:os.system [id]",
            "!x",
            "|\n  x",
            ">-\n  x",
            "[",
            "}",
            '"\\ud800"',
            '"\\0"',
            '"\\Uffffffff"',
            "? [a]",
            "'",
            "\t",
            "\x85",
            "%TAG ! x",
            "---",
            "...",
        ]
    ),
)
values = st.recursive(
    written,
    lambda inner: st.one_of(
        st.lists(inner, max_size=5).map(lambda items: f"[{', '.join(items)}]"),
        st.lists(st.tuples(written, inner), max_size=3).map(
            lambda pairs: "{" + ", ".join(f"{key}: {value}" for key, value in pairs) + "}"
        ),
        st.tuples(inner, st.integers(1, 3000)).map(
            lambda pair: f"[{', '.join([pair[0]] * (1 + pair[1] // (1 + len(pair[0]))))}]"
        ),
        inner.map(lambda item: "[" * 40 + item + "]" * 40),
    ),
    max_leaves=8,
)


def mappings(keys: list[str]) -> st.SearchStrategy[str]:
    """Return texts that have mostly such keys with mostly such values, and any other text."""
    key = st.one_of(st.sampled_from(keys), st.sampled_from(keys), written)
    lines = st.lists(st.tuples(key, values), max_size=8).map(
        lambda pairs: "\n".join(f"{key}: {value}" for key, value in pairs)
    )
    return st.one_of(lines, lines.map(lambda text: f"run: [sh]\n{text}"), st.text(max_size=200))


lists = st.lists(texts.map(quoted), max_size=5).map(lambda items: f"[{', '.join(items)}]")
plausible = st.builds(
    lambda files, run, build: f"run: {run}\nfiles: {files}\nbuild: {build}\n", lists, lists, lists
)


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """Yield the folder of a bot, with files inside and around it."""
    with tempfile.TemporaryDirectory() as root:
        bot, rival = Path(root) / "mine", Path(root) / "rival"
        for folder in (bot / "sub", rival):
            folder.mkdir(parents=True)
            (folder / "main.txt").write_text("hello")
        (bot / "main.txt").write_text("hello")
        (rival / "main.txt").write_bytes(FOREIGN)
        (bot / ".link").symlink_to(rival / "main.txt")
        (bot / ".loop").symlink_to(".loop")
        os.mkfifo(bot / ".pipe")
        os.link(rival / "main.txt", bot / ".hard")
        yield bot


def objection(error: Exception) -> str:
    """Return an error's text, which is short and harmless on a terminal."""
    text = str(error)
    assert all(line.isprintable() for line in text.split("\n")), repr(text)
    text.encode()  # a terminal takes nothing else
    assert len(text) < 100_000
    return text


class Opened:
    """Absolute paths of the files opened while recording is on."""

    def __init__(self) -> None:
        self.is_noting = False
        self.paths: list[Path] = []
        sys.addaudithook(self._note)

    def _note(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.is_noting and event == "open" and isinstance(path := arguments[0], str | bytes):
            self.paths.append(Path(os.fsdecode(path)))

    def foreign(self, place: Path) -> list[Path]:
        """Return the paths outside the bot, Arena and Python."""
        ours = [place, Path(__file__).parents[3], Path(sys.prefix), Path(sys.base_prefix, "lib")]
        paths = [path for path in self.paths if path.is_absolute() and path != Path("/")]
        return [path for path in paths if not any(path.is_relative_to(own) for own in ours)]


opened = Opened()


@fuzzed
@given(st.one_of(plausible, mappings(list(ManifestSection.model_fields))))
@example(text='games: ["\\x13"]')
def test_any_manifest_is_a_bot_or_a_readable_error(place: Path, text: str) -> None:
    (place / "bot.yaml").write_bytes(text.encode(errors="surrogatepass"))
    opened.paths.clear()
    tracemalloc.start()
    opened.is_noting = True
    try:
        manifest = read_manifest(place / "bot.yaml")
        files = collect(manifest, [*manifest.files, *manifest.lent])
    except (ConfigError, BotError) as error:
        objection(error)
    else:
        for path in files.values():
            assert path.is_relative_to(place) or is_shipped_source(path)
            assert FOREIGN not in b"".join(read_chunks(manifest, path))
        for word in (*manifest.run, *(manifest.build or ())):
            assert "\0" not in word
            os.fsencode(word)
    finally:
        opened.is_noting = False
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < MEMORY
    assert not opened.foreign(place)


@fuzzed
@given(mappings([*EventSection.model_fields, *BotSection.model_fields]))
def test_any_config_is_an_event_or_a_readable_error(place: Path, text: str) -> None:
    path = place.parent / "event.yaml"
    head = "name: event\ngame: {name: pente}\nbots: [random, greedy]\n"
    for whole in (text, head + text):
        path.write_bytes(whole.encode(errors="surrogatepass"))
        try:
            load_config(str(path))
        except (ConfigError, BotError) as error:
            objection(error)
