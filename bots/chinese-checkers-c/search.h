/* Chooses a move: by alpha-beta against one rival in the way, otherwise by a beam of own moves,
 * as if the others stood still. */
#ifndef SEARCH_H
#define SEARCH_H

#include "moves.h"

enum { DEPTH_MAX = 16, WIDTH_ROOT = 40 };

struct limits {
    int depth; /* plies to look ahead, 1 to DEPTH_MAX */
    int work;  /* as the scout counts it; one ply is always searched */
};

struct found {
    struct move move; /* a pass, from = to, without a legal move */
    int depth;        /* plies searched completely */
    int work;
};

/* A number below HOME / 2 is a difference of burdens; about HOME is a decided race. */
enum { HOME = 1 << 30 };

enum { SEEN = 1 << 12 };

struct search {
    struct star *star;
    struct scout scout;
    struct limits limits;
    int seat, rival; /* rival: -1 for several */
    bool is_late;
    uint64_t chance;
    uint64_t men_key; /* where the own men are at the root */
    int least_burden; /* at a root so far */
    int idle;         /* roots since then */
    struct {
        uint64_t key;
        int times;
    } seen[SEEN]; /* earlier places of the own men; a newer key replaces an older one */
};

/* Begins a match. The seed decides between equal moves. */
void search_start(struct search *search, struct star *star, int seat, uint64_t seed);

/* The move of the seat. It depends on the seed and the calls since search_start alone, not on time.
 * `is_active` says of each seat whether it still plays. */
struct found search_run(struct search *search, const bool *is_active, struct limits limits);

/* The two ways to choose among moves sorted by gain; in duel.c and race.c. */
struct found duel(struct search *search, struct move *roots, int count);
struct found race(struct search *search, const struct move *roots, int count, int depth_max);

/* The own burden, to compare the leaves of a search. */
int search_burden(struct search *search);
/* The change of the key of the own men by a move. */
uint64_t search_change(struct move move);
/* Penalty for a return to earlier places, against going in circles. */
int search_malus(const struct search *search, uint64_t men_key);

#endif
