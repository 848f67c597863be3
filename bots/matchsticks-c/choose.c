/* Plays a proved win. Nearly every board is won for the player to move; the difficulty is to find
 * the winning move. So the first player with a board small enough to solve wins, and until then the
 * bot leaves the smallest board too large to solve. */
#include "choose.h"

#include <stdlib.h>

#include "solve.h"

enum { MAX_CHILDREN = 512 };

/* The boards that can be solved in about 10 ms, for one way of ending. */
struct reach {
    int hopeless; /* number of matchsticks above which nothing is searched */
    int likely;   /* number of matchsticks with mostly solved boards */
    long work;
};
static const struct reach NORMAL = {52, 38, 16000};
static const struct reach MISERE = {36, 29, 6000};

enum { FIRST_WORK = 40, MORE_WORK = 4 };

struct child {
    int index; /* of its run among all */
    struct run run;
    enum result result; /* for the opponent */
    int lines;
    int weight; /* sticks of large pieces */
    struct sum sum;
};

static struct run runs[MAX_GRID_RUNS];

void choose_forget(void) {
    pieces_forget();
    misere_forget();
}

static int least(int one, int other) { return one < other ? one : other; }

static int length(struct run run) { return run.end - run.start + 1; }

static int by_weight(const void *one, const void *other) {
    const struct child *a = one, *b = other;
    if (a->weight != b->weight)
        return a->weight - b->weight;
    return a->index - b->index;
}

/* Whether answering each run by the opposite one wins from now on; only if the last one wins. */
static bool find_mirror(const struct grid *grid, struct run *found) {
    struct run candidates[2];
    const int count = grid_mirroring(grid, candidates);
    for (int index = 0; index < count; index++) {
        struct grid after = *grid;
        grid_take(&after, candidates[index]);
        if (grid_is_mirrored(&after)) {
            *found = candidates[index];
            return true;
        }
    }
    return false;
}

static bool make_child(const struct grid *grid, struct run run, struct child *child) {
    struct grid after = *grid;
    grid_take(&after, run);
    *child = (struct child){.run = run, .result = OPEN};
    if (!grid_split(&after, &child->sum, &child->lines))
        return false;
    for (int part = 0; part < child->sum.count; part++) {
        const int sticks = pieces[child->sum.pieces[part]].sticks;
        child->weight += sticks > 6 ? sticks : 0;
    }
    return true;
}

static enum result solve(const struct child *child, bool is_misere, long *work) {
    if (!is_misere)
        return solve_normal(&child->sum, child->lines, work);
    return child->lines == 0 ? solve_misere(&child->sum, work) : OPEN;
}

/* Returns a child lost for the opponent, or NULL. Each child gets little work at first; the open
 * ones then get more and more. */
static struct child *find_win(struct child *children, int count, bool is_misere, long work) {
    bool has_open = true;
    for (long limit = FIRST_WORK; has_open && limit < MORE_WORK * work; limit *= MORE_WORK) {
        has_open = false;
        for (int index = 0; index < count; index++) {
            struct child *child = &children[index];
            long left = limit < work ? limit : work;
            const long given = left;
            if (child->result != OPEN)
                continue;
            if (work <= 0)
                return NULL;
            child->result = solve(child, is_misere, &left);
            work -= given - (left > 0 ? left : 0);
            if (child->result == LOST)
                return child;
            has_open |= child->result == OPEN;
        }
    }
    return NULL;
}

static uint64_t mixed(uint64_t seed, uint64_t number) {
    number = (number ^ seed) * 0x9E3779B97F4A7C15u;
    number = (number ^ number >> 32) * 0xD6E8FEB86659FD93u;
    return number ^ number >> 32;
}

/* The number of matchsticks to take of `sticks`, up to `longest`, when nothing can be proved. With
 * `likely` or fewer the player to move finds the win. So the aim is to leave `likely` + 1; if one
 * move is not enough, a number from which the opponent cannot do so either. */
static int wanted(int sticks, int likely, int longest) {
    const int surplus = sticks - likely - 1;
    const int take = surplus > 0 ? surplus % (longest + 1) : 0;
    return take > 0 ? take : 1;
}

/* The run nearest to the wanted length; among equals the seed decides. */
static struct run pick(const struct run *from, int count, int want, uint64_t seed) {
    struct run best = from[0];
    uint64_t best_rank = UINT64_MAX;
    for (int index = 0; index < count; index++) {
        const uint64_t away = (uint64_t)abs(length(from[index]) - want);
        const uint64_t rank = away << 32 | mixed(seed, (uint64_t)index) >> 32;
        if (rank < best_rank) {
            best_rank = rank;
            best = from[index];
        }
    }
    return best;
}

/* Keeps the runs whose child is open. Without any, all moves lose, and the one is kept that leaves
 * the opponent the largest board. */
static int keep_open(const struct child *children, int count) {
    int open = 0;
    for (int index = 0; index < count; index++)
        if (children[index].result == OPEN)
            runs[open++] = children[index].run;
    if (open == 0)
        runs[open++] = children[count - 1].run;
    return open;
}

struct run choose(const struct grid *grid, const struct style *style) {
    static struct child children[MAX_CHILDREN];
    const bool is_misere = style->is_misere;
    const struct reach reach = is_misere ? MISERE : NORMAL;
    const int likely = least(reach.likely, style->reach), sticks = grid_sticks(grid);
    int count = grid_runs(grid, runs), longest = 1;
    struct run mirror;
    if (!is_misere && find_mirror(grid, &mirror))
        return mirror;
    for (int index = 0; index < count; index++)
        if (length(runs[index]) > longest)
            longest = length(runs[index]);
    if (!pieces_have_room(MAX_PIECES / 4))
        choose_forget();
    if (sticks < reach.hopeless && sticks <= style->reach && count <= MAX_CHILDREN) {
        int made = 0;
        while (made < count && make_child(grid, runs[made], &children[made])) {
            children[made].index = made;
            made++;
        }
        if (made == count) {
            qsort(children, (size_t)count, sizeof *children, by_weight);
            const struct child *win = find_win(children, count, is_misere, reach.work);
            if (win)
                return win->run;
            count = keep_open(children, count);
        }
    }
    const uint64_t seed = mixed(style->seed, (uint64_t)sticks);
    return pick(runs, count, wanted(sticks, likely, longest), seed);
}
