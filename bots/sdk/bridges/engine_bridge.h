/* Common parts of the compiled bridges between the wire and the dialogues of engines.
 *
 * A bridge fills in a struct dialogue and calls bridge_run: it starts the engine in the bot's
 * sandbox, and passes calls to it and replies to the referee. It reads the engine's lines under the
 * same limits as arena_engine.py, and the tests run both. A function of a dialogue either returns
 * or ends in bridge_refuse: the referee receives the reason as a text and refuses it. */
#ifndef ENGINE_BRIDGE_H
#define ENGINE_BRIDGE_H

#include "arena_bot.h"

enum { MAX_LINE = 64 * 1024, SHOWN = 120, MAX_NAME = 100, MAX_TEXT = 4 * MAX_LINE };

/* A line of the engine without its end, until the next one is read. A 0 byte follows it; others may
 * be in it. */
struct line {
    char *text;
    size_t size;
};

struct dialogue {
    const char *name;           /* of the bridge, in messages */
    const char *const *remarks; /* beginnings of lines that answer nothing: a long one is cut */
    const char *leave;          /* tells the engine to exit */
    void (*greet)(arena_reply *hello);      /* begins the dialogue; writes the engine's name */
    void (*begin)(const arena_value *init); /* sets up a match */
    void (*play)(const arena_value *call, arena_reply *reply);
    void (*synchronize)(void); /* waits until the engine answers; NULL without such a question */
};

/* Runs the engine as a bot. Returns only if it cannot be. */
int bridge_run(const struct dialogue *dialogue, char **command);

/* A call is valid until the engine is waited for: read its fields before. */
void bridge_write(const char *text, size_t size); /* lines with their ends */
void bridge_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns the engine's next line. After `stop_at_ns`, unless that is 0, writes `stop` once. If the
 * engine ends before, the bridge ends as the engine did. */
struct line bridge_wait(int64_t *stop_at_ns);
int64_t bridge_now_ns(void);

/* Writes a line of the engine to the bot's output, up to 20 lines of each kind. */
enum { REMARK, OTHER, KINDS_SHOWN };
void bridge_show(struct line line, int kind);

/* Sends the reason as a text for the referee to refuse; the seat has lost. */
_Noreturn void bridge_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns at most `most` characters of a line as UTF-8; the text is valid until the second next
 * call. */
const char *bridge_quoted(struct line line, size_t most);

/* Words of a text with single spaces. */
void line_squeeze(struct line *line); /* makes every white space one space, none at the ends */
bool line_begins(struct line line, const char *text);
bool is_number(const char *word, size_t size); /* with a sign at most, of 1 to 18 digits */

#endif
