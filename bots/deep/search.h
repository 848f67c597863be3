/* Finds the best move: alpha-beta with increasing depth, until a number of positions is used up. */
#ifndef SEARCH_H
#define SEARCH_H

#include "board.h"

enum { WIN = 1000000 }; /* minus one for each ply until the win */

struct found {
    int point;
    int score; /* for the seat to move; about 100 an open three */
    int depth; /* plies searched completely */
    int nodes; /* searched positions */
};

struct search;

/* Memory for searching, about a megabyte; NULL if not available. */
struct search *search_new(void);
void search_free(struct search *search);

/* The move for the seat to move: depends on the position and `max_nodes` alone. The board is as it
 * was afterwards. There must be an allowed move. */
struct found search_run(struct search *search, struct board *board, int max_nodes);

#endif
