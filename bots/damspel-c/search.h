/* Finds the best move: alpha-beta with increasing depth, until a number of positions is used up. */
#ifndef SEARCH_H
#define SEARCH_H

#include "board.h"

enum { WIN = 1000000 }; /* minus one for each ply until the win */

struct found {
    struct move move;
    int score; /* for the seat to move; about 125 a man; WIN and -WIN are proved */
    int depth; /* plies searched completely */
    int nodes; /* searched positions; 0 for a single legal move */
};

struct search;

/* Memory for searching, about two megabytes; NULL if not available. */
struct search *search_new(void);
void search_free(struct search *search);

/* A move for the seat to move, which must have one: `chance` decides between equals, the rest
 * depends on the position and `max_nodes` alone. The board is as it was afterwards. */
struct found search_run(struct search *search, struct board *board, int max_nodes, uint64_t chance);

#endif
