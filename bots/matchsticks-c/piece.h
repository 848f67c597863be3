/* Pieces: connected matchsticks that fit into 8 x 8 cells, each known by a number.
 *
 * A board is a sum of its pieces, as no run reaches from one to another. Pieces that are the same
 * when moved, turned or mirrored are one piece. Its known facts are kept with it. */
#ifndef PIECE_H
#define PIECE_H

#include <stdbool.h>
#include <stdint.h>

enum { MAX_PIECES = 1 << 18, MAX_PARTS = 64, BOARD_PARTS = 32, MAX_RUNS = 512, UNKNOWN = -1 };

/* The kind of a piece if taking the last one loses. */
enum kind { UNTOLD, TAME, WILD };

struct piece {
    uint64_t cells;    /* bit 8 * row + column, as far up and left as possible */
    uint64_t excluded; /* bit v: the nimber is known not to be v */
    uint64_t key;      /* a random number; sums of them name sums of pieces */
    uint8_t sticks;
    int8_t nimber; /* or UNKNOWN */
    int8_t misere; /* the nimber when the last one loses; of tame pieces only */
    uint8_t kind;
};

/* A sum of pieces, none empty. */
struct sum {
    int count;
    int pieces[MAX_PARTS];
};

extern struct piece pieces[MAX_PIECES];

void pieces_forget(void);

/* Whether there is room for the pieces of one more board, BOARD_PARTS, or for more. */
bool pieces_have_room(int wanted);

/* Adds the pieces of a board of at most 8 x 8, BOARD_PARTS at most, to a sum. */
void pieces_split(uint64_t board, struct sum *sum);

/* Writes the cells of each run that can be taken from a board of at most 8 x 8, the long ones
 * first, and returns their number, at most MAX_RUNS. */
int pieces_runs(uint64_t board, uint64_t *runs);

#endif
