/* Plays moves from a file and burns CPU on each: microseconds come from its
 * third argument's file, one number a ply. Says in its note how many
 * nanoseconds it burnt by its own clock. */
#include "arena_bot.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

enum { MAX_MOVES = 1000 };

struct script {
    int v[MAX_MOVES], h[MAX_MOVES], micros[MAX_MOVES];
};

static int64_t cpu_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void on_move(void *self, const arena_value *call, arena_reply *reply) {
    const struct script *script = self;
    int64_t ply = arena_need(call, "ply", ARENA_INT)->integer % MAX_MOVES;
    int64_t begun = cpu_ns();
    while (cpu_ns() - begun < script->micros[ply] * INT64_C(1000)) {
    }
    char note[32];
    snprintf(note, sizeof note, "%" PRId64, cpu_ns() - begun);
    arena_play(reply);
    arena_map(reply, 2);
    arena_str(reply, "v");
    arena_int(reply, script->v[ply]);
    arena_str(reply, "h");
    arena_int(reply, script->h[ply]);
    arena_note(reply, note);
}

int main(int argc, char **argv) {
    static struct script script;
    FILE *moves = argc > 2 ? fopen(argv[1], "r") : NULL;
    FILE *burns = argc > 2 ? fopen(argv[2], "r") : NULL;
    if (moves == NULL || burns == NULL)
        arena_fail("give a file of moves and one of microseconds");
    for (int i = 0; i < MAX_MOVES && fscanf(moves, "%d %d", &script.v[i], &script.h[i]) == 2; i++) {
    }
    for (int i = 0; i < MAX_MOVES && fscanf(burns, "%d", &script.micros[i]) == 1; i++) {
    }
    fclose(moves);
    fclose(burns);
    arena_bot bot = {.name = "burner", .self = &script, .on_move = on_move};
    return arena_run(&bot);
}
