/* Prediction of the places of bodies and ships, in m, m/s and s. */
#ifndef AHEAD_H
#define AHEAD_H

#include <stdbool.h>

enum { MAX_BODIES = 8 };

struct motion {
    double x, y, vx, vy;
};

struct vector {
    double x, y;
};

/* The bodies at some time; `pulls` in m^3/s^2. */
struct sky {
    int count;
    struct motion bodies[MAX_BODIES];
    double pulls[MAX_BODIES], radii[MAX_BODIES];
};

/* The velocity at departure, the one relative to the target on arrival, and whether the ship stays
 * clear of all bodies but the target. */
struct course {
    struct vector velocity;
    double arrival;
    bool is_clear;
};

/* Moves bodies and ships on; a body that is aimed at does not pull the ships. Returns whether the
 * first ship stays clear of the other bodies; false if it took too many steps to know. */
bool sky_fly(struct sky *sky, struct motion *ships, int ships_count, double seconds, int aim);
/* The body with the strongest pull at a place, and the time in which a path bends there. */
int sky_nearest(const struct sky *sky, const struct motion *place, double *bend);
/* Finds the course that meets a body after this number of seconds; false if there is none. */
bool find_course(const struct sky *sky, struct motion ship, double seconds, int aim, double limit,
                 struct vector guess, struct course *course);
/* A guess: straight to the body's place at arrival, faster by the energy to escape from home. */
struct vector guess_straight(const struct sky *sky, struct motion ship, double seconds, int aim,
                             int home);

#endif
