/* The kit for bots in C: this header and arena_bot.c; it needs only POSIX.
 *
 * Fill in a struct arena_bot and pass it to arena_run: it connects to the referee, calls the
 * callbacks and sends their replies. A call arrives as a tree of values; a reply is written value
 * by value. An error of either side ends the process with a message on stderr, which names the call
 * and the field. An example: starter/c. */
#ifndef ARENA_BOT_H
#define ARENA_BOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Calls: values to read */
typedef enum { ARENA_NIL, ARENA_BOOL, ARENA_INT, ARENA_STR, ARENA_ARRAY, ARENA_MAP } arena_type;

/* A value of a call, valid until the callback with this call returns. */
typedef struct arena_value {
    arena_type type;
    uint32_t count; /* bytes of a string, items of an array, fields of a map; otherwise 0 */
    union {
        bool boolean;
        int64_t integer;                 /* within +-2^53 */
        const char *text;                /* UTF-8, ending with a 0 byte */
        const struct arena_value *items; /* of a map: name, value, name, value, ... */
    };
} arena_value;

/* Returns the field of a map, or a nil value if it is missing or `map` is no map; never NULL. */
const arena_value *arena_get(const arena_value *map, const char *name);
/* Returns the item of an array, or a nil value without one or if `array` is none; never NULL. */
const arena_value *arena_at(const arena_value *array, size_t index);
/* Returns a required field of a map; ends the bot if it is missing or has another type. */
const arena_value *arena_need(const arena_value *map, const char *name, arena_type type);

/* Ends the bot with exit code 1; stderr gets the type and id of the open call and the message. */
_Noreturn void arena_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- Replies: values to write */
typedef struct arena_reply arena_reply;

/* In on_move, exactly one of these three. After arena_play write one value: the move. */
void arena_play(arena_reply *reply);
void arena_resign(arena_reply *reply);
void arena_done(arena_reply *reply); /* one-seat games: nothing more to play */

/* Optional in on_move: write one value after arena_claims, and one after arena_remark; its name is
 * "value", "plan" or "data" (SPEC.md, play). A note has up to 1024 characters. */
void arena_claims(arena_reply *reply);
void arena_note(arena_reply *reply, const char *text);
void arena_remark(arena_reply *reply, const char *name);

/* One value each. After an array of n come n values, after a map of n come n names and values:
 * {"v": 0, "h": 4} is arena_map(r, 2), arena_str(r, "v"), arena_int(r, 0), arena_str(r, "h") ... */
void arena_bool(arena_reply *reply, bool value);
void arena_int(arena_reply *reply, int64_t value);
void arena_str(arena_reply *reply, const char *text);
void arena_array(arena_reply *reply, size_t items);
void arena_map(arena_reply *reply, size_t fields);
void arena_copy(arena_reply *reply, const arena_value *value);

/* ---- The bot */
enum { ARENA_VIEW = 1, ARENA_LEGAL = 2 };

typedef struct arena_bot {
    const char *name;    /* NULL: omitted */
    const char *version; /* NULL: omitted */
    unsigned wants;      /* optional fields of a move call: ARENA_VIEW | ARENA_LEGAL */
    void *self;          /* passed to each callback */

    /* A match begins; one process may play several, one after the other. May be NULL. */
    void (*on_init)(void *self, const arena_value *init);
    /* It is your turn. Never NULL. */
    void (*on_move)(void *self, const arena_value *call, arena_reply *reply);
    /* Write your board: an array of strings. If NULL, a display call ends the bot. */
    void (*on_display)(void *self, const arena_value *call, arena_reply *reply);
    /* The match is over. May be NULL. */
    void (*on_term)(void *self, const arena_value *term);
} arena_bot;

/* Plays all matches at ARENA_ENDPOINT with ARENA_TOKEN, both from the environment, and returns 0,
 * the result for main. */
int arena_run(const arena_bot *bot);

#endif
