/* A small entry to the Programmer's Challenge of June 2002: Matchsticks.
 *
 * Among many sticks it takes the longest run that there is. With few left it looks at all
 * continuations, within a number of positions that keeps it quick. */
#include <Carbon.h>

#include <stdlib.h>
#include <string.h>

#include "Matchsticks.h"

#define kMaxSticks 14    /* from here on the game is looked through */
#define kMaxLooks 60000L /* positions looked at for one move */

typedef struct Run {
    bool row;
    short line, start, end;
} Run;

static short gSize;
static char *gBoard;
static bool gLastLoses;
static long gLooks;

void InitMatchsticks(short dimension, const char *board, bool playFirst, bool lastMatchstickLoses,
                     short opponent) {
#pragma unused(playFirst, opponent)
    gSize = dimension;
    gLastLoses = lastMatchstickLoses;
    gBoard = (char *)NewPtrClear((Size)dimension * dimension);
    BlockMoveData(board, gBoard, (Size)dimension * dimension);
}

static char *Cell(bool row, short line, short place) {
    return row ? gBoard + line * gSize + place : gBoard + place * gSize + line;
}

static void Put(const Run *move, char value) {
    short i;

    for (i = move->start; i <= move->end; i++)
        *Cell(move->row, move->line, i) = value;
}

static long CountSticks(void) {
    long count = 0, i;

    for (i = 0; i < (long)gSize * gSize; i++)
        count += gBoard[i];
    return count;
}

/* Goes to the next move; a move whose line is -1 goes to the first. False when there is none. */
static bool Next(Run *move) {
    if (move->line >= 0) {
        if (move->end + 1 < gSize && *Cell(move->row, move->line, move->end + 1)) {
            move->end++;
            return true;
        }
        move->start++;
    } else {
        move->row = true;
        move->line = move->start = 0;
    }
    for (;;) {
        for (; move->start < gSize; move->start++)
            if (*Cell(move->row, move->line, move->start)) {
                move->end = move->start;
                return true;
            }
        move->start = 0;
        if (++move->line == gSize) {
            if (!move->row)
                return false;
            move->row = false;
            move->line = 0;
        }
    }
}

/* Whether the player to move wins. Without more looks to spend the answer is no. */
static bool Wins(long sticks) {
    Run move;
    bool wins = false;

    if (sticks == 0)
        return gLastLoses;
    if (++gLooks > kMaxLooks)
        return false;
    move.line = -1;
    while (!wins && Next(&move)) {
        long count = move.end - move.start + 1;
        Put(&move, 0);
        wins = !Wins(sticks - count);
        Put(&move, 1);
    }
    return wins;
}

/* The longest run without a gap. */
static Run FindLongest(void) {
    Run run, best;
    short row;

    best.line = -1;
    for (row = 0; row < 2; row++)
        for (run.line = 0; run.line < gSize; run.line++) {
            run.row = row != 0;
            run.start = 0;
            for (run.end = 0; run.end < gSize; run.end++)
                if (!*Cell(run.row, run.line, run.end))
                    run.start = run.end + 1;
                else if (best.line < 0 || run.end - run.start > best.end - best.start)
                    best = run;
        }
    return best;
}

static Run Choose(void) {
    Run run, longest = FindLongest(), shortest = longest;
    long sticks = CountSticks(), longestCount = longest.end - longest.start + 1;

    if (sticks - longestCount > kMaxSticks)
        return longest;
    gLooks = 0;
    run.line = -1;
    while (Next(&run)) {
        long count = run.end - run.start + 1;
        bool isGood = false;
        if (sticks - count <= kMaxSticks) {
            Put(&run, 0);
            isGood = !Wins(sticks - count) && gLooks <= kMaxLooks;
            Put(&run, 1);
        }
        if (isGood)
            return run;
        if (count < shortest.end - shortest.start + 1)
            shortest = run;
    }
    return sticks > kMaxSticks ? longest : shortest; /* what loses is best put off */
}

void OpponentMove(bool playingRow, short rowOrColumnNumber, short startingColOrRow,
                  short endingColOrRow, const char *board) {
#pragma unused(playingRow, rowOrColumnNumber, startingColOrRow, endingColOrRow)
    BlockMoveData(board, gBoard, (Size)gSize * gSize);
}

const char *YourMove(bool *playingRow, short *rowOrColumnNumber, short *startingColOrRow,
                     short *endingColOrRow) {
    Run move = Choose();

    Put(&move, 0);
    *playingRow = move.row;
    *rowOrColumnNumber = move.line;
    *startingColOrRow = move.start;
    *endingColOrRow = move.end;
    return gBoard;
}

void TermMatchsticks() { DisposePtr(gBoard); }
