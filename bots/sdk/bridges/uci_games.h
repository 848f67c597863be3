/* Moves of the games that engines of UCI, USI and UCCI play: as on the wire and as engines write.
 */
#ifndef UCI_GAMES_H
#define UCI_GAMES_H

#include "arena_bot.h"

enum { MAX_MOVE = 8 };

struct uci_game {
    const char *name;
    bool needs_board; /* a move is translated by the position before it, so no plan can be */
    /* Sets up the board, if there is one; returns the start of the `position` command. */
    const char *(*position)(const arena_value *init);
    /* Writes a move of the wire as the engine does, and makes it on the board. */
    void (*to_text)(const arena_value *move, char text[MAX_MOVE]);
    /* Returns whether a word is a move. Writes it to a reply, unless that is NULL. */
    bool (*to_wire)(const char *word, size_t size, arena_reply *reply);
    void (*make)(const char *text); /* makes a move of the engine on the board; may be NULL */
};

/* Returns the game, or NULL if engines do not play it. */
const struct uci_game *uci_game_of(const char *name);

#endif
