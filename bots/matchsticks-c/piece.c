#include "piece.h"

#include <string.h>

#define LEFT UINT64_C(0x0101010101010101)  /* the first column */
#define RIGHT UINT64_C(0x8080808080808080) /* the last one */

enum { SLOTS = 2 * MAX_PIECES };

struct piece pieces[MAX_PIECES];
static int slots[SLOTS]; /* a piece's number + 1, found by a hash of its cells */
static int piece_count;

void pieces_forget(void) {
    if (piece_count > 0) /* writing zeros over zeros would touch every page */
        memset(slots, 0, sizeof slots);
    piece_count = 0;
}

bool pieces_have_room(int wanted) { return piece_count + wanted < MAX_PIECES; }

static uint64_t mixed(uint64_t number) {
    number = (number + 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u;
    number = (number ^ number >> 32) * 0xD6E8FEB86659FD93u;
    return number ^ number >> 32;
}

static uint64_t top_left(uint64_t cells) {
    cells >>= __builtin_ctzll(cells) & ~7;
    uint64_t columns = cells | cells >> 32;
    columns |= columns >> 16;
    columns |= columns >> 8;
    return cells >> __builtin_ctzll(columns);
}

static uint64_t mirrored(uint64_t cells) {
    cells = (cells >> 1 & 0x5555555555555555u) | (cells & 0x5555555555555555u) << 1;
    cells = (cells >> 2 & 0x3333333333333333u) | (cells & 0x3333333333333333u) << 2;
    return (cells >> 4 & 0x0F0F0F0F0F0F0F0Fu) | (cells & 0x0F0F0F0F0F0F0F0Fu) << 4;
}

static uint64_t transposed(uint64_t cells) {
    uint64_t swap = (cells ^ cells >> 7) & 0x00AA00AA00AA00AAu;
    cells ^= swap ^ swap << 7;
    swap = (cells ^ cells >> 14) & 0x0000CCCC0000CCCCu;
    cells ^= swap ^ swap << 14;
    swap = (cells ^ cells >> 28) & 0x00000000F0F0F0F0u;
    return cells ^ swap ^ swap << 28;
}

/* The least of the eight ways to place the piece. */
static uint64_t canonical(uint64_t cells) {
    uint64_t least = UINT64_MAX;
    for (int way = 0; way < 8; way++) {
        const uint64_t placed = top_left(cells);
        if (placed < least)
            least = placed;
        cells = way == 3 ? transposed(cells) : way & 1 ? __builtin_bswap64(cells) : mirrored(cells);
    }
    return least;
}

static int find_piece(uint64_t cells) {
    cells = canonical(cells);
    const uint64_t key = mixed(cells);
    uint64_t slot = key % SLOTS;
    for (; slots[slot]; slot = (slot + 1) % SLOTS)
        if (pieces[slots[slot] - 1].cells == cells)
            return slots[slot] - 1;
    pieces[piece_count] = (struct piece){
        .cells = cells,
        .key = key,
        .sticks = (uint8_t)__builtin_popcountll(cells),
        .nimber = UNKNOWN,
        .misere = UNKNOWN,
    };
    slots[slot] = piece_count + 1;
    return piece_count++;
}

void pieces_split(uint64_t board, struct sum *sum) {
    while (board) {
        uint64_t piece = board & -board, before;
        do {
            before = piece;
            piece |= piece << 8 | piece >> 8 | (piece << 1 & ~LEFT) | (piece >> 1 & ~RIGHT);
            piece &= board;
        } while (piece != before);
        sum->pieces[sum->count++] = find_piece(piece);
        board ^= piece;
    }
}

int pieces_runs(uint64_t board, uint64_t *runs) {
    /* starts[n]: where a run of n + 1 begins, in a row and in a column */
    uint64_t rows[8] = {board}, columns[8] = {board};
    int count = 0, longest = 1;
    for (; longest < 8; longest++) {
        rows[longest] = rows[longest - 1] & rows[0] >> longest & LEFT * (0xFFu >> longest);
        columns[longest] = columns[longest - 1] & rows[0] >> 8 * longest;
        if (!(rows[longest] | columns[longest]))
            break;
    }
    for (int length = longest; length > 0; length--) {
        const uint64_t row = (1u << length) - 1, column = LEFT >> 8 * (8 - length);
        for (uint64_t left = rows[length - 1]; left; left &= left - 1)
            runs[count++] = row << __builtin_ctzll(left);
        for (uint64_t left = columns[length - 1]; left && length > 1; left &= left - 1)
            runs[count++] = column << __builtin_ctzll(left);
    }
    return count;
}
