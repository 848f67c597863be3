#include "moves.h"

enum { WORK_MAX = 200000 }; /* limit for one list of moves: a few milliseconds */

void moves_insert(struct move *moves, int *count, int width, struct move move) {
    if (*count == width && moves[width - 1].gain >= move.gain)
        return;
    int place = *count < width ? (*count)++ : width - 1;
    for (; place > 0 && moves[place - 1].gain < move.gain; place--)
        moves[place] = moves[place - 1];
    moves[place] = move;
}

int scout_jumps(struct scout *scout, int start) {
    const uint8_t *board = scout->star->board;
    const int *steps = scout->star->steps;
    uint32_t *reached = scout->reached, round = ++scout->round;
    int *landings = scout->landings, count = 0;
    reached[start] = round;
    for (int next = -1; next < count; next++) {
        int here = next < 0 ? start : landings[next];
        for (int i = 0; i < DIRECTIONS; i++) {
            int over = here + steps[i], to = over + steps[i];
            /* No line of the star has a gap, so a cell before a point is no wall. */
            if (board[to] == EMPTY && board[over] != EMPTY && reached[to] != round) {
                reached[to] = round;
                landings[count++] = to;
            }
        }
    }
    scout->work += count + 2;
    return count;
}

int scout_moves(struct scout *scout, int seat, int width, struct move *moves) {
    const struct star *star = scout->star;
    const struct course *course = &star->courses[seat];
    int count = 0, limit = scout->work + WORK_MAX;
    for (int man = 0; man < star->men_count && (count == 0 || scout->work < limit); man++) {
        int from = star->men[seat][man], jumps = scout_jumps(scout, from);
        for (int i = 0; i < DIRECTIONS + jumps; i++) {
            int to = i < DIRECTIONS ? from + star->steps[i] : scout->landings[i - DIRECTIONS];
            if (star->board[to] != EMPTY || !course->may_end[to])
                continue;
            int gain = course->burden[from] - course->burden[to];
            moves_insert(moves, &count, width, (struct move){man, from, to, gain});
        }
    }
    return count;
}
