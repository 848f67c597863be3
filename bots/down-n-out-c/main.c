/* Down-N-Out: plans the whole game when it begins, then plays it.
 * `bot --ms N` plans for about N milliseconds at most, if time is short. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena_bot.h"
#include "search.h"

enum {
    RUNS = 18, /* more runs gain too few points for their time */
    WIDTH = 6, /* boards kept of a size, if there is time */
    FEW_BRANCHES = 4,
    USUAL_MS = 250, /* time of a plan if time is plenty */
    MAX_MS = 1000 * 1000,
    SHARE = 4, /* otherwise one part in this many of the time for init, by an estimate */
};

struct match {
    int64_t usual_ms;
    struct shape shape;
    uint8_t board[MAX_BYTES];
    struct plan plan;
    int played; /* moves of the plan */
};

static int least(int one, int other) { return one < other ? one : other; }

/* The estimated time of a search: it expands about one board per cell, each with a seventeenth as
 * many moves. Measured on boards of 300 cells, where a move takes 300 ns. */
static int64_t cost_ns(int cells, int width, int branches) {
    const int64_t moves = least(cells / 17 + 1, branches);
    return (int64_t)cells * width * (moves * (100 + cells * 2 / 3) + 5 * (int64_t)cells);
}

/* The widest searches that fit into the time; `runs` is 0 when none does. */
static struct effort choose_effort(const struct shape *shape, int64_t usual_ms, int64_t limit_ms) {
    static const int widths[] = {WIDTH, WIDTH / 2, 1, 1}; /* the last one with few branches */
    const int cells = shape->rows * shape->cols;
    const int64_t limit_ns = limit_ms * 1000 * 1000 / SHARE;
    const int64_t usual_ns = usual_ms * 1000 * 1000;
    const int64_t time_ns = limit_ns < usual_ns ? limit_ns : usual_ns;
    struct effort effort = {.runs = 0};
    for (int choice = 0; choice < 4; choice++) {
        if (effort.runs >= (choice < 3 ? shape->colors : 1))
            break; /* for each colour one, or in the end any */
        effort.width = widths[choice];
        effort.branches = choice < 3 ? cells : FEW_BRANCHES;
        effort.runs = (int)(time_ns / cost_ns(cells, effort.width, effort.branches));
        if (effort.runs > RUNS)
            effort.runs = RUNS;
    }
    if (effort.runs == 0) /* a large board: at least one narrow search, if that is allowed */
        effort.runs = limit_ns >= cost_ns(cells, effort.width, effort.branches);
    return effort;
}

static void read_board(struct match *match, const arena_value *rows, int64_t colors) {
    const arena_value *first = arena_at(rows, 0);
    if (rows->count < 1 || rows->count > MAX_SIDE || first->count < 1 || first->count > MAX_SIDE)
        arena_fail("view.board: %u x %u; up to %d x %d expected", rows->count, first->count,
                   MAX_SIDE, MAX_SIDE);
    if (colors < 1 || colors > MAX_COLORS)
        arena_fail("options.colors: %lld; 1 to %d expected", (long long)colors, MAX_COLORS);
    match->shape = board_shape((int)rows->count, (int)first->count, (int)colors);
    memset(match->board, 0, sizeof match->board);
    for (int row = 0; row < match->shape.rows; row++) {
        const arena_value *cells = arena_at(rows, (size_t)row);
        if (cells->type != ARENA_STR || cells->count != first->count)
            arena_fail("view.board: row %d is no string of %u cells", row, first->count);
        for (int col = 0; col < match->shape.cols; col++) {
            const int color = cells->text[col] - '0';
            if (color < 0 || color > colors)
                arena_fail("view.board: row %d, col %d is no colour", row, col);
            match->board[board_cell(&match->shape, row, col)] = (uint8_t)color;
        }
    }
}

static void on_init(void *self, const arena_value *init) {
    struct match *match = self;
    const arena_value *options = arena_need(init, "options", ARENA_MAP);
    read_board(match, arena_need(arena_get(init, "view"), "board", ARENA_ARRAY),
               arena_need(options, "colors", ARENA_INT)->integer);
    const int64_t limit_ms = arena_need(arena_get(init, "time"), "init_ms", ARENA_INT)->integer;
    const uint64_t seed = (uint64_t)arena_need(init, "seed", ARENA_INT)->integer;
    const struct effort effort = choose_effort(&match->shape, match->usual_ms, limit_ms);
    match->played = match->plan.moves = 0;
    if (effort.runs > 0)
        search_plan(&match->shape, match->board, effort, seed, &match->plan);
}

/* A move after the end of the plan: the smallest group, those of the most frequent colour last.
 * Returns -1 without a group. */
static int smallest(const struct match *match) {
    static struct group groups[MAX_BYTES / 2];
    const struct shape *shape = &match->shape;
    const int count = board_groups(shape, match->board, groups);
    struct tally tally;
    int kept = 1, best = -1, best_rank = 0;
    memset(&tally, 0, sizeof tally);
    board_tally(shape, match->board, 1, shape->cols, 1, &tally);
    for (int color = 2; color <= shape->colors; color++)
        if (tally.cells[color] > tally.cells[kept])
            kept = color;
    for (int index = 0; index < count; index++) {
        const bool is_kept = match->board[groups[index].cell] == kept;
        const int rank = groups[index].size + (is_kept ? MAX_BYTES : 0);
        if (best < 0 || rank < best_rank) {
            best = groups[index].cell;
            best_rank = rank;
        }
    }
    return best;
}

static void write_board(arena_reply *reply, const struct match *match) {
    char cells[MAX_SIDE + 1];
    const struct shape *shape = &match->shape;
    arena_array(reply, (size_t)shape->rows);
    for (int row = 0; row < shape->rows; row++) {
        for (int col = 0; col < shape->cols; col++)
            cells[col] = (char)('0' + match->board[board_cell(shape, row, col)]);
        cells[shape->cols] = '\0';
        arena_str(reply, cells);
    }
}

static void on_move(void *self, const arena_value *call, arena_reply *reply) {
    struct match *match = self;
    const struct shape *shape = &match->shape;
    (void)call;
    const int cell =
        match->played < match->plan.moves ? match->plan.cells[match->played++] : smallest(match);
    if (cell < 0) {
        arena_done(reply);
        return;
    }
    const struct change change = board_remove(shape, match->board, cell);
    arena_play(reply);
    arena_map(reply, 2);
    arena_str(reply, "row");
    arena_int(reply, cell % shape->stride - 1);
    arena_str(reply, "col");
    arena_int(reply, cell / shape->stride - 1);
    arena_claims(reply);
    arena_map(reply, 2);
    arena_str(reply, "removed");
    arena_int(reply, change.removed);
    arena_str(reply, "board");
    write_board(reply, match);
}

static void on_display(void *self, const arena_value *call, arena_reply *reply) {
    (void)call;
    write_board(reply, self);
}

static int64_t read_usual_ms(int count, char **arguments) {
    char *end = NULL;
    if (count == 1)
        return USUAL_MS;
    const long ms = count == 3 ? strtol(arguments[2], &end, 10) : -1;
    if (count != 3 || strcmp(arguments[1], "--ms") != 0 || *end || ms < 1 || ms > MAX_MS) {
        fprintf(stderr, "usage: %s [--ms MILLISECONDS]\n", arguments[0]);
        exit(2);
    }
    return ms;
}

int main(int count, char **arguments) {
    static struct match match;
    match.usual_ms = read_usual_ms(count, arguments);
    const arena_bot bot = {
        .name = "down-n-out-c",
        .version = "1",
        .self = &match,
        .on_init = on_init,
        .on_move = on_move,
        .on_display = on_display,
    };
    return arena_run(&bot);
}
