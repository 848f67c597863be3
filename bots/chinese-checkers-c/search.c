#include "search.h"

#include "burden.h"

#include <limits.h>
#include <string.h>

enum {
    PER_REPEAT = 5,
    PATIENCE = 8, /* moves without progress before the rival is ignored */
    CROWD_DEPTH = 4,
    RACE_DEPTH = 8,
};

static uint64_t mixed(uint64_t number) { /* splitmix64 */
    number += 0x9e3779b97f4a7c15u;
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9u;
    number = (number ^ number >> 27) * 0x94d049bb133111ebu;
    return number ^ number >> 31;
}

static uint64_t key_of(int cell) { return mixed((uint64_t)cell); }

void search_start(struct search *search, struct star *star, int seat, uint64_t seed) {
    memset(search, 0, sizeof *search);
    search->star = star;
    search->scout.star = star;
    search->seat = seat;
    search->chance = seed;
    search->least_burden = INT_MAX;
}

int search_burden(struct search *search) {
    return search->is_late ? burden_late(&search->scout, search->seat)
                           : search->star->burden[search->seat];
}

uint64_t search_change(struct move move) { return key_of(move.from) ^ key_of(move.to); }

int search_malus(const struct search *search, uint64_t men_key) {
    bool is_seen = search->seen[men_key % SEEN].key == men_key;
    return is_seen ? PER_REPEAT * search->seen[men_key % SEEN].times : 0;
}

static void note_seen(struct search *search, uint64_t men_key) {
    if (search->seen[men_key % SEEN].key != men_key)
        search->seen[men_key % SEEN].times = 0;
    search->seen[men_key % SEEN].key = men_key;
    search->seen[men_key % SEEN].times++;
}

/* Whether all own men have passed all men of a rival who goes the opposite way, so that they cannot
 * hinder each other any more. */
static bool has_passed(const struct star *star, int seat, int rival) {
    const struct course *course = &star->courses[seat];
    int last = 0, first = INT_MAX;
    if ((course->goal + TRIANGLES / 2) % TRIANGLES != star->courses[rival].goal)
        return false;
    for (int man = 0; man < star->men_count; man++) {
        int own = course->far[star->men[seat][man]];
        int others = course->far[star->men[rival][man]];
        last = own > last ? own : last;
        first = others < first ? others : first;
    }
    return last + 1 < first;
}

/* The best moves, equal ones in random order. */
static int root_moves(struct search *search, struct move *moves) {
    struct move found[WIDTH_ROOT];
    int left = scout_moves(&search->scout, search->seat, WIDTH_ROOT, found), count = 0;
    while (left > 0) {
        search->chance = mixed(search->chance);
        int drawn = (int)(search->chance % (uint64_t)left);
        moves_insert(moves, &count, WIDTH_ROOT, found[drawn]);
        found[drawn] = found[--left];
    }
    return count;
}

/* Counts the rivals and notes one of them. */
static int count_rivals(struct search *search, const bool *is_active) {
    int rivals = 0;
    search->rival = -1;
    for (int seat = 0; seat < search->star->seats; seat++)
        if (seat != search->seat && is_active[seat]) {
            rivals++;
            search->rival = seat;
        }
    return rivals;
}

static void note_progress(struct search *search) {
    int burden = search->star->burden[search->seat];
    search->idle = burden < search->least_burden ? 0 : search->idle + 1;
    if (burden < search->least_burden)
        search->least_burden = burden;
}

static void look_at_root(struct search *search, struct limits limits) {
    const struct star *star = search->star;
    search->limits = limits;
    search->scout.work = 0;
    search->is_late = is_late(star, search->seat);
    search->men_key = 0;
    for (int man = 0; man < star->men_count; man++)
        search->men_key ^= key_of(star->men[search->seat][man]);
    note_progress(search);
}

struct found search_run(struct search *search, const bool *is_active, struct limits limits) {
    struct move moves[WIDTH_ROOT];
    const struct star *star = search->star;
    star_sort(search->star, search->seat);
    look_at_root(search, limits);
    int rivals = count_rivals(search, is_active), count = root_moves(search, moves);
    if (count == 0) {
        int cell = star->men[search->seat][0];
        return (struct found){.move = {.from = cell, .to = cell}};
    }
    bool is_duel =
        rivals == 1 && search->idle < PATIENCE && !has_passed(star, search->seat, search->rival);
    struct found found = is_duel
                             ? duel(search, moves, count)
                             : race(search, moves, count, rivals > 1 ? CROWD_DEPTH : RACE_DEPTH);
    note_seen(search, search->men_key ^ search_change(found.move));
    found.work = search->scout.work;
    return found;
}
