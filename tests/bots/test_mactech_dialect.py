"""The C and C++ of the 1990s: names, literals, headers and calls that entries use."""

from pathlib import Path

import pytest
from mactech_entries import entry, need_compiler, pente, started

from arena.bots.prepare import PreparedBot

OLD_CPP = """
#include <iostream.h>
#include <vector.h>
#include <algo.h>
#include <stdlib.h>
static vector<long> gMoves;
"""


MUNGED = """
    Handle h = NewHandle(6);
    BlockMove("abcabc", *h, 6);
    if (Munger(h, 1, "bc", 2, "XYZ", 3) != 4 || GetHandleSize(h) != 7) yourMove->h = 77;
    if (memcmp(*h, "aXYZabc", 7) != 0 || Munger(h, 4, "a", 1, NULL, 0) != 4) yourMove->h = 78;
    if (Munger(h, 0, "nothing", 7, "x", 1) >= 0 || Munger(h, 8, NULL, 0, "x", 1) >= 0)
        yourMove->h = 79;
    if (Munger(h, 1, NULL, 3, "", 0) != 1 || GetHandleSize(h) != 4) yourMove->h = 80;
    if (Munger(h, 4, NULL, 0, "!", 1) != 5 || memcmp(*h, "aabc!", 5) != 0) yourMove->h = 81;
"""
THREADED = """
    ThreadID one; void *result;
    if (NewThread(1, NULL, NULL, 0, 0, &result, &one) == noErr) yourMove->h = 77;
    if (YieldToAnyThread() != noErr || GetCurrentThread(&one) != noErr) yourMove->h = 78;
"""
WINDOWED = """
    Rect at = {40, 40, 90, 90};
    WindowPtr mine = NewCWindow(NULL, &at, (ConstStr255Param)"\\pBoard", TRUE, 0, NULL, FALSE, 0);
    if (mine == NULL || mine->portRect.right != 50) yourMove->h = 77;
    SetPort(mine); PaintRect(&at); DisposeWindow(mine); PaintRect(&at);
"""
SUMMED = """
    short i, taken = 0, next;
    for (next = gFour[i = 0]; i < 4; next = gFour[++i]) taken += next;
    for (i = 0; i < 9; i++) gSquare[0][i] = 1;
    for (i = 0; i < 9; i++) taken += gSquare[0][i];
    if (taken != 19) yourMove->h = 77;
"""
TEXTS = """
    Str255 a = "\\pab", b; char c[8];
    CopyCStringToPascal("cde", b); PLstrcat(a, b); CopyPascalStringToC(a, c);
    if (PLstrlen(a) != 5 || strcmp(c, "abcde") != 0) yourMove->h = 77;
    if (PLstrcpy(b, a)[5] != 'e' || C2PStr(c)[0] != 5) yourMove->h = 78;
    if (strcmp(P2CStr(b), "abcde") != 0) yourMove->h = 79;
"""
REGIONS = """
    Rect at = {40, 40, 90, 90}, seen; PenState pen; RgnHandle region = NewRgn(), clip = NewRgn();
    WindowPtr mine = NewWindow(NULL, &at, (ConstStr255Param)"\\p", TRUE, 0, NULL, FALSE, 0);
    SetPort(mine); GetClip(clip); RectRgn(region, &at); SetClip(region); SetClip(clip);
    if ((**mine->visRgn).rgnBBox.right != 50 || !EqualRect(GetRegionBounds(clip, &seen), &seen))
        yourMove->h = 77;
    if (EmptyRgn(region) || GetPortVisibleRegion(mine, region) != region) yourMove->h = 78;
    if ((**region).rgnBBox.bottom != 50) yourMove->h = 79;
    SetEmptyRgn(region);
    if (!EmptyRgn(region)) yourMove->h = 81;
    PenSize(3, 4); GetPenState(&pen); PenNormal(); SetPenState(&pen); PaintRgn(clip);
    if (mine->pnSize.h != 3) yourMove->h = 80;
    DisposeRgn(region); DisposeRgn(clip); DisposeWindow(mine);
"""
DATED = """
    DateTimeRec date;
    SecondsToDate(2082844800UL + 86399, &date); /* Thursday, 1 January 1970 */
    if (date.year != 1970 || date.month != 1 || date.day != 1 || date.dayOfWeek != 5)
        yourMove->h = 77;
    if (date.hour != 23 || date.minute != 59 || date.second != 59) yourMove->h = 78;
    GetTime(&date); TickCount();
    if (date.year < 2020) yourMove->h = 79;
"""
TIMED = """
    unsigned long now[2]; time_t same; struct tm *date;
    now[1] = 5; same = time(now); date = localtime(&same);
    if (now[1] != 5 || now[0] != same || sizeof(time_t) != 4) yourMove->h = 77;
    if (date->tm_year < 120 || gmtime(now)->tm_year < 120 || !strstr(ctime(now), " 20"))
        yourMove->h = 78;
"""
LOGGED = """
    FILE *log = fopen("/nowhere/log", "w");
    if (fprintf(log, "lost") != 4 || fclose(log) != 0) yourMove->h = 77;
    if (fopen("/nowhere/log", "r") != NULL) yourMove->h = 78;
"""
POWERPC = """
    if (__cntlzw(0) != 32 || __cntlzw(1) != 31 || __abs(-3) != 3 || __labs(-3) != 3)
        yourMove->h = 77;
    if (__mulhw(-65536, 65536) != -1 || __mulhwu(0x80000000, 6) != 3) yourMove->h = 78;
    if (__rlwinm(0x12345678, 8, 24, 31) != 0x12 || __rlwinm(1, 31, 31, 0) != 0x80000000)
        yourMove->h = 79;
"""


SNIPPETS = (
    "Boolean is = TRUE; if (is == FALSE || TRUE != 1) yourMove->h = 77;",
    "for (int i = 0; i < 1; i++) yourMove->h = (short)(i + 4);",
    "TextFont(geneva); TextFont(monaco); TextFont(systemFont); TextFont(applFont);",
    "TextFont(newYork); TextFont(helvetica); HideCursor(); ShowCursor();",
    "unsigned long x = 0xFFFFFFFF; if (x + 1L != 0 || sizeof(1L) != 4) yourMove->h = 77;",
    "long m = -1; if (m != 0xFFFFFFFFL || (1L << 31) >= 0) yourMove->h = 77;",
    "wide a = {0, 0xFFFFFFFF}, b = {0, 1}; if (WideAdd(&a, &b)->hi != 1) yourMove->h = 77;",
    "SInt32 a, b; PurgeSpace(&a, &b); if (a <= 0 || b > a) yourMove->h = 77;",
    "SInt32 known; if (Gestalt('sysv', &known) == noErr) yourMove->h = 77;",
    "QDGlobals all; GetQDGlobals(&all); if (all.randSeed != qd.randSeed) yourMove->h = 77;",
    THREADED,
    MUNGED,
    WINDOWED,
    "Point at; GetMouse(&at); LMSetRndSeed(7); if (LMGetRndSeed() != 7) yourMove->h = 77;",
    "long least = LONG_MIN, most = LONG_MAX; if (least >= 0 || most <= 0) yourMove->h = 77;",
    "if (ULONG_MAX != 0xFFFFFFFF || -LONG_MAX - 1 != LONG_MIN) yourMove->h = 77;",
    "if (X2Fix(1.5) != 0x18000 || Fix2X(0x18000) != 1.5) yourMove->h = 77;",
    "write = 3; if (connect(4) + send(write) != 10 || Least(3, 4) != 3) yourMove->h = 77;",
    "strcpy(gPiece.name, \"longer than 8\"); if (gPiece.rest[0] != 'h') yourMove->h = 77;",
    DATED,
    TIMED,
    SUMMED,
    TEXTS,
    REGIONS,
    LOGGED,
    POWERPC,
)
NAMES = """
#if !__option(ansi_strict)
#include <limits.h>
#endif
#include <string.h>
#include <time.h>
#include <DateTimeUtils.h>
#include <MacHeaders>
#include <Threads.h>
#include "Least.h"
long write, clock_gettime; /* names of functions that the host and a stand-in call */
long connect(long a) { return a; }
static getline(char *line, int limit) { return *line = 0; } /* as Kernighan and Ritchie have it */
extern long send();
static short gFour[4] = {1, 2, 3, 4}, gSquare[3][3];
static struct { char name[8]; char rest[8]; } gPiece;
"""
HEADER = "inline long Least(long a, long b) { return a < b ? a : b; }\n"
OTHER = """#include "Least.h"
long send(long a) { return Least(2 * a, 100); }
void main(void) { SIOUXSettings.asktosaveonclose = 0; InitWindows(); DrawMenuBar(); }
"""


@pytest.fixture(scope="module")
def speaker(tmp_path_factory: pytest.TempPathFactory) -> PreparedBot:
    """An entry with all snippets; the row of the opponent's move names the one that runs."""
    cases = "".join(f"case {place}: {{ {more} }} break;\n" for place, more in enumerate(SNIPPETS))
    source = NAMES + pente(f"switch (opponentsMove.v) {{ {cases} }}")
    sources = {"Entry.c": source, "Least.h": HEADER, "Other.c": OTHER}
    return entry(tmp_path_factory.mktemp("speaker"), "pente", sources)


@pytest.mark.parametrize("more", SNIPPETS)
def test_the_dialect_and_the_calls_of_entries_are_known(speaker: PreparedBot, more: str) -> None:
    with started(speaker) as referee:
        told = {"seat": 1, "move": {"v": SNIPPETS.index(more), "h": 0}}
        move = referee.move(ply=1, opponent_moves=[told])["move"]
        referee.term()
        _, _, said = referee.end()

    assert f"told {SNIPPETS.index(more)} 0\n" in said
    assert move["v"] == 0
    assert move["h"] in (0, 4)


@pytest.mark.parametrize("name", ["Entry.c", "Entry.cpp"])
@pytest.mark.parametrize("header", ["#include <stdlib.h>\n", ""])
def test_rand_has_15_bits(tmp_path: Path, name: str, header: str) -> None:
    need_compiler("g++" if name.endswith("cpp") else "cc")
    if name.endswith("cpp"):
        header += "struct Capture { Point stone1, stone2; };\n#include <cstdlib>\n"
    limit = "RAND_MAX" if header else "32767"
    more = (
        f"if ({limit} != 32767) yourMove->h = 99;"
        "for (long i = 0; i < 1000; i++) if (rand() > 32767 || rand() < 0) yourMove->h = 77;"
        "yourMove->v = (short)((long)rand() * 9 / 32768 + 1);"
    )
    source = header + pente(more)
    if name.endswith("cpp"):
        source = source.replace('#include "Pente.h"', "")

    with started(entry(tmp_path, "pente", {name: source})) as referee:
        move = referee.move()["move"]

    assert move["h"] == 0
    assert 1 <= move["v"] <= 9


def test_old_headers_of_c_plus_plus_are_found(tmp_path: Path) -> None:
    need_compiler("g++")
    capture = "struct Capture { Point stone1, stone2; };"
    more = "gMoves.push_back(3); yourMove->h = (short)max(gMoves[0], 2L);"
    source = OLD_CPP + pente(more).replace('#include "Pente.h"', capture)

    with started(entry(tmp_path, "pente", {"Entry.cpp": source})) as referee:
        assert referee.move()["move"] == {"v": 0, "h": 3}


def test_a_header_of_streams_leaves_the_entry_its_own_names(tmp_path: Path) -> None:
    need_compiler("g++")
    own = "template <class T> T max(T a, T b) { return a > b ? a : b; }\nstatic long count;\n"
    source = "#include <iostream.h>\nstruct Capture { Point stone1, stone2; };\n" + own
    more = "count = max(2L, 5L); cerr << hex << count << endl; yourMove->h = count;"
    source += pente(more).replace('#include "Pente.h"', "")

    with started(entry(tmp_path, "pente", {"Entry.cpp": source})) as referee:
        assert referee.move()["move"] == {"v": 0, "h": 5}
