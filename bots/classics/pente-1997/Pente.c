/* A small entry to the Programmer's Challenge of November 1997: Pente.
 *
 * Looks one move ahead. Each empty point near a stone is worth what a stone of mine makes there
 * plus most of what a stone of my opponent's would make: lines of five points that are free of the
 * other's stones count more the more stones they have, captured pairs count more the more there
 * are. */
#include <Memory.h>
#include <Types.h>

#include "Pente.h"

#define kMaxSide 31
#define kBorder 5
#define kRowLen (kMaxSide + 2 * kBorder)
#define kCells (kRowLen * kRowLen)

enum { kEmpty, kMine, kYours, kEdge };

static const long kDelta[4] = {1, kRowLen, kRowLen + 1, kRowLen - 1};
/* the value of a line of five with so many of one's stones in it, the new one counted */
static const long kLineValue[6] = {0, 1, 12, 140, 2500, 1000000};
static const long kPairValue[6] = {0, 300, 500, 900, 4000, 1000000};

static Handle gBoard; /* kCells bytes */
static long gHalfSize;
static long gPairs[3];  /* captured by kMine and kYours */
static long gMoveCount; /* of mine */
static Boolean gIsFirst;

static long Index(long v, long h) { return (v + 15 + kBorder) * kRowLen + h + 15 + kBorder; }

void InitPente(long boardHalfSize) {
    long v, h, i;
    char *board;

    gHalfSize = boardHalfSize;
    gMoveCount = 0;
    gPairs[kMine] = gPairs[kYours] = 0;
    gBoard = NewHandle(kCells);
    if (gBoard == nil)
        DebugStr("\pno memory for the board");
    HLock(gBoard);
    board = *gBoard;
    for (i = 0; i < kCells; i++)
        board[i] = kEdge;
    for (v = -gHalfSize; v <= gHalfSize; v++)
        for (h = -gHalfSize; h <= gHalfSize; h++)
            board[Index(v, h)] = kEmpty;
}

/* Takes the pairs that a stone at this point brackets; tells how many, and which if asked. */
static long TakePairs(const char *board, long at, long who, long taken[][2]) {
    long other = kMine + kYours - who, count = 0, i, sign;

    for (i = 0; i < 4; i++)
        for (sign = -1; sign <= 1; sign += 2) {
            long d = sign * kDelta[i];
            if (board[at + d] == other && board[at + 2 * d] == other && board[at + 3 * d] == who) {
                if (taken != nil) {
                    taken[count][0] = at + d;
                    taken[count][1] = at + 2 * d;
                }
                count++;
            }
        }
    return count;
}

/* What a stone of this kind makes of the lines through a point, and of pairs. */
static long Value(const char *board, long at, long who) {
    long other = kMine + kYours - who, value = 0, i, first, k;

    for (i = 0; i < 4; i++)
        for (first = -4; first <= 0; first++) {
            long mine = 1;
            for (k = first; k < first + 5; k++) {
                long cell = board[at + k * kDelta[i]];
                if (cell == other || cell == kEdge)
                    break;
                mine += cell == who;
            }
            if (k == first + 5)
                value += kLineValue[mine];
        }
    k = TakePairs(board, at, who, nil);
    if (k > 0) {
        k += gPairs[who];
        value += kPairValue[k > 5 ? 5 : k];
    }
    /* do not step where one's own pair could be taken at once */
    for (i = 0; i < 4; i++) {
        long d = kDelta[i], a, b;
        for (first = -1; first <= 0; first++) { /* the pair is at first, first + 1 */
            a = board[at + (first - 1) * d];
            b = board[at + (first + 2) * d];
            if (board[at + (first == 0 ? d : -d)] == who &&
                ((a == other && b == kEmpty) || (a == kEmpty && b == other)))
                value -= 80;
        }
    }
    return value;
}

static Boolean IsNearStone(const char *board, long at) {
    long dv, dh;

    for (dv = -2; dv <= 2; dv++)
        for (dh = -2; dh <= 2; dh++) {
            char cell = board[at + dv * kRowLen + dh];
            if (cell == kMine || cell == kYours)
                return true;
        }
    return false;
}

static Boolean MakesFive(const char *board, long at) {
    long i, run, k;

    for (i = 0; i < 4; i++) {
        run = 1;
        for (k = 1; board[at + k * kDelta[i]] == kMine; k++)
            run++;
        for (k = 1; board[at - k * kDelta[i]] == kMine; k++)
            run++;
        if (run >= 5)
            return true;
    }
    return false;
}

static Boolean IsAllowed(long v, long h) {
    if (!gIsFirst || gMoveCount != 1)
        return true;
    return (v >= 3 || v <= -3) && (h >= 3 || h <= -3);
}

static Point Choose(const char *board) {
    Point best;
    long bestValue = -0x7FFFFFFF;
    short v, h;

    best.v = best.h = 0;
    for (v = -gHalfSize; v <= gHalfSize; v++)
        for (h = -gHalfSize; h <= gHalfSize; h++) {
            long at = Index(v, h), value;
            if (board[at] != kEmpty || !IsAllowed(v, h))
                continue;
            /* nearer to the centre is a little better; far from all stones is for want of more */
            value = -(v * v + h * h) / 16;
            if (IsNearStone(board, at))
                value += Value(board, at, kMine) + Value(board, at, kYours) * 4 / 5;
            else
                value -= 100000;
            if (value > bestValue) {
                bestValue = value;
                best.v = v;
                best.h = h;
            }
        }
    return best;
}

static Point PointOf(long index) {
    Point point;

    point.v = index / kRowLen - 15 - kBorder;
    point.h = index % kRowLen - 15 - kBorder;
    return point;
}

/* Puts a stone down and takes pairs away. */
static long Play(char *board, long at, long who, long taken[][2]) {
    long count = TakePairs(board, at, who, taken), i;

    board[at] = who;
    for (i = 0; i < count; i++)
        board[taken[i][0]] = board[taken[i][1]] = kEmpty;
    gPairs[who] += count;
    return count;
}

void Pente(Point opponentsMove, Boolean playingFirst, Point *yourMove, Capture claimCaptures[],
           long *numCaptures, Boolean *claimVictory) {
    char *board = *gBoard;
    long taken[8][2], count, i, at;

    if (gMoveCount == 0)
        gIsFirst = playingFirst;
    if (!playingFirst)
        Play(board, Index(opponentsMove.v, opponentsMove.h), kYours, taken);
    if (playingFirst && gMoveCount == 0)
        yourMove->v = yourMove->h = 0;
    else
        *yourMove = Choose(board);
    gMoveCount++;
    at = Index(yourMove->v, yourMove->h);
    count = Play(board, at, kMine, taken);
    for (i = 0; i < count; i++) {
        claimCaptures[i].stone1 = PointOf(taken[i][0]);
        claimCaptures[i].stone2 = PointOf(taken[i][1]);
    }
    *numCaptures = count;
    *claimVictory = MakesFive(board, at) || gPairs[kMine] >= 5;
}

void TermPente(void) {
    HUnlock(gBoard);
    DisposeHandle(gBoard);
}
