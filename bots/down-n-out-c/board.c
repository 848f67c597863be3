#include "board.h"

#include <string.h>

struct shape board_shape(int rows, int cols, int colors) {
    struct shape shape = {.rows = rows, .cols = cols, .colors = colors, .stride = rows + 1};
    shape.bytes = ((cols + 2) * shape.stride + 31) / 32 * 32;
    return shape;
}

static void fall(const struct shape *shape, uint8_t *column) {
    int bottom = shape->rows;
    for (int row = shape->rows; row > 0; row--) {
        uint8_t color = column[row];
        column[row] = 0;
        if (color)
            column[bottom--] = color;
    }
}

/* Moves the columns from..to, in this order, into the first free places from `from` on. */
static void close_up(const struct shape *shape, uint8_t *board, int from, int to) {
    const int stride = shape->stride, step = from < to ? 1 : -1;
    int place = from;
    for (int col = from; col != to + step; col += step) {
        if (!board[col * stride + shape->rows])
            continue; /* a column is empty when its lowest cell is */
        if (col != place) {
            memcpy(board + place * stride, board + col * stride, (size_t)stride);
            memset(board + col * stride, 0, (size_t)stride);
        }
        place += step;
    }
}

/* Empties the group and returns its size; its columns run from *first to *last. */
static int empty_group(const struct shape *shape, uint8_t *board, int cell, int *first, int *last) {
    static int members[MAX_BYTES];
    const int steps[4] = {-1, 1, -shape->stride, shape->stride};
    const uint8_t color = board[cell];
    int size = 1, low = cell, high = cell;
    board[cell] = 0;
    members[0] = cell;
    for (int next = 0; next < size; next++) {
        const int member = members[next];
        if (member < low)
            low = member;
        if (member > high)
            high = member;
        for (int way = 0; way < 4; way++) {
            const int near = member + steps[way];
            if (board[near] == color) {
                board[near] = 0;
                members[size++] = near;
            }
        }
    }
    *first = low / shape->stride;
    *last = high / shape->stride;
    return size;
}

struct change board_remove(const struct shape *shape, uint8_t *board, int cell) {
    struct change change = {.is_closed = false};
    change.removed = empty_group(shape, board, cell, &change.first, &change.last);
    for (int col = change.first; col <= change.last; col++) {
        fall(shape, board + col * shape->stride);
        change.is_closed |= !board[col * shape->stride + shape->rows];
    }
    if (change.is_closed) {
        const int middle = shape->cols / 2;
        if (middle > 0)
            close_up(shape, board, middle, 1);
        close_up(shape, board, middle + 1, shape->cols);
    }
    return change;
}

int board_groups(const struct shape *shape, const uint8_t *board, struct group *groups) {
    static uint8_t left[MAX_BYTES];
    int count = 0, first, last;
    memcpy(left, board, (size_t)shape->bytes);
    for (int cell = shape->stride; cell < (shape->cols + 1) * shape->stride; cell++) {
        if (!left[cell])
            continue;
        /* The first cell of a group has its others below or to the right. */
        if (left[cell] != left[cell + 1] && left[cell] != left[cell + shape->stride])
            continue;
        groups[count++] = (struct group){cell, empty_group(shape, left, cell, &first, &last)};
    }
    return count;
}

void board_tally(const struct shape *shape, const uint8_t *board, int first, int last, int times,
                 struct tally *tally) {
    const int stride = shape->stride;
    for (int col = first; col <= last; col++) {
        /* From the bottom up: above the first empty cell there is nothing. */
        for (const uint8_t *cell = board + col * stride + shape->rows; *cell; cell--) {
            const uint8_t color = *cell;
            const int down = cell < board + col * stride + shape->rows && cell[1] == color;
            const int right = cell[stride] == color;
            tally->cells[color] += times;
            tally->pairs[color] += times * (down + right);
            tally->squares[color] += times * (down & right & (cell[stride + 1] == color));
        }
    }
}

uint64_t board_hash(const struct shape *shape, const uint8_t *board) {
    /* Four sums side by side, as each step of one waits for the step before. */
    uint64_t sums[4] = {1, 2, 3, 4}, words[4];
    for (int byte = 0; byte < shape->bytes; byte += 32) {
        memcpy(words, board + byte, 32);
        for (int lane = 0; lane < 4; lane++) {
            sums[lane] = (sums[lane] ^ words[lane]) * 0x9E3779B97F4A7C15u;
            sums[lane] ^= sums[lane] >> 29;
        }
    }
    uint64_t hash = 0;
    for (int lane = 0; lane < 4; lane++) {
        hash = (hash ^ sums[lane]) * 0xD6E8FEB86659FD93u;
        hash ^= hash >> 32;
    }
    return hash;
}
