/* Remaining work of a seat, with corrections to the sum over its men. */
#ifndef BURDEN_H
#define BURDEN_H

#include "moves.h"

/* Whether it is time for `burden_late`: half of the men are in the goal. */
bool is_late(const struct star *star, int seat);

/* The burden of a seat's men, and the obstacles of the last ones: sideways steps to the remaining
 * holes of the goal, and men of others enclosed in it. */
int burden_late(struct scout *scout, int seat);

#endif
