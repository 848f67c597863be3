/* Plays moves from a file, one "v h" a line, so that the bench measures the arena and no bot. */
#include "arena_bot.h"

#include <stdio.h>

enum { MAX_MOVES = 1000 };

struct script {
    int v[MAX_MOVES], h[MAX_MOVES];
};

static void on_move(void *self, const arena_value *call, arena_reply *reply) {
    const struct script *script = self;
    int64_t ply = arena_need(call, "ply", ARENA_INT)->integer;
    arena_play(reply);
    arena_map(reply, 2);
    arena_str(reply, "v");
    arena_int(reply, script->v[ply % MAX_MOVES]);
    arena_str(reply, "h");
    arena_int(reply, script->h[ply % MAX_MOVES]);
}

int main(int argc, char **argv) {
    static struct script script;
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (file == NULL)
        arena_fail("give a file of moves");
    for (int i = 0; i < MAX_MOVES && fscanf(file, "%d %d", &script.v[i], &script.h[i]) == 2; i++) {
    }
    fclose(file);
    arena_bot bot = {.name = "scripted-c", .self = &script, .on_move = on_move};
    return arena_run(&bot);
}
