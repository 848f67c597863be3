/* Common parts of the hosts of the four games. A host is a bot on the C kit, linked with an entry:
 * it turns calls into calls of the original prototypes. mactech_build.py compiles one for each bot.
 */
#ifndef MACTECH_HOST_H
#define MACTECH_HOST_H

#include "arena_bot.h"

/* Reads the arguments of the program and plays. Only --memory MB is known: a limit for what the
 * entry allocates in a match. Returns the exit code of main. */
int mactech_run(int argc, char **argv, const arena_bot *bot);

/* A match begins: checks that this game is played, sets the chance, measures the memory. */
void mactech_begin(const arena_value *init, const char *game);

/* Around every call of the entry: only the memory of the entry is limited. */
void mactech_enter(void);
void mactech_leave(void);

/* An integer of a map, an integer of a list, an option: ends the host with a message if not there.
 */
int mactech_int(const arena_value *map, const char *name);
int mactech_item(const arena_value *list, size_t index);
const arena_value *mactech_option(const arena_value *init, const char *name);

/* Gives the match up, and says why in the note and on standard error. */
void mactech_give_up(arena_reply *reply, const char *why);

/* Why an entry cannot be brought to a position: the prototypes have no call for its own moves. */
extern const char mactech_other_history[];

/* A board of `rows` lists of `cols` digits, in bytes, and back. */
void mactech_read_board(const arena_value *rows, char *board, size_t cols);
void mactech_write_board(arena_reply *reply, const char *board, size_t rows, size_t cols);

#endif
