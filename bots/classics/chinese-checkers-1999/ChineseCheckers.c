/* A small entry to the Programmer's Challenge of February 1999: Chinese Checkers.
 *
 * The target is the deepest free point of the goal. Plays the move that brings a man most nearer to
 * it; of two that gain the same, the one of the man that is farthest behind. Men that are as deep
 * in the goal as the target stay where they are. */
#include <Memory.h>
#include <Quickdraw.h>
#include <Types.h>

#include "ChineseCheckers.h"

#define kMaxSize 64
#define kBorder 2 /* so that a jump may be tried anywhere */
#define kRows (4 * kMaxSize + 1 + 2 * kBorder)
#define kCols (4 * kMaxSize + 1 + 2 * kBorder)
#define kCells ((long)kRows * kCols)

enum { kOff, kEmpty, kMan };
enum { kHexagon = 6 }; /* the zone of a point in no triangle */

static const long kStep[6] = {1, -1, kCols, -kCols, kCols - 1, -kCols + 1};

static char *gBoard; /* what is there */
static char *gZone;  /* which triangle it is in */
static long *gMark;  /* the man whose jumps were there last */
static long gLastMark;
static long *gMen;   /* where mine are */
static long *gQueue; /* the ends of jumps still to be followed */
static long gCount, gSize, gHome, gGoal, gTip;

/* A cell is row and diagonal: columns are shifted by half a point from row to row, diagonals are
 * not, so that the six neighbours are the same everywhere. */
static long CellAt(long row, long col) {
    long diagonal = col - (row + 1) / 2;

    return (row + kBorder) * kCols + diagonal + 3 * kMaxSize + kBorder;
}

static long RowOf(long cell) { return cell / kCols - kBorder; }

static Position PositionOf(long cell) {
    Position position;

    position.row = RowOf(cell);
    position.col = cell % kCols - 3 * kMaxSize - kBorder + (position.row + 1) / 2;
    return position;
}

static long Distance(long a, long b) {
    long rows = b / kCols - a / kCols, diagonals = b % kCols - a % kCols;
    long down = rows < 0 ? -rows : rows, along = diagonals < 0 ? -diagonals : diagonals;

    if ((rows < 0) == (diagonals < 0))
        return down + along;
    return down > along ? down : along;
}

static long RowWidth(long row) {
    if (row < gSize || (row >= 2 * gSize && row <= 3 * gSize))
        return row + 1;
    return 4 * gSize - row + 1;
}

/* The triangle, clockwise from the top, that a point is in. */
static long ZoneOf(long row, long col) {
    long twice = 2 * col - (row & 1); /* the way from the middle of the row */
    long inner = row <= 2 * gSize ? row : 4 * gSize - row;

    if (row < gSize)
        return 0;
    if (row > 3 * gSize)
        return 3;
    if (twice > inner)
        return row < 2 * gSize ? 1 : 2;
    if (twice < -inner)
        return row < 2 * gSize ? 5 : 4;
    return kHexagon;
}

/* The point of the goal that is farthest from home. */
static long TipOf(long goal) {
    static const long kTipRow[6] = {0, 1, 3, 4, 3, 1};
    long row = kTipRow[goal] * gSize, width = RowWidth(row);
    long first = row & 1 ? -(width / 2) + 1 : -((width - 1) / 2);

    return CellAt(row, goal == 4 || goal == 5 ? first : first + width - 1);
}

void InitChineseCheckers(long numPlayers, long gameSize, long playerPosition[6], long yourIndex) {
    long row, col, width, first, i;

    gSize = gameSize;
    gHome = playerPosition[yourIndex];
    gGoal = (gHome + 3) % 6;
    gBoard = NewPtrClear(kCells);
    gZone = NewPtrClear(kCells);
    gMark = (long *)NewPtrClear(kCells * sizeof(long));
    gQueue = (long *)NewPtr(kCells * sizeof(long));
    gMen = (long *)NewPtr(gSize * (gSize + 1) / 2 * sizeof(long));
    if (gBoard == nil || gZone == nil || gMark == nil || gQueue == nil || gMen == nil)
        DebugStr("\pno memory for the board");
    gLastMark = gCount = 0;
    gTip = TipOf(gGoal);
    for (row = 0; row <= 4 * gSize; row++) {
        width = RowWidth(row);
        first = row & 1 ? -(width / 2) + 1 : -((width - 1) / 2);
        for (col = first; col < first + width; col++) {
            long cell = CellAt(row, col), zone = ZoneOf(row, col);
            gBoard[cell] = kEmpty;
            gZone[cell] = zone;
            for (i = 0; i < numPlayers; i++)
                if (playerPosition[i] == zone)
                    gBoard[cell] = kMan;
            if (zone == gHome)
                gMen[gCount++] = cell;
        }
    }
}

static void MoveMan(long from, long to) {
    gBoard[from] = kEmpty;
    gBoard[to] = kMan;
}

/* The free point of the goal that is nearest to its tip. */
static long FindTarget(void) {
    long cell, best = gTip, nearest = 0x7FFFFFFF;

    for (cell = 0; cell < kCells; cell++)
        if (gBoard[cell] == kEmpty && gZone[cell] == gGoal && Distance(cell, gTip) < nearest) {
            nearest = Distance(cell, gTip);
            best = cell;
        }
    return best;
}

/* Where a man can go: steps first, then the ends of chains of jumps. Returns how many; they are in
 * gQueue from the second on, and not all of them are points where a move may end. */
static long FindEnds(long from) {
    long ends = 1, next, i;

    gLastMark++;
    gQueue[0] = from;
    gMark[from] = gLastMark;
    for (next = 0; next < ends; next++)
        for (i = 0; i < 6; i++) {
            long over = gQueue[next] + kStep[i], to = over + kStep[i];
            if (gBoard[over] == kMan && gBoard[to] == kEmpty && gMark[to] != gLastMark) {
                gMark[to] = gLastMark;
                gQueue[ends++] = to;
            }
        }
    for (i = 0; i < 6; i++)
        if (gBoard[from + kStep[i]] == kEmpty)
            gQueue[ends++] = from + kStep[i];
    return ends;
}

static Boolean MayEnd(long cell) {
    long zone = gZone[cell];

    return zone == kHexagon || zone == gHome || zone == gGoal;
}

void YourMove(Position *from, Position *to) {
    long target = FindTarget(), depth = Distance(target, gTip), bestValue = -0x7FFFFFFF;
    long best = 0, bestEnd = gMen[0], man, end;

    for (man = 0; man < gCount; man++) {
        long cell = gMen[man], behind = Distance(cell, target), ends = FindEnds(cell);
        Boolean isHome = gZone[cell] == gGoal && Distance(cell, gTip) <= depth;
        for (end = 1; end < ends; end++) {
            long value;
            if (!MayEnd(gQueue[end]))
                continue;
            value = (behind - Distance(gQueue[end], target)) * 1024 + behind * 4;
            if (isHome)
                value -= 100000L;
            else if (gZone[cell] == gGoal && gZone[gQueue[end]] != gGoal)
                value -= 10000;
            value += Random() & 3; /* so that nobody goes round in circles */
            if (value > bestValue) {
                bestValue = value;
                best = man;
                bestEnd = gQueue[end];
            }
        }
    }
    *from = PositionOf(gMen[best]);
    *to = PositionOf(bestEnd);
    if (bestEnd != gMen[best])
        MoveMan(gMen[best], bestEnd);
    gMen[best] = bestEnd;
}

void OpponentMove(long opponent, Position from, Position to) {
#pragma unused(opponent)
    if (from.row != to.row || from.col != to.col)
        MoveMan(CellAt(from.row, from.col), CellAt(to.row, to.col));
}

void TermChineseCheckers(void) {
    DisposePtr(gBoard);
    DisposePtr(gZone);
    DisposePtr((Ptr)gMark);
    DisposePtr((Ptr)gQueue);
    DisposePtr((Ptr)gMen);
}
