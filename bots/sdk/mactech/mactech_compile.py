"""Compiles C and C++ of the 1990s with the compiler of today that understands it best."""

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from mactech_c import EntryError

HERE = Path(__file__).resolve().parent

# An entry that has names of its own for those of the toolbox gets less of it.
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
    "-fno-merge-constants",  # a string changes alone, and all strings are in one section
)
# Strings could be written to.
WRITABLE = ("--rename-section", ".rodata=.data.rodata,alloc,load,data,contents")
# The C library of the standard: no `index`, `ulong` or `getline`, which entries have of their own.
ISO_C = ("-D_ISOC99_SOURCE", "-D_POSIX_C_SOURCE=1")
# A function of C++ without its return statement returns nonsense, as then. Otherwise g++ 8 and
# later let it run on into the next function.
NO_RETURN = ("-fsanitize=unreachable", "-fsanitize-undefined-trap-on-error")
COMPILERS = {
    "c": ("cc", "-x", "c", "-fgnu89-inline", *ISO_C, *OLD),
    "c++": ("g++", "-x", "c++", *OLD, *NO_RETURN),
}
STANDARDS = {"c": ("-std=gnu89", "-std=gnu99"), "c++": ("-std=gnu++98",)}
"""Standards to try: C of 1997 has implicit ints, C of 2001 `for (int i = 0; ...)`."""
NEWER_C = "C99"
"""What gcc names in its error about C that is too new."""

POWERPC = tuple(
    f"-D{name}" for name in ("powerc", "__powerc", "__POWERPC__", "__MWERKS__=0x2400", "macintosh")
)
CURES = (
    ("c++", r"does not name a type|not declared|std::", ("-include", "mactech_std.h")),
    ("c", r"conflicting types|different kind", ("-U_ISOC99_SOURCE",)),
    ("c++", r"ambiguating|different kind|was declared", ("-DMACTECH_OWN_MATH",)),
    ("c", r"#error|\basm\b", POWERPC),
    ("c++", r"#error|\basm\b", POWERPC),
)
"""Options to try after an error that may have its cause here, by language and text of the error.

Names of the library without `std::`, functions of its own named like those of C99 in `<math.h>`,
and 68K assembler where the compiler is none for the PowerPC.
"""
ASSEMBLER = "assembler is not emulated: give the entry the same function in C"


def compile_entry(path: Path, language: str, room: Path, flags: tuple[str, ...]) -> str:
    """Compile a source of the entry and return the object; raise EntryError with the error."""
    output = f"{path}.{language}.o"
    # A test program may lie beside the entry: main is the host's.
    options = ["-Dmain=mactech_main_of_entry", "-include", "mactech_toolbox.h"]
    folders = [f"-I{HERE}", f"-I{room}"]
    command = [*COMPILERS[language], *flags, *options, *folders, "-c", "-o", output, str(path)]
    error = _error(command, language)
    cures = [
        option
        for cured, signs, options in CURES
        if cured == language and re.search(signs, error)
        for option in options
    ]
    if error and (not cures or _error([*command, *cures], language)):
        is_assembler = re.search(r"\basm\b", error)
        raise EntryError(readable(error) + (f"\n{ASSEMBLER}" if is_assembler else ""))
    run(["objcopy", *WRITABLE, output])
    return output


def _error(command: Sequence[str], language: str) -> str:
    """Compile with as much of the toolbox as the entry's own names allow; return the error."""
    error = ""
    for standard in STANDARDS[language]:
        for less in LESS_TOOLBOX:
            done = attempt([*command, standard, *less])
            if done.returncode == 0:
                return ""
            if not error or (NEWER_C in error and not less):
                error = done.stdout
    return error


def readable(said: str) -> str:
    """Return what a compiler said with the entry's own paths."""
    return re.sub(r"(\./)?\.mactech\.\w+/(mactech_entry/)?", "", said).rstrip()


def attempt(command: Sequence[str | Path]) -> subprocess.CompletedProcess[str]:
    """Run a program of the compiler; raise EntryError if there is none."""
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
        package = {"cc": "gcc", "g++": "g++", "readelf": "binutils", "objcopy": "binutils"}[
            str(command[0])
        ]
        raise EntryError(
            f"there is no program {command[0]} on this machine; apt-get install {package}"
        ) from None


def run(command: Sequence[str | Path]) -> str:
    """Run a program of the compiler and return what it said; raise EntryError if it fails."""
    done = attempt(command)
    if done.returncode != 0:
        raise EntryError(readable(done.stdout))
    return done.stdout
