/* Plays Chinese Checkers through InitChineseCheckers, YourMove, OpponentMove and
 * TermChineseCheckers. */
#include "mactech_chinese_checkers.h"
#include "mactech_host.h"

enum { PLAYERS = 6, HIDDEN = -9999 };

struct checkers {
    bool is_started;
    bool is_lost; /* an own move of the history differs from the entry's */
    int seat;
    SInt32 positions[PLAYERS]; /* an entry may keep the address */
};

static void ask(Position *from, Position *to) {
    *from = *to = (Position){HIDDEN, HIDDEN};
    mactech_enter();
    YourMove(from, to);
    mactech_leave();
}

static Position point_of(const arena_value *move, const char *name) {
    const arena_value *point = arena_need(move, name, ARENA_ARRAY);
    return (Position){mactech_item(point, 0), mactech_item(point, 1)};
}

static bool is_same(Position a, Position b) { return a.row == b.row && a.col == b.col; }

/* Follows moves that were played, the own ones by asking for them. */
static void follow(struct checkers *game, const arena_value *moves) {
    for (size_t i = 0; i < moves->count && !game->is_lost; i++) {
        const arena_value *move = arena_get(arena_at(moves, i), "move");
        int seat = mactech_int(arena_at(moves, i), "seat");
        Position from = point_of(move, "from"), to = point_of(move, "to"), own_from, own_to;
        if (seat == game->seat) {
            ask(&own_from, &own_to);
            game->is_lost = !is_same(own_from, from) || !is_same(own_to, to);
        } else {
            mactech_enter();
            OpponentMove(seat, from, to);
            mactech_leave();
        }
    }
}

static void on_init(void *self, const arena_value *init) {
    struct checkers *game = self;
    mactech_begin(init, "chinese_checkers");
    *game = (struct checkers){.is_started = true, .seat = mactech_int(init, "seat")};
    const arena_value *view = arena_need(init, "view", ARENA_MAP);
    const arena_value *homes = arena_need(view, "positions", ARENA_ARRAY);
    SInt32 size = (SInt32)mactech_option(init, "game_size")->integer;
    for (size_t i = 0; i < homes->count && i < PLAYERS; i++)
        game->positions[i] = mactech_item(homes, i);
    mactech_enter();
    InitChineseCheckers((SInt32)homes->count, size, game->positions, game->seat);
    mactech_leave();
    follow(game, arena_get(init, "history"));
}

static void write_point(arena_reply *reply, const char *name, Position point) {
    arena_str(reply, name);
    arena_array(reply, 2);
    arena_int(reply, point.row);
    arena_int(reply, point.col);
}

static void on_move(void *self, const arena_value *call, arena_reply *reply) {
    struct checkers *game = self;
    Position from, to;
    follow(game, arena_get(call, "opponent_moves"));
    if (game->is_lost) {
        mactech_give_up(reply, mactech_other_history);
        return;
    }
    ask(&from, &to);
    arena_play(reply);
    arena_map(reply, 2);
    write_point(reply, "from", from);
    write_point(reply, "to", to);
}

static void on_term(void *self, const arena_value *term) {
    struct checkers *game = self;
    if (!game->is_started)
        return;
    game->is_started = false;
    follow(game, arena_get(term, "opponent_moves"));
    mactech_enter();
    TermChineseCheckers();
    mactech_leave();
}

int main(int argc, char **argv) {
    static struct checkers game;
    return mactech_run(argc, argv,
                       &(arena_bot){"mactech-chinese-checkers", "1999", 0, &game, on_init, on_move,
                                    NULL, on_term});
}
