#include "board.h"

#include <stdlib.h>
#include <string.h>

static const int steps[LINES] = {1, WIDTH, WIDTH + 1, WIDTH - 1};

static const int32_t shape_pulls[SHAPES] = {
    [ONE] = 8,
    [TWO] = 20,
    [OPEN_TWO] = 120,
    [THREE] = 160,
    [OPEN_THREE] = 900,
    [FOUR] = PULL_FOUR,
    [OPEN_FOUR] = PULL_OPEN_FOUR,
    [FIVE] = PULL_FIVE,
};
static const int32_t pair_pull = 700;

/* Scrambles an index: a fixed pseudo-random key for each part of a position. */
static uint64_t key_of(uint64_t index) {
    uint64_t mixed = (index + 1) * 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
    return mixed ^ mixed >> 31;
}

static uint64_t stone_key(int point, int seat) { return key_of((uint64_t)(2 * point + seat)); }

static uint64_t pairs_key(int pairs, int seat) {
    return key_of((uint64_t)(2 * (POINTS + 1 + pairs) + seat));
}

static const uint64_t turn_key = 0xD1B54A32D192ED03u;

static void count_point(struct board *board, int point, int sign) {
    for (int seat = 0; seat < 2; seat++)
        for (int line = 0; line < LINES; line++) {
            uint8_t entry = shape_table[seat][board->lines[point][line]];
            board->shapes[seat][entry & SHAPE_MASK] += sign;
            board->takes[seat] += sign * (entry >> SHAPE_BITS);
        }
}

/* Updates the value of a point for each seat after a change on its line. */
static void change_line(struct board *board, int point, int line, unsigned word) {
    unsigned before = board->lines[point][line];
    board->lines[point][line] = (uint16_t)word;
    for (int seat = 0; seat < 2; seat++) {
        unsigned old = shape_table[seat][before], new = shape_table[seat][word];
        if (old == new)
            continue;
        int pairs = (int)(new >> SHAPE_BITS) - (int)(old >> SHAPE_BITS);
        board->pull[seat][point] +=
            shape_pulls[new &SHAPE_MASK] - shape_pulls[old & SHAPE_MASK] + pairs * pair_pull;
        if (board->stones[point] == EMPTY) {
            board->shapes[seat][old & SHAPE_MASK]--;
            board->shapes[seat][new &SHAPE_MASK]++;
            board->takes[seat] += pairs;
        }
    }
}

/* Puts a stone on an empty point, or removes the stone. */
static void toggle(struct board *board, int point, int seat) {
    unsigned stone = (unsigned)seat + FIRST;
    bool is_placed = board->stones[point] == EMPTY;
    if (is_placed)
        count_point(board, point, -1);
    board->stones[point] ^= (uint8_t)stone;
    if (!is_placed)
        count_point(board, point, 1);
    board->empty += is_placed ? -1 : 1;
    board->key ^= stone_key(point, seat);
    for (int line = 0; line < LINES; line++)
        for (int distance = 1; distance <= EDGE; distance++) {
            int behind = point + distance * steps[line], before = point - distance * steps[line];
            /* Seen from the point behind, the stone is one of the four before it, and so on. */
            if (board->stones[behind] != OUTSIDE)
                change_line(board, behind, line,
                            board->lines[behind][line] ^ stone << 2 * (EDGE - distance));
            if (board->stones[before] != OUTSIDE)
                change_line(board, before, line,
                            board->lines[before][line] ^ stone << 2 * (EDGE - 1 + distance));
        }
}

static unsigned first_line(const struct board *board, int point, int step) {
    unsigned word = 0;
    for (int distance = 1; distance <= EDGE; distance++) {
        word |= (unsigned)board->stones[point - distance * step] << 2 * (EDGE - distance);
        word |= (unsigned)board->stones[point + distance * step] << 2 * (EDGE - 1 + distance);
    }
    return word;
}

void board_start(struct board *board, int half, enum second_stone rule) {
    memset(board, 0, sizeof *board);
    board->half = half;
    board->rule = rule;
    board->empty = (2 * half + 1) * (2 * half + 1);
    memset(board->stones, OUTSIDE, sizeof board->stones);
    for (int v = -half; v <= half; v++)
        memset(&board->stones[point_at(v, -half)], EMPTY, (size_t)(2 * half + 1));
    for (int v = -half; v <= half; v++)
        for (int h = -half; h <= half; h++) {
            int point = point_at(v, h), off_centre = abs(v) > abs(h) ? abs(v) : abs(h);
            for (int line = 0; line < LINES; line++)
                board->lines[point][line] = (uint16_t)first_line(board, point, steps[line]);
            count_point(board, point, 1);
            /* If nothing else matters, prefer the centre. */
            board->pull[0][point] = board->pull[1][point] = HALF_MAX - off_centre;
        }
}

bool board_allows(const struct board *board, int point) {
    int rows = abs(row_of(point)), columns = abs(column_of(point));
    if (rows > board->half || columns > board->half || board->stones[point] != EMPTY)
        return false;
    if (board->ply == 0)
        return rows == 0 && columns == 0;
    if (board->ply != 2 || board->rule == SECOND_FREE)
        return true;
    return board->rule == SECOND_BOTH ? rows >= 3 && columns >= 3 : rows >= 3 || columns >= 3;
}

static void count_pairs(struct board *board, int seat, int pairs) {
    board->key ^= pairs_key(board->pairs[seat], seat);
    board->pairs[seat] += pairs;
    board->key ^= pairs_key(board->pairs[seat], seat);
}

void board_play(struct board *board, int point, struct undo *undo) {
    int seat = board_turn(board);
    uint8_t own = (uint8_t)(seat + FIRST), enemy = (uint8_t)(SECOND - seat);
    *undo = (struct undo){.key = board->key, .point = point};
    toggle(board, point, seat);
    for (int ray = 0; ray < 2 * LINES; ray++) {
        int step = ray < LINES ? steps[ray] : -steps[ray - LINES];
        if (board->stones[point + step] != enemy || board->stones[point + 2 * step] != enemy ||
            board->stones[point + 3 * step] != own)
            continue;
        undo->taken[undo->taken_count++] = point + step;
        undo->taken[undo->taken_count++] = point + 2 * step;
    }
    for (int i = 0; i < undo->taken_count; i++)
        toggle(board, undo->taken[i], 1 - seat);
    if (undo->taken_count > 0)
        count_pairs(board, seat, undo->taken_count / 2);
    board->ply++;
    board->key ^= turn_key;
}

void board_take_back(struct board *board, const struct undo *undo) {
    board->ply--;
    int seat = board_turn(board);
    board->pairs[seat] -= undo->taken_count / 2;
    for (int i = 0; i < undo->taken_count; i++)
        toggle(board, undo->taken[i], 1 - seat);
    toggle(board, undo->point, seat);
    board->key = undo->key;
}

bool board_makes_five(const struct board *board, int point, int seat) {
    for (int line = 0; line < LINES; line++)
        if ((shape_table[seat][board->lines[point][line]] & SHAPE_MASK) == FIVE)
            return true;
    return false;
}

int board_pairs_taken(const struct board *board, int point, int seat) {
    int pairs = 0;
    for (int line = 0; line < LINES; line++)
        pairs += shape_table[seat][board->lines[point][line]] >> SHAPE_BITS;
    return pairs;
}
