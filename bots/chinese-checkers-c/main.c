/* Plays Chinese Checkers by a search of fixed size: a match is the same on every machine. */
#include "arena_bot.h"
#include "search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORK = 200000,      /* about 3 ms */
    WORK_PER_MS = 5000, /* a cautious estimate, for short time controls */
    LOW_MS = 2000,      /* plays fast with less than this left of the bank */
    WORK_LOW = 2000,
};

struct player {
    struct star star;
    struct search search;
    struct limits limits;
    int seat;
    int next; /* seat to move after the last report; the own seat after its move */
    bool is_active[SEATS_MAX];
};

static int64_t int_in(const arena_value *list, size_t index) {
    const arena_value *value = arena_at(list, index);
    if (value->type != ARENA_INT)
        arena_fail("an int is needed at %zu of a list", index);
    return value->integer;
}

static int cell_of(const struct star *star, const arena_value *point) {
    int64_t row = int_in(point, 0), column = int_in(point, 1);
    int cell = star_cell(star, row, column);
    if (cell < 0)
        arena_fail("received (%lld, %lld), a point off the board", (long long)row,
                   (long long)column);
    return cell;
}

/* ---- A match begins */

static bool is_option(const arena_value *options, const char *name, const char *value) {
    return strcmp(arena_need(options, name, ARENA_STR)->text, value) == 0;
}

static void start_star(struct star *star, const arena_value *options, const arena_value *view) {
    int64_t size = arena_need(options, "game_size", ARENA_INT)->integer;
    if (size < SMALLEST || size > LARGEST)
        arena_fail("the option game_size is %d to %d, not %lld", SMALLEST, LARGEST,
                   (long long)size);
    star_start(star, (int)size, arena_need(options, "anti_block", ARENA_BOOL)->boolean);
    const arena_value *homes = arena_need(view, "positions", ARENA_ARRAY);
    if (homes->count < 2 || homes->count > SEATS_MAX)
        arena_fail("view.positions: %u seats; 2 to %d expected", homes->count, SEATS_MAX);
    for (size_t seat = 0; seat < homes->count; seat++) {
        int64_t home = int_in(homes, seat);
        if (home < 0 || home >= TRIANGLES)
            arena_fail("view.positions: %lld is no triangle", (long long)home);
        star_seat(star, (int)home, is_option(options, "neutral_end", "allow"));
    }
}

static void put_men(struct star *star, int seat, const arena_value *men) {
    if (men->type != ARENA_ARRAY || (int)men->count != star->men_count)
        arena_fail("view.men: %d for each seat expected", star->men_count);
    for (int man = 0; man < star->men_count; man++) {
        int cell = cell_of(star, arena_at(men, (size_t)man));
        if (star->board[cell] != EMPTY)
            arena_fail("view.men: two men on one point");
        star_put(star, seat, man, cell);
    }
}

static int work_for(const arena_value *time) {
    const arena_value *per_move = arena_get(time, "per_move_ms");
    bool is_short = per_move->type == ARENA_INT && per_move->integer < WORK / WORK_PER_MS;
    return is_short ? 1 + (int)per_move->integer * WORK_PER_MS : WORK;
}

static void on_init(void *self, const arena_value *init) {
    struct player *player = self;
    struct star *star = &player->star;
    const char *game = arena_need(init, "game", ARENA_STR)->text;
    if (strcmp(game, "chinese_checkers") != 0)
        arena_fail("it plays chinese_checkers, not %s", game);
    const arena_value *view = arena_need(init, "view", ARENA_MAP);
    start_star(star, arena_need(init, "options", ARENA_MAP), view);
    const arena_value *men = arena_need(view, "men", ARENA_ARRAY);
    int64_t seat = arena_need(init, "seat", ARENA_INT)->integer;
    int64_t next = arena_need(view, "turn", ARENA_INT)->integer;
    if (seat < 0 || seat >= star->seats || next < 0 || next >= star->seats)
        arena_fail("seat %lld or view.turn %lld of %d", (long long)seat, (long long)next,
                   star->seats);
    for (int other = 0; other < star->seats; other++) {
        put_men(star, other, arena_at(men, (size_t)other));
        player->is_active[other] = true;
    }
    player->seat = (int)seat;
    player->next = (int)next;
    player->limits.work = work_for(arena_get(init, "time"));
    uint64_t seed = (uint64_t)arena_need(init, "seed", ARENA_INT)->integer;
    search_start(&player->search, star, player->seat, seed);
}

/* ---- A move */

/* Makes the moves of the others. Seats whose turn has passed without one have been retired. */
static void follow(struct player *player, const arena_value *moves) {
    struct star *star = &player->star;
    bool has_moved[SEATS_MAX] = {false};
    for (size_t i = 0; i < moves->count; i++) {
        int64_t seat = arena_need(arena_at(moves, i), "seat", ARENA_INT)->integer;
        const arena_value *move = arena_need(arena_at(moves, i), "move", ARENA_MAP);
        if (seat < 0 || seat >= star->seats)
            arena_fail("received a move of seat %lld", (long long)seat);
        int from = cell_of(star, arena_need(move, "from", ARENA_ARRAY));
        int to = cell_of(star, arena_need(move, "to", ARENA_ARRAY));
        int man = star_man(star, (int)seat, from);
        if (man < 0 || (from != to && star->board[to] != EMPTY))
            arena_fail("seat %lld is said to move from a point or to one where it cannot",
                       (long long)seat);
        if (from != to)
            star_move(star, (int)seat, man, to);
        has_moved[seat] = true;
    }
    for (int seat = player->next; seat != player->seat; seat = (seat + 1) % star->seats)
        player->is_active[seat] = player->is_active[seat] && has_moved[seat];
    player->next = (player->seat + 1) % star->seats;
}

static void write_point(arena_reply *reply, const struct star *star, int cell) {
    arena_array(reply, 2);
    arena_int(reply, star_row(star, cell));
    arena_int(reply, star_column(star, cell));
}

static void on_move(void *self, const arena_value *call, arena_reply *reply) {
    struct player *player = self;
    struct limits limits = player->limits;
    follow(player, arena_need(call, "opponent_moves", ARENA_ARRAY));
    const arena_value *left = arena_get(call, "left_ms");
    if (left->type == ARENA_INT && left->integer < LOW_MS && limits.work > WORK_LOW)
        limits.work = WORK_LOW;
    struct found found = search_run(&player->search, player->is_active, limits);
    struct move move = found.move;
    if (move.from != move.to)
        star_move(&player->star, player->seat, move.man, move.to);
    arena_play(reply);
    arena_map(reply, 2);
    arena_str(reply, "from");
    write_point(reply, &player->star, move.from);
    arena_str(reply, "to");
    write_point(reply, &player->star, move.to);
    arena_remark(reply, "data");
    arena_map(reply, 2);
    arena_str(reply, "depth");
    arena_int(reply, found.depth);
    arena_str(reply, "points");
    arena_int(reply, found.work);
}

static int depth_of(int argc, char **argv) {
    char *end = NULL;
    if (argc == 1)
        return DEPTH_MAX;
    long depth = argc == 3 && strcmp(argv[1], "--depth") == 0 ? strtol(argv[2], &end, 10) : 0;
    if (end == NULL || *end != '\0' || depth < 1 || depth > DEPTH_MAX) {
        fprintf(stderr, "usage: chinese-checkers-c [--depth N], N from 1 to %d\n", DEPTH_MAX);
        exit(1);
    }
    return (int)depth;
}

int main(int argc, char **argv) {
    static struct player player;
    player.limits.depth = depth_of(argc, argv);
    const arena_bot bot = {
        .name = "chinese-checkers-c",
        .version = "1",
        .self = &player,
        .on_init = on_init,
        .on_move = on_move,
    };
    return arena_run(&bot);
}
