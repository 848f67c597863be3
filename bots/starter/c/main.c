/* Plays any game: one of the legal moves, at random. Make on_move cleverer.
 * What can be read from a call and written into a reply: arena_bot.h. */
#include "arena_bot.h"
#include <stdio.h>

enum { MAX_ROWS = 100, MAX_COLUMNS = 100 };
struct starter {
    uint64_t chance;
    int64_t seats;
    uint32_t rows;
    char board[MAX_ROWS][MAX_COLUMNS + 1];
};

static void look(struct starter *starter, const arena_value *board) {
    starter->rows = board->type == ARENA_ARRAY && board->count <= MAX_ROWS ? board->count : 0;
    for (uint32_t i = 0; i < starter->rows; i++)
        if (arena_at(board, i)->type == ARENA_STR)
            snprintf(starter->board[i], MAX_COLUMNS + 1, "%s", arena_at(board, i)->text);
}

/* A match begins: init tells the game, its options, your seat and the first position. */
static void on_init(void *self, const arena_value *init) {
    struct starter *starter = self;
    starter->chance = (uint64_t)arena_need(init, "seed", ARENA_INT)->integer;
    starter->seats = arena_need(init, "seats", ARENA_INT)->integer;
    look(starter, arena_get(arena_get(init, "view"), "board"));
}

/* Your turn: opponent_moves has the moves since your last call, legal your legal moves. */
static void on_move(void *self, const arena_value *call, arena_reply *reply) {
    struct starter *starter = self;
    const arena_value *legal = arena_get(call, "legal");
    look(starter, arena_get(arena_get(call, "view"), "board"));
    if (legal->count > 0) {
        starter->chance = starter->chance * 6364136223846793005u + 1442695040888963407u;
        arena_play(reply);
        arena_copy(reply, arena_at(legal, (starter->chance >> 32) * legal->count >> 32));
    } else { /* a game for one is over, or its moves are too many for a message */
        (starter->seats == 1 ? arena_done : arena_resign)(reply);
    }
}

/* Shows the board of the last call: change it yourself after your own moves. */
static void on_display(void *self, const arena_value *call, arena_reply *reply) {
    struct starter *starter = self;
    (void)call;
    arena_array(reply, starter->rows);
    for (uint32_t i = 0; i < starter->rows; i++)
        arena_str(reply, starter->board[i]);
}

int main(void) {
    struct starter starter = {0};
    unsigned wants = ARENA_VIEW | ARENA_LEGAL;
    return arena_run(
        &(arena_bot){"starter-c", "1", wants, &starter, on_init, on_move, on_display, NULL});
}
