/* A learner for every game without its rules: the value of a move is the result of its matches.
 *
 * It remembers the average result of each of its moves in each position (as the hash of `view`),
 * and of each move in any position, to judge moves not tried in this one. Between good moves and
 * rare ones it chooses like UCT (upper confidence bounds); as in RAVE, the second average counts
 * less the more often a move was tried in its position. So it begins at random, and improves from
 * match to match in an event with `restart: never`. */
#include "memory.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_PATH = 4096 };

static const double CURIOSITY = 0.35; /* weight of rare moves */
static const double TRUST = 10; /* trials after which the position's own average counts more */

typedef struct {
    uint64_t position, move;
} step;

typedef struct {
    step path[MAX_PATH]; /* own moves of this match */
    size_t steps;
    int64_t seat, seats;
    uint64_t game; /* hash of the game, its options, the seat and the number of seats */
    uint64_t random;
    double least, most; /* results so far */
} learner;

static double chance(learner *self) {
    self->random ^= self->random << 13;
    self->random ^= self->random >> 7;
    self->random ^= self->random << 17;
    return (double)(self->random >> 11) / 9007199254740992.0;
}

static void begin(void *data, const arena_value *init) {
    learner *self = data;
    self->steps = 0;
    self->seat = arena_need(init, "seat", ARENA_INT)->integer;
    self->seats = arena_need(init, "seats", ARENA_INT)->integer;
    self->game =
        memory_key(memory_hash(arena_get(init, "game")), memory_hash(arena_get(init, "options")));
    self->game = memory_key(self->game, (uint64_t)(self->seat * 64 + self->seats));
    self->random ^= (uint64_t)arena_need(init, "seed", ARENA_INT)->integer + 0x9E3779B97F4A7C15u;
}

/* The average result behind a key between 0 and 1. */
static double worth(const learner *self, const tally *known) {
    double span = self->most - self->least;
    return span > 0 ? (known->sum / known->count - self->least) / span : 0.5;
}

static double judged(learner *self, step step, double trials) {
    const tally *here = memory_find(memory_key(step.position, step.move));
    const tally *anywhere = memory_find(memory_key(self->game, step.move));
    double count = here ? here->count : 0;
    double share = sqrt(TRUST / (3 * count + TRUST));
    double elsewhere = anywhere ? worth(self, anywhere) : 0.5;
    double value = here ? (1 - share) * worth(self, here) + share * elsewhere : elsewhere;
    return value + CURIOSITY * sqrt(log(trials + 1) / (count + 1)) + 1e-3 * chance(self);
}

static void choose(void *data, const arena_value *call, arena_reply *reply) {
    learner *self = data;
    const arena_value *legal = arena_get(call, "legal");
    if (legal->type != ARENA_ARRAY || legal->count == 0) { /* too many to be sent, or none */
        if (self->seats == 1)
            arena_done(reply);
        else
            arena_resign(reply);
        return;
    }
    uint64_t position = memory_key(self->game, memory_hash(arena_get(call, "view")));
    const tally *seen = memory_find(position);
    double trials = seen ? seen->count : 0, best_value = -1;
    const arena_value *best = NULL;
    step chosen = {0};
    for (uint32_t number = 0; number < legal->count; number++) {
        const arena_value *move = arena_at(legal, number);
        step tried = {position, memory_hash(move)};
        double value = judged(self, tried, trials);
        if (value > best_value) {
            best_value = value;
            best = move;
            chosen = tried;
        }
    }
    if (self->steps < MAX_PATH)
        self->path[self->steps++] = chosen;
    arena_play(reply);
    arena_copy(reply, best);
}

/* The own score minus the best of the others. */
static double result_of(const learner *self, const arena_value *term) {
    const arena_value *scores = arena_need(term, "scores", ARENA_ARRAY);
    double own = 0, others = -INFINITY;
    for (int64_t seat = 0; seat < (int64_t)scores->count; seat++) {
        const arena_value *said = arena_at(scores, (size_t)seat);
        double score = said->type == ARENA_STR ? strtod(said->text, NULL) : 0;
        if (seat == self->seat)
            own = score;
        else if (score > others)
            others = score;
    }
    return self->seats == 1 ? own : own - others;
}

static void learn(void *data, const arena_value *term) {
    learner *self = data;
    double result = result_of(self, term);
    self->least = fmin(self->least, result);
    self->most = fmax(self->most, result);
    for (size_t number = 0; number < self->steps; number++) {
        step made = self->path[number];
        memory_add(made.position, result);
        memory_add(memory_key(made.position, made.move), result);
        memory_add(memory_key(self->game, made.move), result);
    }
}

int main(void) {
    static learner self = {.least = INFINITY, .most = -INFINITY, .random = 88172645463325252u};
    arena_bot bot = {.name = "learner",
                     .version = "1",
                     .wants = ARENA_VIEW | ARENA_LEGAL,
                     .self = &self,
                     .on_init = begin,
                     .on_move = choose,
                     .on_term = learn};
    return arena_run(&bot);
}
