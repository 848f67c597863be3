"""Builds a bot from an entry to MacTech's Programmer's Challenge: C and C++ of 1997 to 2002.

    python3 mactech_build.py GAME [-o NAME] [--library] [SOURCE ...]

Of the C and C++ sources and shared libraries in the current folder, if none are named, it makes
`bot`: the entry, the stand-ins for the Macintosh calls and the host of the game. With --library it
makes a shared library of the entry alone, which can be given in place of its sources. These stay
as they are; copies of them are changed, in place, to mean what they meant then:

    long                    is 32 bits: it becomes int (long long and long double stay), and %ld %d
    "\\ptext"                begins with its length
    #include <Memory.h>     is the toolbox, or a header of the entry in whatever folder; upper
                            and lower case are the same
    carriage returns        end lines
"""

import argparse
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import mactech_headers
from mactech_c import EntryError, modern
from mactech_compile import COMPILERS, HERE, POSITION, attempt, compile_entry, readable, run

ENTRIES = {
    "pente": ("InitPente", "Pente", "TermPente"),
    "matchsticks": ("InitMatchsticks", "OpponentMove", "YourMove", "TermMatchsticks"),
    "chinese_checkers": (
        "InitChineseCheckers",
        "YourMove",
        "OpponentMove",
        "TermChineseCheckers",
    ),
    "down_n_out": (
        "InitDownNOut",
        "HandleUpdateEvent",
        "PlayOneDownNOutMove",
        "TermDownNOut",
    ),
}
C_SUFFIXES = frozenset({".c"})
CPP_SUFFIXES = frozenset({".c++", ".cc", ".cp", ".cpp", ".cxx"})
HEADER_SUFFIXES = frozenset({".h", ".hh", ".hpp", ".i", ".inc"})
KIT_SOURCE, KIT_HEADER = "arena_bot.c", "arena_bot.h"
OURS = "mactech_"
STAND_INS = tuple(
    f"mactech_{name}.c"
    for name in ("numbers", "quickdraw", "rectangles", "regions", "text", "toolbox")
)
HOST = ("mactech_host.c", "mactech_window.c", *STAND_INS)

# ---- The files


def sources() -> list[Path]:
    """Return what the current folder has to build an entry of."""
    found = [path for path in _own_files() if path.suffix.lower() in C_SUFFIXES | CPP_SUFFIXES]
    return found + [path for path in _own_files() if path.suffix == ".so"]


def included(files: list[Path]) -> list[Path]:
    """Return those files that the sources and headers among them include."""
    suffixes = C_SUFFIXES | CPP_SUFFIXES | HEADER_SUFFIXES
    readers = [path for path in files if path.suffix.lower() in suffixes]
    texts = [path.read_bytes().decode("latin-1") for path in readers]
    names = {name.lower() for text in texts for name in INCLUDED.findall(text)}
    return [path for path in files if _as_bytes(path.name).lower() in names]


def _own_files() -> list[Path]:
    ours = (KIT_SOURCE, KIT_HEADER)
    return [
        path
        for path in sorted(Path().rglob("[!.]*"))
        if path.is_file()
        and path.parts[0][0] != "."
        and not path.name.startswith(OURS)
        and path.name not in ours
    ]


def translate(game: str, room: Path, listed: list[Path]) -> list[Path]:
    """Write the sources and headers of the entry anew, for a compiler of today."""
    mactech_headers.write(room)
    other = [path for path in _own_files() if path not in listed]
    headers = [path for path in other if path.suffix.lower() in HEADER_SUFFIXES]
    headers += [path for path in included(other + listed) if path in other and path not in headers]
    includes = mactech_headers.replacements(game)
    copied = {path: f"{OURS}entry/{path.as_posix()}" for path in headers + listed}
    includes |= {_as_bytes(path.name).lower(): _as_bytes(name) for path, name in copied.items()}
    for path, name in copied.items():
        target = room / name
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            text = modern(path.read_bytes().decode("latin-1"), includes)
        except EntryError as error:
            raise EntryError(f"{path}: {error}") from None
        shown = _as_bytes(str(path)).replace("\\", "\\\\").replace('"', '\\"')
        target.write_bytes(f'#line 1 "{shown}"\n{text}\n'.encode("latin-1"))
    return [room / copied[path] for path in listed]


def _as_bytes(name: str) -> str:
    """Return the name of a file as it appears in text decoded as Latin 1."""
    return os.fsencode(name).decode("latin-1")


# ---- Compiling and linking


def build(game: str, named: list[Path], output: str, *, is_library: bool) -> None:
    """Make the bot, or the library, from the named sources, or from all of them in the folder.

    A source that another one includes is part of that one, which may also be a test program that
    cannot be built.
    """
    found = named or sources()
    libraries = [path for path in found if path.suffix == ".so"]
    listed = [path for path in found if path.suffix != ".so" and path.name != output]
    if not listed and not libraries:
        raise EntryError("there is no C or C++ source here, and no shared library")
    parts = [] if named else included(listed)

    def make(chosen: list[Path]) -> None:
        _build(game, chosen, libraries, output, is_library=is_library, may_skip=not named)

    try:
        make([path for path in listed if path not in parts])
    except EntryError:
        if not parts:
            raise
        make(listed)


def _build(
    game: str,
    listed: list[Path],
    libraries: list[Path],
    output: str,
    *,
    is_library: bool,
    may_skip: bool,
) -> None:
    with tempfile.TemporaryDirectory(prefix=".mactech.", dir=".") as name:
        room = Path(name)
        place = ("-fPIC",) if is_library else POSITION
        objects, errors, language = _compiled(game, listed, room, place)
        check_one_entry(game, objects)
        if is_library:
            exports = room / "exports"
            exports.write_text(f"{{ global: {'; '.join(ENTRIES[game])}; local: *; }};")
            host, options = [], ["-shared", f"-Wl,--version-script={exports}"]
        else:
            host = [compile_host(source, room) for source in (*HOST, f"mactech_host_{game}.c")]
            host.append(compile_host(KIT_SOURCE, room))
            # A library finds the stand-ins in the bot, and the bot the library beside itself.
            shared = ["-rdynamic", "-Wl,-rpath,$ORIGIN"] if libraries else ["-Wl,--gc-sections"]
            options = ["-no-pie", "-Wl,--wrap=fopen", *shared]
        keep_apart(game, objects, host, room)

        def link_all(chosen: list[str]) -> None:
            aliases = c_names(game, chosen) if language == "c++" else []
            made = [*host, *chosen, *aliases, *map(_local, libraries), "-lm"]
            link(game, language, [*options, "-o", output, *made])

        _link_what_compiles(link_all, game, objects, errors, may_skip=may_skip)


def _compiled(
    game: str, listed: list[Path], room: Path, flags: tuple[str, ...]
) -> tuple[dict[str, Path], dict[Path, EntryError], str]:
    """Compile each source; return the sources by object, the errors by source, and the language.

    CodeWarrior could compile files named .c as C++: try this if they are no C.
    """
    paths = translate(game, room, listed)
    named = tuple("c++" if path.suffix.lower() in CPP_SUFFIXES else "c" for path in listed)
    results = []
    for languages in dict.fromkeys((named, ("c++",) * len(named))):
        objects, errors = {}, {}
        for path, source, language in zip(paths, listed, languages, strict=True):
            try:
                objects[compile_entry(path, language, room, flags)] = source
            except EntryError as error:
                errors[source] = error
        results.append((objects, errors, "c++" if "c++" in languages else "c"))
        if not errors:
            return results[-1]
        if shutil.which("g++") is None:
            break
    return results[0]


def _link_what_compiles(
    link_all: Callable[[list[str]], None],
    game: str,
    objects: dict[str, Path],
    errors: dict[Path, EntryError],
    *,
    may_skip: bool,
) -> None:
    """Link all objects; if that fails, those that the entry needs, and name the others.

    The organiser's test program often lies beside an entry and needs a Macintosh.
    """
    first = next(iter(errors.values()), None)
    if first is None:
        try:
            return link_all(list(objects))
        except EntryError as error:
            first = error
    needed = needed_objects(game, objects)
    if not may_skip or not needed or (len(needed) == len(objects) and not errors):
        raise first
    try:
        link_all(needed)
    except EntryError:
        raise first from None
    for path in sorted({*errors, *(objects[name] for name in objects if name not in needed)}):
        why = "does not compile" if path in errors else "is not used or cannot be linked"
        print(f"mactech: left out {path}: it {why}, and the entry works without it", flush=True)
    return None


def _local(path: Path) -> str:
    """Name a library so that it is searched beside the bot, not in the system's folders."""
    return f"./{path}"


def compile_host(name: str, room: Path) -> str:
    """Compile a source of Arena."""
    output = str(room / f"{name}.o")
    folders = [f"-I{_kit(KIT_HEADER).parent}", f"-I{HERE}"]
    run(["cc", "-std=c11", "-O1", *POSITION, *folders, "-c", "-o", output, _kit(name)])
    if name in STAND_INS:
        run(["objcopy", "--weaken", output])  # what the entry has by the same name comes first
    return output


def _kit(name: str) -> Path:
    """Return a file of Arena: beside this one, or in the C kit."""
    beside = HERE / name
    return beside if beside.exists() else HERE.parent / "c" / name


def symbols(*objects: str) -> tuple[set[str], set[str]]:
    """Return the names that objects define for others, and those that they need from others."""
    if not objects:
        return set(), set()
    lines = [line.split() for line in run(["readelf", "-sW", *objects]).splitlines()]
    named = [words for words in lines if len(words) > 7 and words[4] in ("GLOBAL", "WEAK")]
    defined = {words[-1] for words in named if words[-2] != "UND"}
    return defined, {words[-1] for words in named} - defined


def keep_apart(game: str, objects: dict[str, Path], host: list[str], room: Path) -> None:
    """Rename what the entry defines by the name of a system's function that the host calls.

    Make functions that headers define `inline` weak, since each source has its own copy of them.
    """
    defined, needed = symbols(*objects)[0], symbols(*host)[1]
    of_system = needed.difference(ENTRIES[game])
    options = [f"--redefine-sym={n}={OURS}own_{n}" for n in sorted(defined & of_system)]
    headers = [path for path in room.rglob("*") if path.suffix.lower() in HEADER_SUFFIXES]
    inline = {n for path in headers for n in INLINE.findall(path.read_text("latin-1"))}
    options += [f"--weaken-symbol={n}" for n in sorted(defined & inline)]
    for name in objects if options else ():
        run(["objcopy", *options, name])


def _definition(entry: str, defined: set[str]) -> str | None:
    """Return the name of the entry's function in an object, as C++ has changed it or plain."""
    mangled = [name for name in defined if name.startswith(f"_Z{len(entry)}{entry}")]
    return entry if entry in defined else mangled[0] if len(mangled) == 1 else None


def c_names(game: str, objects: list[str]) -> list[str]:
    """Return linker options that give mangled C++ functions their plain names."""
    defined = symbols(*objects)[0]
    found = {entry: _definition(entry, defined) for entry in ENTRIES[game]}
    return [
        f"-Wl,--defsym={entry}={name}" for entry, name in found.items() if name not in (None, entry)
    ]


def check_one_entry(game: str, objects: dict[str, Path]) -> None:
    """Raise EntryError if two sources define the same function of an entry."""
    tables = {path: symbols(name)[0] for name, path in objects.items()}
    for entry in ENTRIES[game]:
        found = [str(path) for path, defined in tables.items() if _definition(entry, defined)]
        if len(found) > 1:
            raise EntryError(
                f"two entries in one folder: {found[0]} and {found[1]} both define {entry}; give"
                " each a folder of its own, or name the sources of one after the game in `build`"
            )


def needed_objects(game: str, objects: dict[str, Path]) -> list[str]:
    """Return the objects with the entry's functions, and those with names that these need."""
    tables = {name: symbols(name) for name in objects}
    wanted = {
        definition
        for defined, _ in tables.values()
        for entry in ENTRIES[game]
        if (definition := _definition(entry, defined))
    }
    chosen: list[str] = []
    while more := [n for n in tables if n not in chosen and tables[n][0] & wanted]:
        chosen += more
        wanted |= set().union(*(tables[name][1] for name in more))
    return [name for name in objects if name in chosen]


INCLUDED = re.compile(r'#[ \t]*include[ \t]*"(?:[^"\r\n]*[/:\\])?([^"\r\n]+)"')
INLINE = re.compile(r"\binline\b[^;{}()]*?(\w+)\s*\(")
UNDEFINED = re.compile(r"undefined reference to [`'](\w+)'")


def link(game: str, language: str, arguments: list[str]) -> None:
    """Link, or say what is missing in the words of the Challenge."""
    done = attempt([COMPILERS[language][0], *arguments])
    if done.returncode == 0:
        return
    undefined = dict.fromkeys(UNDEFINED.findall(done.stdout))
    missing = [name for name in ENTRIES[game] if name in undefined]
    unknown = [name for name in undefined if name not in ENTRIES[game]]
    said = []
    if missing:
        needed = ", ".join(ENTRIES[game])
        said.append(f"it has no {' and no '.join(missing)}; an entry for {game} has {needed}")
    if unknown:
        said.append(f"it uses unknown functions or variables: {', '.join(unknown)}")
    raise EntryError("\n".join(said) or readable(done.stdout))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("game", choices=ENTRIES)
    parser.add_argument("source", nargs="*", type=Path)
    parser.add_argument("-o", dest="output", metavar="NAME", default="bot")
    parser.add_argument("--library", action="store_true")
    asked = parser.parse_intermixed_args()
    try:
        build(asked.game, asked.source, asked.output, is_library=asked.library)
    except EntryError as error:
        print(f"mactech: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
