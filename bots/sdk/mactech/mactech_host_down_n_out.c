/* Plays Down-N-Out through InitDownNOut, HandleUpdateEvent, PlayOneDownNOutMove and TermDownNOut.
 *
 * A display call is an update event for the whole window; what the entry then draws is the picture.
 * See mactech_window.h for how it is read, and for entries whose drawing cannot be. */
#include <stdio.h>
#include <string.h>

#include "mactech_down_n_out.h"
#include "mactech_host.h"
#include "mactech_window.h"

enum { MAX_CELLS = 100 * 100, HIDDEN = -9999 };

struct down_n_out {
    bool is_started;
    bool is_told; /* that the window cannot be read */
    size_t rows, cols;
    WindowPtr window;
    CellColor board[MAX_CELLS]; /* as the entry left it */
};

static void on_init(void *self, const arena_value *init) {
    struct down_n_out *game = self;
    mactech_begin(init, "down_n_out");
    const arena_value *view = arena_need(init, "view", ARENA_MAP);
    const arena_value *display = mactech_option(init, "display");
    short rows = (short)mactech_option(init, "rows")->integer;
    short cols = (short)mactech_option(init, "cols")->integer;
    if (rows < 1 || cols < 1 || rows * cols > MAX_CELLS)
        arena_fail("a board of %d x %d cells", rows, cols);
    game->is_started = true;
    game->is_told = false;
    game->rows = (size_t)rows;
    game->cols = (size_t)cols;
    mactech_read_board(arena_need(view, "board", ARENA_ARRAY), game->board, game->cols);
    bool is_looked_at = display->type == ARENA_STR && strcmp(display->text, "off") != 0;
    game->window = mactech_open_window(rows, cols, is_looked_at);
    mactech_enter();
    InitDownNOut(rows, cols, (short)mactech_option(init, "colors")->integer, game->board,
                 game->window);
    mactech_leave();
}

static void write_claims(const struct down_n_out *game, SInt32 removed, arena_reply *reply) {
    arena_claims(reply);
    arena_map(reply, 2);
    arena_str(reply, "removed");
    arena_int(reply, removed);
    arena_str(reply, "board");
    mactech_write_board(reply, game->board, game->rows, game->cols);
}

static void on_move(void *self, const arena_value *call, arena_reply *reply) {
    struct down_n_out *game = self;
    const arena_value *view = arena_need(call, "view", ARENA_MAP);
    short row = HIDDEN, col = HIDDEN;
    SInt32 removed = 0;
    mactech_read_board(arena_need(view, "board", ARENA_ARRAY), game->board, game->cols);
    mactech_enter();
    Boolean is_able =
        PlayOneDownNOutMove(game->board, mactech_int(view, "points"), &row, &col, &removed);
    mactech_leave();
    if (!is_able) {
        arena_done(reply);
        return;
    }
    arena_play(reply);
    arena_map(reply, 2);
    arena_str(reply, "row");
    arena_int(reply, row);
    arena_str(reply, "col");
    arena_int(reply, col);
    write_claims(game, removed, reply);
}

static void on_display(void *self, const arena_value *call, arena_reply *reply) {
    struct down_n_out *game = self;
    EventRecord event = {
        .what = updateEvt, .message = (UInt32)(uintptr_t)game->window, .when = TickCount()};
    (void)call;
    mactech_blank_window();
    SetPort(game->window);
    mactech_enter();
    HandleUpdateEvent(event);
    mactech_leave();
    if (mactech_read_window(game->board) == MACTECH_UNREAD && !game->is_told) {
        game->is_told = true;
        fputs("mactech: the window cannot be read; the board that the entry returned is shown\n",
              stderr);
    }
    mactech_write_board(reply, game->board, game->rows, game->cols);
}

static void on_term(void *self, const arena_value *term) {
    struct down_n_out *game = self;
    (void)term;
    if (!game->is_started)
        return;
    game->is_started = false;
    mactech_enter();
    TermDownNOut();
    mactech_leave();
}

int main(int argc, char **argv) {
    static struct down_n_out game;
    return mactech_run(argc, argv,
                       &(arena_bot){"mactech-down-n-out", "2001", ARENA_VIEW, &game, on_init,
                                    on_move, on_display, on_term});
}
