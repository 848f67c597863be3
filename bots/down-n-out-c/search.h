/* Plans a whole game of Down-N-Out before its first move. */
#ifndef SEARCH_H
#define SEARCH_H

#include "board.h"

struct plan {
    int points;
    int moves;
    int cells[MAX_BYTES / 2]; /* one of the group to remove, in the order of play */
};

/* How much to search: the work of a plan is `runs`; each keeps `width` boards of a size. */
struct effort {
    int runs, width;
    int branches; /* limit of the moves tried on a board */
};

/* Finds the best plan of several searches. Returns false without enough memory. */
bool search_plan(const struct shape *shape, const uint8_t *board, struct effort effort,
                 uint64_t seed, struct plan *plan);

#endif
