#include "search.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_DEPTH = 20,
    MAX_PLY = 48,
    MAX_FOURS = 8,   /* plies of fours and answers to them, beyond the depth */
    WIDTH_ROOT = 24, /* moves that are tried, the best by pull */
    WIDTH_NODE = 12,
    WIDTH_FOURS = 4,
    NEAR = 3, /* distance from the stones, of moves to try */
    TABLE_SIZE = 1 << 16,
    MATE = WIN - 2 * MAX_PLY,
    INFINITE = WIN + 1,
};

enum bound { UNKNOWN, EXACT, AT_LEAST, AT_MOST };

struct entry {
    uint64_t key;
    int32_t score;
    uint16_t point;
    int8_t depth;
    uint8_t bound;
};

struct move {
    int point;
    int pull;
};

struct search {
    struct board *board;
    int nodes, max_nodes;
    bool is_over; /* the nodes are used up: unwind */
    int first_row, last_row, first_column, last_column;
    struct entry table[TABLE_SIZE];
};

/* Worth of the shapes that could be made, and of pairs taken: an open three makes two open fours
 * and two fours possible, which is about 100. */
static const int shape_worth[SHAPES] = {
    [TWO] = 1, [OPEN_TWO] = 2, [THREE] = 4, [OPEN_THREE] = 9, [FOUR] = 24, [OPEN_FOUR] = 30,
};
static const int pair_worth[PAIRS_TO_WIN] = {0, 90, 200, 340, 560};
enum { TAKE_WORTH = 35, TURN_WORTH = 15, FREE_OPEN_FOUR = 900, FREE_OPEN_THREE = 120 };

struct search *search_new(void) {
    return calloc(1, sizeof(struct search));
}

void search_free(struct search *search) { free(search); }

/* Value of the position for the seat to move, without an immediate win, by its threats. */
static int evaluate(const struct board *board) {
    int seat = board_turn(board), other = 1 - seat;
    const int *own = board->shapes[seat], *rival = board->shapes[other];
    int score = TURN_WORTH + pair_worth[board->pairs[seat]] - pair_worth[board->pairs[other]];
    for (int shape = TWO; shape < FIVE; shape++)
        score += shape_worth[shape] * (own[shape] - rival[shape]);
    /* A pair that can be taken is worth more the fewer are missing to the fifth. */
    score += (2 * TAKE_WORTH + 20 * board->pairs[seat]) * (board->takes[seat] > 0);
    score += TAKE_WORTH * (board->takes[seat] - board->takes[other]);
    score -= 20 * board->pairs[other] * (board->takes[other] > 0);
    if (rival[FIVE] == 0 && own[OPEN_FOUR] > 0)
        score += FREE_OPEN_FOUR;
    else if (rival[FIVE] + rival[OPEN_FOUR] == 0 && own[OPEN_THREE] > 0)
        score += FREE_OPEN_THREE;
    return score;
}

/* ---- Moves to try, best first */

static void keep_best(struct move *moves, int *count, int width, struct move move) {
    if (*count == width && moves[width - 1].pull >= move.pull)
        return;
    int i = *count < width ? (*count)++ : width - 1;
    for (; i > 0 && moves[i - 1].pull < move.pull; i--)
        moves[i] = moves[i - 1];
    moves[i] = move;
}

typedef bool filter(const struct board *board, int point);

static bool is_answer_to_four(const struct board *board, int point) {
    int seat = board_turn(board);
    return board_makes_five(board, point, 1 - seat) || board_pairs_taken(board, point, seat) > 0;
}

static bool is_four(const struct board *board, int point) {
    return board->pull[board_turn(board)][point] >= PULL_FOUR;
}

static int generate(const struct search *search, struct move *moves, int width, filter *is_wanted) {
    const struct board *board = search->board;
    int seat = board_turn(board), count = 0;
    const int32_t *own = board->pull[seat], *rival = board->pull[1 - seat];
    for (int v = search->first_row; v <= search->last_row; v++)
        for (int h = search->first_column; h <= search->last_column; h++) {
            int point = point_at(v, h);
            if (board->stones[point] != EMPTY)
                continue;
            int pull = own[point] + own[point] / 4 + rival[point];
            if (count == width && moves[width - 1].pull >= pull)
                continue;
            if (is_wanted == NULL || is_wanted(board, point))
                keep_best(moves, &count, width, (struct move){point, pull});
        }
    return count;
}

static void raise_to_front(struct move *moves, int count, int point) {
    for (int i = 1; i < count; i++)
        if (moves[i].point == point) {
            struct move move = moves[i];
            memmove(moves + 1, moves, (size_t)i * sizeof *moves);
            moves[0] = move;
        }
}

/* Moves are tried in the rectangle of the stones and NEAR around it, and at least as far from the
 * centre as the second stone must be. */
static void look_around(struct search *search) {
    const struct board *board = search->board;
    int least = board->ply <= 2 ? 4 : 1;
    int edges[4] = {-least, least, -least, least};
    for (int v = -board->half; v <= board->half; v++)
        for (int h = -board->half; h <= board->half; h++) {
            if (board->stones[point_at(v, h)] == EMPTY)
                continue;
            edges[0] = v - NEAR < edges[0] ? v - NEAR : edges[0];
            edges[1] = v + NEAR > edges[1] ? v + NEAR : edges[1];
            edges[2] = h - NEAR < edges[2] ? h - NEAR : edges[2];
            edges[3] = h + NEAR > edges[3] ? h + NEAR : edges[3];
        }
    search->first_row = edges[0] > -board->half ? edges[0] : -board->half;
    search->last_row = edges[1] < board->half ? edges[1] : board->half;
    search->first_column = edges[2] > -board->half ? edges[2] : -board->half;
    search->last_column = edges[3] < board->half ? edges[3] : board->half;
}

/* ---- Alpha-beta */

static bool has_fifth_pair(const struct search *search) {
    const struct board *board = search->board;
    int seat = board_turn(board), missing = PAIRS_TO_WIN - board->pairs[seat];
    /* Three pairs with one stone are too rare to matter. */
    if (missing > 2 || board->takes[seat] < missing)
        return false;
    for (int v = search->first_row; v <= search->last_row; v++)
        for (int h = search->first_column; h <= search->last_column; h++) {
            int point = point_at(v, h);
            if (board->stones[point] == EMPTY && board_pairs_taken(board, point, seat) >= missing)
                return true;
        }
    return false;
}

static int from_table(int score, int ply) {
    return score > MATE ? score - ply : score < -MATE ? score + ply : score;
}

static int to_table(int score, int ply) {
    return score > MATE ? score + ply : score < -MATE ? score - ply : score;
}

static struct entry *entry_of(struct search *search) {
    return &search->table[search->board->key & (TABLE_SIZE - 1)];
}

static void remember(struct search *search, int depth, int ply, int score, int point,
                     enum bound bound) {
    *entry_of(search) = (struct entry){
        .key = search->board->key,
        .score = to_table(score, ply),
        .point = (uint16_t)point,
        .depth = (int8_t)depth,
        .bound = (uint8_t)bound,
    };
}

static int best_of(struct search *search, const struct move *moves, int count, int depth, int ply,
                   int alpha, int beta, int *best_point);

/* Whether the table knows enough; puts the move it knows into *point. */
static bool is_known(struct search *search, int depth, int ply, int alpha, int beta, int *point,
                     int *score) {
    const struct entry *entry = entry_of(search);
    if (entry->key != search->board->key || entry->bound == UNKNOWN)
        return false;
    *point = entry->point;
    *score = from_table(entry->score, ply);
    return entry->depth >= depth &&
           (entry->bound == EXACT || (entry->bound == AT_LEAST && *score >= beta) ||
            (entry->bound == AT_MOST && *score <= alpha));
}

/* The moves to try in the position: answers to a four, any, or at depth 0 and below fours alone. */
static int moves_to_try(const struct search *search, struct move *moves, int depth,
                        bool is_forced) {
    if (is_forced)
        return generate(search, moves, WIDTH_NODE, is_answer_to_four);
    if (depth > 0)
        return generate(search, moves, WIDTH_NODE, NULL);
    return generate(search, moves, WIDTH_FOURS, is_four);
}

/* The position's score for the seat to move. At depth 0 and below only fours are tried, and the
 * seat may also stop with the score of the position. */
static int score_of(struct search *search, int depth, int ply, int alpha, int beta) {
    struct board *board = search->board;
    int seat = board_turn(board), known, best_point = 0, floor = -INFINITE;
    if (++search->nodes >= search->max_nodes)
        search->is_over = true;
    if (board->pairs[1 - seat] >= PAIRS_TO_WIN)
        return ply - WIN;
    if (board->shapes[seat][FIVE] > 0 || has_fifth_pair(search))
        return WIN - ply - 1;
    bool is_forced = board->shapes[1 - seat][FIVE] > 0;
    if (search->is_over || ply >= MAX_PLY || (depth <= -MAX_FOURS && !is_forced))
        return evaluate(board);
    if (is_known(search, depth, ply, alpha, beta, &best_point, &known))
        return known;
    if (depth <= 0 && !is_forced) {
        floor = evaluate(board);
        if (floor >= beta || board->shapes[seat][FOUR] + board->shapes[seat][OPEN_FOUR] == 0)
            return floor;
    }
    struct move moves[WIDTH_NODE];
    int count = moves_to_try(search, moves, depth, is_forced);
    if (count == 0) /* the board is full, or all candidates are far away */
        return floor > -INFINITE ? floor : board->empty == 0 ? 0 : evaluate(board);
    raise_to_front(moves, count, best_point);
    /* A forced answer costs no depth. */
    int score = best_of(search, moves, count, depth + (is_forced && depth > 0), ply,
                        floor > alpha ? floor : alpha, beta, &best_point);
    score = score > floor ? score : floor;
    if (!search->is_over)
        remember(search, depth, ply, score, best_point,
                 score >= beta    ? AT_LEAST
                 : score <= alpha ? AT_MOST
                                  : EXACT);
    return score;
}

static int best_of(struct search *search, const struct move *moves, int count, int depth, int ply,
                   int alpha, int beta, int *best_point) {
    int best = -INFINITE;
    for (int i = 0; i < count && alpha < beta; i++) {
        struct undo undo;
        int score = alpha;
        board_play(search->board, moves[i].point, &undo);
        if (i > 0) /* first by a null window: whether it is better at all */
            score = -score_of(search, depth - 1, ply + 1, -alpha - 1, -alpha);
        if (i == 0 || (!search->is_over && score > alpha && score < beta))
            score = -score_of(search, depth - 1, ply + 1, -beta, -alpha);
        board_take_back(search->board, &undo);
        if (search->is_over)
            break; /* cut short: this score says nothing */
        if (score > best) {
            best = score;
            *best_point = moves[i].point;
        }
        alpha = score > alpha ? score : alpha;
    }
    return best;
}

static int winning_point(const struct board *board) {
    int seat = board_turn(board), missing = PAIRS_TO_WIN - board->pairs[seat];
    for (int v = -board->half; v <= board->half; v++)
        for (int h = -board->half; h <= board->half; h++) {
            int point = point_at(v, h);
            if (board_allows(board, point) && (board_makes_five(board, point, seat) ||
                                               board_pairs_taken(board, point, seat) >= missing))
                return point;
        }
    return -1;
}

struct found search_run(struct search *search, struct board *board, int max_nodes) {
    struct move moves[WIDTH_ROOT];
    struct found found = {.point = winning_point(board), .score = WIN - 1};
    if (found.point >= 0)
        return found;
    search->board = board;
    search->nodes = 0;
    search->max_nodes = max_nodes;
    search->is_over = false;
    memset(search->table, 0, sizeof search->table);
    look_around(search);
    int count = generate(search, moves, WIDTH_ROOT, board_allows);
    found = (struct found){.point = moves[0].point};
    for (int depth = 1; depth <= MAX_DEPTH && count > 1 && !search->is_over; depth++) {
        int point = found.point;
        raise_to_front(moves, count, point);
        int score = best_of(search, moves, count, depth, 0, -INFINITE, INFINITE, &point);
        if (score > -INFINITE) {
            found.point = point;
            found.score = score;
        }
        if (!search->is_over)
            found.depth = depth;
        if (abs(score) > MATE)
            break;
    }
    found.nodes = search->nodes;
    return found;
}
