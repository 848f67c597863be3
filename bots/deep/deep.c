/* Plays Pente: a search of fixed size over the position of search.c, so that the same position
 * gives the same move on every machine. */
#include "arena_bot.h"
#include "search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NODES = 12000,      /* about 10 ms */
    NODES_PER_MS = 200, /* a cautious estimate, for short time controls */
    LOW_MS = 1000,      /* plays fast with less than this left of the bank */
    NODES_LOW = 300,
};

struct deep {
    struct board board;
    struct search *search;
    int nodes; /* for one move */
};

static enum second_stone second_stone(const arena_value *options) {
    const char *rule = arena_need(options, "second_stone", ARENA_STR)->text;
    if (strcmp(rule, "box5") == 0)
        return SECOND_BOX5;
    if (strcmp(rule, "both") == 0)
        return SECOND_BOTH;
    if (strcmp(rule, "free") == 0)
        return SECOND_FREE;
    arena_fail("the option second_stone is box5, both or free, not %s", rule);
}

static void play_all(struct board *board, const arena_value *moves) {
    struct undo undo;
    for (size_t i = 0; i < moves->count; i++) {
        const arena_value *move = arena_need(arena_at(moves, i), "move", ARENA_MAP);
        int64_t v = arena_need(move, "v", ARENA_INT)->integer;
        int64_t h = arena_need(move, "h", ARENA_INT)->integer;
        bool is_near = v >= -HALF_MAX && v <= HALF_MAX && h >= -HALF_MAX && h <= HALF_MAX;
        if (!is_near || !board_allows(board, point_at((int)v, (int)h)))
            arena_fail("it is told of the move (%lld, %lld), which is not allowed", (long long)v,
                       (long long)h);
        board_play(board, point_at((int)v, (int)h), &undo);
    }
}

static int nodes_for(const arena_value *time) {
    const arena_value *per_move = arena_get(time, "per_move_ms");
    bool is_short = per_move->type == ARENA_INT && per_move->integer < NODES / NODES_PER_MS;
    return is_short ? 1 + (int)per_move->integer * NODES_PER_MS : NODES;
}

static void on_init(void *self, const arena_value *init) {
    struct deep *deep = self;
    const char *game = arena_need(init, "game", ARENA_STR)->text;
    if (strcmp(game, "pente") != 0)
        arena_fail("it plays pente, not %s", game);
    const arena_value *options = arena_need(init, "options", ARENA_MAP);
    int64_t half = arena_need(options, "half_size", ARENA_INT)->integer;
    if (half < HALF_MIN || half > HALF_MAX)
        arena_fail("the option half_size is %d to %d, not %lld", HALF_MIN, HALF_MAX,
                   (long long)half);
    board_start(&deep->board, (int)half, second_stone(options));
    play_all(&deep->board, arena_need(init, "history", ARENA_ARRAY));
    deep->nodes = nodes_for(arena_get(init, "time"));
}

static void write_point(arena_reply *reply, int point) {
    arena_array(reply, 2);
    arena_int(reply, row_of(point));
    arena_int(reply, column_of(point));
}

static void write_play(arena_reply *reply, const struct undo *done, bool is_won) {
    arena_play(reply);
    arena_map(reply, 2);
    arena_str(reply, "v");
    arena_int(reply, row_of(done->point));
    arena_str(reply, "h");
    arena_int(reply, column_of(done->point));
    arena_claims(reply);
    arena_map(reply, 2);
    arena_str(reply, "captures");
    arena_array(reply, (size_t)done->taken_count / 2);
    for (int i = 0; i < done->taken_count; i += 2) {
        arena_array(reply, 2);
        write_point(reply, done->taken[i]);
        write_point(reply, done->taken[i + 1]);
    }
    arena_str(reply, "victory");
    arena_bool(reply, is_won);
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
    struct deep *deep = self;
    struct board *board = &deep->board;
    struct undo done;
    play_all(board, arena_need(call, "opponent_moves", ARENA_ARRAY));
    const arena_value *left = arena_get(call, "left_ms");
    bool is_low = left->type == ARENA_INT && left->integer < LOW_MS && deep->nodes > NODES_LOW;
    struct found found = search_run(deep->search, board, is_low ? NODES_LOW : deep->nodes);
    int seat = board_turn(board);
    bool is_five = board_makes_five(board, found.point, seat);
    board_play(board, found.point, &done);
    write_play(reply, &done, is_five || board->pairs[seat] >= PAIRS_TO_WIN);
    write_remarks(reply, found);
}

int main(void) {
    static struct deep deep;
    shapes_prepare();
    deep.search = search_new();
    if (deep.search == NULL)
        arena_fail("out of memory");
    arena_bot bot = {
        .name = "deep",
        .version = "1",
        .self = &deep,
        .on_init = on_init,
        .on_move = on_move,
    };
    int code = arena_run(&bot);
    search_free(deep.search);
    return code;
}
