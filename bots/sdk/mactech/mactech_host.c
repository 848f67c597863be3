/* What the hosts of the four games share: mactech_host.h. */
#define _DEFAULT_SOURCE

#include "mactech_host.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include "mactech_toolbox.h"

enum { MAX_COLS = 256, PAGE = 4096, STACK = 16 << 20 };

const char mactech_other_history[] = "cannot be asked: in the history of this match the entry "
                                     "made other moves than it would make now";

static long limit_mb; /* 0: none */
static struct rlimit free_memory, entry_memory;

static long megabytes(int argc, char **argv) {
    char rest;
    long number = 0;
    if (argc == 1)
        return 0;
    if (argc != 3 || strcmp(argv[1], "--memory") != 0 ||
        sscanf(argv[2], "%ld%c", &number, &rest) != 1 || number < 1 || number > 1 << 20) {
        fprintf(stderr, "usage: %s [--memory MB]\n", argv[0]);
        exit(2);
    }
    return number;
}

/* Heap and stack are below 2 GB, so that an entry may keep any address in 32 bits, as they do. */
static _Alignas(PAGE) char stack[STACK];
static const arena_bot *player;
static int exit_code;

static void play(void) { exit_code = arena_run(player); }

int mactech_run(int argc, char **argv, const arena_bot *bot) {
    static ucontext_t before, playing;
    limit_mb = megabytes(argc, argv);
    mallopt(M_MMAP_MAX, 0);
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    player = bot;
    /* A stack that is too deep ends the bot instead of writing over its variables. */
    if (mprotect(stack, PAGE, PROT_NONE) != 0 || getcontext(&playing) != 0)
        arena_fail("no stack for the entry");
    playing.uc_stack.ss_sp = stack;
    playing.uc_stack.ss_size = STACK;
    playing.uc_link = &before;
    makecontext(&playing, play, 0);
    swapcontext(&before, &playing);
    return exit_code;
}

/* The kernel counts the writable pages of a process against RLIMIT_DATA: what is there now is ours.
 */
static void measure(void) {
    long pages = 0;
    FILE *sizes = fopen("/proc/self/statm", "r");
    if (sizes == NULL || fscanf(sizes, "%*d %*d %*d %*d %*d %ld", &pages) != 1)
        arena_fail("--memory needs /proc/self/statm, which is unreadable");
    fclose(sizes);
    getrlimit(RLIMIT_DATA, &free_memory);
    entry_memory = free_memory;
    rlim_t limit = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)limit_mb << 20);
    if (limit < entry_memory.rlim_cur)
        entry_memory.rlim_cur = limit;
}

void mactech_enter(void) {
    if (limit_mb > 0)
        setrlimit(RLIMIT_DATA, &entry_memory);
}

void mactech_leave(void) {
    if (limit_mb > 0)
        setrlimit(RLIMIT_DATA, &free_memory);
}

void mactech_begin(const arena_value *init, const char *game) {
    const char *asked = arena_need(init, "game", ARENA_STR)->text;
    if (strcmp(asked, game) != 0)
        arena_fail("this entry plays %s, not %s", game, asked);
    unsigned seed = (unsigned)arena_need(init, "seed", ARENA_INT)->integer;
    srand(seed);
    qd.randSeed = (SInt32)(seed % 0x7FFFFFFE) + 1;
    if (limit_mb > 0)
        measure();
}

int mactech_int(const arena_value *map, const char *name) {
    return (int)arena_need(map, name, ARENA_INT)->integer;
}

int mactech_item(const arena_value *list, size_t index) {
    const arena_value *item = arena_at(list, index);
    if (item->type != ARENA_INT)
        arena_fail("item %zu of a list is no int", index);
    return (int)item->integer;
}

const arena_value *mactech_option(const arena_value *init, const char *name) {
    return arena_get(arena_need(init, "options", ARENA_MAP), name);
}

void mactech_give_up(arena_reply *reply, const char *why) {
    fprintf(stderr, "mactech: %s\n", why);
    arena_resign(reply);
    arena_note(reply, why);
}

void mactech_read_board(const arena_value *rows, char *board, size_t cols) {
    for (size_t row = 0; row < rows->count; row++) {
        const arena_value *line = arena_at(rows, row);
        if (line->type != ARENA_STR || line->count != cols)
            arena_fail("row %zu of the board has not %zu digits", row, cols);
        for (size_t col = 0; col < cols; col++)
            *board++ = (char)(line->text[col] - '0');
    }
}

/* Other characters are shown as ?, which no board of the game contains. */
void mactech_write_board(arena_reply *reply, const char *board, size_t rows, size_t cols) {
    char line[MAX_COLS + 1];
    if (cols > MAX_COLS)
        arena_fail("a board of %zu columns", cols);
    arena_array(reply, rows);
    for (size_t row = 0; row < rows; row++) {
        for (size_t col = 0; col < cols; col++, board++)
            line[col] = *board >= 0 && *board <= 9 ? (char)('0' + *board) : '?';
        line[cols] = 0;
        arena_str(reply, line);
    }
}
