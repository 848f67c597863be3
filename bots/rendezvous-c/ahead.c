#include "ahead.h"

#include <float.h>
#include <math.h>

enum { ROUNDS = 10, SHIPS = 3, MAX_STEPS = 20000 };

static const double SHARE = 0.05; /* a step is this part of the time in which a path bends */
static const double NUDGE = 1.0;  /* test change of velocity, for its effect on the arrival */

static struct vector pulled(const struct sky *sky, const struct motion *one, int skipped) {
    struct vector sum = {0, 0};
    for (int number = 0; number < sky->count; number++) {
        if (number == skipped || sky->pulls[number] == 0)
            continue;
        const double dx = sky->bodies[number].x - one->x, dy = sky->bodies[number].y - one->y;
        const double square = dx * dx + dy * dy + 1;
        const double factor = sky->pulls[number] / (square * sqrt(square));
        sum.x += dx * factor;
        sum.y += dy * factor;
    }
    return sum;
}

static void kick(struct motion *one, struct vector change, double seconds) {
    one->vx += change.x * seconds;
    one->vy += change.y * seconds;
}

static void kick_all(struct sky *sky, struct motion *ships, int ships_count, double seconds,
                     int aim) {
    struct vector changes[MAX_BODIES];
    for (int number = 0; number < sky->count; number++)
        changes[number] = pulled(sky, &sky->bodies[number], number);
    for (int number = 0; number < ships_count; number++)
        kick(&ships[number], pulled(sky, &ships[number], aim), seconds);
    for (int number = 0; number < sky->count; number++)
        kick(&sky->bodies[number], changes[number], seconds);
}

static void drift(struct motion *one, double seconds) {
    one->x += one->vx * seconds;
    one->y += one->vy * seconds;
}

/* The shortest time in which a path bends. */
static double bend_time(const struct sky *sky, const struct motion *ship, int aim, bool *is_clear) {
    const struct motion *target = &sky->bodies[aim];
    double shortest = DBL_MAX;
    for (int number = 0; number < sky->count; number++) {
        const struct motion *body = &sky->bodies[number];
        if (number == aim)
            continue;
        const double away = hypot(body->x - ship->x, body->y - ship->y);
        if (away <= 1.01 * sky->radii[number])
            *is_clear = false;
        if (sky->pulls[number] == 0)
            continue;
        const double near = fmin(away, hypot(body->x - target->x, body->y - target->y));
        shortest = fmin(shortest, sqrt(near * near * near / sky->pulls[number]));
    }
    return shortest;
}

bool sky_fly(struct sky *sky, struct motion *ships, int ships_count, double seconds, int aim) {
    bool is_clear = true;
    for (int steps = 0; seconds > 1e-6 && steps < MAX_STEPS; steps++) {
        const double bend = bend_time(sky, &ships[0], aim, &is_clear);
        const double step = fmin(seconds, fmax(SHARE * bend, 1));
        kick_all(sky, ships, ships_count, step / 2, aim);
        for (int number = 0; number < sky->count; number++)
            drift(&sky->bodies[number], step);
        for (int number = 0; number < ships_count; number++)
            drift(&ships[number], step);
        kick_all(sky, ships, ships_count, step / 2, aim);
        seconds -= step;
    }
    return is_clear && seconds <= 1e-6;
}

int sky_nearest(const struct sky *sky, const struct motion *place, double *bend) {
    double most = -1;
    int nearest = 0;
    *bend = 1;
    for (int number = 0; number < sky->count; number++) {
        const double away =
            hypot(sky->bodies[number].x - place->x, sky->bodies[number].y - place->y);
        const double pull = sky->pulls[number] / (away * away + 1);
        if (away > 1 && sky->pulls[number] > 0 && pull > most) {
            most = pull;
            nearest = number;
            *bend = sqrt(away * away * away / sky->pulls[number]);
        }
    }
    return nearest;
}

bool find_course(const struct sky *sky, struct motion ship, double seconds, int aim, double limit,
                 struct vector guess, struct course *course) {
    struct vector leave = guess;
    for (int round = 0; round < ROUNDS; round++) {
        struct sky later = *sky;
        struct motion ships[SHIPS] = {{ship.x, ship.y, leave.x, leave.y},
                                      {ship.x, ship.y, leave.x + NUDGE, leave.y},
                                      {ship.x, ship.y, leave.x, leave.y + NUDGE}};
        const bool is_clear = sky_fly(&later, ships, SHIPS, seconds, aim);
        const struct motion *target = &later.bodies[aim];
        const double miss_x = target->x - ships[0].x, miss_y = target->y - ships[0].y;
        if (hypot(miss_x, miss_y) < limit) {
            course->velocity = leave;
            course->arrival = hypot(target->vx - ships[0].vx, target->vy - ships[0].vy);
            course->is_clear = is_clear;
            return true;
        }
        const double a = (ships[1].x - ships[0].x) / NUDGE, c = (ships[1].y - ships[0].y) / NUDGE;
        const double b = (ships[2].x - ships[0].x) / NUDGE, d = (ships[2].y - ships[0].y) / NUDGE;
        const double area = a * d - b * c;
        if (area == 0 || !isfinite(area))
            return false;
        const double x = (d * miss_x - b * miss_y) / area, y = (a * miss_y - c * miss_x) / area;
        const double most = 0.3 * hypot(leave.x, leave.y) + 1000;
        const double cut = fmin(1, most / (hypot(x, y) + 1e-9));
        leave.x += cut * x;
        leave.y += cut * y;
    }
    return false;
}

struct vector guess_straight(const struct sky *sky, struct motion ship, double seconds, int aim,
                             int home) {
    struct sky later = *sky;
    struct motion target = sky->bodies[aim];
    const struct motion base = sky->bodies[home];
    sky_fly(&later, &target, 1, seconds, aim);
    const double vx = (later.bodies[aim].x - ship.x) / seconds - base.vx;
    const double vy = (later.bodies[aim].y - ship.y) / seconds - base.vy;
    const double speed = hypot(vx, vy);
    const double escape = 2 * sky->pulls[home] / hypot(ship.x - base.x, ship.y - base.y);
    const double more = sqrt(speed * speed + escape) / speed;
    return (struct vector){base.vx + vx * more, base.vy + vy * more};
}
