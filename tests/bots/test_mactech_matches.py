"""Old entries in whole matches: the shipped ones, and some that misbehave."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mactech_entries import CLASSICS, entry, pente, play, shipped

from arena.bots.prepare import PreparedBot
from protocol.vocabulary import Termination
from referee.service.slot import Slot

Shipped = Callable[[str], PreparedBot]


@pytest.fixture(scope="module")
def slot() -> Iterator[Slot]:
    slot = Slot(None)
    yield slot
    slot.close()


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Shipped:
    folder = tmp_path_factory.mktemp("ours")
    return lambda name: shipped(name, folder)


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("pente", {"half_size": 9}),
        ("pente", {"half_size": 15, "second_stone": "both"}),
        ("pente", {"half_size": 10, "second_stone": "free", "fours": "windows"}),
        ("matchsticks", {"objectives": "normal"}),
        ("matchsticks", {"objectives": "misere"}),
        ("matchsticks", {"dimension": 1, "hole_fraction": 0, "anonymous": True}),
        ("matchsticks", {"dimension": 20, "objectives": "misere"}),
        ("chinese_checkers", {"game_size": 3}),
        ("chinese_checkers", {"game_size": 4, "positions": (1, 4), "neutral_end": "allow"}),
        ("chinese_checkers", {"game_size": 63, "max_rounds": 3}),
        ("down_n_out", {}),
        ("down_n_out", {"display": "check"}),
        ("down_n_out", {"display": "check", "rows": 7, "cols": 100, "colors": 9}),
        ("down_n_out", {"display": "check", "rows": 40, "cols": 5, "colors": 2}),
    ],
)
def test_the_classics_play_every_variant_and_claim_rightly(
    ours: Shipped, slot: Slot, game: str, options: dict[str, Any]
) -> None:
    classic = ours(CLASSICS[game])
    rivals = [] if game == "down_n_out" else [ours("random")]
    for bots in ([classic, *rivals], [*rivals, classic]) if rivals else ([classic],):
        verdict = play(bots, game, slot, options=options).verdict

        assert verdict.termination is Termination.NORMAL, verdict.reason


def test_the_largest_matchsticks_are_played(ours: Shipped, slot: Slot) -> None:
    bots = [ours(CLASSICS["matchsticks"])] * 2

    verdict = play(bots, "matchsticks", slot, options={"dimension": 64}).verdict

    assert verdict.termination is Termination.NORMAL


@pytest.mark.parametrize("seats", range(2, 7))
def test_chinese_checkers_is_played_by_two_to_six(ours: Shipped, slot: Slot, seats: int) -> None:
    bots = [ours(CLASSICS["chinese_checkers"])] * seats

    verdict = play(bots, "chinese_checkers", slot, options={"max_rounds": 300}).verdict

    assert verdict.termination is Termination.NORMAL
    assert "round limit" not in verdict.reason


def test_keeping_a_colour_earns_more_than_the_floor(ours: Shipped, slot: Slot) -> None:
    bots = [ours(CLASSICS["down_n_out"])]

    verdicts = [play(bots, "down_n_out", slot, board_seed=seed).verdict for seed in range(10)]

    assert sum(verdict.points[0] for verdict in verdicts) > 10 * 4432


FAULTS = {
    9: ("*(volatile long *)8 = 0;", Termination.CRASH, "SIGSEGV"),
    10: ("ExitToShell();", Termination.CRASH, "exit code 1"),
    11: ("yourMove->h = 1;", Termination.ILLEGAL_MOVE, "(0, 1)"),
    12: ("yourMove->v = 32767;", Termination.ILLEGAL_MOVE, "(32767, 0)"),
    13: ("*claimVictory = true;", Termination.FALSE_CLAIM, "victory"),
    14: ("claimCaptures[0].stone2.v = 1; *numCaptures = 1;", Termination.FALSE_CLAIM, "captures"),
    15: ("*numCaptures = -1;", Termination.FALSE_CLAIM, "captures is missing"),
}
"""Error of an entry, by the half size of its board."""


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> PreparedBot:
    cases = "".join(f"case {half}: {code} break;\n" for half, (code, _, _) in FAULTS.items())
    source = pente(f"switch (gHalf) {{ {cases} }}").replace("gNext;", "gNext, gHalf;")
    source = source.replace("gNext = 0;", "gNext = 0; gHalf = boardHalfSize;")
    return entry(tmp_path_factory.mktemp("faulty"), "pente", {"Entry.c": source})


@pytest.mark.parametrize("half_size", FAULTS)
def test_an_error_of_an_entry_is_its_own_fault(
    faulty: PreparedBot, ours: Shipped, slot: Slot, half_size: int
) -> None:
    _, termination, says = FAULTS[half_size]
    options = {"half_size": half_size}

    verdict = play([faulty, ours("random")], "pente", slot, options=options).verdict

    assert (verdict.termination, verdict.offenders) == (termination, (0,))
    assert says in verdict.reason


DRAWN = """
#include "DownNOut.h"
static CellColor gBoard[10000];
static short gRows, gCols, gMoves;
static WindowPtr gWindow;
static GWorldPtr gWorld;
static void Draw(void)
{
    short r, c;
    Rect box;
    RGBColor colors[4] = {{0xFFFF, 0xFFFF, 0xFFFF}, {0xFFFF, 0, 0}, {0, 0xFFFF, 0}, {0, 0, 0xFFFF}};
    SetPort(gWindow);
    for (r = 0; r < gRows; r++)
        for (c = 0; c < gCols; c++) {
            CellColor cell = gBoard[r * gCols + c];
            SetRect(&box, 30 + c * 16, 50 + r * 18, 30 + c * 16 + 14, 50 + r * 18 + 15);
            DRAW
        }
    MORE
}
void InitDownNOut(short rows, short cols, short colors, const CellColor board[], WindowPtr window)
{
    gRows = rows; gCols = cols; gWindow = window; gMoves = 0;
    BlockMoveData(board, gBoard, rows * cols);
    Draw();
}
void HandleUpdateEvent(EventRecord theEvent)
{
    BeginUpdate((WindowPtr)theEvent.message);
    Draw();
    EndUpdate((WindowPtr)theEvent.message);
}
static short Take(CellColor *board, short r, short c, CellColor color)
{
    if (r < 0 || c < 0 || r >= gRows || c >= gCols || board[r * gCols + c] != color) return 0;
    board[r * gCols + c] = 0;
    return 1 + Take(board, r - 1, c, color) + Take(board, r + 1, c, color) +
           Take(board, r, c - 1, color) + Take(board, r, c + 1, color);
}
static void Column(CellColor *board, short from, short to)
{
    short r;
    for (r = 0; r < gRows && from != to; r++) {
        board[r * gCols + to] = board[r * gCols + from];
        board[r * gCols + from] = 0;
    }
}
Boolean PlayOneDownNOutMove(CellColor board[], long score, short *moveRow, short *moveCol,
                            long *numberOfCellsRemoved)
{
    short r, c, to;
    for (r = 0; r < gRows; r++)
        for (c = 0; c < gCols; c++) {
            CellColor color = board[r * gCols + c];
            if (color && ((c + 1 < gCols && board[r * gCols + c + 1] == color) ||
                          (r + 1 < gRows && board[(r + 1) * gCols + c] == color)))
                goto found;
        }
    return false;
found:
    *moveRow = r; *moveCol = c;
    *numberOfCellsRemoved = Take(board, r, c, board[r * gCols + c]);
    for (c = 0; c < gCols; c++)
        for (r = to = gRows - 1; r >= 0; r--)
            if (board[r * gCols + c]) {
                CellColor color = board[r * gCols + c];
                board[r * gCols + c] = 0;
                board[to-- * gCols + c] = color;
            }
    for (c = to = gCols / 2 - 1; c >= 0; c--)
        if (board[(gRows - 1) * gCols + c]) Column(board, c, to--);
    for (c = to = gCols / 2; c < gCols; c++)
        if (board[(gRows - 1) * gCols + c]) Column(board, c, to++);
    if (gMoves++ < STOPS) BlockMoveData(board, gBoard, gRows * gCols);
    Draw();
    return true;
}
void TermDownNOut(void) {}
"""
PLAIN = "RGBForeColor(&colors[cell]); PaintRect(&box);"
WAYS = {
    "rectangles": (PLAIN, ""),
    "rectangles in a frame, with the score": (
        "RGBForeColor(&colors[cell]); PaintRect(&box); if (!cell) EraseRect(&box);",
        """
            ForeColor(blackColor); SetRect(&box, 20, 40, 520, 240); FrameRect(&box);
            MoveTo(40, 20); DrawString("\\pScore"); MoveTo(300, 400); LineTo(310, 470);
        """,
    ),
    "ovals on grey": (
        """
            ForeColor(blackColor); FillRect(&box, &qd.gray);
            if (cell) { RGBForeColor(&colors[cell]); PaintOval(&box); }
        """,
        "",
    ),
    "letters": ("if (cell) { MoveTo(box.left + 2, box.bottom - 2); DrawChar('@' + cell); }", ""),
    "patterns": (
        """
            if (cell == 0) EraseRect(&box);
            else FillRect(&box, cell == 1 ? &qd.black : cell == 2 ? &qd.gray : &qd.ltGray);
        """,
        "",
    ),
    "frames": ("if (cell) { RGBForeColor(&colors[cell]); FrameRect(&box); }", ""),
    "an offscreen world": (
        """
            if (gWorld == nil) NewGWorld(&gWorld, 8, &gWindow->portRect, nil, nil, 0);
            SetGWorld(gWorld, nil); RGBForeColor(&colors[cell]); PaintRect(&box);
        """,
        """
            SetGWorld(gWindow, nil);
            CopyBits(&((GrafPtr)gWorld)->portBits, &((GrafPtr)gWindow)->portBits,
                     &gWorld->portRect, &gWindow->portRect, srcCopy, nil);
        """,
    ),
}
CHECKED = {"display": "check"}


def drawing(folder: Path, draw: str, more: str = "", stops: str = "9999") -> PreparedBot:
    source = DRAWN.replace("STOPS", stops).replace("DRAW\n", draw + "\n").replace("MORE", more)
    return entry(folder, "down_n_out", {"Entry.c": source})


@pytest.fixture(scope="module")
def artist(tmp_path_factory: pytest.TempPathFactory) -> PreparedBot:
    """Build an entry that draws boards of 5 rows in the first of the ways, of 6 in the next."""
    draw, more = (
        "".join(
            f"if (gRows == {rows}) {{ {way[part]} }}" for rows, way in enumerate(WAYS.values(), 5)
        )
        for part in (0, 1)
    )
    return drawing(tmp_path_factory.mktemp("artist"), draw, more)


@pytest.mark.parametrize("way", WAYS)
def test_a_board_is_seen_however_it_is_drawn(artist: PreparedBot, slot: Slot, way: str) -> None:
    rows = 5 + list(WAYS).index(way)

    record = play([artist], "down_n_out", slot, options={**CHECKED, "rows": rows})

    assert record.verdict.termination is Termination.NORMAL
    assert sum(call.call == "display" for call in record.calls) > 1
    assert "cannot be read" not in record.seats[0].output_tail


def test_a_board_that_is_not_drawn_anew_is_a_false_picture(tmp_path: Path, slot: Slot) -> None:
    bot = drawing(tmp_path, *WAYS["rectangles"], stops="1")

    verdict = play([bot], "down_n_out", slot, options=CHECKED).verdict

    assert (verdict.termination, verdict.offenders) == (Termination.FALSE_CLAIM, (0,))


def test_two_colours_that_look_alike_are_no_display(tmp_path: Path, slot: Slot) -> None:
    bot = drawing(
        tmp_path, "RGBForeColor(&colors[cell == 3 && gMoves ? 1 : cell]); PaintRect(&box);"
    )

    verdict = play([bot], "down_n_out", slot, options=CHECKED).verdict

    assert (verdict.termination, verdict.offenders) == (Termination.FALSE_CLAIM, (0,))


def test_an_unreadable_window_is_not_a_fault(tmp_path: Path, slot: Slot) -> None:
    record = play([drawing(tmp_path, "")], "down_n_out", slot, options=CHECKED)

    assert record.verdict.termination is Termination.NORMAL
    assert record.seats[0].output_tail.count("the window cannot be read") == 1
