/* The exact winner of a sum of pieces, as far as the allowed work goes. */
#ifndef SOLVE_H
#define SOLVE_H

#include "piece.h"

enum result { OPEN, LOST, WON }; /* for the player to move; OPEN: too much work */

/* Normal play: the last stick wins. `work` counts down by each examined position. */
enum result solve_normal(const struct sum *sum, int nimber, long *work);

/* Misere play: the last stick loses. */
enum result solve_misere(const struct sum *sum, long *work);

/* Clears the table of solve_misere. */
void misere_forget(void);

#endif
