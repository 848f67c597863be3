/* Plays Pente through InitPente, Pente and TermPente. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mactech_host.h"
#include "mactech_pente.h"

/* More than any move can capture, so that the referee refuses too high claims. */
enum { CAPTURES = 256, HIDDEN = -9999 };

struct pente {
    bool is_started;
    int seat;
    int moves;      /* own moves so far */
    bool is_strict; /* second_stone: both */
    bool is_lost;   /* an own move of the history differs from the entry's */
    bool is_opened; /* the opponent has moved */
    Point opponents_move;
    Point move;
    Capture captures[CAPTURES];
    SInt32 capture_count;
    Boolean is_won;
};

static void ask(struct pente *pente) {
    pente->moves++;
    pente->move = (Point){HIDDEN, HIDDEN};
    pente->capture_count = 0;
    pente->is_won = false;
    mactech_enter();
    Pente(pente->opponents_move, !pente->is_opened, &pente->move, pente->captures,
          &pente->capture_count, &pente->is_won);
    mactech_leave();
}

/* Follows moves that were played: the opponent's is kept until the entry is asked for its reply. */
static void follow(struct pente *pente, const arena_value *moves) {
    for (size_t i = 0; i < moves->count; i++) {
        const arena_value *move = arena_get(arena_at(moves, i), "move");
        Point point = {(short)mactech_int(move, "v"), (short)mactech_int(move, "h")};
        if (mactech_int(arena_at(moves, i), "seat") != pente->seat) {
            pente->opponents_move = point;
            pente->is_opened = true;
        } else if (!pente->is_lost) {
            ask(pente);
            pente->is_lost = pente->move.v != point.v || pente->move.h != point.h;
        }
    }
}

static void on_init(void *self, const arena_value *init) {
    struct pente *pente = self;
    mactech_begin(init, "pente");
    *pente = (struct pente){.is_started = true, .seat = mactech_int(init, "seat")};
    pente->is_strict =
        strcmp(mactech_option(init, "second_stone")->text, "both") == 0 && pente->seat == 0;
    SInt32 half_size = (SInt32)mactech_option(init, "half_size")->integer;
    mactech_enter();
    InitPente(half_size);
    mactech_leave();
    follow(pente, arena_get(init, "history"));
}

static void write_point(arena_reply *reply, Point point) {
    arena_array(reply, 2);
    arena_int(reply, point.v);
    arena_int(reply, point.h);
}

static void write_claims(const struct pente *pente, arena_reply *reply) {
    bool has_captures = pente->capture_count >= 0 && pente->capture_count <= CAPTURES;
    if (!has_captures)
        fprintf(stderr, "mactech: numCaptures is %d: not claimed\n", pente->capture_count);
    arena_claims(reply);
    arena_map(reply, has_captures ? 2 : 1);
    arena_str(reply, "victory");
    arena_bool(reply, pente->is_won);
    if (!has_captures)
        return;
    arena_str(reply, "captures");
    arena_array(reply, (size_t)pente->capture_count);
    for (SInt32 i = 0; i < pente->capture_count; i++) {
        arena_array(reply, 2);
        write_point(reply, pente->captures[i].stone1);
        write_point(reply, pente->captures[i].stone2);
    }
}

static void on_move(void *self, const arena_value *call, arena_reply *reply) {
    struct pente *pente = self;
    follow(pente, arena_get(call, "opponent_moves"));
    if (pente->is_lost) {
        mactech_give_up(reply, mactech_other_history);
        return;
    }
    ask(pente);
    bool is_near = abs(pente->move.v) < 3 || abs(pente->move.h) < 3;
    if (pente->is_strict && pente->moves == 2 && is_near) {
        mactech_give_up(reply, "cannot be asked: no call tells the entry of second_stone: both");
        return;
    }
    arena_play(reply);
    arena_map(reply, 2);
    arena_str(reply, "v");
    arena_int(reply, pente->move.v);
    arena_str(reply, "h");
    arena_int(reply, pente->move.h);
    write_claims(pente, reply);
}

static void on_term(void *self, const arena_value *term) {
    struct pente *pente = self;
    (void)term;
    if (!pente->is_started)
        return;
    pente->is_started = false;
    mactech_enter();
    TermPente();
    mactech_leave();
}

int main(int argc, char **argv) {
    static struct pente pente;
    return mactech_run(
        argc, argv,
        &(arena_bot){"mactech-pente", "1997", 0, &pente, on_init, on_move, NULL, on_term});
}
