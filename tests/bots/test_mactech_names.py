"""Names and habits of entries that compilers of today take for errors, or for something else."""

from pathlib import Path

import pytest
from mactech_entries import entry, need_compiler, pente, started

from arena.errors import BuildError

CAPTURE = "struct Capture { Point stone1, stone2; };\n"
PENTE_H = '#include "Pente.h"'
OWN_NAMES = """
#include <algorithm>
#include <cmath>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
typedef unsigned long ulong;
typedef unsigned short ushort;
static ulong index, y0, link, timezone;
static long gamma(long x) { return x; }
static long random(long top) { return top - 1; }
"""
NO_RETURN = """
static long gCalls;
static long Count(long x) { gCalls += x; }
static Solve(long x) { if (x > 7) return 3; gCalls++; }
"""
NO_STD = """
#include <iostream>
#include <string>
#include <vector>
static vector<long> gMoves;
static string gName = "mine";
"""
OTHER_PROCESSOR = """
#if powerc
static long Zeros(long x) { return __cntlzw(x); }
#else
static long Zeros(long x) { asm { move.l x,d0 } }
#endif
"""
TIMES = """
#include <iostream.h>
#include <ctime>
#include <stdlib.h>
#include <vector>
struct Clock { static long time(long x) { return x; } };
"""
TIMED = """
    unsigned long now[2] = {0, 5}; time_t same; time_t also = std::time(0);
    time(&now[0]); time(&same); srand(time(NULL)); srand((unsigned)time(0));
    if (sizeof(time_t) == 4 && same - now[0] < 9 && localtime(&same)->tm_year >= 120)
        yourMove->h = now[1] + Clock::time(also - also);
"""
OWN_ROUND = "#include <math.h>\nstatic long round(x) long x; { return x; }\nstatic long log2;\n"
OWN_ROUND_CPP = "#include <math.h>\nstatic long round(double x) { return (long)(x + 0.5); }\n"


def cpp(names: str, more: str) -> dict[str, str]:
    return {"Entry.cpp": names + CAPTURE + pente(more).replace(PENTE_H, "")}


def c(names: str, more: str) -> dict[str, str]:
    return {"Entry.c": names + pente(more)}


@pytest.mark.parametrize(
    "sources",
    [
        pytest.param(
            cpp(
                OWN_NAMES,
                "ulong *p = (ulong *)NewPtr(8); *p = gamma(6) - random(2);"
                "index = y0 = link = timezone = fabs(-0.0); yourMove->h = *p + index;",
            ),
            id="names-of-the-system",
        ),
        pytest.param(cpp(NO_RETURN, "Count(4); Solve(4); yourMove->h = gCalls;"), id="no-return"),
        pytest.param(
            cpp(NO_STD, "gMoves.push_back(5); cerr << gName << endl; yourMove->h = gMoves[0];"),
            id="no-std",
        ),
        pytest.param(cpp(TIMES, TIMED), id="time-c++"),
        pytest.param(c(OTHER_PROCESSOR, "yourMove->h = Zeros(0x04000000);"), id="powerc"),
        pytest.param(c(OWN_ROUND, "yourMove->h = round(5);"), id="own-round"),
        pytest.param(cpp(OWN_ROUND_CPP, "yourMove->h = round(4.7);"), id="own-round-c++"),
        pytest.param(
            c("", "short at[2]; long place = (long)at; *(short *)place = 5; yourMove->h = at[0];"),
            id="address-of-a-local",
        ),
        pytest.param(
            c('static char *gRow = "...";', "gRow[0] = 5; yourMove->h = gRow[0];"),
            id="a-string-is-written-to",
        ),
        pytest.param(
            c('#include "Files.h"\n#include <unix.h>\n#include <extras.h>\n', "yourMove->h = 5;"),
            id="headers",
        ),
    ],
)
def test_old_habits_are_understood(tmp_path: Path, sources: dict[str, str]) -> None:
    need_compiler("g++" if "Entry.cpp" in sources else "cc")
    with started(entry(tmp_path, "pente", sources)) as referee:
        assert referee.move()["move"] == {"v": 0, "h": 5}


def test_assembler_is_named_as_the_reason(tmp_path: Path) -> None:
    assembler = "static asm long Zeros(register long x) {\n cntlzw r3,r3\n blr\n}\n"

    with pytest.raises(BuildError) as caught:
        entry(tmp_path, "pente", c(assembler, "yourMove->h = Zeros(1);"))

    assert "Entry.c:1:8: error:" in caught.value.output
    assert "assembler is not emulated: give the entry the same function in C" in caught.value.output


INCLUDING = {
    "Entry.c": '#include ":Tables:Five.c"\n#include "Rows.tab"\n'
    + pente("yourMove->h = gFive + kRow[0];"),
    "Tables/Five.c": "long gFive = 5;\n",
    "Rows.tab": "static const long kRow[] = {0};\n",
}
TESTER = '#include "Entry.c"\nvoid main(void) { InitPente(DrawTheBoard(gFive), none); }\n'


@pytest.mark.parametrize("more", [{}, {"Test.c": TESTER}])
def test_a_source_may_include_another(tmp_path: Path, more: dict[str, str]) -> None:
    with started(entry(tmp_path, "pente", {**INCLUDING, **more})) as referee:
        assert referee.move()["move"] == {"v": 0, "h": 5}
