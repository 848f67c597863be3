/* Beam search over the boards of one game, several times with another colour kept for the end.
 *
 * Boards compete only with boards of the same number of cells, so a large group is not preferred to
 * a small one just because its points come sooner. A board's worth is the points so far plus an
 * estimate for each colour. The estimate grows with the square of the colour's cells, most for the
 * colour kept for the end, and shrinks with the number of its parts. A little noise makes all runs
 * different; two runs try each colour, the others the best one, and the best game is played. */
#include "search.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Factors of the estimates, in 1/1000 points; by hill climbing on about a hundred boards. */
struct weights {
    int square; /* for the square of the number of its cells */
    int pair;   /* for each pair of neighbours */
    int torn;   /* subtracted: its cells times its parts */
    int block;  /* subtracted: each square of four */
};
static const struct weights KEPT = {757, -4700, 1000, -10000};
static const struct weights SECOND = {200, 22200, 265, 28100};
static const struct weights OTHER = {50, 20600, 0, -2700};
enum { NOISE = 50000, TRIALS = 2 };

static const struct tally NOTHING;

struct node {
    int points;
    int parent; /* the node it comes from by removing the group of `cell` */
    int cell;
};

struct candidate {
    int64_t worth;
    uint64_t hash;
    struct node node;
};

struct search {
    const struct shape *shape;
    struct effort effort;
    uint64_t seed;
    int kept;                /* the colour kept for the end */
    struct candidate *beams; /* `width` places for each number of cells removed, best first */
    int *counts;             /* of the occupied places */
    struct node *nodes;
    uint8_t *boards; /* of the nodes */
    struct group *groups;
    int node_count;
    int best; /* the node with the most points */
};

static int64_t color_worth(const struct weights *weights, const struct tally *tally, int color) {
    const int64_t cells = tally->cells[color];
    const int64_t parts = cells - tally->pairs[color] + tally->squares[color];
    return weights->square * cells * cells + weights->pair * (int64_t)tally->pairs[color] -
           weights->torn * cells * parts - weights->block * (int64_t)tally->squares[color];
}

static int64_t worth(const struct search *search, const struct tally *tally) {
    int64_t sum = color_worth(&KEPT, tally, search->kept), most = INT64_MIN;
    for (int color = 1; color <= search->shape->colors; color++) {
        if (color == search->kept)
            continue;
        const int64_t other = color_worth(&OTHER, tally, color);
        const int64_t gain = color_worth(&SECOND, tally, color) - other;
        sum += other;
        if (gain > most)
            most = gain;
    }
    return sum + most;
}

/* Between -NOISE and NOISE, mostly small; the same for the same board in one run. */
static int64_t noise(const struct search *search, uint64_t hash) {
    hash = (hash ^ search->seed) * 0x9E3779B97F4A7C15u;
    hash = (hash ^ hash >> 32) * 0xD6E8FEB86659FD93u;
    const int64_t sum = (int64_t)((hash & 0xffff) + (hash >> 16 & 0xffff) + (hash >> 32 & 0xffff));
    return (sum * 2 - 3 * 0xffff) * NOISE / 0xffff;
}

static void insert(struct search *search, int removed, const struct candidate *candidate) {
    const int width = search->effort.width;
    struct candidate *beam = search->beams + (ptrdiff_t)removed * width;
    int count = search->counts[removed], place;
    if (count == width && candidate->worth <= beam[width - 1].worth)
        return;
    for (place = 0; place < count && beam[place].hash != candidate->hash; place++)
        continue;
    if (place == count) { /* a new board: the last one leaves if there is no room */
        count += count < width;
        place = count - 1;
    } else if (candidate->worth <= beam[place].worth) {
        return;
    }
    for (; place > 0 && beam[place - 1].worth < candidate->worth; place--)
        beam[place] = beam[place - 1];
    beam[place] = *candidate;
    search->counts[removed] = count;
}

static void expand(struct search *search, int id, int removed) {
    static uint8_t child[MAX_BYTES];
    const struct shape *shape = search->shape;
    const uint8_t *board = search->boards + (ptrdiff_t)id * shape->bytes;
    const int count = board_groups(shape, board, search->groups);
    const int step = (count - 1) / search->effort.branches + 1;
    struct tally before = NOTHING;
    board_tally(shape, board, 1, shape->cols, 1, &before);
    for (int index = removed % step; index < count; index += step) {
        const struct group group = search->groups[index];
        memcpy(child, board, (size_t)shape->bytes);
        const struct change change = board_remove(shape, child, group.cell);
        struct tally tally = change.is_closed ? NOTHING : before;
        if (change.is_closed) {
            board_tally(shape, child, 1, shape->cols, 1, &tally);
        } else {
            board_tally(shape, board, change.first - 1, change.last, -1, &tally);
            board_tally(shape, child, change.first - 1, change.last, 1, &tally);
        }
        const int points = search->nodes[id].points + group.size * group.size;
        const uint64_t hash = board_hash(shape, child);
        const struct candidate candidate = {
            .worth = 1000 * (int64_t)points + worth(search, &tally) + noise(search, hash),
            .hash = hash,
            .node = {.points = points, .parent = id, .cell = group.cell},
        };
        insert(search, removed + group.size, &candidate);
    }
}

static int add_node(struct search *search, const struct node *node) {
    const struct shape *shape = search->shape;
    const int id = search->node_count++;
    uint8_t *board = search->boards + (ptrdiff_t)id * shape->bytes;
    memcpy(board, search->boards + (ptrdiff_t)node->parent * shape->bytes, (size_t)shape->bytes);
    board_remove(shape, board, node->cell);
    search->nodes[id] = *node;
    if (node->points > search->nodes[search->best].points)
        search->best = id;
    return id;
}

/* One run: from the first board, which is node 0, to the boards without a group. */
static void run(struct search *search, int cells) {
    memset(search->counts, 0, sizeof(int) * (size_t)(cells + 1));
    search->node_count = 1;
    search->best = 0;
    expand(search, 0, 0);
    for (int removed = 2; removed <= cells; removed++) {
        const struct candidate *beam = search->beams + (ptrdiff_t)removed * search->effort.width;
        for (int place = 0; place < search->counts[removed]; place++)
            expand(search, add_node(search, &beam[place].node), removed);
    }
}

static void write_plan(const struct search *search, struct plan *plan) {
    plan->points = search->nodes[search->best].points;
    plan->moves = 0;
    for (int id = search->best; id > 0; id = search->nodes[id].parent)
        plan->moves++;
    int left = plan->moves;
    for (int id = search->best; id > 0; id = search->nodes[id].parent)
        plan->cells[--left] = search->nodes[id].cell;
}

bool search_plan(const struct shape *shape, const uint8_t *board, struct effort effort,
                 uint64_t seed, struct plan *plan) {
    const int cells = shape->rows * shape->cols;
    const size_t places = (size_t)(cells + 1) * (size_t)effort.width;
    struct search search = {
        .shape = shape,
        .effort = effort,
        .beams = malloc(places * sizeof(struct candidate)),
        .counts = malloc((size_t)(cells + 1) * sizeof(int)),
        .nodes = calloc(places, sizeof(struct node)),
        .boards = malloc(places * (size_t)shape->bytes),
        .groups = malloc(((size_t)cells / 2 + 1) * sizeof(struct group)),
    };
    const bool is_ready =
        search.beams && search.counts && search.nodes && search.boards && search.groups;
    int kept = 1;
    plan->points = -1;
    for (int index = 0; is_ready && index < effort.runs; index++) {
        search.kept = index < TRIALS * shape->colors ? index % shape->colors + 1 : kept;
        search.seed = seed + (uint64_t)index;
        memcpy(search.boards, board, (size_t)shape->bytes);
        run(&search, cells);
        if (search.nodes[search.best].points > plan->points) {
            write_plan(&search, plan);
            kept = search.kept;
        }
    }
    free(search.beams);
    free(search.counts);
    free(search.nodes);
    free(search.boards);
    free(search.groups);
    return is_ready;
}
