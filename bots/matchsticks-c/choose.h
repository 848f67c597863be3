/* Which run to take. */
#ifndef CHOOSE_H
#define CHOOSE_H

#include "grid.h"

/* Forgets all that was found out: the next match shall not depend on the last one. */
void choose_forget(void);

/* How to play. */
struct style {
    bool is_misere;
    int reach;     /* boards with more matchsticks are not searched */
    uint64_t seed; /* breaks ties */
};

/* The run to take from a board that is not empty. */
struct run choose(const struct grid *grid, const struct style *style);

#endif
