/* The moves of a seat, the best first. */
#ifndef MOVES_H
#define MOVES_H

#include "star.h"

struct move {
    int man;
    int from, to;
    int gain; /* reduction of the seat's burden */
};

/* Finds moves and counts the work. */
struct scout {
    const struct star *star;
    int work; /* points examined, and two for each man */
    uint32_t round;
    uint32_t reached[CELLS_MAX]; /* by round */
    int landings[CELLS_MAX];
};

/* Writes the cells reachable by chains of jumps into `landings`, and returns their number. */
int scout_jumps(struct scout *scout, int start);
/* Writes the `width` best moves and returns their number: 0 if the seat is stuck. If there are very
 * many chains of jumps, the men nearest to their goal are left out. */
int scout_moves(struct scout *scout, int seat, int width, struct move *moves);

/* Inserts a move into a sorted list of up to `width` moves, behind its equals. */
void moves_insert(struct move *moves, int *count, int width, struct move move);

#endif
