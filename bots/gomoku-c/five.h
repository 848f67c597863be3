/* A board of gomoku and a quick judgement of its points. */
#ifndef FIVE_H
#define FIVE_H

#include <stdbool.h>

enum { SIZE_MIN = 5, SIZE_MAX = 26, EMPTY = 0, OWN = 1, OTHER = 2 };

struct board {
    int size;
    int stones;
    unsigned char at[SIZE_MAX][SIZE_MAX]; /* by row, then column */
};

/* Empties the board; returns whether this size can be played. */
bool board_clear(struct board *board, int size);

/* Places a stone; returns false if the point is off the board or occupied. */
bool board_put(struct board *board, int column, int row, int stone);

/* Finds the best point for a stone of ours; returns false if the board is full. */
bool board_best(const struct board *board, int *column, int *row);

#endif
