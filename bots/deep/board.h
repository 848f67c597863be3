/* A position of Pente with the facts needed by the search, kept up to date move by move. */
#ifndef BOARD_H
#define BOARD_H

#include "shapes.h"

#include <stdbool.h>

enum {
    HALF_MIN = 1,
    HALF_MAX = 15,
    EDGE = 4, /* points outside, so that no line runs off the array */
    MIDDLE = HALF_MAX + EDGE,
    WIDTH = 2 * MIDDLE + 1,
    POINTS = WIDTH * WIDTH,
    LINES = 4,
    PAIRS_TO_WIN = 5,
    MAX_TAKEN = 2 * 8,
};

enum second_stone { SECOND_BOX5, SECOND_BOTH, SECOND_FREE };

/* A point's row v and column h, counted from the centre, in one number. */
static inline int point_at(int v, int h) { return (v + MIDDLE) * WIDTH + h + MIDDLE; }
static inline int row_of(int point) { return point / WIDTH - MIDDLE; }
static inline int column_of(int point) { return point % WIDTH - MIDDLE; }

struct board {
    int half;
    enum second_stone rule;
    int ply;
    int empty; /* points without a stone */
    int pairs[2];
    uint64_t key; /* of stones, pairs and turn: equal positions have equal keys */
    uint8_t stones[POINTS];
    uint16_t lines[POINTS][LINES];

    /* By seat: over all empty points and their lines, the number of possible shapes of each kind,
     * and of pairs that could be taken. */
    int shapes[2][SHAPES];
    int takes[2];
    int32_t pull[2][POINTS]; /* value of a stone on a point, by shapes and pairs */
};

struct undo {
    uint64_t key;
    int point;
    int taken_count; /* stones: two a pair */
    int taken[MAX_TAKEN];
};

enum { PULL_FIVE = 1 << 20, PULL_OPEN_FOUR = 1 << 14, PULL_FOUR = 1200 };

void board_start(struct board *board, int half, enum second_stone rule);

/* Whether the rules allow a stone of the seat to move here. */
bool board_allows(const struct board *board, int point);

/* Plays an allowed stone of the seat to move, and captures the bracketed pairs. */
void board_play(struct board *board, int point, struct undo *undo);
void board_take_back(struct board *board, const struct undo *undo);

/* The effect of a stone of this seat on an empty point. */
bool board_makes_five(const struct board *board, int point, int seat);
int board_pairs_taken(const struct board *board, int point, int seat);

static inline int board_turn(const struct board *board) { return board->ply & 1; }

#endif
