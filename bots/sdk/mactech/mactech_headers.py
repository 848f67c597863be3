"""Headers of the 1990s: which of today stands for each, and those that are written anew."""

from pathlib import Path

GAMES = {
    "pente": ("Pente.h",),
    "matchsticks": ("Matchsticks.h",),
    "chinese_checkers": ("ChineseCheckers.h",),
    "down_n_out": ("DownNOut.h", "DownnOut.h"),
}
"""Names of the header with the prototypes of each game."""
TOOLBOX = """
    Appearance Carbon ConditionalMacros Controls CoreServices CursorDevices Desk Devices Dialogs
    DriverServices Errors Events FixMath Fonts Gestalt IntlResources LowMem MacErrors MacHeaders
    MacMemory MacTypes MacWindows Math64 Memory Menus MixedMode Multiprocessing NumberFormatting
    OSUtils PLStringFuncs Packages Palettes Patches Processes QDOffscreen Quickdraw QuickdrawText
    Resources Retrace Script SegLoad Sound StringCompare Strings TextEdit TextUtils Threads Timer
    Timing SIOUX ToolUtils Traps Types Windows console profiler stdbool
"""
"""Names of headers replaced by mactech_toolbox.h, which is always included."""
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


def replacements(game: str) -> dict[str, str]:
    """Return which file replaces a header, by its name in lower case."""
    toolbox = {f"{name.lower()}.h": "mactech_toolbox.h" for name in TOOLBOX.split()}
    return toolbox | {"fp.h": "math.h"} | {n.lower(): f"mactech_{game}.h" for n in GAMES[game]}


def write(folder: Path) -> None:
    """Write the headers that differ from those of today."""
    for name, macros in LIMITS.items():
        lines = "".join(f"#undef {macro}\n#define {macro} {to}\n" for macro, to in macros.items())
        for header in (name, f"c{name.removesuffix('.h')}"):
            (folder / header).write_text(f"#include_next <{header}>\n{lines}")
    (folder / "time.h").write_text('#include_next <time.h>\n#include "mactech_time.h"\n')
    for old, (new, names) in STREAM_HEADERS.items():
        lines = "".join(f"using std::{name};\n" for name in names)
        (folder / f"{old}.h").write_text(f"#include <{new}>\n{lines}")
    for old, new in OTHER_CPP_HEADERS.items():
        (folder / f"{old}.h").write_text(f"#include <{new}>\nusing namespace std;\n")
