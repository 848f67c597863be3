/* The game window of Down-N-Out, and how it is read: mactech_window.h. */
#include "mactech_window.h"

#include <string.h>

enum { WIDTH = 640, HEIGHT = 480, CELL = 8, MAX_SIDE = 100 * CELL };
enum { COLORS = 10, STEP = 3, MAX_GAP = 5, UNKNOWN = 10 };

/* A point inside the first cell, and the way from a cell to the next; `dh` 0 is no lattice. */
typedef struct lattice {
    int h, v, dh, dv;
} lattice;

static UInt32 surface[MAX_SIDE * MAX_SIDE];
static GrafPort window;
static short rows, cols;
static lattice known;        /* where the board was seen last */
static UInt32 looks[COLORS]; /* how the colours looked there */
static bool is_seen[COLORS];
static bool is_unreadable; /* it was once, and looking takes the entry's time */

WindowPtr mactech_open_window(short board_rows, short board_cols, bool is_looked_at) {
    rows = board_rows;
    cols = board_cols;
    int width = cols * CELL > WIDTH ? cols * CELL : WIDTH;
    int height = rows * CELL > HEIGHT ? rows * CELL : HEIGHT;
    Rect bounds = {0, 0, (short)height, (short)width};
    mactech_open_port(&window, &bounds, is_looked_at ? surface : NULL);
    mactech_blank_window();
    SetPort(&window);
    known.dh = 0;
    is_unreadable = false;
    memset(is_seen, 0, sizeof is_seen);
    return &window;
}

void mactech_blank_window(void) {
    size_t points = (size_t)window.portRect.right * (size_t)window.portRect.bottom;
    if (window.inks != NULL)
        memset(surface, 0, points * sizeof *surface);
}

static UInt32 look(const lattice *at, int row, int col) {
    return surface[(at->v + row * at->dv) * window.portRect.right + at->h + col * at->dh];
}

/* Whether on this lattice all cells of a colour look alike, and those of two colours do not. */
static bool is_shown(const lattice *at, const char *board) {
    UInt32 found[COLORS];
    bool has[COLORS] = {false};
    for (int row = 0; row < rows; row++)
        for (int col = 0; col < cols; col++) {
            int color = board[row * cols + col];
            UInt32 ink = look(at, row, col);
            for (int other = 0; other < COLORS && !has[color]; other++)
                if (has[other] && found[other] == ink)
                    return false;
            if (has[color] && found[color] != ink)
                return false;
            has[color] = true;
            found[color] = ink;
        }
    known = *at;
    for (int color = 0; color < COLORS; color++)
        if (has[color]) {
            looks[color] = found[color];
            is_seen[color] = true;
        }
    return true;
}

/* The rectangle around all that is inked. */
static Rect inked(void) {
    Rect all = {window.portRect.bottom, window.portRect.right, 0, 0};
    for (short v = 0; v < window.portRect.bottom; v++)
        for (short h = 0; h < window.portRect.right; h++)
            if (surface[v * window.portRect.right + h] != 0) {
                all.left = h < all.left ? h : all.left;
                all.right = h >= all.right ? (short)(h + 1) : all.right;
                all.top = v < all.top ? v : all.top;
                all.bottom = (short)(v + 1);
            }
    return all;
}

/* Tries the lattices that the board has if it fills all that is inked, as it mostly does. */
static bool fills_ink(const char *board) {
    Rect all = inked();
    for (int gaps = 0; gaps < MAX_GAP * MAX_GAP; gaps++) {
        int gap_h = gaps % MAX_GAP, gap_v = gaps / MAX_GAP; /* between two cells */
        int dh = (all.right - all.left + gap_h) / cols, dv = (all.bottom - all.top + gap_v) / rows;
        lattice at = {all.left + (dh - gap_h) / 2, all.top + (dv - gap_v) / 2, dh, dv};
        if (dh > gap_h && dv > gap_v && is_shown(&at, board))
            return true;
    }
    return false;
}

/* Tries every lattice, the widest first. A cell is taken to measure STEP points at least. */
static bool is_anywhere(const char *board) {
    for (int dh = window.portRect.right / cols; dh >= STEP; dh--)
        for (int dv = window.portRect.bottom / rows; dv >= STEP; dv--)
            for (int v = 1; v + (rows - 1) * dv < window.portRect.bottom && v < 8 * dv; v += STEP)
                for (int h = 1; h + (cols - 1) * dh < window.portRect.right && h < 8 * dh;
                     h += STEP)
                    if (is_shown(&(lattice){h, v, dh, dv}, board))
                        return true;
    return false;
}

static char color_of(UInt32 ink) {
    for (char color = 0; color < COLORS; color++)
        if (is_seen[(int)color] && looks[(int)color] == ink)
            return color;
    return UNKNOWN;
}

mactech_sight mactech_read_window(char *board) {
    for (int cell = 0; cell < rows * cols; cell++)
        if (board[cell] < 0 || board[cell] >= COLORS)
            return MACTECH_OTHER; /* no board at all: it is reported as the entry has it */
    if (window.inks == NULL || is_unreadable)
        return MACTECH_UNREAD;
    if (known.dh > 0 && is_shown(&known, board))
        return MACTECH_SHOWN;
    if (fills_ink(board) || is_anywhere(board))
        return MACTECH_SHOWN;
    is_unreadable = known.dh == 0;
    if (is_unreadable)
        return MACTECH_UNREAD;
    for (int cell = 0; cell < rows * cols; cell++)
        board[cell] = color_of(look(&known, cell / cols, cell % cols));
    return MACTECH_OTHER;
}
