/* The six-pointed star and the men on it, with the distances of each seat.
 *
 * A point of the star is a cell: an index into a board that lies flat, so that a neighbour is a
 * fixed offset away. */
#ifndef STAR_H
#define STAR_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SMALLEST = 3,
    LARGEST = 63,
    SEATS_MAX = 6,
    MEN_MAX = LARGEST * (LARGEST + 1) / 2,
    EDGE = 2, /* cells outside, so that no jump runs off the array */
    CELLS_MAX = (4 * LARGEST + 1 + EDGE) * (4 * LARGEST + 1 + 2 * EDGE) + 2 * EDGE,
    DIRECTIONS = 6,
    TRIANGLES = 6, /* 0 to 5, clockwise from the top */
    HEXAGON = 6,   /* the zone of a point in no triangle */
    ZONES = 7,
};
enum { EMPTY = 0, WALL = 7 }; /* a man is its seat + 1 */

/* The way of one seat to its goal. */
struct course {
    int goal;                  /* a triangle */
    int points[MEN_MAX];       /* the cells of the goal */
    bool may_end[CELLS_MAX];   /* whether a move may end there */
    int16_t far[CELLS_MAX];    /* steps to the tip of the goal */
    int16_t aside[CELLS_MAX];  /* half steps to the right of the line from tip to tip */
    int32_t burden[CELLS_MAX]; /* remaining work of a man there */
};

struct star {
    int size, width, cells, men_count, seats;
    bool is_goal_shared; /* the option anti_block: others' men in a goal help to fill it */
    int steps[DIRECTIONS];
    uint8_t zones[CELLS_MAX];
    uint8_t board[CELLS_MAX];
    int men[SEATS_MAX][MEN_MAX]; /* the cells of each seat's men */
    int burden[SEATS_MAX];       /* of all its men together */
    int arrived[SEATS_MAX];      /* its men in its goal */
    int filled[ZONES];           /* anybody's men in the zone */
    struct course courses[SEATS_MAX];
};

/* Lays out a star without seats. */
void star_start(struct star *star, int size, bool is_goal_shared);
/* Adds the next seat; its men follow. */
void star_seat(struct star *star, int home, bool is_neutral_open);
/* Puts a man of a seat on an empty cell; `man` counts the men of the seat. */
void star_put(struct star *star, int seat, int man, int cell);

/* The cell of a point, or -1 if it is off the board. */
int star_cell(const struct star *star, int64_t row, int64_t column);
int star_row(const struct star *star, int cell);
int star_column(const struct star *star, int cell);

/* The index of a seat's man on a cell, or -1. */
int star_man(const struct star *star, int seat, int cell);
/* Moves a man to an empty cell. */
void star_move(struct star *star, int seat, int man, int to);
/* Sorts the men of a seat by distance, the longest first. */
void star_sort(struct star *star, int seat);

/* Whether a seat is home, or would be with `lacking` more men in its goal. */
bool star_is_home(const struct star *star, int seat, int lacking);

#endif
