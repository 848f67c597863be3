#include "five.h"

#include <string.h>

enum { FIVE = 5 };

/* Values of one more stone in a row of five points, by its number of stones of one color.
   The row has no stones of the other color. */
static const long own_worth[FIVE] = {2, 15, 400, 8000, 4000000};
static const long other_worth[FIVE] = {1, 12, 300, 5000, 1000000};

bool board_clear(struct board *board, int size) {
    if (size < SIZE_MIN || size > SIZE_MAX)
        return false;
    memset(board, 0, sizeof *board);
    board->size = size;
    return true;
}

static bool is_on(const struct board *board, int column, int row) {
    return column >= 0 && row >= 0 && column < board->size && row < board->size;
}

bool board_put(struct board *board, int column, int row, int stone) {
    if (!is_on(board, column, row) || board->at[row][column] != EMPTY)
        return false;
    board->at[row][column] = (unsigned char)stone;
    board->stones++;
    return true;
}

/* The value of five points in a row from here. */
static long five_worth(const struct board *board, int column, int row, int right, int down) {
    if (!is_on(board, column, row) || !is_on(board, column + 4 * right, row + 4 * down))
        return 0;
    int count[3] = {0, 0, 0};
    for (int place = 0; place < FIVE; place++)
        count[board->at[row + place * down][column + place * right]]++;
    if (count[OWN] > 0 && count[OTHER] > 0)
        return 0;
    return count[OTHER] > 0 ? other_worth[count[OTHER]] : own_worth[count[OWN]];
}

static long point_worth(const struct board *board, int column, int row) {
    static const int steps[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
    long worth = 0;
    for (int step = 0; step < 4; step++) {
        int right = steps[step][0], down = steps[step][1];
        for (int back = 0; back < FIVE; back++)
            worth += five_worth(board, column - back * right, row - back * down, right, down);
    }
    return worth;
}

bool board_best(const struct board *board, int *column, int *row) {
    long best = -1;
    for (int r = 0; r < board->size; r++)
        for (int c = 0; c < board->size; c++) {
            if (board->at[r][c] != EMPTY)
                continue;
            long worth = point_worth(board, c, r);
            if (worth > best) {
                best = worth;
                *column = c;
                *row = r;
            }
        }
    return best >= 0;
}
