/* Who wins a sum of pieces, exactly, as far as the work allowed goes. */
#ifndef SOLVE_H
#define SOLVE_H

#include "piece.h"

enum result { OPEN, LOST, WON }; /* for the player to move; OPEN: too much work */

/* The player who takes the last one wins. `work` counts down by each position looked at. */
enum result solve_normal(const struct sum *sum, int nimber, long *work);

/* The player who takes the last one loses. */
enum result solve_misere(const struct sum *sum, long *work);

/* Forgets what solve_misere has found. */
void misere_forget(void);

#endif
