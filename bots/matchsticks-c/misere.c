/* Taking the last one loses: only sums of tame pieces have nimbers.
 *
 * A piece has two nimbers, one by each way of ending. It is tame when they, found from its tame
 * options alone, are 0 and 1, 1 and 0, or equal, and when each of its other options can be answered
 * by a tame sum with the same two. Sums of tame pieces follow the rule of misere Nim (Conway, On
 * Numbers and Games, chapter 12): their nimbers add up as if the last one won, and the sum is lost
 * at 0; only when the two nimbers of each piece are 0 and 1 is it lost at 1. */
#include "solve.h"

#include <stdlib.h>
#include <string.h>

enum {
    TAMEABLE = 9,
    TAMEABLE_PIECES = 1818, /* number of pieces up to this size */
    TAMEABLE_RUNS = 64,     /* more than any of these pieces has */
    ENTRIES = 1 << 16,
    BUCKET = 4,
};

struct nimbers {
    int normal, misere;
};

static struct {
    uint64_t key;
    enum result result;
} entries[ENTRIES];

static bool has_entries;

void misere_forget(void) {
    if (has_entries) /* writing zeros over zeros would touch every page */
        memset(entries, 0, sizeof entries);
    has_entries = false;
}

/* The nimbers of a sum of tame pieces. */
static struct nimbers add(const struct sum *sum) {
    struct nimbers total = {0, 0};
    bool is_firm = false;
    for (int part = 0; part < sum->count; part++) {
        const struct piece *piece = &pieces[sum->pieces[part]];
        total.normal ^= piece->nimber;
        is_firm |= piece->nimber == piece->misere;
    }
    total.misere = is_firm ? total.normal : total.normal ^ 1;
    return total;
}

static int least_missing(uint64_t seen) { return __builtin_ctzll(~seen); }

static bool is_tame(int id);

static bool is_all_tame(const struct sum *sum) {
    for (int part = 0; part < sum->count; part++)
        if (!is_tame(sum->pieces[part]))
            return false;
    return true;
}

/* Whether a move leads from a sum to tame pieces with these nimbers. */
static bool can_revert(const struct sum *sum, struct nimbers nimbers) {
    uint64_t runs[MAX_RUNS];
    for (int part = 0; part < sum->count; part++) {
        const uint64_t cells = pieces[sum->pieces[part]].cells;
        for (int run = pieces_runs(cells, runs) - 1; run >= 0; run--) {
            struct sum left = *sum;
            left.pieces[part] = left.pieces[--left.count];
            pieces_split(cells & ~runs[run], &left);
            if (!is_all_tame(&left))
                continue;
            const struct nimbers reached = add(&left);
            if (reached.normal == nimbers.normal && reached.misere == nimbers.misere)
                return true;
        }
    }
    return false;
}

static enum kind find_kind(int id) {
    uint64_t runs[MAX_RUNS], seen_normal = 0, seen_misere = 0;
    struct sum wild[TAMEABLE_RUNS];
    int wild_count = 0;
    const uint64_t cells = pieces[id].cells;
    for (int run = pieces_runs(cells, runs) - 1; run >= 0; run--) {
        struct sum sum = {.count = 0};
        pieces_split(cells & ~runs[run], &sum);
        if (!is_all_tame(&sum)) {
            wild[wild_count++] = sum;
            continue;
        }
        const struct nimbers option = add(&sum);
        seen_normal |= UINT64_C(1) << option.normal;
        seen_misere |= UINT64_C(1) << option.misere;
    }
    const struct nimbers found = {least_missing(seen_normal), least_missing(seen_misere)};
    if (found.normal != found.misere && (found.normal | found.misere) != 1)
        return WILD;
    for (int option = 0; option < wild_count; option++)
        if (!can_revert(&wild[option], found))
            return WILD;
    pieces[id].nimber = (int8_t)found.normal;
    pieces[id].misere = (int8_t)found.misere;
    return TAME;
}

static bool is_tame(int id) {
    struct piece *piece = &pieces[id];
    if (piece->kind == UNTOLD && piece->sticks <= TAMEABLE)
        piece->kind = find_kind(id);
    return piece->kind == TAME;
}

/* Two single sticks cancel out: after one is taken, the opponent takes the other. */
static void drop_pairs(struct sum *sum) {
    int kept = 0, single = UNKNOWN;
    for (int part = 0; part < sum->count; part++) {
        const int id = sum->pieces[part];
        if (pieces[id].sticks > 1)
            sum->pieces[kept++] = id;
        else
            single = single == UNKNOWN ? id : UNKNOWN;
    }
    if (single != UNKNOWN)
        sum->pieces[kept++] = single;
    sum->count = kept;
}

static size_t bucket_of(uint64_t key) { return key % (ENTRIES / BUCKET) * BUCKET; }

static void remember(uint64_t key, enum result result) {
    const size_t bucket = bucket_of(key);
    /* The oldest one is removed. */
    memmove(&entries[bucket + 1], &entries[bucket], (BUCKET - 1) * sizeof *entries);
    entries[bucket].key = key;
    entries[bucket].result = result;
    has_entries = true;
}

static uint64_t key_of(const struct sum *sum) {
    uint64_t key = 0;
    for (int part = 0; part < sum->count; part++)
        key += pieces[sum->pieces[part]].key;
    return key;
}

/* The known result of a sum, without its options. */
static enum result known(const struct sum *sum) {
    if (is_all_tame(sum))
        return add(sum).misere == 0 ? LOST : WON;
    const uint64_t key = key_of(sum);
    const size_t bucket = bucket_of(key);
    for (size_t entry = bucket; entry < bucket + BUCKET; entry++)
        if (entries[entry].key == key)
            return entries[entry].result;
    return OPEN;
}

/* The rest after a move, and its sticks outside tame pieces: few ones are searched first. */
struct option {
    int sticks;
    int index;
    struct sum sum;
};

static int by_sticks(const void *one, const void *other) {
    const struct option *a = one, *b = other;
    return a->sticks != b->sticks ? a->sticks - b->sticks : a->index - b->index;
}

static int untamed(const struct sum *sum) {
    int sticks = 0;
    for (int part = 0; part < sum->count; part++)
        if (!is_tame(sum->pieces[part]))
            sticks += pieces[sum->pieces[part]].sticks;
    return sticks;
}

/* Writes the rests after the moves in one piece of a sum, without those known to be WON. Returns
 * their new number, -1 if one is LOST, or -2 without room for more. */
static int collect(const struct sum *sum, int part, struct option *options, int count) {
    uint64_t runs[MAX_RUNS];
    const uint64_t cells = pieces[sum->pieces[part]].cells;
    const int run_count = pieces_runs(cells, runs);
    for (int run = 0; run < run_count; run++) {
        struct sum *left = &options[count].sum;
        if (!pieces_have_room(BOARD_PARTS + TAMEABLE_PIECES) ||
            sum->count > MAX_PARTS - BOARD_PARTS)
            return -2;
        *left = *sum;
        left->pieces[part] = left->pieces[--left->count];
        pieces_split(cells & ~runs[run], left);
        drop_pairs(left);
        const enum result result = known(left);
        if (result == LOST)
            return -1;
        options[count].sticks = untamed(left);
        options[count].index = count;
        count += result == OPEN;
    }
    return count;
}

static enum result try_options(const struct sum *sum, struct option *options, long *work);

static enum result solve(const struct sum *sum, long *work) {
    enum result result = known(sum);
    if (result != OPEN)
        return result;
    if (--*work < 0)
        return OPEN;
    struct option *options = malloc(MAX_RUNS * sizeof *options);
    result = options ? try_options(sum, options, work) : OPEN;
    free(options);
    if (result != OPEN)
        remember(key_of(sum), result);
    return result;
}

static enum result try_options(const struct sum *sum, struct option *options, long *work) {
    int count = 0;
    for (int part = 0; part < sum->count; part++) {
        count = collect(sum, part, options, count);
        if (count < 0)
            return count == -1 ? WON : OPEN;
    }
    qsort(options, (size_t)count, sizeof *options, by_sticks);
    for (int index = 0; index < count; index++) {
        const enum result result = solve(&options[index].sum, work);
        if (result != WON)
            return result == LOST ? WON : OPEN;
    }
    return LOST;
}

enum result solve_misere(const struct sum *sum, long *work) {
    struct sum copy = *sum;
    drop_pairs(&copy);
    return solve(&copy, work);
}
