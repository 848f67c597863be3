/* The effect of a stone on a line: a table over the eight points around it.
 *
 * A line is a word of eight digits of two bits, the four points before the middle and the four
 * behind it, farthest first and nearest first: see board.c. The middle is empty. */
#ifndef SHAPES_H
#define SHAPES_H

#include <stdint.h>

enum { EMPTY, FIRST, SECOND, OUTSIDE }; /* digits: no stone, one of seat 0, of seat 1, no point */
enum { LINE_DIGITS = 8, LINE_WORDS = 1 << (2 * LINE_DIGITS) };

/* A stone in the middle makes ... */
enum shape {
    NOTHING,
    ONE,        /* an open two after one more stone */
    TWO,        /* a three after one more */
    OPEN_TWO,   /* an open three after one more */
    THREE,      /* a four after one more */
    OPEN_THREE, /* an open four after one more */
    FOUR,       /* a five in one way */
    OPEN_FOUR,  /* a five in two ways or more */
    FIVE,       /* five or more in a row */
    SHAPES,
};

enum { SHAPE_BITS = 4, SHAPE_MASK = (1 << SHAPE_BITS) - 1 };

/* shape_table[seat][line]: the shape, and above SHAPE_BITS the pairs (0 to 2) the stone takes. */
extern uint8_t shape_table[2][LINE_WORDS];

/* Fills the table; a second call changes nothing. */
void shapes_prepare(void);

#endif
