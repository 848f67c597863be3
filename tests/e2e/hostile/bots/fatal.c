/* Dies in its first move of whatever its argument names. */
#include "arena_bot.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const char *way;

static int dig(volatile char *above) {
    volatile char room[1 << 16];
    room[0] = above ? above[0] : 0;
    return dig(room) + room[0];
}

static void on_move(void *self, const arena_value *call, arena_reply *reply) {
    volatile int zero = 0;
    (void)self, (void)call, (void)reply;
    if (strcmp(way, "null") == 0)
        *(volatile int *)NULL = 1;
    else if (strcmp(way, "stack") == 0)
        dig(NULL);
    else if (strcmp(way, "divide") == 0)
        raise(SIGFPE + 0 * (1 / zero));
    else if (strcmp(way, "illegal") == 0)
        __builtin_trap();
    else if (strcmp(way, "abort") == 0)
        abort();
    else
        raise(atoi(way));
}

int main(int count, char **arguments) {
    way = count > 1 ? arguments[1] : "abort";
    return arena_run(&(arena_bot){"fatal", "1", 0, NULL, NULL, on_move, NULL, NULL});
}
