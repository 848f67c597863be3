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
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import mactech_headers
from mactech_c import EntryError, modern

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
CPP_SUFFIXES = frozenset({".cc", ".cp", ".cpp", ".cxx"})
HEADER_SUFFIXES = frozenset({".h", ".hh", ".hpp", ".i", ".inc"})
KIT_SOURCE, KIT_HEADER = "arena_bot.c", "arena_bot.h"
OURS = "mactech_"
HERE = Path(__file__).resolve().parent
STAND_INS = tuple(
    f"mactech_{name}.c"
    for name in ("numbers", "quickdraw", "rectangles", "regions", "text", "toolbox")
)
HOST = ("mactech_host.c", "mactech_window.c", *STAND_INS)
NO_QUICKDRAW, TYPES_ONLY, NO_BOOL = (
    f"-DMACTECH_{name}" for name in ("NO_QUICKDRAW", "TYPES_ONLY", "NO_BOOL")
)
LESS_TOOLBOX = ((), (NO_QUICKDRAW,), (NO_BOOL,), (TYPES_ONLY,), (TYPES_ONLY, NO_BOOL))

# Addresses below 4 GB fit where old code keeps them: in a long, in an EventRecord.
POSITION = ("-fno-pie",)
# Compilers of then took a loop over `board[0][i]` through all rows, and a string beyond its member,
# as they stand. A function that is not called, like a test's, may call what is not emulated.
OLD = (
    *("-w", "-g", "-O2", "-fsigned-char", "-fwrapv", "-fcommon", "-fpermissive"),
    *("-fno-strict-aliasing", "-fno-aggressive-loop-optimizations", "-ffunction-sections"),
    *("-U_FORTIFY_SOURCE", "-fno-stack-protector", "-D__option(name)=0"),
)
# The C library of the standard: no `index`, `ulong` or `getline`, which entries have of their own.
ISO_C = ("-D_ISOC99_SOURCE", "-D_POSIX_C_SOURCE=1")
COMPILERS = {
    "c": ("cc", "-x", "c", "-fgnu89-inline", *ISO_C, *OLD),
    "c++": ("g++", "-x", "c++", *OLD),
}
STANDARDS = {"c": ("-std=gnu89", "-std=gnu99"), "c++": ("-std=gnu++98",)}
"""Standards to try: C of 1997 has implicit ints, C of 2001 `for (int i = 0; ...)`."""
NEWER_C = "C99"
"""What gcc names in its error about C that is too new."""

# ---- The files


def sources() -> list[Path]:
    """Return what the current folder has to build an entry of."""
    suffixes = C_SUFFIXES | CPP_SUFFIXES
    found = [path for path in _own_files() if path.suffix.lower() in suffixes]
    return found + [path for path in _own_files() if path.suffix == ".so"]


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
    headers = [path for path in _own_files() if path.suffix.lower() in HEADER_SUFFIXES]
    includes = mactech_headers.replacements(game)
    copied = {path: f"{OURS}entry/{path.as_posix()}" for path in headers + listed}
    includes |= {path.name.lower(): _as_bytes(name) for path, name in copied.items()}
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
    """Make the bot, or the library, from the named sources, or from all of them in the folder."""
    found = named or sources()
    libraries = [path for path in found if path.suffix == ".so"]
    listed = [path for path in found if path.suffix != ".so" and path.name != output]
    if not listed and not libraries:
        raise EntryError("there is no C or C++ source here, and no shared library")
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

        _link_what_compiles(link_all, game, objects, errors, may_skip=not named)


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


def compile_entry(path: Path, language: str, room: Path, flags: tuple[str, ...]) -> str:
    """Compile a source of the entry, with as much of the toolbox as its own names allow."""
    output = f"{path}.{language}.o"
    # A test program may lie beside the entry: main is the host's.
    options = ["-Dmain=mactech_main_of_entry", "-include", "mactech_toolbox.h"]
    folders = [f"-I{_kit(KIT_HEADER).parent}", f"-I{HERE}", f"-I{room}"]
    output_and_input = ["-c", "-o", output, str(path)]
    command = [*COMPILERS[language], *flags, *options, *folders, *output_and_input]
    error = ""
    for standard in STANDARDS[language]:
        for less in LESS_TOOLBOX:
            done = _try([*command, standard, *less])
            if done.returncode == 0:
                return output
            if not error or (NEWER_C in error and not less):
                error = done.stdout
    raise EntryError(_readable(error))


def compile_host(name: str, room: Path) -> str:
    """Compile a source of Arena."""
    output = str(room / f"{name}.o")
    folders = [f"-I{_kit(KIT_HEADER).parent}", f"-I{HERE}"]
    _run(["cc", "-std=c11", "-O1", *POSITION, *folders, "-c", "-o", output, _kit(name)])
    if name in STAND_INS:
        _run(["objcopy", "--weaken", output])  # what the entry has by the same name comes first
    return output


def _kit(name: str) -> Path:
    """Return a file of Arena: beside this one, or in the C kit."""
    beside = HERE / name
    return beside if beside.exists() else HERE.parent / "c" / name


def symbols(*objects: str) -> tuple[set[str], set[str]]:
    """Return the names that objects define for others, and those that they need from others."""
    if not objects:
        return set(), set()
    lines = [line.split() for line in _run(["nm", "-g", *objects]).splitlines()]
    named = [words for words in lines if len(words) > 1]
    defined = {words[-1] for words in named if words[-2] not in ("U", "v", "w")}
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
        _run(["objcopy", *options, name])


def _definition(entry: str, defined: set[str]) -> str | None:
    """Return the name of the entry's function in an object, as C++ has changed it or plain."""
    mangled = [name for name in defined if name.startswith(f"_Z{len(entry)}{entry}")]
    return entry if entry in defined else mangled[0] if len(mangled) == 1 else None


def c_names(game: str, objects: list[str]) -> list[str]:
    """Return linker options that give mangled C++ functions their plain names."""
    defined = set().union(*(symbols(name)[0] for name in objects))
    found = {entry: _definition(entry, defined) for entry in ENTRIES[game]}
    return [
        f"-Wl,--defsym={entry}={name}" for entry, name in found.items() if name not in (None, entry)
    ]


def check_one_entry(game: str, objects: dict[str, Path]) -> None:
    """Raise EntryError if two sources define the same function of an entry."""
    for entry in ENTRIES[game]:
        found = [
            str(path) for name, path in objects.items() if _definition(entry, symbols(name)[0])
        ]
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


INLINE = re.compile(r"\binline\b[^;{}()]*?(\w+)\s*\(")
UNDEFINED = re.compile(r"undefined reference to [`'](\w+)'")


def link(game: str, language: str, arguments: list[str]) -> None:
    """Link, or say what is missing in the words of the Challenge."""
    done = _try([COMPILERS[language][0], *arguments])
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
    raise EntryError("\n".join(said) or _readable(done.stdout))


def _readable(said: str) -> str:
    """Return what a compiler said with the entry's own paths."""
    return re.sub(rf"(\./)?\.mactech\.\w+/({OURS}entry/)?", "", said).rstrip()


def _try(command: list[str | Path]) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        return subprocess.run(
            list(map(str, command)),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=environment,
            check=False,
        )
    except FileNotFoundError:
        package = {"cc": "gcc", "g++": "g++", "nm": "binutils", "objcopy": "binutils"}[
            str(command[0])
        ]
        raise EntryError(
            f"there is no program {command[0]} on this machine; apt-get install {package}"
        ) from None


def _run(command: list[str | Path]) -> str:
    done = _try(command)
    if done.returncode != 0:
        raise EntryError(_readable(done.stdout))
    return done.stdout


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
