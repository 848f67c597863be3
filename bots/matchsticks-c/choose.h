/* The choice of a run to take. */
#ifndef CHOOSE_H
#define CHOOSE_H

#include "grid.h"

/* Forgets all results, so that the next match does not depend on this one. */
void choose_forget(void);

/* How to play. */
struct style {
    bool is_misere;
    int reach;     /* boards with more matchsticks are not searched */
    uint64_t seed; /* breaks ties */
};

/* The run to take from a board with matchsticks. */
struct run choose(const struct grid *grid, const struct style *style);

#endif
