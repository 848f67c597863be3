/* One rival in the way: alpha-beta with increasing depth, until the work is used up. */
#include "search.h"

#include <limits.h>
#include <string.h>

enum { WIDTH = 10, INFINITE = INT_MAX };

static int score_of(struct search *search, int seat, int depth, int ply, int alpha, int beta);

static int other_than(const struct search *search, int seat) {
    return search->seat + search->rival - seat;
}

static bool is_over(const struct search *search) {
    return search->scout.work >= search->limits.work;
}

static int score_after(struct search *search, int seat, struct move move, int depth, int ply,
                       int alpha, int beta) {
    star_move(search->star, seat, move.man, move.to);
    int score = -score_of(search, other_than(search, seat), depth - 1, ply + 1, -beta, -alpha);
    star_move(search->star, seat, move.man, move.from);
    return score;
}

static int static_score(struct search *search, int seat) {
    int score = search->star->burden[search->rival] - search_burden(search);
    return seat == search->seat ? score : -score;
}

/* The score after the best move, computed from its gain without making it. INFINITE where more than
 * the gain matters: late, or if the seat may get home. */
static int score_by_gain(struct search *search, int seat) {
    struct move best;
    if (search->is_late || star_is_home(search->star, seat, 1) ||
        scout_moves(&search->scout, seat, 1, &best) == 0)
        return INFINITE;
    return static_score(search, seat) + best.gain;
}

/* The position's score for the seat to move. */
static int score_of(struct search *search, int seat, int depth, int ply, int alpha, int beta) {
    const struct star *star = search->star;
    int other = other_than(search, seat);
    bool is_own = star_is_home(star, seat, 0), is_others = star_is_home(star, other, 0);
    /* A seat at home has won once both have had the same number of turns. */
    if ((is_own || is_others) && (seat < other || depth <= 0))
        return (is_own - is_others) * (HOME - ply);
    if (depth <= 0 || is_over(search))
        return static_score(search, seat);
    if (depth == 1 && !is_others) {
        int score = score_by_gain(search, seat);
        if (score != INFINITE)
            return score;
    }
    struct move moves[WIDTH];
    int best = -INFINITE, count = scout_moves(&search->scout, seat, WIDTH, moves);
    if (count == 0) /* a pass */
        return -score_of(search, other, depth - 1, ply + 1, -beta, -alpha);
    for (int i = 0; i < count && alpha < beta; i++) {
        int score = score_after(search, seat, moves[i], depth, ply, alpha, beta);
        best = score > best ? score : best;
        alpha = score > alpha ? score : alpha;
        if (is_over(search))
            break; /* its result is not used */
    }
    return best;
}

static void to_front(struct move *moves, int place) {
    struct move move = moves[place];
    memmove(moves + 1, moves, (size_t)place * sizeof *moves);
    moves[0] = move;
}

/* Searches one depth and puts the best move in front. Returns false if the work was used up before;
 * then the best move so far is in front. */
static bool look(struct search *search, struct move *roots, int count, int depth) {
    int best = 0, alpha = -INFINITE;
    for (int i = 0; i < count; i++) {
        int malus = search_malus(search, search->men_key ^ search_change(roots[i]));
        int bound = i == 0 ? alpha : alpha + malus;
        int score = score_after(search, search->seat, roots[i], depth, 0, bound, INFINITE) - malus;
        if (depth > 1 && is_over(search)) {
            to_front(roots, best);
            return false;
        }
        if (i == 0 || score > alpha) {
            alpha = score;
            best = i;
        }
    }
    to_front(roots, best);
    return true;
}

struct found duel(struct search *search, struct move *roots, int count) {
    int depth = 1;
    while (look(search, roots, count, depth) && depth < search->limits.depth)
        depth++;
    return (struct found){.move = roots[0], .depth = depth};
}
