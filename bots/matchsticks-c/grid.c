#include "grid.h"

#include <string.h>

enum { PIECE_SIDE = 8 };

static int lowest(uint64_t bits) { return __builtin_ctzll(bits); }

static int highest(uint64_t bits) { return 63 - __builtin_clzll(bits); }

static uint64_t from_to(int start, int end) { return UINT64_MAX >> (63 - (end - start)) << start; }

void grid_take(struct grid *grid, struct run run) {
    if (run.is_row)
        grid->rows[run.line] &= ~from_to(run.start, run.end);
    else
        for (int row = run.start; row <= run.end; row++)
            grid->rows[row] &= ~(UINT64_C(1) << run.line);
}

int grid_sticks(const struct grid *grid) {
    int count = 0;
    for (int row = 0; row < grid->size; row++)
        count += __builtin_popcountll(grid->rows[row]);
    return count;
}

int grid_runs(const struct grid *grid, struct run *runs) {
    int count = 0;
    for (uint8_t row = 0; row < grid->size; row++) {
        for (uint64_t left = grid->rows[row]; left; left &= left - 1) {
            const uint8_t column = (uint8_t)lowest(left);
            uint8_t end = column;
            for (uint64_t bit = UINT64_C(1) << column; bit & left; bit <<= 1)
                runs[count++] = (struct run){true, row, column, end++};
            end = row + 1;
            for (; end < grid->size && grid->rows[end] >> column & 1; end++)
                runs[count++] = (struct run){false, column, row, end};
        }
    }
    return count;
}

/* The smallest rectangle around all matchsticks. */
struct box {
    int top, bottom, left, right;
};

static struct box bounds(const struct grid *grid) {
    struct box box = {.top = -1};
    uint64_t columns = 0;
    for (int row = 0; row < grid->size; row++) {
        if (grid->rows[row] && box.top < 0)
            box.top = row;
        if (grid->rows[row])
            box.bottom = row;
        columns |= grid->rows[row];
    }
    if (columns) {
        box.left = lowest(columns);
        box.right = highest(columns);
    }
    return box;
}

static bool has_stick(const struct grid *grid, int row, int column) {
    return grid->rows[row] >> column & 1;
}

/* The place of the cell after a half turn of the box. */
static bool has_opposite(const struct grid *grid, const struct box *box, int row, int column) {
    const int other_row = box->top + box->bottom - row;
    const int other_column = box->left + box->right - column;
    return other_row >= 0 && other_row < grid->size && other_column >= 0 &&
           other_column < grid->size && has_stick(grid, other_row, other_column);
}

bool grid_is_mirrored(const struct grid *grid) {
    const struct box box = bounds(grid);
    if (box.top < 0)
        return true;
    const int middle_row = (box.top + box.bottom) / 2, middle = (box.left + box.right) / 2;
    const bool is_corner = (box.top + box.bottom) % 2 && (box.left + box.right) % 2;
    for (int row = box.top; row <= box.bottom; row++)
        for (uint64_t left = grid->rows[row]; left; left &= left - 1)
            if (!has_opposite(grid, &box, row, lowest(left)))
                return false;
    /* Unless the centre is the corner of four cells, those around it would be in one run. */
    return is_corner || !has_stick(grid, middle_row, middle);
}

static bool is_run(const struct grid *grid, const struct box *box) {
    if (box->top != box->bottom && box->left != box->right)
        return false;
    for (int row = box->top; row <= box->bottom; row++)
        for (int column = box->left; column <= box->right; column++)
            if (!has_stick(grid, row, column))
                return false;
    return true;
}

static struct run run_of(const struct box *box) {
    if (box->top == box->bottom)
        return (struct run){true, (uint8_t)box->top, (uint8_t)box->left, (uint8_t)box->right};
    return (struct run){false, (uint8_t)box->left, (uint8_t)box->top, (uint8_t)box->bottom};
}

static void include(struct box *box, int row, int column) {
    if (box->top < 0)
        *box = (struct box){row, row, column, column};
    if (row < box->top)
        box->top = row;
    if (row > box->bottom)
        box->bottom = row;
    if (column < box->left)
        box->left = column;
    if (column > box->right)
        box->right = column;
}

int grid_mirroring(const struct grid *grid, struct run *runs) {
    const struct box boxes[2] = {{0, grid->size - 1, 0, grid->size - 1}, bounds(grid)};
    int count = 0;
    for (int index = 0; index < 2; index++) {
        const struct box *box = &boxes[index];
        struct box lonely = {.top = -1}; /* cells without an opposite */
        for (int row = 0; row < grid->size; row++)
            for (uint64_t left = grid->rows[row]; left; left &= left - 1)
                if (!has_opposite(grid, box, row, lowest(left)))
                    include(&lonely, row, lowest(left));
        /* And cells around the centre, as a run could hold a cell and its opposite. */
        const int row = (box->top + box->bottom) / 2, column = (box->left + box->right) / 2;
        const bool is_corner = (box->top + box->bottom) % 2 && (box->left + box->right) % 2;
        if (!is_corner && has_stick(grid, row, column)) {
            include(&lonely, row, column);
            include(&lonely, (box->top + box->bottom + 1) / 2, (box->left + box->right + 1) / 2);
        }
        if (lonely.top >= 0 && is_run(grid, &lonely))
            runs[count++] = run_of(&lonely);
    }
    return count;
}

/* Takes the part of the first matchstick out of the grid. */
static struct grid first_part(struct grid *grid) {
    struct grid part = {.size = grid->size};
    int row = 0;
    while (!grid->rows[row])
        row++;
    part.rows[row] = grid->rows[row] & -grid->rows[row];
    for (bool has_grown = true; has_grown;) {
        has_grown = false;
        for (row = 0; row < grid->size; row++) {
            uint64_t grown = part.rows[row] | part.rows[row] << 1 | part.rows[row] >> 1;
            grown |= row > 0 ? part.rows[row - 1] : 0;
            grown |= row + 1 < grid->size ? part.rows[row + 1] : 0;
            grown &= grid->rows[row];
            has_grown |= grown != part.rows[row];
            part.rows[row] = grown;
        }
    }
    for (row = 0; row < grid->size; row++)
        grid->rows[row] ^= part.rows[row];
    return part;
}

bool grid_split(const struct grid *grid, struct sum *sum, int *lines) {
    struct grid left = *grid;
    sum->count = *lines = 0;
    for (int sticks = grid_sticks(grid); sticks > 0; sticks = grid_sticks(&left)) {
        const struct grid part = first_part(&left);
        const struct box box = bounds(&part);
        const int height = box.bottom - box.top + 1, width = box.right - box.left + 1;
        if (height <= PIECE_SIDE && width <= PIECE_SIDE) {
            uint64_t cells = 0;
            for (int row = 0; row < height; row++)
                cells |= (part.rows[box.top + row] >> box.left) << PIECE_SIDE * row;
            if (sum->count == MAX_PARTS || !pieces_have_room(BOARD_PARTS))
                return false;
            pieces_split(cells, sum);
        } else if (height == 1 || width == 1) {
            *lines ^= height * width;
        } else {
            return false;
        }
    }
    return true;
}
