/* A bot for test_c_kit.py: what its on_move does with the kit is told by the
 * call's field `do`. Started with an argument, it is interrupted by a signal
 * every half millisecond. */
#define _XOPEN_SOURCE 700

#include "arena_bot.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>

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

static void on_move(void *self, const arena_value *call, arena_reply *reply) {
    const char *what = arena_need(call, "do", ARENA_STR)->text;
    if (strcmp(what, "blindfold") == 0)
        ((arena_bot *)self)->on_display = NULL;
    if (strcmp(what, "resign") == 0 || strcmp(what, "blindfold") == 0) {
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
        misuse(what, call, reply);
    }
}

static void on_display(void *self, const arena_value *call, arena_reply *reply) {
    (void)self;
    arena_copy(reply, arena_need(call, "show", ARENA_ARRAY));
}

static void on_alarm(int number) { (void)number; }

int main(int count, char **arguments) {
    arena_bot bot = {.wants = ARENA_VIEW, .on_move = on_move, .on_display = on_display};
    bot.self = &bot;
    (void)arguments;
    if (count > 1) {
        struct sigaction action = {.sa_handler = on_alarm}; /* without SA_RESTART */
        struct itimerval often = {{0, 500}, {0, 500}};
        sigaction(SIGALRM, &action, NULL);
        setitimer(ITIMER_REAL, &often, NULL);
    }
    return arena_run(&bot);
}
