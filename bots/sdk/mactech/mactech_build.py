"""Builds a bot from an entry to MacTech's Programmer's Challenge: C and C++ of 1997 to 2002.

    python3 mactech_build.py GAME [SOURCE ...] [-o NAME] [--library]

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
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

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
HEADERS = {
    "pente": ("Pente.h",),
    "matchsticks": ("Matchsticks.h",),
    "chinese_checkers": ("ChineseCheckers.h",),
    "down_n_out": ("DownNOut.h", "DownnOut.h"),
}
"""By which names an entry asks for the prototypes of its game."""
TOOLBOX = """
    Appearance Carbon ConditionalMacros Controls CoreServices CursorDevices Desk Devices Dialogs
    DriverServices Errors Events FixMath Fonts Gestalt IntlResources LowMem MacErrors MacHeaders
    MacMemory MacTypes MacWindows Math64 Memory Menus MixedMode Multiprocessing NumberFormatting
    OSUtils PLStringFuncs Packages Palettes Patches Processes QDOffscreen Quickdraw QuickdrawText
    Resources Retrace Script SegLoad Sound StringCompare Strings TextEdit TextUtils Timer Timing
    SIOUX ToolUtils Traps Types Windows console profiler stdbool
"""
"""Names of headers replaced by mactech_toolbox.h, which is always included."""
STANDARD = """
    alloca assert complex ctype errno fenv float inttypes iso646 limits locale malloc math memory
    setjmp signal stdarg stddef stdint stdio stdlib string strings time unistd wchar wctype
"""

C_SUFFIXES = frozenset({".c"})
CPP_SUFFIXES = frozenset({".cc", ".cp", ".cpp", ".cxx"})
HEADER_SUFFIXES = frozenset({".h", ".hh", ".hpp", ".i", ".inc"})
KIT_SOURCE, KIT_HEADER = "arena_bot.c", "arena_bot.h"
OURS = "mactech_"
HERE = Path(__file__).resolve().parent
STAND_INS = ("mactech_toolbox.c", "mactech_quickdraw.c")
HOST = ("mactech_host.c", "mactech_window.c", *STAND_INS)
NO_QUICKDRAW, TYPES_ONLY, NO_BOOL = (
    f"-DMACTECH_{name}" for name in ("NO_QUICKDRAW", "TYPES_ONLY", "NO_BOOL")
)
LESS_TOOLBOX = ((), (NO_QUICKDRAW,), (NO_BOOL,), (TYPES_ONLY,), (TYPES_ONLY, NO_BOOL))

# Addresses below 4 GB fit where old code keeps them: in a long, in an EventRecord.
POSITION = ("-fno-pie",)
OLD = ("-w", "-g", "-O2", "-fsigned-char", "-fwrapv", "-fno-strict-aliasing", "-fcommon")
# The C library of the standard alone: no `index`, `y1` or `ulong`, which entries have of their own.
ISO_C = "-D_ISOC99_SOURCE"
COMPILERS = {
    "c": ("cc", "-x", "c", "-std=gnu89", ISO_C, *OLD),
    "c++": ("g++", "-x", "c++", "-std=gnu++98", "-fpermissive", *OLD),
}


class EntryError(Exception):
    """The entry cannot be built. The text is for its author."""


# ---- The language of the time

TOKEN = re.compile(
    r"""
    (?P<comment>  /\*.*?\*/ | //[^\n]* )
  | (?P<text>     "(?:\\.|[^"\\\n])*" )
  | (?P<char>     '(?:\\.|[^'\\\n])*' )
  | (?P<include>  \#[ \t]*include[ \t]*[<"][^>"\n]+[>"] )
  | (?P<kind>     \b(?:long|int|short|char|double|float|signed|unsigned|const|volatile|static|extern
                  |register|typedef|auto)\b )
  | (?P<end>      \n )
  | (?P<space>    (?:[^\S\n]|\\\n)+ )
  | (?P<word>     \w+ )
  | (?P<other>    . )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
CHARACTER = re.compile(r"\\x[0-9A-Fa-f]+|\\[0-7]{1,3}|\\.|[^\\]", re.DOTALL)
LONG_FORMAT = re.compile(r"(%[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+))?)l([diouxXn])")
INCLUDE = re.compile(r'(.*[<"])([^>"]+)([>"])', re.DOTALL)


def modern(text: str, includes: dict[str, str]) -> str:
    """Return the source for a modern compiler with unchanged meaning, on the same lines.

    `includes` has the replacement of each header, by its name in lower case without folders.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    tokens = [(match.lastgroup, match[0]) for match in TOKEN.finditer(text)]
    _shorten(tokens)
    pieces = []
    for kind, piece in tokens:
        if kind == "text":
            pieces.append(_modern_text(piece))
        elif kind == "include" and (found := INCLUDE.fullmatch(piece)):
            pieces.append(_modern_include(found, includes))
        else:
            pieces.append(piece)
    return "".join(pieces)


def _shorten(tokens: list[tuple[str | None, str]]) -> None:
    """Replace each long by int, or by spaces beside an int; columns stay the same."""
    for run in _kinds(tokens):
        words = [tokens[place][1] for place in run]
        if words.count("long") == 1 and "double" not in words:
            place = run[words.index("long")]
            tokens[place] = ("kind", "    " if "int" in words else "int ")


def _kinds(tokens: list[tuple[str | None, str]]) -> Iterator[list[int]]:
    """Yield where the words of each type stand: those with nothing else between them."""
    run: list[int] = []
    is_directive = False
    for place, (kind, piece) in enumerate(tokens):
        is_over = kind == "end" and is_directive
        is_directive = piece == "#" or (is_directive and kind != "end")
        if kind == "kind":
            run.append(place)
        elif is_over or kind not in ("space", "comment", "end"):
            yield run
            run = []
    yield run


def _modern_text(text: str) -> str:
    if not text.startswith('"\\p'):
        return LONG_FORMAT.sub(r"\1\2", text)
    rest = text[3:-1]
    length = len(CHARACTER.findall(rest))
    if length > 255:
        raise EntryError(f"a Pascal string of {length} characters: {text[:40]}...")
    return f'"\\{length:03o}{rest}"'


def _modern_include(line: re.Match[str], includes: dict[str, str]) -> str:
    before, name, _ = line.groups()
    key = re.split(r"[/:\\]", name)[-1].lower()
    if before.endswith("<") and name.removesuffix(".h") in STANDARD.split():
        return line[0]
    if key in includes:
        return f'{before[:-1]}"{includes[key]}"'
    if key.removesuffix(".h") in STANDARD.split():
        return f"{before[:-1]}<{key}>"
    return line[0]


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
    headers = [path for path in _own_files() if path.suffix.lower() in HEADER_SUFFIXES]
    includes = {f"{name.lower()}.h": "mactech_toolbox.h" for name in TOOLBOX.split()}
    includes["fp.h"] = "math.h"
    includes |= {name.lower(): f"mactech_{game}.h" for name in HEADERS[game]}
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


def build(game: str, listed: list[Path], output: str, *, is_library: bool) -> None:
    """Make the bot, or the library."""
    libraries = [path for path in listed if path.suffix == ".so"]
    listed = [path for path in listed if path.suffix != ".so" and path.name != output]
    if not listed and not libraries:
        raise EntryError("there is no C or C++ source here, and no shared library")
    language = "c++" if any(path.suffix.lower() in CPP_SUFFIXES for path in listed) else "c"
    with tempfile.TemporaryDirectory(prefix=".mactech.", dir=".") as name:
        room = Path(name)
        flags = ("-fPIC",) if is_library else POSITION
        objects = [
            compile_entry(path, source, room, flags)
            for path, source in zip(translate(game, room, listed), listed, strict=True)
        ]
        aliases = c_names(game, objects) if language == "c++" else []
        made = [*objects, *aliases, *map(_local, libraries), "-lm"]
        if is_library:
            link(game, language, ["-shared", "-o", output, *made])
            return
        host = [compile_host(source, room) for source in (*HOST, f"mactech_host_{game}.c")]
        host.append(compile_host(KIT_SOURCE, room))
        # A library finds the stand-ins in the bot, and the bot the library beside itself.
        options = ["-no-pie", "-rdynamic", "-Wl,-rpath,$ORIGIN"]
        link(game, language, [*options, "-o", output, *host, *made])


def _local(path: Path) -> str:
    """Name a library so that it is searched beside the bot, not in the system's folders."""
    return f"./{path}"


def compile_entry(path: Path, source: Path, room: Path, flags: tuple[str, ...]) -> str:
    """Compile a source of the entry, with as much of the toolbox as its own names allow."""
    language = "c++" if source.suffix.lower() in CPP_SUFFIXES else "c"
    output = f"{path}.o"
    # A test program may lie beside the entry: main is the host's.
    options = ["-Dmain=mactech_main_of_entry", "-include", "mactech_toolbox.h"]
    folders = [f"-I{_kit(KIT_HEADER).parent}", f"-I{HERE}", f"-I{room}"]
    output_and_input = ["-c", "-o", output, str(path)]
    command = [*COMPILERS[language], *flags, *options, *folders, *output_and_input]
    tries = (_try([*command, *less]) for less in LESS_TOOLBOX)
    first = next(tries)
    if first.returncode != 0 and all(done.returncode != 0 for done in tries):
        raise EntryError(_readable(first.stdout))
    return output


def compile_host(name: str, room: Path) -> str:
    """Compile a source of Arena."""
    output = str(room / f"{name}.o")
    folders = [f"-I{_kit(KIT_HEADER).parent}", f"-I{HERE}"]
    _run(["cc", "-std=c11", "-O2", *POSITION, *folders, "-c", "-o", output, _kit(name)])
    if name in STAND_INS:
        _run(["objcopy", "--weaken", output])  # what the entry has by the same name comes first
    return output


def _kit(name: str) -> Path:
    """Return a file of Arena: beside this one, or in the C kit."""
    beside = HERE / name
    return beside if beside.exists() else HERE.parent / "c" / name


def c_names(game: str, objects: list[str]) -> list[str]:
    """Return linker options that give mangled C++ functions their plain names."""
    said = _run(["nm", "--defined-only", *objects])
    names = [line.split()[-1] for line in said.splitlines() if " T " in line]
    found = []
    for entry in ENTRIES[game]:
        mangled = [name for name in names if name.startswith(f"_Z{len(entry)}{entry}")]
        if entry not in names and len(mangled) == 1:
            found.append(f"-Wl,--defsym={entry}={mangled[0]}")
    return found


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
        said.append(f"it calls unknown functions: {', '.join(unknown)}")
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
    asked = parser.parse_args()
    try:
        listed = asked.source or sources()
        build(asked.game, listed, asked.output, is_library=asked.library)
    except EntryError as error:
        print(f"mactech: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
