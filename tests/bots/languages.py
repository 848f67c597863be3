"""The languages with a kit and a starter bot: one entry each."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from c_programs import missing
from router_seat import BOTS, Seat

from arena.bots.manifest import Manifest, find_bot
from arena.bots.prepare import PreparedBot, prepare


@dataclass(frozen=True, kw_only=True)
class Language:
    """A language; its starter bot is in `bots/starter/<name>`."""

    name: str
    """Language in the starter's `hello`."""
    main: str
    """The starter's program, in its folder."""
    kit: tuple[str, ...]
    """The kit's sources, below `bots`: what is counted and must be formatted."""
    programs: tuple[str, ...] = ()
    """Tools to build and run the starter."""
    probe: tuple[str, ...] = ()
    """Command that fails if libraries are missing that no build fetches."""
    formatter: tuple[str, ...] = ()
    """Command that fails or prints if its files are not formatted."""

    @property
    def starter(self) -> str:
        """Name of the starter on the command line."""
        return f"starter/{self.name}"

    @property
    def sources(self) -> tuple[Path, ...]:
        """The sources of kit and starter."""
        return tuple(BOTS / name for name in (*self.kit, f"{self.starter}/{self.main}"))

    def need_toolchain(self) -> None:
        """Skip the test if the starter cannot be built; in CI fail."""
        for program in self.programs:
            if shutil.which(program) is None:
                missing(f"{program} for the starter in {self.name}")
        if self.probe and subprocess.run(self.probe, capture_output=True, check=False).returncode:
            missing(f"library for the starter in {self.name}: {' '.join(self.probe)} fails")


@dataclass(frozen=True, kw_only=True)
class Starter:
    """The starter of a language, built as every command does it."""

    language: Language
    manifest: Manifest
    bot: PreparedBot
    cache: Path
    """Value of XDG_CACHE_HOME for commands, with the built starter."""

    @classmethod
    def build(cls, language: Language, cache: Path) -> Self:
        """Copy and build it, unless the cache has it."""
        manifest = find_bot(language.starter, BOTS)
        bot = prepare(manifest, cache / "arena" / "bots")
        return cls(language=language, manifest=manifest, bot=bot, cache=cache)

    def seat(self, transport: str = "ipc") -> Seat:
        """Start it and take its hello."""
        return Seat(self.bot.folder, self.bot.argv, transport=transport)

    def rebuilt_with(self, main: Path, folder: Path) -> tuple[str, ...]:
        """Build another program instead, in a folder; return its command."""
        shutil.copytree(self.bot.folder, folder, dirs_exist_ok=True)
        shutil.copyfile(main, folder / self.language.main)
        subprocess.run(self.manifest.build or ("true",), cwd=folder, check=True)
        return self.bot.argv


CLANG_FORMAT = ("clang-format", "--dry-run", "--Werror")
JAVASCRIPT_KIT = ("sdk/javascript/arena_bot.mjs", "sdk/javascript/arena_bot.d.mts")
PRETTIER = (
    *("npx", "--yes", "--loglevel=error", "prettier@3.6.2"),
    *("--list-different", "--print-width", "100"),
)

LANGUAGES = (
    Language(
        name="awk",
        main="main.awk",
        kit=("sdk/bridges/jsonl_bridge.py", "sdk/bridges/arena_bridge.py"),
        programs=("mawk",),
    ),
    Language(
        name="c",
        main="main.c",
        kit=("sdk/c/arena_bot.h", "sdk/c/arena_bot.c"),
        programs=("cc",),
        formatter=CLANG_FORMAT,
    ),
    Language(
        name="cpp",
        main="main.cpp",
        kit=("sdk/cpp/arena_bot.hpp",),
        programs=("g++", "pkg-config"),
        probe=("pkg-config", "--exists", "cppzmq", "nlohmann_json"),
        formatter=CLANG_FORMAT,
    ),
    Language(
        name="python",
        main="main.py",
        kit=("sdk/python/arena_bot.py",),
        formatter=("ruff", "format", "--check", "--quiet"),
    ),
    Language(
        name="rust",
        main="main.rs",
        kit=("sdk/rust/arena_bot.rs",),
        programs=("cargo", "rustfmt"),
        # By name, the kit would be searched beside main.rs, where it is missing.
        formatter=("sh", "-c", 'for f; do rustfmt --check --edition 2021 < "$f"; done', "rustfmt"),
    ),
    Language(
        name="javascript",
        main="main.mjs",
        kit=JAVASCRIPT_KIT,
        programs=("node", "npm"),
        formatter=PRETTIER,
    ),
    Language(
        name="typescript",
        main="main.ts",
        kit=JAVASCRIPT_KIT,
        programs=("node", "npm", "npx"),
        formatter=PRETTIER,
    ),
    Language(
        name="go",
        main="main.go",
        kit=("sdk/go/arena_bot.go", "sdk/go/arena_wire.go"),
        programs=("go", "gofmt"),
        formatter=("gofmt", "-l"),
    ),
    Language(
        name="java",
        main="Starter.java",
        kit=("sdk/java/Bot.java", "sdk/java/Fields.java", "sdk/java/Wire.java"),
        programs=("mvn", "java"),
    ),
    Language(
        name="ruby",
        main="main.rb",
        kit=("sdk/ruby/arena_bot.rb",),
        programs=("ruby",),
    ),
    Language(
        name="php",
        main="main.php",
        kit=("sdk/php/arena_bot.php",),
        programs=("php",),
    ),
)
