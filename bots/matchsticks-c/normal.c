/* Taking the last one wins: a piece equals a heap of Nim, its nimber; sums are exclusive ors.
 *
 * The search only asks whether a nimber is v, that is, whether the piece and a heap of v together
 * are lost for the player to move. One good option answers no without the others. */
#include "solve.h"

#include <stdlib.h>

enum { SMALL = 7, MAX_LARGE = 64 / (SMALL + 1) };

/* The rest after a move: pieces without a nimber yet, and a heap for all others. */
struct option {
    int heap;
    int count;
    int large[MAX_LARGE]; /* the largest last */
};

static enum result compare(int id, int heap, long *work);

static int nimber(int id, long *work) {
    for (int heap = 0; pieces[id].nimber == UNKNOWN; heap++)
        if (compare(id, heap, work) == OPEN)
            return UNKNOWN;
    return pieces[id].nimber;
}

/* An order of all pieces, so that equal sums look the same. */
static bool is_larger(int one, int other) {
    const int difference = pieces[one].sticks - pieces[other].sticks;
    return difference ? difference > 0 : one > other;
}

/* Sorts a sum into heap and large pieces; false when the work is used up. */
static bool sort_out(const struct sum *sum, struct option *option, long *work) {
    for (int part = 0; part < sum->count; part++) {
        const int id = sum->pieces[part];
        int place = option->count;
        if (pieces[id].nimber == UNKNOWN && pieces[id].sticks > SMALL) {
            for (; place > 0 && is_larger(option->large[place - 1], id); place--)
                option->large[place] = option->large[place - 1];
            option->large[place] = id;
            option->count++;
        } else if (nimber(id, work) == UNKNOWN) {
            return false;
        } else {
            option->heap ^= pieces[id].nimber;
        }
    }
    return true;
}

static enum result solve_option(struct option option, long *work) {
    if (option.count == 0)
        return option.heap == 0 ? LOST : WON;
    for (int part = 0; part < option.count - 1; part++) {
        if (nimber(option.large[part], work) == UNKNOWN)
            return OPEN;
        option.heap ^= pieces[option.large[part]].nimber;
    }
    return compare(option.large[option.count - 1], option.heap, work);
}

static int by_size(const void *one, const void *other) {
    const struct option *a = one, *b = other;
    if (a->count != b->count)
        return a->count - b->count;
    for (int part = a->count - 1; part >= 0; part--)
        if (a->large[part] != b->large[part])
            return is_larger(a->large[part], b->large[part]) ? 1 : -1;
    return a->heap - b->heap;
}

/* Collects the options of a piece and a heap that are not known to be WON. Returns their number, -1
 * if one is LOST, or -2 if the work is used up. */
static int collect(int id, int heap, struct option *options, long *work) {
    uint64_t runs[MAX_RUNS];
    const uint64_t cells = pieces[id].cells;
    const int run_count = pieces_runs(cells, runs);
    int count = 0;
    for (int run = 0; run < run_count; run++) {
        struct sum sum = {.count = 0};
        struct option *option = &options[count];
        if (!pieces_have_room(BOARD_PARTS))
            return -2;
        pieces_split(cells & ~runs[run], &sum);
        option->heap = heap;
        option->count = 0;
        if (!sort_out(&sum, option, work))
            return -2;
        if (option->count == 0 && option->heap == 0)
            return -1;
        if (option->count == 1 && option->heap < 64 &&
            pieces[option->large[0]].excluded >> option->heap & 1)
            continue;
        count += option->count > 0;
    }
    return count;
}

static enum result try_options(int id, int heap, long *work) {
    struct option options[MAX_RUNS];
    const int count = collect(id, heap, options, work);
    if (count < 0)
        return count == -1 ? WON : OPEN;
    qsort(options, (size_t)count, sizeof *options, by_size);
    for (int index = 0; index < count; index++) {
        const enum result result = solve_option(options[index], work);
        if (result != WON)
            return result == LOST ? WON : OPEN;
    }
    /* The options of the heap: this sum is WON if one of them is LOST. */
    for (int less = 0; less < heap; less++) {
        const enum result result = compare(id, less, work);
        if (result != WON)
            return result == LOST ? WON : OPEN;
    }
    return LOST;
}

/* LOST when the piece has this nimber, WON when it has another one. */
static enum result compare(int id, int heap, long *work) {
    struct piece *piece = &pieces[id];
    if (piece->nimber != UNKNOWN)
        return piece->nimber == heap ? LOST : WON;
    if (heap > piece->sticks)
        return WON; /* a nimber is at most the number of sticks */
    if (heap > 63)
        return OPEN;
    if (piece->excluded >> heap & 1)
        return WON;
    if (--*work < 0)
        return OPEN;
    const enum result result = try_options(id, heap, work);
    if (result == WON)
        piece->excluded |= UINT64_C(1) << heap;
    else if (result == LOST)
        piece->nimber = (int8_t)heap;
    return result;
}

enum result solve_normal(const struct sum *sum, int heap, long *work) {
    struct option option = {.heap = heap};
    return sort_out(sum, &option, work) ? solve_option(option, work) : OPEN;
}
