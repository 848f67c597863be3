#include "star.h"

#include <stdlib.h>
#include <string.h>

/* A man's burden grows with the square of its distance, so that no man stays behind. Outside the
 * goal it also grows a little with the distance from the line between the tips. */
enum { PER_STEP = 5, PER_SQUARE = 2, PER_ASIDE = 2 };

/* A point is (row, slant), with (row + 1, slant) and (row + 1, slant + 1) below it. Here both count
 * from the centre of the star; their difference is the third coordinate of that kind. */
struct point {
    int row, slant;
};

static struct point point_of(const struct star *star, int cell) {
    int centre = EDGE + 2 * star->size;
    return (struct point){cell / star->width - centre, cell % star->width - centre};
}

/* A sixth of a turn clockwise. */
static struct point turned(struct point point) {
    return (struct point){point.slant, point.slant - point.row};
}

/* A triangle, HEXAGON, or -1 off the star: points of it are close to the centre in at least two of
 * the three coordinates. */
static int zone_of(int size, struct point point) {
    int third = point.slant - point.row;
    bool is_row = abs(point.row) > size, is_slant = abs(point.slant) > size;
    bool is_third = abs(third) > size;
    if (is_row + is_slant + is_third > 1)
        return -1;
    if (is_row)
        return point.row < 0 ? 0 : 3;
    if (is_slant)
        return point.slant > 0 ? 2 : 5;
    if (is_third)
        return third > 0 ? 1 : 4;
    return HEXAGON;
}

void star_start(struct star *star, int size, bool is_goal_shared) {
    int width = 4 * size + 1 + EDGE;
    star->size = size;
    star->width = width;
    star->cells = width * (4 * size + 1 + 2 * EDGE) + 2 * EDGE;
    star->men_count = size * (size + 1) / 2;
    star->seats = 0;
    star->is_goal_shared = is_goal_shared;
    const int steps[DIRECTIONS] = {-1, 1, -width - 1, -width, width, width + 1};
    memcpy(star->steps, steps, sizeof steps);
    memset(star->filled, 0, sizeof star->filled);
    for (int cell = 0; cell < star->cells; cell++) {
        int zone = zone_of(size, point_of(star, cell));
        star->board[cell] = zone < 0 ? WALL : EMPTY;
        star->zones[cell] = (uint8_t)(zone < 0 ? HEXAGON : zone);
    }
}

static int largest(int a, int b, int c) {
    int larger = a > b ? a : b;
    return larger > c ? larger : c;
}

static void lay_course(const struct star *star, struct course *course, int cell) {
    struct point point = point_of(star, cell);
    for (int turn = course->goal; turn < TRIANGLES; turn++)
        point = turned(point); /* until the goal is on top */
    int down = point.row + 2 * star->size, right = point.slant + star->size;
    int far = largest(abs(down), abs(right), abs(down - right)), aside = 2 * right - down;
    bool is_goal = star->zones[cell] == course->goal;
    course->far[cell] = (int16_t)far;
    course->aside[cell] = (int16_t)aside;
    course->burden[cell] =
        PER_STEP * far + PER_SQUARE * far * far + (is_goal ? 0 : PER_ASIDE * abs(aside));
}

void star_seat(struct star *star, int home, bool is_neutral_open) {
    int seat = star->seats++, count = 0;
    struct course *course = &star->courses[seat];
    course->goal = (home + TRIANGLES / 2) % TRIANGLES;
    star->burden[seat] = star->arrived[seat] = 0;
    for (int cell = 0; cell < star->cells; cell++) {
        if (star->board[cell] == WALL)
            continue;
        int zone = star->zones[cell];
        lay_course(star, course, cell);
        course->may_end[cell] =
            is_neutral_open || zone == home || zone == course->goal || zone == HEXAGON;
        if (zone == course->goal)
            course->points[count++] = cell;
    }
}

void star_put(struct star *star, int seat, int man, int cell) {
    const struct course *course = &star->courses[seat];
    star->board[cell] = (uint8_t)(seat + 1);
    star->men[seat][man] = cell;
    star->burden[seat] += course->burden[cell];
    star->arrived[seat] += star->zones[cell] == course->goal;
    star->filled[star->zones[cell]]++;
}

int star_cell(const struct star *star, int64_t row, int64_t column) {
    int rows = 4 * star->size + 1;
    if (row < 0 || row >= rows || column < -rows || column > rows)
        return -1;
    int64_t place = star->size + column + row / 2; /* in the row, from the left end of the array */
    if (place < 0 || place >= rows)
        return -1;
    int cell = ((int)row + EDGE) * star->width + EDGE + (int)place;
    return star->board[cell] == WALL ? -1 : cell;
}

int star_row(const struct star *star, int cell) { return cell / star->width - EDGE; }

int star_column(const struct star *star, int cell) {
    return cell % star->width - EDGE - star->size - star_row(star, cell) / 2;
}

int star_man(const struct star *star, int seat, int cell) {
    for (int man = 0; man < star->men_count; man++)
        if (star->men[seat][man] == cell)
            return man;
    return -1;
}

void star_move(struct star *star, int seat, int man, int to) {
    const struct course *course = &star->courses[seat];
    int from = star->men[seat][man], left = star->zones[from], entered = star->zones[to];
    star->board[from] = EMPTY;
    star->board[to] = (uint8_t)(seat + 1);
    star->men[seat][man] = to;
    star->burden[seat] += course->burden[to] - course->burden[from];
    star->arrived[seat] += (entered == course->goal) - (left == course->goal);
    star->filled[left]--;
    star->filled[entered]++;
}

void star_sort(struct star *star, int seat) {
    const int16_t *far = star->courses[seat].far;
    int *men = star->men[seat];
    for (int i = 1; i < star->men_count; i++) {
        int cell = men[i], place = i;
        for (; place > 0 && far[men[place - 1]] < far[cell]; place--)
            men[place] = men[place - 1];
        men[place] = cell;
    }
}

bool star_is_home(const struct star *star, int seat, int lacking) {
    if (star->is_goal_shared && star->arrived[seat] + lacking > 0)
        return star->filled[star->courses[seat].goal] + lacking >= star->men_count;
    return star->arrived[seat] + lacking >= star->men_count;
}
