/* No rival in the way, or too many to search: finds the best series of own moves, by a beam of the
 * best positions after 1, 2, 3 ... of them. */
#include "search.h"

#include <stdlib.h>

enum {
    WIDTH = 24, /* moves tried in a position */
    BEAM = 64,  /* positions of a level searched further */
    LEVEL_MAX = BEAM * WIDTH > WIDTH_ROOT ? BEAM *WIDTH : WIDTH_ROOT,
    WEIGHT = 8, /* of a position, compared with those on the way to it: prefers early gains */
};

/* A position: the one before, and a move. */
struct node {
    struct move move;
    int parent; /* in the level before */
    int root;   /* index of its first move */
    bool is_home;
    uint64_t men_key;
    int64_t sum; /* of the scores on the way */
    int64_t rank;
};

/* Too large for the stack; used within a call of `race` only. */
static struct node levels[DEPTH_MAX][LEVEL_MAX];

/* Makes the moves to a node. */
static void go_to(struct search *search, int level, int place) {
    const struct node *node = &levels[level][place];
    if (level > 0)
        go_to(search, level - 1, node->parent);
    star_move(search->star, search->seat, node->move.man, node->move.to);
}

static void come_back(struct search *search, int level, int place) {
    for (; level >= 0; level--) {
        const struct node *node = &levels[level][place];
        star_move(search->star, search->seat, node->move.man, node->move.from);
        place = node->parent;
    }
}

static int by_rank(const void *a, const void *b) {
    const struct node *one = a, *other = b;
    if (one->rank != other->rank)
        return one->rank < other->rank ? 1 : -1;
    if (one->men_key != other->men_key)
        return one->men_key < other->men_key ? 1 : -1;
    return one->root - other->root;
}

/* Sorts a level, best first, and drops duplicate positions; returns the remaining number. */
static int sifted(struct node *level, int count) {
    int kept = 0;
    qsort(level, (size_t)count, sizeof *level, by_rank);
    for (int i = 0; i < count; i++)
        if (kept == 0 || level[i].men_key != level[kept - 1].men_key)
            level[kept++] = level[i];
    return kept;
}

/* A node for a move in the position on the board, described by `from`. */
static struct node node_after(struct search *search, const struct node *from, struct move move) {
    struct node node = *from;
    int64_t score;
    star_move(search->star, search->seat, move.man, move.to);
    node.move = move;
    node.men_key ^= search_change(move);
    node.is_home = star_is_home(search->star, search->seat, 0);
    score = node.is_home ? HOME : -search_burden(search) - search_malus(search, node.men_key);
    node.sum = from->sum + score;
    node.rank = from->sum + WEIGHT * score;
    star_move(search->star, search->seat, move.man, move.from);
    return node;
}

static int first_level(struct search *search, const struct move *roots, int count) {
    struct node start = {.men_key = search->men_key};
    for (int i = 0; i < count; i++) {
        levels[0][i] = node_after(search, &start, roots[i]);
        levels[0][i].root = i;
    }
    return sifted(levels[0], count);
}

/* The level after another one; 0 if the work was used up before. */
static int next_level(struct search *search, int level, int before) {
    int count = 0;
    for (int place = 0; place < before && place < BEAM; place++) {
        struct move moves[WIDTH];
        struct node from = levels[level - 1][place];
        from.parent = place;
        go_to(search, level - 1, place);
        int found = scout_moves(&search->scout, search->seat, WIDTH, moves);
        for (int i = 0; i < found; i++)
            levels[level][count++] = node_after(search, &from, moves[i]);
        come_back(search, level - 1, place);
        if (search->scout.work >= search->limits.work)
            return 0;
    }
    return sifted(levels[level], count);
}

struct found race(struct search *search, const struct move *roots, int count, int depth_max) {
    int depth = 1, nodes = first_level(search, roots, count);
    struct node best = levels[0][0];
    if (depth_max > search->limits.depth)
        depth_max = search->limits.depth;
    while (depth < depth_max && !best.is_home) {
        nodes = next_level(search, depth, nodes);
        if (nodes == 0)
            break;
        best = levels[depth++][0];
    }
    return (struct found){.move = roots[best.root], .depth = depth};
}
