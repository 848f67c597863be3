/* A position of Damspel: the men of each seat, one word per row, and their value. */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SIDE_MIN = 2,
    SIDE_MAX = 26,
    EDGE = 2, /* lines outside, as far as a capture reaches: without men, but not empty either */
    LINES = SIDE_MAX + 2 * EDGE,
    LINE_BITS = 32,
    SQUARES = LINES * LINE_BITS,
    MEN_MAX = SIDE_MAX * SIDE_MAX / 4, /* of a seat: every second square of half the board */
    MOVES_MAX = 8 * MEN_MAX,
};

/* A square's row and column, counted from the lowest and the leftmost, in one number. */
static inline int square_at(int row, int column) { return (row + EDGE) * LINE_BITS + column; }
static inline int row_of(int square) { return square / LINE_BITS - EDGE; }
static inline int column_of(int square) { return square % LINE_BITS; }

struct move {
    uint16_t from, to; /* squares: neighbours in a slide, with one between in a capture */
};

struct board {
    int rows, columns;
    int turn;     /* seat 0 moves up, seat 1 down */
    int worth[2]; /* of each seat's men: see worth_of in board.c */
    uint64_t key; /* of men and turn: equal positions have equal keys */
    uint32_t men[2][LINES];
    uint32_t empty[LINES];
};

/* An empty board with seat 0 to move, a man put on an empty square, and the turn passed on. */
void board_clear(struct board *board, int rows, int columns);
void board_put(struct board *board, int seat, int row, int column);
void board_pass(struct board *board);

/* Write the captures or the slides of the seat to move and return their number. Slides are allowed
 * only without a capture. */
int board_captures(const struct board *board, struct move moves[MOVES_MAX]);
int board_slides(const struct board *board, struct move moves[MOVES_MAX]);
int board_count_slides(const struct board *board, int seat);

bool board_allows(const struct board *board, struct move move);

/* Make an allowed move, or take back the last one. */
void board_play(struct board *board, struct move move);
void board_take_back(struct board *board, struct move move);

#endif
