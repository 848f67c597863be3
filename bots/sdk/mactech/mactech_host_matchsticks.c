/* Plays Matchsticks through InitMatchsticks, OpponentMove, YourMove and TermMatchsticks. */
#include <stdio.h>
#include <string.h>

#include "mactech_host.h"
#include "mactech_matchsticks.h"

enum { MAX_DIMENSION = 64, CELLS = MAX_DIMENSION * MAX_DIMENSION, HIDDEN = -9999 };

struct matchsticks {
    bool is_started;
    int dimension;
    char board[CELLS]; /* as the entry is shown it */
};

struct run {
    bool is_row;
    short line, start, end;
};

/* Takes the sticks of a run away. What is off the board is the referee's to judge. */
static void take(struct matchsticks *game, struct run run) {
    int low = run.start < run.end ? run.start : run.end;
    int high = run.start < run.end ? run.end : run.start;
    if (run.line < 0 || run.line >= game->dimension || low < 0 || high >= game->dimension)
        return;
    for (int i = low; i <= high; i++)
        game->board[run.is_row ? run.line * game->dimension + i : i * game->dimension + run.line] =
            0;
}

/* A number that tells one opponent from another, the same in every match against it. */
static short identity(const char *name) {
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (uint8_t)*name) * 16777619u;
    return (short)(1 + hash % 32767);
}

static void on_init(void *self, const arena_value *init) {
    struct matchsticks *game = self;
    mactech_begin(init, "matchsticks");
    int seat = mactech_int(init, "seat");
    const arena_value *view = arena_need(init, "view", ARENA_MAP);
    const arena_value *board = arena_need(view, "board", ARENA_ARRAY);
    const arena_value *players = arena_need(init, "players", ARENA_ARRAY);
    const arena_value *objectives = mactech_option(init, "objectives");
    bool last_loses = objectives->type == ARENA_STR && strcmp(objectives->text, "misere") == 0;
    const arena_value *opponent = arena_at(players, seat == 0);
    if (board->count > MAX_DIMENSION)
        arena_fail("a board of %u rows", board->count);
    *game = (struct matchsticks){.is_started = true, .dimension = (int)board->count};
    mactech_read_board(board, game->board, board->count);
    short number = identity(opponent->type == ARENA_STR ? opponent->text : "");
    mactech_enter();
    InitMatchsticks((short)game->dimension, game->board, mactech_int(view, "turn") == seat,
                    last_loses, number);
    mactech_leave();
}

/* What was played since the last call is the opponent's: a history is in the first board. */
static void follow(struct matchsticks *game, const arena_value *moves) {
    for (size_t i = 0; i < moves->count; i++) {
        const arena_value *move = arena_get(arena_at(moves, i), "move");
        struct run run = {arena_need(move, "row", ARENA_BOOL)->boolean,
                          (short)mactech_int(move, "line"), (short)mactech_int(move, "start"),
                          (short)mactech_int(move, "end")};
        take(game, run);
        mactech_enter();
        OpponentMove(run.is_row, run.line, run.start, run.end, game->board);
        mactech_leave();
    }
}

static void on_move(void *self, const arena_value *call, arena_reply *reply) {
    struct matchsticks *game = self;
    /* The entry may write any byte that is not 0 for true. */
    unsigned char is_row = 0;
    struct run run = {false, HIDDEN, HIDDEN, HIDDEN};
    follow(game, arena_get(call, "opponent_moves"));
    mactech_enter();
    const char *after = YourMove((bool *)&is_row, &run.line, &run.start, &run.end);
    mactech_leave();
    run.is_row = is_row != 0;
    arena_play(reply);
    arena_map(reply, 4);
    arena_str(reply, "row");
    arena_bool(reply, run.is_row);
    arena_str(reply, "line");
    arena_int(reply, run.line);
    arena_str(reply, "start");
    arena_int(reply, run.start);
    arena_str(reply, "end");
    arena_int(reply, run.end);
    if (after == NULL) {
        fputs("mactech: YourMove returned no board: none is claimed\n", stderr);
    } else {
        size_t rows = (size_t)game->dimension;
        arena_claims(reply);
        arena_map(reply, 1);
        arena_str(reply, "board");
        mactech_write_board(reply, after, rows, rows);
    }
    take(game, run);
}

static void on_term(void *self, const arena_value *term) {
    struct matchsticks *game = self;
    if (!game->is_started)
        return;
    game->is_started = false;
    follow(game, arena_get(term, "opponent_moves"));
    mactech_enter();
    TermMatchsticks();
    mactech_leave();
}

int main(int argc, char **argv) {
    static struct matchsticks game;
    return mactech_run(
        argc, argv,
        &(arena_bot){"mactech-matchsticks", "2002", 0, &game, on_init, on_move, NULL, on_term});
}
