"""Headers of the 1990s: which of today stands for each, and those that are written anew."""

from pathlib import Path

GAMES = {
    "pente": ("Pente.h",),
    "matchsticks": ("Matchsticks.h",),
    "chinese_checkers": ("ChineseCheckers.h", "Chinese Checkers.h"),
    "down_n_out": ("DownNOut.h", "Down-N-Out.h"),
}
"""Names of the header with the prototypes of each game; upper and lower case are the same."""
TOOLBOX = """
    Aliases Appearance Carbon ConditionalMacros Controls CoreServices CursorDevices Desk Devices
    Dialogs Disks DriverServices Errors Events Files Finder FixMath Folders Fonts Gestalt Icons
    IntlResources Lists LowMem MacErrors MacHeaders MacMemory MacTypes MacWindows Math64 Memory
    Menus MixedMode Multiprocessing NumberFormatting OSUtils PLStringFuncs Packages Palettes Patches
    Processes QDOffscreen Quickdraw QuickdrawText Resources Retrace Script SegLoad Sound
    StandardFile StringCompare Strings TextEdit TextUtils Threads Timer Timing SIOUX ToolUtils Traps
    Types Windows console profiler stdbool
"""
"""Names of headers replaced by mactech_toolbox.h, which is always included."""
LIBRARY = {
    "extras.h": "string.h",
    "fp.h": "math.h",
    "sane.h": "math.h",
    "stat.h": "sys/stat.h",
    "unix.h": "unistd.h",
}
"""Headers of the libraries of then, with the header of today."""
STREAMS = (
    *("ios", "streambuf", "istream", "ostream", "iostream", "cin", "cout", "cerr", "clog"),
    *("dec", "endl", "ends", "flush", "hex", "oct", "ws"),
)
MANIPULATORS = ("resetiosflags", "setbase", "setfill", "setiosflags", "setprecision", "setw")
STREAM_HEADERS = {
    "fstream": ("fstream", (*STREAMS, "fstream", "ifstream", "ofstream", "filebuf")),
    "iomanip": ("iomanip", MANIPULATORS),
    "iostream": ("iostream", STREAMS),
    "istream": ("iostream", STREAMS),
    "ostream": ("iostream", STREAMS),
    "strstream": ("strstream", (*STREAMS, "strstream", "istrstream", "ostrstream")),
}
"""Names that each header of streams declares outside of `std`; an entry may have its own `max`."""
OTHER_CPP_HEADERS = {
    **{name: name for name in ("deque", "exception", "iterator", "list", "map", "new", "numeric")},
    **{name: name for name in ("queue", "set", "stack", "typeinfo", "utility", "vector")},
    "algo": "algorithm",
    "algobase": "algorithm",
    "bool": "cstddef",
    "bvector": "vector",
    "function": "functional",
    "heap": "algorithm",
    "multimap": "map",
    "multiset": "set",
    "pair": "utility",
}
"""Headers of the C++ library of today by the name of then, without .h."""
LIMITS = {
    "stdlib.h": {"RAND_MAX": "32767"},
    "limits.h": {
        "LONG_MAX": "2147483647",
        "LONG_MIN": "(-2147483647 - 1)",
        "ULONG_MAX": "4294967295U",
    },
}
"""Macros of standard headers that were different: `rand` has 15 bits, `long` has 32."""
UNKNOWN = {
    "math.h": "gamma j0 j1 jn y0 y1 yn",
    "stdlib.h": "initstate random setstate srandom",
    "string.h": "basename ffs index rindex",
    "strings.h": "ffs index rindex",
    "sys/select.h": "select",
    "sys/types.h": "u_char u_int u_long u_short uint ulong ushort",
    "time.h": "daylight stime timezone",
    "unistd.h": "access alarm close dup link nice pause pipe read sleep sync write",
}
"""Names in headers of today, as g++ reads them, that entries may have for something else."""
OWN_MATH = """
    copysign fdim fma fmax fmin lgamma logb lrint lround nan nearbyint nextafter remainder remquo
    rint round scalbn tgamma trunc
"""
"""Names of C99 in `<math.h>`, hidden from C++ with a function of its own by one of them."""


def replacements(game: str) -> dict[str, str]:
    """Return which file replaces a header, by its name in lower case."""
    toolbox = {f"{name.lower()}.h": "mactech_toolbox.h" for name in TOOLBOX.split()}
    return toolbox | LIBRARY | {name.lower(): f"mactech_{game}.h" for name in GAMES[game]}


def write(folder: Path) -> None:
    """Write the headers that differ from those of today."""
    for name in (*UNKNOWN, "limits.h"):
        _write_standard(folder / name, name)
    for name in ("climits", "cmath", "cstdlib"):
        _write_standard(folder / name, f"{name[1:]}.h")
    for old, (new, names) in STREAM_HEADERS.items():
        lines = "".join(f"using std::{name};\n" for name in names)
        (folder / f"{old}.h").write_text(f"#include <iostream>\n#include <{new}>\n{lines}")
    for old, new in OTHER_CPP_HEADERS.items():
        (folder / f"{old}.h").write_text(f"#include <{new}>\nusing namespace std;\n")
    (folder / "mactech_std.h").write_text("namespace std {}\nusing namespace std;\n")


def _write_standard(path: Path, header: str) -> None:
    """Write a header that includes the one of its name, changed as `header` of C."""
    first, last = _hiding("__cplusplus", UNKNOWN.get(header, "").split())
    if header == "math.h":
        outer = _hiding("MACTECH_OWN_MATH", OWN_MATH.split())
        first, last = outer[0] + first, last + outer[1]
    macros = LIMITS.get(header, {}).items()
    lines = "".join(f"#undef {macro}\n#define {macro} {to}\n" for macro, to in macros)
    if header == "time.h":
        lines += '#include "mactech_time.h"\n'
    path.parent.mkdir(exist_ok=True)
    name = f"{path.parent.name}/{path.name}" if "/" in header else path.name
    path.write_text(f"{first}#include_next <{name}>\n{last}{lines}")


def _hiding(condition: str, names: list[str]) -> tuple[str, str]:
    """Return lines between which names mean others if a macro is defined."""
    first = "".join(
        f'#pragma push_macro("{name}")\n#undef {name}\n#define {name} mactech_hidden_{name}\n'
        for name in names
    )
    last = "".join(f'#pragma pop_macro("{name}")\n' for name in names)
    return f"#ifdef {condition}\n{first}#endif\n", f"#ifdef {condition}\n{last}#endif\n"
