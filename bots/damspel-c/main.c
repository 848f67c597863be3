/* Plays Damspel by a search of fixed size: the same position and seed give the same move on every
 * machine. */
#include "arena_bot.h"
#include "search.h"

#include <stdio.h>
#include <string.h>

enum {
    NODES = 100000,      /* for a move on up to ROWS rows: about 10 ms */
    ROWS = 10,           /* with more rows each position takes longer */
    NODES_PER_MS = 1500, /* a cautious estimate, for short time controls */
    NODES_LEAST = 200,
    MOVES_TO_GO = 64, /* number of moves to share the rest of the bank */
};

struct match {
    struct board board;
    struct search *search;
    uint64_t chance;
    int64_t per_move_ms;
};

static int side(const arena_value *options, const char *name) {
    int64_t side = arena_need(options, name, ARENA_INT)->integer;
    if (side < SIDE_MIN || side > SIDE_MAX)
        arena_fail("options.%s is %d to %d, not %lld", name, SIDE_MIN, SIDE_MAX, (long long)side);
    return (int)side;
}

/* The top row comes first: . is an empty square, W a man of seat 0, Z one of seat 1. */
static void read_board(struct board *board, const arena_value *lines) {
    int men[2] = {0, 0};
    if (lines->count != (uint32_t)board->rows)
        arena_fail("view.board: %u rows, not %d", lines->count, board->rows);
    for (int row = 0; row < board->rows; row++) {
        const arena_value *line = arena_at(lines, (size_t)(board->rows - 1 - row));
        if (line->type != ARENA_STR || line->count != (uint32_t)board->columns)
            arena_fail("view.board: row %d is no string of %d squares", row, board->columns);
        for (int column = 0; column < board->columns; column++) {
            char square = line->text[column];
            if (square == '.')
                continue;
            int seat = square == 'Z';
            if ((square != 'W' && square != 'Z') || ++men[seat] > MEN_MAX)
                arena_fail("view.board: no man can be \"%c\" or there are too many", square);
            board_put(board, seat, row, column);
        }
    }
}

static void on_init(void *self, const arena_value *init) {
    struct match *match = self;
    const char *game = arena_need(init, "game", ARENA_STR)->text;
    if (strcmp(game, "damspel") != 0)
        arena_fail("it plays damspel, not %s", game);
    const arena_value *options = arena_need(init, "options", ARENA_MAP);
    const arena_value *view = arena_need(init, "view", ARENA_MAP); /* after the history */
    board_clear(&match->board, side(options, "rows"), side(options, "cols"));
    read_board(&match->board, arena_need(view, "board", ARENA_ARRAY));
    if (arena_need(view, "turn", ARENA_INT)->integer == 1)
        board_pass(&match->board);
    match->chance = (uint64_t)arena_need(init, "seed", ARENA_INT)->integer;
    match->per_move_ms = arena_need(arena_get(init, "time"), "per_move_ms", ARENA_INT)->integer;
}

static int read_square(const struct board *board, const arena_value *move, const char *name) {
    const arena_value *pair = arena_need(move, name, ARENA_ARRAY);
    const arena_value *row = arena_at(pair, 0), *column = arena_at(pair, 1);
    if (row->type != ARENA_INT || row->integer < 0 || row->integer >= board->rows ||
        column->type != ARENA_INT || column->integer < 0 || column->integer >= board->columns)
        arena_fail("opponent_moves: %s is no square", name);
    return square_at((int)row->integer, (int)column->integer);
}

static void play_all(struct board *board, const arena_value *moves) {
    for (size_t i = 0; i < moves->count; i++) {
        const arena_value *fields = arena_need(arena_at(moves, i), "move", ARENA_MAP);
        struct move move = {(uint16_t)read_square(board, fields, "from"),
                            (uint16_t)read_square(board, fields, "to")};
        if (!board_allows(board, move))
            arena_fail("opponent_moves: the move to (%d, %d) is not allowed", row_of(move.to),
                       column_of(move.to));
        board_play(board, move);
    }
}

static int nodes_for(const struct match *match, const arena_value *left) {
    int64_t nodes = match->board.rows > ROWS ? NODES * ROWS / match->board.rows : NODES;
    int64_t ms = match->per_move_ms;
    if (left->type == ARENA_INT && left->integer / MOVES_TO_GO < ms)
        ms = left->integer / MOVES_TO_GO;
    if (ms < nodes / NODES_PER_MS)
        nodes = NODES_LEAST + ms * NODES_PER_MS;
    return (int)nodes;
}

static void write_square(arena_reply *reply, const char *name, int square) {
    arena_str(reply, name);
    arena_array(reply, 2);
    arena_int(reply, row_of(square));
    arena_int(reply, column_of(square));
}

/* The score in the range of a value: beyond 1000 the seat is as good as won. */
static void write_remarks(arena_reply *reply, struct found found) {
    int value = found.score > 1000 ? 1000 : found.score < -1000 ? -1000 : found.score;
    arena_remark(reply, "value");
    arena_int(reply, value);
    arena_remark(reply, "data");
    arena_map(reply, 2);
    arena_str(reply, "depth");
    arena_int(reply, found.depth);
    arena_str(reply, "nodes");
    arena_int(reply, found.nodes);
}

static void on_move(void *self, const arena_value *call, arena_reply *reply) {
    struct match *match = self;
    struct board *board = &match->board;
    struct move moves[MOVES_MAX];
    play_all(board, arena_need(call, "opponent_moves", ARENA_ARRAY));
    if (board_captures(board, moves) + board_slides(board, moves) == 0)
        arena_fail("asked for a move where there is none");
    int nodes = nodes_for(match, arena_get(call, "left_ms"));
    struct found found = search_run(match->search, board, nodes, match->chance ^ board->key);
    board_play(board, found.move);
    arena_play(reply);
    arena_map(reply, 2);
    write_square(reply, "from", found.move.from);
    write_square(reply, "to", found.move.to);
    write_remarks(reply, found);
}

int main(void) {
    static struct match match;
    match.search = search_new();
    if (match.search == NULL)
        arena_fail("out of memory");
    arena_bot bot = {
        .name = "damspel-c",
        .version = "1",
        .self = &match,
        .on_init = on_init,
        .on_move = on_move,
    };
    int code = arena_run(&bot);
    search_free(match.search);
    return code;
}
