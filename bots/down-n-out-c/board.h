/* A Down-N-Out board: moves, and counts of neighbouring cells. */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stdint.h>

enum { MAX_SIDE = 100, MAX_COLORS = 9, MAX_BYTES = (MAX_SIDE + 2) * (MAX_SIDE + 1) + 32 };

/* Cells are bytes, 0 empty, else the colour; column by column from the top down. An empty cell
 * stands on top of each column and an empty column at either end: cells have four neighbours. */
struct shape {
    int rows, cols, colors;
    int stride; /* from a cell to its right neighbour */
    int bytes;  /* of a board; a multiple of 32, as the hash takes so many at a time */
};

struct shape board_shape(int rows, int cols, int colors);

static inline int board_cell(const struct shape *shape, int row, int col) {
    return (col + 1) * shape->stride + row + 1;
}

/* Columns first..last have changed, counted from 1, or `is_closed`: columns have moved. */
struct change {
    int removed;
    int first, last;
    bool is_closed;
};

/* Removes the group of a cell; cells fall and empty columns close towards the centre. */
struct change board_remove(const struct shape *shape, uint8_t *board, int cell);

/* A group of two or more: one of its cells, and its size. */
struct group {
    int cell, size;
};

/* Writes the groups, at most bytes / 2 of them, and returns their number. */
int board_groups(const struct shape *shape, const uint8_t *board, struct group *groups);

/* By colour: cells, pairs of neighbours, squares of four. cells - pairs + squares is Euler's count
 * of connected parts, less the holes in them. */
struct tally {
    int cells[MAX_COLORS + 1], pairs[MAX_COLORS + 1], squares[MAX_COLORS + 1];
};

/* Adds `times` the counts of columns first..last: pairs down and right, squares down right. */
void board_tally(const struct shape *shape, const uint8_t *board, int first, int last, int times,
                 struct tally *tally);

uint64_t board_hash(const struct shape *shape, const uint8_t *board);

#endif
