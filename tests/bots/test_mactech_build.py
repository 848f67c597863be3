"""The builder of old entries: conversion of their C, and messages to their authors."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from mactech_entries import CLASSICS, build, entry, manifest, need_compiler, pente, started
from router_seat import BOTS

from arena.errors import BuildError, ConfigError

SCRIPT = BOTS / "sdk" / "mactech" / "mactech_build.py"
CONVERTER = SCRIPT.with_name("mactech_c.py")
SIZES = {
    "Boolean": 1,
    "Byte": 1,
    "SInt8": 1,
    "UInt8": 1,
    "bool": 1,
    "short": 2,
    "SInt16": 2,
    "UInt16": 2,
    "OSErr": 2,
    "int": 4,
    "long": 4,
    "unsigned long": 4,
    "long int": 4,
    "signed long int": 4,
    "SInt32": 4,
    "UInt32": 4,
    "Size": 4,
    "OSType": 4,
    "Fixed": 4,
    "Point": 4,
    "float": 4,
    "long long": 8,
    "Rect": 8,
    "Pattern": 8,
    "UnsignedWide": 8,
    "Capture": 8,
    "RGBColor": 6,
    "double": 8,
    "Str255": 256,
}
CHECKS = "".join(
    f"typedef char check{place}[sizeof({name}) == {size} ? 1 : -1];\n"
    for place, (name, size) in enumerate(SIZES.items())
)


@pytest.fixture(scope="module")
def converter() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mactech_c", CONVERTER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("then", "now"),
    [
        ("long x;", "int  x;"),
        ("unsigned long x;", "unsigned int  x;"),
        ("long int x;", "     int x;"),
        ("unsigned long\nint x;", "unsigned     \nint x;"),
        ("long /* so many */ int x;", "     /* so many */ int x;"),
        ("static const long x;", "static const int  x;"),
        ("long long x;", "long long x;"),
        ("unsigned long long int x;", "unsigned long long int x;"),
        ("long double x;", "long double x;"),
        ("(long)(int)x", "(int )(int)x"),
        ("longer = along;", "longer = along;"),
        ("x = 1L + 0xFFFFFFFFL + 3UL + 7lu;", "x = 1 + 0xFFFFFFFF + 3U + 7u;"),
        ("x = 1LL + 2ull + 1.0L + .5L + 1e5L + aL;", "x = 1LL + 2ull + 1.0L + .5L + 1e5L + aL;"),
        ("#define LONG long\nint x;", "#define LONG int \nint x;"),
        ("#define U32 unsigned \\\n long\nint x;", "#define U32 unsigned \\\n int \nint x;"),
        ("// a long comment\nlong x;", "// a long comment\nint  x;"),
        ("'long'", "'long'"),
        ('"a long text \\" long"', '"a long text \\" long"'),
        ('"%ld %5lu %-8.3lX %%ld"', '"%d %5u %-8.3X %%d"'),
        ('"%lf %lld %s"', '"%lf %lld %s"'),
        ('"\\pHello"', '"\\005Hello"'),
        ('"\\p"', '"\\000"'),
        ('"\\pa\\tb\\x41\\101"', '"\\005a\\tb\\x41\\101"'),
        ("a;\rb;\r\nc;\n", "a;\nb;\nc;\n"),
        ("#include <stdio.h>", "#include <stdio.h>"),
        ("#include <StdIO.h>", "#include <stdio.h>"),
        ("  #  include <Memory.h>", '  #  include "mactech_toolbox.h"'),
        ("int x;\n\t#include <quickdraw.h>", 'int x;\n\t#include "mactech_toolbox.h"'),
        ('#include ":src:MyBoard.h"', '#include "the/myboard.h"'),
        ('#include "Gone.h"', '#include "Gone.h"'),
        ("#if 0\ndon't\n#endif\nlong x;", "#if 0\ndon't\n#endif\nint  x;"),
    ],
)
def test_converted_source_keeps_its_meaning(converter: ModuleType, then: str, now: str) -> None:
    includes = {
        "memory.h": "mactech_toolbox.h",
        "quickdraw.h": "mactech_toolbox.h",
        "myboard.h": "the/myboard.h",
    }

    assert converter.modern(then, includes) == now


@pytest.mark.parametrize("name", ["Entry.c", "Entry.cp"])
def test_types_have_the_sizes_of_1997(tmp_path: Path, name: str) -> None:
    need_compiler("g++" if name.endswith("cp") else "cc")

    assert entry(tmp_path, "pente", {name: pente() + CHECKS}).folder.is_dir()


def test_a_size_that_is_wrong_would_be_noticed(tmp_path: Path) -> None:
    with pytest.raises(BuildError) as caught:
        entry(tmp_path, "pente", {"Entry.c": pente() + CHECKS.replace("== 4", "== 8")})

    assert "Entry.c:" in caught.value.output


OLD_STYLE = """
#include <Types.h>
#include ":Headers:board.h"
TermPente() { counter = 0; }
InitPente(size) long size; { counter = size; DebugStr("\\pold"); }
void Pente(Point them, Boolean first, Point *us, Capture taken[], long *count, Boolean *won)
{
    register i;
    for (i = 0; i < 1; i++) *us = kOrigin;   // C++ comments were allowed
    *count = helper(first); *won = false;
}
helper(x) { return x ? 0 : 0; }
"""
OLD_HEADER = """typedef struct Capture { Point stone1, stone2; } Capture;
static const Point kOrigin = { 0, 0 };
long counter;
"""


def test_the_c_of_then_is_compiled_carriage_returns_and_all(tmp_path: Path) -> None:
    sources = {"Pente ƒ.c": OLD_STYLE, "headers ƒ/Board.h": OLD_HEADER}
    bot = entry(
        tmp_path, "pente", {name: text.replace("\n", "\r") for name, text in sources.items()}
    )

    with started(bot) as referee:
        assert referee.move()["move"] == {"v": 0, "h": 0}
        referee.term()
        assert referee.end() == (0, "", "old\n")


def test_functions_of_c_plus_plus_are_found_without_extern_c(tmp_path: Path) -> None:
    need_compiler("g++")
    capture = "struct Capture { Point stone1, stone2; };"
    source = pente('delete[] new long[4]; DebugStr("\\pHello");').replace(
        '#include "Pente.h"', capture
    )

    with started(entry(tmp_path, "pente", {"Entry.cpp": source})) as referee:
        assert referee.move()["move"] == {"v": 0, "h": 0}


def test_c_plus_plus_may_be_in_files_for_c(tmp_path: Path) -> None:
    need_compiler("g++")
    helper = (
        "class Row { public: Row() : at(5) {} short at; };\nshort helper() { return Row().at; }"
    )
    source = "short helper();\n" + pente("yourMove->h = helper();")

    with started(entry(tmp_path, "pente", {"Entry.c": source, "Row.c": helper})) as referee:
        assert referee.move()["move"] == {"v": 0, "h": 5}


@pytest.mark.parametrize(
    "own",
    [
        "typedef struct Move { long a, b; } Move;",
        "typedef enum { false, true } bool; typedef unsigned char Boolean;",
        "static short TickCount = 3; static struct { bool isIt; } Pattern;",
        "#include <stdlib.h>\ntypedef unsigned long ulong; short y1, index;",
    ],
)
def test_names_of_its_own_come_before_those_of_the_toolbox(tmp_path: Path, own: str) -> None:
    random = "\nlong Random(long top) { return top / 2; }\n"

    with started(
        entry(tmp_path, "pente", {"Entry.c": own + random + pente("yourMove->h = Random(12);")})
    ) as referee:
        assert referee.move()["move"] == {"v": 0, "h": 6}


def test_a_program_to_try_it_out_may_stand_beside_it(tmp_path: Path) -> None:
    tester = "void main(void) { InitPente(9); TermPente(); }\n"

    assert entry(tmp_path, "pente", {"Entry.c": pente(), "Test.c": tester}).folder.is_dir()


def test_an_address_may_be_kept_in_a_long(tmp_path: Path) -> None:
    more = "long at = (long)NewPtr(100000); *(short *)at = 5; yourMove->h = *(short *)at;"

    with started(entry(tmp_path, "pente", {"Entry.c": pente(more)})) as referee:
        assert referee.move()["move"] == {"v": 0, "h": 5}


def test_a_shared_library_is_a_bot(tmp_path: Path) -> None:
    need_compiler()
    room = tmp_path / "mine"
    room.mkdir()
    (room / "Entry.c").write_text(pente("yourMove->h = Random() * 0 + 5;"))
    command = [sys.executable, str(SCRIPT), "pente", "--library", "-o", "entry.so", "Entry.c"]
    subprocess.run(command, cwd=room, check=True)
    (room / "Entry.c").unlink()

    with started(entry(tmp_path, "pente", {})) as referee:
        assert referee.move()["move"] == {"v": 0, "h": 5}


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (
            pente().replace("TermPente", "EndPente"),
            "mactech: it has no TermPente; an entry for pente has InitPente, Pente, TermPente",
        ),
        (
            "long x;",
            "mactech: it has no InitPente and no Pente and no TermPente; an entry for pente has ",
        ),
        (
            pente("SolvePente(); TickCount(); OpenDoor();"),
            "mactech: it uses unknown functions or variables: SolvePente, OpenDoor",
        ),
        (
            pente("long x = ;"),
            "Entry.c:13:14: error: expected expression before ';' token",
        ),
    ],
)
def test_errors_are_reported_to_the_author(tmp_path: Path, source: str, says: str) -> None:
    with pytest.raises(BuildError) as caught:
        entry(tmp_path, "pente", {"Entry.c": source})

    assert says in caught.value.output
    assert ".mactech." not in caught.value.output


TESTER = """
#include <Menus.h>
short score(void) { return 1; }
void main(void) {
    DrawMenuBar();
    InitPente(score());
}
"""


@pytest.mark.parametrize(
    ("tester", "why"),
    [
        (TESTER, None),
        (TESTER + "short own(void) { return 6; }", "is not used or cannot be linked"),
        ("WindowPtr w; int f(void) { return inMenuBar; }", "does not compile"),
        ("short main(void) { return 0; }\nint other;", None),
    ],
)
def test_test_code_of_the_organiser_does_not_stop_a_build(
    tmp_path: Path, tester: str, why: str | None
) -> None:
    room = tmp_path / "mine"
    sources = {"Entry.c": pente("yourMove->h = helper();"), "Test/PenteTest.c": tester}
    sources["Helper.c"] = "short helper(void) { return 5; }\nshort own(void) { return 5; }"
    made = manifest(tmp_path, "pente", sources)

    done = build(room, "pente")

    says = f"mactech: left out Test/PenteTest.c: it {why}, and the entry works without it\n"
    assert (done.returncode, done.stdout) == (0, says if why else ""), done.stderr
    assert made.games == ("pente",)
    assert (room / "bot").exists()


def test_a_named_source_is_never_left_out(tmp_path: Path) -> None:
    (tmp_path / "Entry.c").write_text(pente() + "short score(void) { return 2; }")
    (tmp_path / "Test.c").write_text(TESTER)

    done = build(tmp_path, "pente", "Entry.c", "Test.c")

    assert done.returncode == 1
    assert "multiple definition of `score'" in done.stderr


def test_an_error_in_a_needed_file_is_reported(tmp_path: Path) -> None:
    sources = {"Entry.c": pente("helper();"), "Helper.c": "void helper(void) { long x = ; }"}

    with pytest.raises(BuildError) as caught:
        entry(tmp_path, "pente", sources)

    assert "Helper.c:1:30: error: expected expression" in caught.value.output


def test_two_entries_in_one_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(BuildError) as caught:
        entry(tmp_path, "pente", {"Ann.c": pente(), "Bob.c": pente()})

    assert caught.value.output.splitlines()[-1].strip() == (
        "mactech: two entries in one folder: Ann.c and Bob.c both define InitPente; give each a"
        " folder of its own, or name the sources of one after the game in `build`"
    )


def test_a_missing_compiler_is_named_with_its_package(tmp_path: Path) -> None:
    (tmp_path / "Entry.c").write_text(pente())
    done = subprocess.run(
        [sys.executable, SCRIPT, "pente"],
        cwd=tmp_path,
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    says = "mactech: there is no program cc on this machine; apt-get install gcc\n"
    assert (done.returncode, done.stderr) == (1, says)


def test_a_folder_without_an_entry_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BuildError) as caught:
        entry(tmp_path, "pente", {"readme.txt": "see you"})

    assert "there is no C or C++ source here, and no shared library" in caught.value.output


@pytest.mark.parametrize("games", ["[pente, matchsticks]", "[damspel]"])
def test_an_entry_names_its_one_game(tmp_path: Path, games: str) -> None:
    with pytest.raises(ConfigError) as caught:
        manifest(tmp_path, "pente", {"Entry.c": pente()}, games=games)

    says = '"games" must name the one game of the entry, of pente, matchsticks, chinese_checkers,'
    assert f"bot.yaml:1:1: {says}" in str(caught.value)


@pytest.mark.parametrize(("game", "name"), CLASSICS.items())
def test_the_classics_are_plain_entries(game: str, name: str) -> None:
    lines = (BOTS / name / "bot.yaml").read_text().splitlines()

    assert lines[1:] == [f"games: [{game}]", "language: c", "protocol: mactech"]
