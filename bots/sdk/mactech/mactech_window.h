/* The game window of Down-N-Out, and how it is read. How an entry shows the board is its own
 * affair, so nobody knows beforehand where a cell is and what its colours look like. But a window
 * that shows a board has its cells on a lattice, where cells of one colour look alike and those of
 * two do not. */
#ifndef MACTECH_WINDOW_H
#define MACTECH_WINDOW_H

#include <stdbool.h>

#include "mactech_toolbox.h"

/* Makes a port ready to draw on: paper of this size, black on white, a pen of one point. Without
 * inks what is drawn leaves no trace. In mactech_quickdraw.c. */
void mactech_open_port(GrafPtr port, const Rect *bounds, UInt32 *inks);

/* Opens the window for a board of this size. Drawing leaves no trace unless it will be looked at.
 */
WindowPtr mactech_open_window(short rows, short cols, bool is_looked_at);

/* Makes the window white, like the system does with uncovered areas. */
void mactech_blank_window(void);

typedef enum {
    MACTECH_SHOWN, /* the window shows this board */
    MACTECH_OTHER, /* it shows another board, which replaces the given one */
    MACTECH_UNREAD /* it has never shown a board in a way that can be read */
} mactech_sight;

/* Looks for the board in the window. */
mactech_sight mactech_read_window(char *board);

#endif
