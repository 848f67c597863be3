#include "board.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t turn_key = 0xD1B54A32D192ED03u;

/* The scrambled index: a fixed pseudo-random key for each man on each square. */
static uint64_t man_key(int seat, int square) {
    uint64_t mixed = (uint64_t)(2 * square + seat + 1) * 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
    return mixed ^ mixed >> 31;
}

/* Worth of a man by the number of rows in front of it. The player who has moves left wins, and a
 * man on the far row has none and blocks others. Logistic regression over matches of the search
 * against itself gives these numbers for boards of 6 to 16 rows. */
static int worth_of(int ahead) {
    static const int worth[] = {-25, 20, 65, 100, 125, 135, 140, 143, 146};
    const int last = (int)(sizeof worth / sizeof *worth) - 1;
    return worth[ahead < last ? ahead : last];
}

/* Puts a man on an empty square, or removes the man of an occupied one. */
static void toggle(struct board *board, int seat, int square) {
    int line = square / LINE_BITS, row = row_of(square);
    int worth = worth_of(seat == 0 ? board->rows - 1 - row : row);
    uint32_t bit = 1u << column_of(square);
    board->men[seat][line] ^= bit;
    board->empty[line] ^= bit;
    board->key ^= man_key(seat, square);
    board->worth[seat] += board->men[seat][line] & bit ? worth : -worth;
}

void board_clear(struct board *board, int rows, int columns) {
    memset(board, 0, sizeof *board);
    board->rows = rows;
    board->columns = columns;
    for (int row = 0; row < rows; row++)
        board->empty[row + EDGE] = (1u << columns) - 1;
}

void board_put(struct board *board, int seat, int row, int column) {
    toggle(board, seat, square_at(row, column));
}

void board_pass(struct board *board) {
    board->turn = 1 - board->turn;
    board->key ^= turn_key;
}

/* All men moved one column to the right (1), to the left (-1) or not at all (0). */
static uint32_t shifted(uint32_t men, int right) {
    return right > 0 ? men << 1 : right < 0 ? men >> 1 : men;
}

static int add_moves(struct move *moves, int count, int line, uint32_t targets, int step) {
    for (; targets != 0; targets &= targets - 1) {
        int to = line * LINE_BITS + __builtin_ctz(targets);
        moves[count++] = (struct move){(uint16_t)(to - step), (uint16_t)to};
    }
    return count;
}

int board_captures(const struct board *board, struct move moves[MOVES_MAX]) {
    const uint32_t *own = board->men[board->turn], *enemy = board->men[1 - board->turn];
    int count = 0;
    for (int line = EDGE; line < EDGE + board->rows; line++) {
        if (own[line] == 0)
            continue;
        for (int up = -1; up <= 1; up++)
            for (int right = -1; right <= 1; right++) {
                uint32_t over = shifted(own[line], right) & enemy[line + up];
                uint32_t targets = shifted(over, right) & board->empty[line + 2 * up];
                int step = 2 * (up * LINE_BITS + right);
                count = add_moves(moves, count, line + 2 * up, targets, step);
            }
    }
    return count;
}

static uint32_t targets_of(const struct board *board, int seat, int line, int right) {
    int ahead = seat == 0 ? line + 1 : line - 1;
    return shifted(board->men[seat][line], right) & board->empty[ahead];
}

int board_slides(const struct board *board, struct move moves[MOVES_MAX]) {
    int up = board->turn == 0 ? 1 : -1, count = 0;
    for (int line = EDGE; line < EDGE + board->rows; line++)
        for (int right = -1; right <= 1; right++) {
            uint32_t targets = targets_of(board, board->turn, line, right);
            count = add_moves(moves, count, line + up, targets, up * LINE_BITS + right);
        }
    return count;
}

int board_count_slides(const struct board *board, int seat) {
    int count = 0;
    for (int line = EDGE; line < EDGE + board->rows; line++)
        for (int right = -1; right <= 1; right++)
            count += __builtin_popcount(targets_of(board, seat, line, right));
    return count;
}

bool board_allows(const struct board *board, struct move move) {
    struct move moves[MOVES_MAX];
    int count = board_captures(board, moves);
    if (count == 0)
        count = board_slides(board, moves);
    for (int i = 0; i < count; i++)
        if (moves[i].from == move.from && moves[i].to == move.to)
            return true;
    return false;
}

static void carry(struct board *board, int seat, struct move move) {
    toggle(board, seat, move.from);
    toggle(board, seat, move.to);
    /* A slide goes one row, a capture none or two. */
    if (abs(row_of(move.to) - row_of(move.from)) != 1)
        toggle(board, 1 - seat, (move.from + move.to) / 2);
    board_pass(board);
}

void board_play(struct board *board, struct move move) { carry(board, board->turn, move); }

void board_take_back(struct board *board, struct move move) { carry(board, 1 - board->turn, move); }
