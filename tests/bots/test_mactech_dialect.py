"""The C and C++ of the 1990s: names, literals, headers and calls that entries use."""

from pathlib import Path

import pytest
from mactech_entries import entry, need_compiler, pente, started

from arena.bots.build import PreparedBot

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
)


@pytest.fixture(scope="module")
def speaker(tmp_path_factory: pytest.TempPathFactory) -> PreparedBot:
    """An entry with all snippets; the row of the opponent's move names the one that runs."""
    cases = "".join(f"case {place}: {{ {more} }} break;\n" for place, more in enumerate(SNIPPETS))
    source = "#include <string.h>\n#include <Threads.h>\n"
    source += pente(f"switch (opponentsMove.v) {{ {cases} }}")
    return entry(tmp_path_factory.mktemp("speaker"), "pente", {"Entry.c": source})


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
