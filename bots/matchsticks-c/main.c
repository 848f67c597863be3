/* Matchsticks: mirrors if that wins, and proves wins by search on boards that are small enough.
 * `bot --reach N` searches no board of more than N matchsticks, if time is short. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena_bot.h"
#include "choose.h"

struct match {
    struct grid grid;
    struct style style;
};

static void on_init(void *self, const arena_value *init) {
    struct match *match = self;
    const arena_value *board = arena_need(arena_get(init, "view"), "board", ARENA_ARRAY);
    if (board->count < 1 || board->count > MAX_SIZE)
        arena_fail("view.board: %u rows; 1 to %d expected", board->count, MAX_SIZE);
    match->grid = (struct grid){.size = (int)board->count};
    for (size_t row = 0; row < board->count; row++) {
        const arena_value *cells = arena_at(board, row);
        if (cells->type != ARENA_STR || cells->count != board->count)
            arena_fail("view.board: row %zu is no string of %u cells", row, board->count);
        for (size_t column = 0; column < cells->count; column++)
            match->grid.rows[row] |= (uint64_t)(cells->text[column] == '1') << column;
    }
    const arena_value *options = arena_need(init, "options", ARENA_MAP);
    match->style.is_misere =
        strcmp(arena_need(options, "objectives", ARENA_STR)->text, "misere") == 0;
    match->style.seed = (uint64_t)arena_need(init, "seed", ARENA_INT)->integer;
    choose_forget();
}

static uint8_t cell_number(const struct grid *grid, const arena_value *move, const char *name) {
    const int64_t number = arena_need(move, name, ARENA_INT)->integer;
    if (number < 0 || number >= grid->size)
        arena_fail("opponent_moves: %s %lld is off the board", name, (long long)number);
    return (uint8_t)number;
}

static struct run read_run(const struct grid *grid, const arena_value *move) {
    struct run run = {.is_row = arena_need(move, "row", ARENA_BOOL)->boolean};
    run.line = cell_number(grid, move, "line");
    run.start = cell_number(grid, move, "start");
    run.end = cell_number(grid, move, "end");
    if (run.start > run.end) {
        const uint8_t start = run.start;
        run.start = run.end;
        run.end = start;
    }
    return run;
}

static void write_run(arena_reply *reply, struct run run) {
    arena_map(reply, 4);
    arena_str(reply, "row");
    arena_bool(reply, run.is_row);
    arena_str(reply, "line");
    arena_int(reply, run.line);
    arena_str(reply, "start");
    arena_int(reply, run.start);
    arena_str(reply, "end");
    arena_int(reply, run.end);
}

static void write_claims(arena_reply *reply, const struct grid *grid) {
    char cells[MAX_SIZE + 1];
    arena_claims(reply);
    arena_map(reply, 1);
    arena_str(reply, "board");
    arena_array(reply, (size_t)grid->size);
    for (int row = 0; row < grid->size; row++) {
        for (int column = 0; column < grid->size; column++)
            cells[column] = grid->rows[row] >> column & 1 ? '1' : '0';
        cells[grid->size] = '\0';
        arena_str(reply, cells);
    }
}

static void on_move(void *self, const arena_value *call, arena_reply *reply) {
    struct match *match = self;
    const arena_value *moves = arena_need(call, "opponent_moves", ARENA_ARRAY);
    for (size_t index = 0; index < moves->count; index++) {
        const arena_value *move = arena_need(arena_at(moves, index), "move", ARENA_MAP);
        grid_take(&match->grid, read_run(&match->grid, move));
    }
    if (grid_sticks(&match->grid) == 0)
        arena_fail("asked for a move, but no matchstick is left");
    const struct run run = choose(&match->grid, &match->style);
    grid_take(&match->grid, run);
    arena_play(reply);
    write_run(reply, run);
    write_claims(reply, &match->grid);
}

static int read_reach(int count, char **arguments) {
    const int everything = MAX_SIZE * MAX_SIZE;
    char *end = NULL;
    if (count == 1)
        return everything;
    const long reach = count == 3 ? strtol(arguments[2], &end, 10) : -1;
    if (count != 3 || strcmp(arguments[1], "--reach") != 0 || *end || reach < 0) {
        fprintf(stderr, "usage: %s [--reach STICKS]\n", arguments[0]);
        exit(2);
    }
    return reach < everything ? (int)reach : everything;
}

int main(int count, char **arguments) {
    static struct match match;
    match.style.reach = read_reach(count, arguments);
    const arena_bot bot = {
        .name = "matchsticks-c",
        .version = "1",
        .self = &match,
        .on_init = on_init,
        .on_move = on_move,
    };
    return arena_run(&bot);
}
