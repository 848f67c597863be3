/* A small entry to the Programmer's Challenge of July 2001: Down-N-Out.
 *
 * A group of s cells earns s * s, so one big group is worth more than all others: the commonest
 * colour is left to grow together while the groups of the others are taken, the lowest and smallest
 * first, and goes when nothing else is left. */
#include <Events.h>
#include <Memory.h>
#include <Quickdraw.h>
#include <Windows.h>

#include "DownNOut.h"

static short gRows, gCols, gColors;
static CellColor *gBoard; /* as it is shown */
static char *gSeen;
static short *gStack;
static CellColor gKept; /* the colour that is left for last */
static WindowPtr gWindow;

static const RGBColor kColors[] = {
    {0xFFFF, 0xFFFF, 0xFFFF}, {0xDDDD, 0x0000, 0x0000}, {0x0000, 0x9999, 0x0000},
    {0x0000, 0x0000, 0xDDDD}, {0xFFFF, 0xCCCC, 0x0000}, {0x9999, 0x0000, 0x9999},
    {0x0000, 0x9999, 0x9999}, {0xFFFF, 0x6666, 0x0000}, {0x6666, 0x3333, 0x0000},
    {0x6666, 0x6666, 0x6666},
};

static void DrawCell(short row, short col, short side) {
    Rect cell;

    SetRect(&cell, col * side, row * side, (col + 1) * side - 1, (row + 1) * side - 1);
    RGBForeColor(&kColors[gBoard[row * gCols + col]]);
    PaintRect(&cell);
}

static void DrawBoard(void) {
    GrafPtr savedPort;
    short row, col, side;
    const Rect *room = &gWindow->portRect;

    GetPort(&savedPort);
    SetPort(gWindow);
    side = (room->right - room->left) / gCols;
    if (side > (room->bottom - room->top) / gRows)
        side = (room->bottom - room->top) / gRows;
    for (row = 0; row < gRows; row++)
        for (col = 0; col < gCols; col++)
            DrawCell(row, col, side);
    ForeColor(blackColor);
    SetPort(savedPort);
}

static CellColor CommonestColor(const CellColor *board) {
    long count[128], i, best = 1;

    for (i = 0; i < 128; i++)
        count[i] = 0;
    for (i = 0; i < (long)gRows * gCols; i++)
        count[board[i]]++;
    for (i = 2; i <= gColors; i++)
        if (count[i] > count[best])
            best = i;
    return best;
}

void InitDownNOut(short boardSizeRows, short boardSizeCols, short numColors,
                  const CellColor board[], WindowPtr gameWindow) {
    long cells = (long)boardSizeRows * boardSizeCols;

    gRows = boardSizeRows;
    gCols = boardSizeCols;
    gColors = numColors;
    gWindow = gameWindow;
    gBoard = (CellColor *)NewPtr(cells);
    gSeen = NewPtr(cells);
    gStack = (short *)NewPtr(cells * sizeof(short));
    BlockMove(board, gBoard, cells);
    gKept = CommonestColor(board);
    DrawBoard();
}

void HandleUpdateEvent(EventRecord theEvent) {
    if (theEvent.what != updateEvt)
        return;
    BeginUpdate((WindowPtr)theEvent.message);
    DrawBoard();
    EndUpdate((WindowPtr)theEvent.message);
}

/* Marks the group of a cell as seen, and empties it if asked; tells how many cells it has. */
static long TakeGroup(CellColor *board, short start, Boolean empties) {
    CellColor color = board[start];
    long size = 0, count = 1;

    gStack[0] = start;
    gSeen[start] = true;
    while (count > 0) {
        short cell = gStack[--count], col = cell % gCols, i;
        short beside[4];
        beside[0] = col > 0 ? cell - 1 : -1;
        beside[1] = col < gCols - 1 ? cell + 1 : -1;
        beside[2] = cell - gCols;
        beside[3] = cell + gCols;
        size++;
        for (i = 0; i < 4; i++) {
            short other = beside[i];
            if (other >= 0 && other < gRows * gCols && !gSeen[other] && board[other] == color) {
                gSeen[other] = true;
                gStack[count++] = other;
            }
        }
        if (empties)
            board[cell] = 0;
    }
    return size;
}

static void MoveColumn(CellColor *board, short from, short to) {
    short row;

    if (from != to)
        for (row = 0; row < gRows; row++) {
            board[row * gCols + to] = board[row * gCols + from];
            board[row * gCols + from] = 0;
        }
}

/* Lets cells fall, then closes empty columns towards the line in the middle. */
static void Compact(CellColor *board) {
    short row, col, to, middle = gCols / 2;

    for (col = 0; col < gCols; col++)
        for (row = to = gRows - 1; row >= 0; row--) {
            CellColor color = board[row * gCols + col];
            if (color != 0) {
                board[row * gCols + col] = 0;
                board[to-- * gCols + col] = color;
            }
        }
    for (col = to = middle - 1; col >= 0; col--)
        if (board[(gRows - 1) * gCols + col] != 0)
            MoveColumn(board, col, to--);
    for (col = to = middle; col < gCols; col++)
        if (board[(gRows - 1) * gCols + col] != 0)
            MoveColumn(board, col, to++);
}

Boolean PlayOneDownNOutMove(CellColor board[], long score, short *moveRow, short *moveCol,
                            long *numberOfCellsRemoved) {
#pragma unused(score)
    short cell, best = -1;
    long bestValue = 0x7FFFFFFF;

    for (cell = 0; cell < gRows * gCols; cell++)
        gSeen[cell] = false;
    for (cell = gRows * gCols - 1; cell >= 0; cell--) {
        long size, value;
        if (board[cell] == 0 || gSeen[cell])
            continue;
        size = TakeGroup(board, cell, false);
        value = size + (board[cell] == gKept ? 100000L : 0);
        if (size >= 2 && value < bestValue) {
            bestValue = value;
            best = cell;
        }
    }
    if (best < 0)
        return false;
    for (cell = 0; cell < gRows * gCols; cell++)
        gSeen[cell] = false;
    *moveRow = best / gCols;
    *moveCol = best % gCols;
    *numberOfCellsRemoved = TakeGroup(board, best, true);
    Compact(board);
    BlockMove(board, gBoard, (long)gRows * gCols);
    DrawBoard();
    return true;
}

void TermDownNOut(void) {
    DisposePtr(gBoard);
    DisposePtr(gSeen);
    DisposePtr((Ptr)gStack);
}
