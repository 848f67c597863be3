#include "burden.h"

#include <limits.h>
#include <stdlib.h>

/* A step astray costs more than a man's burden saves by standing nearer to the line. Letting an
 * enclosed man out may take two men out of the goal again. */
enum { PER_STEP_ASTRAY = 12, PER_SHUT_IN = 200, PAIRED_EXACTLY = 4 };

/* The men outside the goal and its holes: as many men as holes, or more if the goal is shared. */
struct pairing {
    const struct course *course;
    int men[MEN_MAX], holes[MEN_MAX]; /* cells */
    int man_count, hole_count;
};

bool is_late(const struct star *star, int seat) {
    return 2 * star->arrived[seat] >= star->men_count;
}

/* The number of steps from a man to a hole that do not lead closer to the tip. */
static int steps_astray(const struct course *course, int man, int hole) {
    int down = abs(course->far[man] - course->far[hole]);
    int across = abs(course->aside[man] - course->aside[hole]);
    return across > down ? (across - down) / 2 : 0;
}

/* The steps astray in the best of all pairings; of the holes from `hole` on, without the men that
 * are `used`. A bit is a man. */
static int least_astray(const struct pairing *pairing, int hole, unsigned used) {
    if (hole == pairing->hole_count)
        return 0;
    int least = INT_MAX;
    for (int man = 0; man < pairing->man_count; man++) {
        int steps = steps_astray(pairing->course, pairing->men[man], pairing->holes[hole]);
        if (used & 1u << man || steps >= least)
            continue;
        steps += least_astray(pairing, hole + 1, used | 1u << man);
        least = steps < least ? steps : least;
    }
    return least;
}

static void sort_across(const struct course *course, int *cells, int count) {
    for (int i = 1; i < count; i++) {
        int cell = cells[i], place = i;
        for (; place > 0 && course->aside[cells[place - 1]] > course->aside[cell]; place--)
            cells[place] = cells[place - 1];
        cells[place] = cell;
    }
}

/* The steps astray if men and holes are paired from left to right: for many nearly the best. */
static int sorted_astray(struct pairing *pairing) {
    int steps = 0;
    sort_across(pairing->course, pairing->men, pairing->man_count);
    sort_across(pairing->course, pairing->holes, pairing->hole_count);
    for (int hole = 0; hole < pairing->hole_count; hole++) {
        int man = hole * pairing->man_count / pairing->hole_count;
        steps += steps_astray(pairing->course, pairing->men[man], pairing->holes[hole]);
    }
    return steps;
}

static int all_astray(struct scout *scout, int seat) {
    static struct pairing pairing;
    const struct star *star = scout->star;
    const struct course *course = &star->courses[seat];
    pairing.course = course;
    pairing.man_count = pairing.hole_count = 0;
    for (int man = 0; man < star->men_count; man++)
        if (star->zones[star->men[seat][man]] != course->goal)
            pairing.men[pairing.man_count++] = star->men[seat][man];
    for (int i = 0; i < star->men_count; i++) {
        int there = star->board[course->points[i]];
        if (there == EMPTY || (there != seat + 1 && !star->is_goal_shared))
            pairing.holes[pairing.hole_count++] = course->points[i];
    }
    scout->work += pairing.man_count;
    if (pairing.man_count <= PAIRED_EXACTLY)
        return least_astray(&pairing, 0, 0);
    return sorted_astray(&pairing);
}

/* Whether the man on a cell cannot leave its zone in one move. */
static bool is_shut_in(struct scout *scout, int cell) {
    const struct star *star = scout->star;
    for (int i = 0; i < DIRECTIONS; i++) {
        int to = cell + star->steps[i];
        if (star->board[to] == EMPTY && star->zones[to] != star->zones[cell])
            return false;
    }
    int jumps = scout_jumps(scout, cell);
    for (int i = 0; i < jumps; i++)
        if (star->zones[scout->landings[i]] != star->zones[cell])
            return false;
    return true;
}

static int all_shut_in(struct scout *scout, int seat) {
    const struct star *star = scout->star;
    const struct course *course = &star->courses[seat];
    int count = 0;
    if (star->is_goal_shared || star->filled[course->goal] == star->arrived[seat])
        return 0;
    for (int i = 0; i < star->men_count; i++) {
        int there = star->board[course->points[i]];
        count += there != EMPTY && there != seat + 1 && is_shut_in(scout, course->points[i]);
    }
    return count;
}

int burden_late(struct scout *scout, int seat) {
    const struct star *star = scout->star;
    return star->burden[seat] + PER_STEP_ASTRAY * all_astray(scout, seat) +
           PER_SHUT_IN * all_shut_in(scout, seat);
}
