/* A bot for tests of the C kit: does at its turn what the field `do` says, of the view or of the
 * call itself. */
#define _XOPEN_SOURCE 700

#include "arena_bot.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

struct probe {
    arena_bot bot;
    char match[20], clock[8];
    int64_t seed;
};

static void misuse(const char *what, const arena_value *call, arena_reply *reply) {
    if (strcmp(what, "twice") == 0)
        arena_resign(reply), arena_done(reply);
    if (strcmp(what, "no play") == 0)
        arena_int(reply, 1);
    if (strcmp(what, "unfinished move") == 0)
        arena_play(reply), arena_map(reply, 1), arena_str(reply, "v");
    if (strcmp(what, "note too early") == 0)
        arena_play(reply), arena_note(reply, "hm");
    if (strcmp(what, "one too many") == 0)
        arena_resign(reply), arena_bool(reply, false);
    if (strcmp(what, "empty map") == 0)
        arena_play(reply), arena_map(reply, 0);
    if (strcmp(what, "large integer") == 0)
        arena_play(reply), arena_int(reply, (INT64_C(1) << 53) + 1);
    if (strcmp(what, "latin-1") == 0)
        arena_resign(reply), arena_note(reply, "caf\xe9");
    if (strcmp(what, "missing field") == 0)
        arena_need(call, "absent", ARENA_INT);
    if (strcmp(what, "wrong type") == 0)
        arena_need(call, "do", ARENA_MAP);
    if (strcmp(what, "copy of nothing") == 0)
        arena_play(reply), arena_copy(reply, arena_at(arena_get(call, "absent"), 7));
    if (strcmp(what, "own message") == 0)
        arena_fail("no move for %d", 42);
    if (strcmp(what, "too long") == 0) {
        arena_play(reply), arena_array(reply, 65535);
        for (int i = 0; i < 65535; i++)
            arena_int(reply, 1000);
    }
}

static void on_alarm(int number) { (void)number; }

static void on_init(void *self, const arena_value *init) {
    struct probe *probe = self;
    const arena_value *time = arena_need(init, "time", ARENA_MAP);
    snprintf(probe->match, sizeof probe->match, "%s", arena_need(init, "match", ARENA_STR)->text);
    snprintf(probe->clock, sizeof probe->clock, "%s", arena_need(time, "clock", ARENA_STR)->text);
    probe->seed = arena_need(init, "seed", ARENA_INT)->integer;
    if (strcmp(probe->match, "blind") == 0)
        probe->bot.on_display = NULL;
    if (strcmp(probe->match, "storm") == 0) {
        struct sigaction action = {.sa_handler = on_alarm}; /* without SA_RESTART */
        struct itimerval often = {{0, 500}, {0, 500}};
        sigaction(SIGALRM, &action, NULL);
        setitimer(ITIMER_REAL, &often, NULL);
    }
}

static void on_term(void *self, const arena_value *term) {
    if (strcmp(((struct probe *)self)->match, "talk") == 0)
        puts(arena_need(term, "reason", ARENA_STR)->text), fflush(stdout);
}

/* Repeats as a note what init and move said. */
static void tell(const struct probe *probe, const arena_value *call, arena_reply *reply) {
    const arena_value *played = arena_at(arena_get(call, "opponent_moves"), 0);
    char note[100];
    snprintf(note, sizeof note, "%lld %s %lld %lld %lld", (long long)probe->seed, probe->clock,
             (long long)arena_need(played, "seat", ARENA_INT)->integer,
             (long long)arena_need(call, "ply", ARENA_INT)->integer,
             (long long)arena_need(call, "left_ms", ARENA_INT)->integer);
    arena_play(reply);
    arena_copy(reply, arena_get(played, "move"));
    arena_note(reply, note);
}

static void on_move(void *self, const arena_value *call, arena_reply *reply) {
    const arena_value *view = arena_get(call, "view");
    const char *what = arena_need(view->type == ARENA_MAP ? view : call, "do", ARENA_STR)->text;
    const arena_value *choice = arena_at(arena_get(call, "legal"), 0);
    if (strcmp(what, "resign") == 0) {
        arena_resign(reply);
    } else if (strcmp(what, "play") == 0) {
        arena_play(reply), arena_copy(reply, choice);
    } else if (strcmp(what, "all") == 0) {
        arena_play(reply), arena_copy(reply, choice);
        arena_claims(reply), arena_map(reply, 1);
        arena_str(reply, "victory"), arena_bool(reply, true);
        arena_note(reply, "h\xc3\xa9");
    } else if (strcmp(what, "remarks") == 0) {
        arena_play(reply), arena_map(reply, 2);
        arena_str(reply, "v"), arena_int(reply, 0), arena_str(reply, "h"), arena_int(reply, 0);
        arena_remark(reply, "value"), arena_int(reply, -7);
        arena_remark(reply, "plan"), arena_array(reply, 1), arena_map(reply, 2);
        arena_str(reply, "v"), arena_int(reply, 1), arena_str(reply, "h"), arena_int(reply, 2);
        arena_remark(reply, "data"), arena_map(reply, 1);
        arena_str(reply, "depth"), arena_int(reply, 3);
    } else if (strcmp(what, "told") == 0) {
        tell(self, call, reply);
    } else if (strcmp(what, "print") == 0) {
        printf("thinking"), arena_resign(reply);
    } else if (strcmp(what, "think") == 0) {
        char byte;
        puts("!");
        if (read(open("gate", O_RDONLY), &byte, 1) == 1) /* a pipe */
            arena_resign(reply);
    } else if (strcmp(what, "done") == 0) {
        arena_done(reply);
    } else if (strcmp(what, "copy") == 0) {
        arena_play(reply);
        arena_copy(reply, arena_need(call, "move", ARENA_MAP));
        if (arena_get(call, "claims")->type == ARENA_MAP) {
            arena_claims(reply);
            arena_copy(reply, arena_get(call, "claims"));
        }
        if (arena_get(call, "note")->type == ARENA_STR)
            arena_note(reply, arena_get(call, "note")->text);
    } else {
        misuse(what, view->type == ARENA_MAP ? view : call, reply);
    }
}

static void on_display(void *self, const arena_value *call, arena_reply *reply) {
    (void)self;
    arena_copy(reply, arena_need(call, "show", ARENA_ARRAY));
}

int main(void) {
    struct probe probe = {.match = ""};
    probe.bot = (arena_bot){
        .self = &probe,
        .on_init = on_init,
        .on_move = on_move,
        .on_display = on_display,
        .on_term = on_term,
    };
    return arena_run(&probe.bot);
}
