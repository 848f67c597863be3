/* A board of up to 64 x 64 cells, its runs to take, and its parts. */
#ifndef GRID_H
#define GRID_H

#include "piece.h"

enum { MAX_SIZE = 64, MAX_GRID_RUNS = MAX_SIZE * MAX_SIZE * MAX_SIZE };

struct grid {
    int size;
    uint64_t rows[MAX_SIZE]; /* bit c: a matchstick in column c */
};

/* From start to end, both included, in a row or a column. */
struct run {
    bool is_row;
    uint8_t line, start, end;
};

void grid_take(struct grid *grid, struct run run);

int grid_sticks(const struct grid *grid);

/* Writes every run once, single matchsticks as rows; returns their number. */
int grid_runs(const struct grid *grid, struct run *runs);

/* Whether a half turn leaves the board the same, and no run holds two cells that change places. If
 * so, the player to move loses: each run can be answered by the opposite one. */
bool grid_is_mirrored(const struct grid *grid);

/* Writes the runs that may leave such a board, at most two, and returns their number. */
int grid_mirroring(const struct grid *grid, struct run *runs);

/* Splits the board into pieces and straight lines too long for one, whose lengths' exclusive or
 * goes to *lines. Returns false when a part is neither, or there are too many. */
bool grid_split(const struct grid *grid, struct sum *sum, int *lines);

#endif
