/* Rendezvous: chooses the cheapest of many flights of two burns, corrects it on the way, brakes. */
#include <math.h>
#include <stdbool.h>
#include <time.h>

#include "ahead.h"
#include "arena_bot.h"

enum {
    WAITS = 24,   /* times of departure within an orbit */
    FLIGHTS = 40, /* flights of different length for each time of departure */
    ORBITS = 30,  /* aims at a moon this near, in units of the time in which its path bends */
};

static const double GROWTH = 1.07;
static const double BRAKE = 15;  /* planned deceleration in m/s^2, half of the engine's */
static const double DELAY = 0.3; /* of an arrival if a body is in the way, in the same unit */
static const double PI = 3.14159265358979;
static const int TIMES[] = {1, 10, 60, 600, 3600};

struct match {
    clock_t planned; /* end of the planning */
    double now, departure, arrival, near, longest;
    struct sky sky;
    struct motion ship;
    int target;
    bool is_braking;
    struct vector change; /* remaining, of velocity, as far as known */
};

struct move {
    int thrust, heading, seconds;
};

static struct motion read_motion(const arena_value *parts) {
    double read[4];
    for (int part = 0; part < 4; part++) {
        if (arena_at(parts, (size_t)part)->type != ARENA_INT)
            arena_fail("view: a motion has four integers");
        read[part] = (double)arena_at(parts, (size_t)part)->integer / 1000;
    }
    return (struct motion){read[0], read[1], read[2], read[3]};
}

static void read_view(struct match *match, const arena_value *view) {
    const arena_value *bodies = arena_need(view, "bodies", ARENA_ARRAY);
    if ((int)bodies->count != match->sky.count)
        arena_fail("view.bodies: %u, not %d", bodies->count, match->sky.count);
    match->now = (double)arena_need(view, "elapsed", ARENA_INT)->integer;
    match->ship = read_motion(arena_need(view, "ship", ARENA_ARRAY));
    for (int number = 0; number < match->sky.count; number++)
        match->sky.bodies[number] = read_motion(arena_at(bodies, (size_t)number));
}

/* The bodies, and the one to aim at: far away, the planet instead of its moon. */
static int choose_aim(const struct match *match, double left, struct sky *sky) {
    double bend;
    const int target = match->target;
    int center = sky_nearest(&match->sky, &match->sky.bodies[target], &bend);
    *sky = match->sky;
    if (left < ORBITS * bend || center == 0)
        return target;
    sky->count--;
    for (int number = target; number < sky->count; number++) {
        sky->bodies[number] = sky->bodies[number + 1];
        sky->pulls[number] = sky->pulls[number + 1];
        sky->radii[number] = sky->radii[number + 1];
    }
    return center - (center > target);
}

/* Chooses departure and arrival with the least change of velocity. */
static void plan(struct match *match) {
    struct match later = *match;
    double bend, best = INFINITY;
    const int home = sky_nearest(&match->sky, &match->ship, &bend);
    const struct motion body = match->sky.bodies[home], target = match->sky.bodies[match->target];
    const double away = hypot(target.x - match->ship.x, target.y - match->ship.y);
    const bool is_far = away > 5 * hypot(match->ship.x - body.x, match->ship.y - body.y);
    const double shortest = is_far ? 2 * sqrt(away / 10) : 2 * bend;
    match->arrival = 3 * shortest;
    for (int wait = 0; wait < WAITS; wait++) {
        double left = shortest;
        for (int flight = 0; flight < FLIGHTS && left < match->longest && clock() < match->planned;
             flight++, left *= GROWTH) {
            struct sky sky;
            struct course found;
            const struct motion ship = later.ship;
            const int aim = choose_aim(&later, left, &sky);
            const struct vector own = {ship.vx, ship.vy};
            const struct vector guess = is_far ? guess_straight(&sky, ship, left, aim, home) : own;
            const double limit = fmax(match->near, away * 1e-4);
            if (!find_course(&sky, ship, left, aim, limit, guess, &found) || !found.is_clear)
                continue;
            const struct vector change = {found.velocity.x - ship.vx, found.velocity.y - ship.vy};
            const double cost = hypot(change.x, change.y) + found.arrival;
            if (cost < best) {
                best = cost;
                match->departure = later.now;
                match->arrival = later.now + left;
                match->change = change;
            }
        }
        sky_fly(&later.sky, &later.ship, 1, bend * 2 * PI / WAITS, match->target);
        later.now += bend * 2 * PI / WAITS;
    }
}

static void on_init(void *self, const arena_value *init) {
    struct match *match = self;
    const arena_value *view = arena_need(init, "view", ARENA_MAP);
    const arena_value *pulls = arena_need(view, "gravity", ARENA_ARRAY);
    const arena_value *radii = arena_need(view, "radius", ARENA_ARRAY);
    *match = (struct match){.sky.count = (int)pulls->count};
    match->target = (int)arena_need(view, "target", ARENA_INT)->integer;
    if (pulls->count > MAX_BODIES || radii->count != pulls->count || match->target < 0 ||
        match->target >= match->sky.count)
        arena_fail("view: %u bodies; up to %d expected", pulls->count, MAX_BODIES);
    for (int number = 0; number < match->sky.count; number++) {
        match->sky.pulls[number] = (double)arena_at(pulls, (size_t)number)->integer * 1e9;
        match->sky.radii[number] = (double)arena_at(radii, (size_t)number)->integer;
    }
    match->near = (double)arena_need(view, "distance", ARENA_INT)->integer;
    const arena_value *options = arena_need(init, "options", ARENA_MAP);
    match->longest = (double)arena_need(options, "plies", ARENA_INT)->integer * 3600 * 0.6;
    const arena_value *limits = arena_need(init, "time", ARENA_MAP);
    const double init_s = (double)arena_need(limits, "init_ms", ARENA_INT)->integer / 1000;
    match->planned = clock() + (clock_t)(init_s / 3 * CLOCKS_PER_SEC);
    read_view(match, view);
    plan(match);
}

static struct move push(int thrust, struct vector way, int seconds) {
    const int turned = (int)lround(atan2(way.y, way.x) * 36 / PI);
    return (struct move){thrust, thrust ? (turned + 72) % 72 * 5 : 0, seconds};
}

/* The longest time of a move, of the first `count`, within a limit. */
static int longest_time(double limit, int count) {
    int time = 1;
    for (int choice = 0; choice < count; choice++)
        if (TIMES[choice] <= limit)
            time = TIMES[choice];
    return time;
}

static struct move coast(double seconds) {
    return push(0, (struct vector){0, 0}, longest_time(seconds, 5));
}

/* The largest burn that is not larger than the change of velocity. */
static struct move burn(struct match *match, struct vector change, double left) {
    const double size = hypot(change.x, change.y);
    int best_thrust = 10, best_time = 1;
    for (int thrust = 10; thrust <= 30; thrust += 10)
        for (int choice = 0; choice < 4; choice++) {
            const int time = TIMES[choice], made = thrust * time;
            if (made <= size + 5 && time <= fmax(1, left / 50) && made >= best_thrust * best_time) {
                best_thrust = thrust;
                best_time = time;
            }
        }
    const double rest = 1 - best_thrust * best_time / size;
    match->change = (struct vector){change.x * rest, change.y * rest};
    return push(best_thrust, change, best_time);
}

/* Approaches no faster than the engine can brake. `way` leads to the target, `motion` is relative
 * to it. */
static struct move brake(const struct match *match, struct vector way, struct vector motion) {
    const double away = hypot(way.x, way.y) + 1e-9, edge = away - 0.9 * match->near;
    const double closing = (way.x * motion.x + way.y * motion.y) / away;
    const double least = fmin(500, fmax(10, away / 200));
    const double wanted = fmin(sqrt(2 * BRAKE * fmax(0, edge)), fmax(closing, least));
    const struct vector change = {wanted * way.x / away - motion.x,
                                  wanted * way.y / away - motion.y};
    const double room = fmax(edge, 0.02 * match->near);
    const int time = longest_time(0.15 * room / fmax(hypot(motion.x, motion.y), 1), 4);
    const double thrust = fmin(30, 10 * round(hypot(change.x, change.y) / time / 10));
    return push((int)thrust, change, time);
}

static struct move choose(struct match *match) {
    const struct motion target = match->sky.bodies[match->target], ship = match->ship;
    const struct vector way = {target.x - ship.x, target.y - ship.y};
    const struct vector motion = {ship.vx - target.vx, ship.vy - target.vy};
    const double speed = hypot(motion.x, motion.y), away = hypot(way.x, way.y);
    const double left = match->arrival - match->now;
    struct sky sky;
    struct course found;
    if (match->now < match->departure)
        return coast(match->departure - match->now);
    if (left < fmax(speed / BRAKE, 2) || away < 2 * match->near)
        match->is_braking = true;
    if (match->is_braking)
        return brake(match, way, motion);
    const int aim = choose_aim(match, left, &sky);
    const struct vector guess = {ship.vx + match->change.x, ship.vy + match->change.y};
    const double limit = fmax(match->near / 5, away * 1e-6);
    match->change = (struct vector){0, 0};
    if (find_course(&sky, ship, left, aim, limit, guess, &found)) {
        const struct vector change = {found.velocity.x - ship.vx, found.velocity.y - ship.vy};
        if (!found.is_clear && aim == match->target) {
            double bend; /* the planet is in the way: arrive when its moon has gone on */
            sky_nearest(&match->sky, &target, &bend);
            match->arrival += DELAY * bend;
        } else if (hypot(change.x, change.y) > 8)
            return burn(match, change, left);
    }
    return coast(fmin(left / 8, (left - speed / BRAKE) / 2));
}

static void on_move(void *self, const arena_value *call, arena_reply *reply) {
    struct match *match = self;
    read_view(match, arena_need(call, "view", ARENA_MAP));
    const struct move move = choose(match);
    arena_play(reply);
    arena_map(reply, 3);
    arena_str(reply, "thrust");
    arena_int(reply, move.thrust);
    arena_str(reply, "heading");
    arena_int(reply, move.heading);
    arena_str(reply, "seconds");
    arena_int(reply, move.seconds);
}

int main(void) {
    static struct match match;
    const arena_bot bot = {
        .name = "rendezvous-c",
        .version = "1",
        .wants = ARENA_VIEW,
        .self = &match,
        .on_init = on_init,
        .on_move = on_move,
    };
    return arena_run(&bot);
}
