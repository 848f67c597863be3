#include "search.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_DEPTH = 60,
    MAX_PLY = 64,
    MAX_CAPTURES = 12, /* plies of captures beyond the depth */
    TABLE_SIZE = 1 << 16,
    PROVED = WIN - 2 * MAX_PLY,
    INFINITE = WIN + 1,
};

enum bound { UNKNOWN, EXACT, AT_LEAST, AT_MOST };

struct entry {
    uint64_t key;
    int32_t score;
    struct move move;
    int8_t depth;
    uint8_t bound;
};

struct search {
    struct board *board;
    int nodes, max_nodes;
    bool is_over;                    /* the nodes are used up: unwind */
    struct move killers[MAX_PLY][2]; /* slides with a cutoff at this ply, the last one first */
    uint32_t history[2][SQUARES];    /* by seat and target: cutoffs by a slide */
    struct entry table[TABLE_SIZE];
};

/* The moves to choose from; either all are captures or none is. */
struct choices {
    struct move moves[MOVES_MAX];
    uint32_t pulls[MOVES_MAX]; /* the highest is tried first */
    int count;
    bool is_capture;
};

struct search *search_new(void) {
    return calloc(1, sizeof(struct search));
}

void search_free(struct search *search) { free(search); }

static bool is_same(struct move one, struct move other) {
    return one.from == other.from && one.to == other.to;
}

/* The position for the seat to move: its men and its slides, compared with the enemy's. */
static int evaluate(const struct board *board) {
    int seat = board->turn, other = 1 - seat;
    return board->worth[seat] - board->worth[other] + board_count_slides(board, seat) -
           board_count_slides(board, other);
}

/* ---- Positions searched before */

static int from_table(int score, int ply) {
    return score > PROVED ? score - ply : score < -PROVED ? score + ply : score;
}

static int to_table(int score, int ply) {
    return score > PROVED ? score + ply : score < -PROVED ? score - ply : score;
}

static struct entry *entry_of(struct search *search) {
    return &search->table[search->board->key & (TABLE_SIZE - 1)];
}

/* Whether the table knows enough; puts its move into *move. */
static bool is_known(struct search *search, int depth, int ply, int alpha, int beta,
                     struct move *move, int *score) {
    const struct entry *entry = entry_of(search);
    if (entry->key != search->board->key || entry->bound == UNKNOWN)
        return false;
    *move = entry->move;
    *score = from_table(entry->score, ply);
    return entry->depth >= depth &&
           (entry->bound == EXACT || (entry->bound == AT_LEAST && *score >= beta) ||
            (entry->bound == AT_MOST && *score <= alpha));
}

/* ---- Alpha-beta */

static void rank(const struct search *search, struct choices *choices, int ply, struct move first) {
    const struct move *killers = search->killers[ply];
    const uint32_t *history = search->history[search->board->turn];
    for (int i = 0; i < choices->count; i++) {
        struct move move = choices->moves[i];
        choices->pulls[i] = is_same(move, first)        ? UINT32_MAX
                            : choices->is_capture       ? 0
                            : is_same(move, killers[0]) ? UINT32_MAX - 1
                            : is_same(move, killers[1]) ? UINT32_MAX - 2
                                                        : history[move.to];
    }
}

/* Moves the one with the highest pull from `place` on to this place. */
static struct move pick(struct choices *choices, int place) {
    int best = place;
    for (int i = place + 1; i < choices->count; i++)
        if (choices->pulls[i] > choices->pulls[best])
            best = i;
    struct move move = choices->moves[best];
    choices->moves[best] = choices->moves[place];
    choices->pulls[best] = choices->pulls[place];
    choices->moves[place] = move;
    return move;
}

static void remember_slide(struct search *search, struct move move, int depth, int ply) {
    struct move *killers = search->killers[ply];
    if (!is_same(move, killers[0])) {
        killers[1] = killers[0];
        killers[0] = move;
    }
    search->history[search->board->turn][move.to] += (uint32_t)(depth * depth);
}

static int score_of(struct search *search, int depth, int ply, int alpha, int beta);

/* Reduction in plies of the first search of a move: slides with little pull are rarely good. */
static int reduction(const struct choices *choices, int place, int depth) {
    if (choices->is_capture || place < 4 || depth < 3)
        return 0;
    return place >= 12 && depth >= 4 ? 2 : 1;
}

static int score_after(struct search *search, const struct choices *choices, int place, int depth,
                       int ply, int alpha, int beta) {
    int reduced = reduction(choices, place, depth), score = alpha + 1;
    if (reduced > 0)
        score = -score_of(search, depth - 1 - reduced, ply + 1, -alpha - 1, -alpha);
    if (place > 0 && score > alpha) /* first by a null window: whether it is better at all */
        score = -score_of(search, depth - 1, ply + 1, -alpha - 1, -alpha);
    if (place == 0 || (score > alpha && score < beta))
        score = -score_of(search, depth - 1, ply + 1, -beta, -alpha);
    return score;
}

static int best_of(struct search *search, struct choices *choices, int depth, int ply, int alpha,
                   int beta, struct move *best_move) {
    int best = -INFINITE;
    for (int place = 0; place < choices->count && alpha < beta; place++) {
        struct move move = pick(choices, place);
        board_play(search->board, move);
        int score = score_after(search, choices, place, depth, ply, alpha, beta);
        board_take_back(search->board, move);
        if (search->is_over)
            break; /* cut short: this score says nothing */
        if (score > best) {
            best = score;
            *best_move = move;
        }
        alpha = score > alpha ? score : alpha;
        if (alpha >= beta && !choices->is_capture)
            remember_slide(search, move, depth, ply);
    }
    return best;
}

/* The position's score for the seat to move. At depth 0 and below only captures are searched: they
 * are compulsory. */
static int score_of(struct search *search, int depth, int ply, int alpha, int beta) {
    struct board *board = search->board;
    struct choices choices;
    struct move best_move = {0, 0};
    int known;
    if (search->nodes < search->max_nodes)
        search->nodes++;
    else
        search->is_over = true;
    if (search->is_over || ply >= MAX_PLY || depth <= -MAX_CAPTURES)
        return evaluate(board);
    choices.count = board_captures(board, choices.moves);
    choices.is_capture = choices.count > 0;
    if (!choices.is_capture && depth <= 0)
        return board_count_slides(board, board->turn) == 0 ? ply - WIN : evaluate(board);
    if (is_known(search, depth, ply, alpha, beta, &best_move, &known))
        return known;
    if (!choices.is_capture)
        choices.count = board_slides(board, choices.moves);
    if (choices.count == 0)
        return ply - WIN;
    rank(search, &choices, ply, best_move);
    bool is_forced = choices.count == 1 && depth > 0; /* a forced move costs no depth */
    int score = best_of(search, &choices, depth + is_forced, ply, alpha, beta, &best_move);
    enum bound bound = score >= beta ? AT_LEAST : score <= alpha ? AT_MOST : EXACT;
    if (!search->is_over)
        *entry_of(search) = (struct entry){board->key, to_table(score, ply), best_move,
                                           (int8_t)depth, (uint8_t)bound};
    return score;
}

/* ---- The position to play in */

static void shuffle(struct choices *choices, uint64_t chance) {
    for (int i = choices->count - 1; i > 0; i--) {
        chance = chance * 6364136223846793005u + 1442695040888963407u;
        int other = (int)((chance >> 32) * (uint64_t)(i + 1) >> 32);
        struct move move = choices->moves[i];
        choices->moves[i] = choices->moves[other];
        choices->moves[other] = move;
    }
}

struct found search_run(struct search *search, struct board *board, int max_nodes,
                        uint64_t chance) {
    struct choices choices;
    memset(search, 0, sizeof *search);
    search->board = board;
    search->max_nodes = max_nodes;
    choices.count = board_captures(board, choices.moves);
    choices.is_capture = choices.count > 0;
    if (!choices.is_capture)
        choices.count = board_slides(board, choices.moves);
    shuffle(&choices, chance);
    struct found found = {.move = choices.moves[0]};
    for (int depth = 1; depth <= MAX_DEPTH && choices.count > 1 && !search->is_over; depth++) {
        struct move move = found.move;
        rank(search, &choices, 0, move);
        int score = best_of(search, &choices, depth, 0, -INFINITE, INFINITE, &move);
        if (score > -INFINITE) {
            found.move = move;
            found.score = score;
        }
        if (!search->is_over)
            found.depth = depth;
        if (abs(score) > PROVED)
            break;
    }
    found.nodes = search->nodes;
    return found;
}
