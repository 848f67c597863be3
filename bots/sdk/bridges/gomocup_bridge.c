/* A bridge between the wire and an engine that speaks Gomocup's protocol ("pbrain").
 *
 *     gomocup_bridge gomocup_bridge.py ENGINE [ARGUMENT ...]
 *
 * gomocup_bridge.py as a compiled program, which takes its place where a C compiler is; the tests
 * run both. */
#define _POSIX_C_SOURCE 200809L

#include "engine_bridge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_STONES = 1024, MAX_NOTE = 200, MAX_POINTS = 3, NOBODY = -1 };

struct point {
    int column, row; /* from 0, from the top left */
};

static char about[MAX_LINE + 1]; /* the answer to ABOUT */
static bool is_unsettled;        /* whether it is to come before the next answer */
static char time_left[48];       /* a line before the next command */
static char message[4 * MAX_NOTE + 1];

/* The match. */
static int seat, size_of_board, black_seat;
static bool is_pente;
static bool is_choosing;                 /* whether the colors of swap2 are still open */
static bool has_two;                     /* whether two more stones were chosen */
static struct point stones[MOST_STONES]; /* in the order of play: black, white, black ... */
static int stone_count, told_count;      /* told: that the engine knows */
static char planned[MAX_POINTS + 1][16]; /* own moves of swap2 that the engine has named */
static int planned_count;

/* ---- Points and moves */
static bool has_word(struct line line, const char *word) {
    return line.size >= strlen(word) && strncasecmp(line.text, word, strlen(word)) == 0;
}

/* Returns the text of a point; the referee refuses one off the board. */
static void name_point(struct point point, char text[16]) {
    if (is_pente)
        snprintf(text, 16, "%d,%d", point.row - size_of_board / 2,
                 point.column - size_of_board / 2);
    else if (point.column < size_of_board && point.row < size_of_board)
        snprintf(text, 16, "%c%d", 'a' + point.column, size_of_board - point.row);
    else
        snprintf(text, 16, "%d,%d", point.column, point.row);
}

static struct point point_of(const char *text) {
    struct point point = {0, 0};
    if (is_pente && sscanf(text, "%d,%d", &point.row, &point.column) == 2)
        point.row += size_of_board / 2, point.column += size_of_board / 2;
    else if (strchr(text, ',') != NULL) /* off the board */
        sscanf(text, "%d,%d", &point.column, &point.row);
    else
        point = (struct point){*text - 'a', size_of_board - atoi(text + 1)};
    return point;
}

/* Takes a move of a seat over. */
static void note_move(int mover, const char *text) {
    if (strcmp(text, "swap") == 0) {
        black_seat = mover, is_choosing = false;
        return;
    }
    if (strcmp(text, "two") == 0) {
        has_two = true;
        return;
    }
    if (is_choosing && stone_count == (has_two ? 5 : 3))
        black_seat = 1 - mover, is_choosing = false; /* a stone chooses White */
    if (stone_count == MOST_STONES)
        arena_fail("more than %d stones", MOST_STONES);
    stones[stone_count++] = point_of(text);
}

static void note_played(const arena_value *played) {
    for (size_t i = 0; i < played->count; i++) {
        const arena_value *entry = arena_at(played, i);
        const arena_value *move = arena_need(entry, "move", ARENA_MAP);
        int mover = (int)arena_need(entry, "seat", ARENA_INT)->integer;
        char text[64];
        if (is_pente)
            snprintf(text, sizeof text, "%" PRId64 ",%" PRId64,
                     arena_need(move, "v", ARENA_INT)->integer,
                     arena_need(move, "h", ARENA_INT)->integer);
        else
            snprintf(text, sizeof text, "%s", arena_need(move, "at", ARENA_STR)->text);
        note_move(mover, text);
    }
}

/* ---- Lines of the engine */
static void trim(struct line *line) {
    while (line->size > 0 && line->text[line->size - 1] != 0 &&
           strchr(" \t\v\f\r", line->text[line->size - 1]) != NULL)
        line->text[--line->size] = 0;
    while (line->size > 0 && *line->text != 0 && strchr(" \t\v\f\r", *line->text) != NULL)
        line->text++, line->size--;
}

/* Whether a line has a part like name="Five". Copies its value, unless `value` is NULL. */
static bool read_about(const char *text, const char *name, char *value) {
    for (const char *at = text; (at = strchr(at, '"')) != NULL; at++) {
        const char *stop = strchr(at + 1, '"'), *end = at;
        while (end > text && (end[-1] == ' ' || end[-1] == '\t'))
            end--;
        bool is_part = stop != NULL && end > text && end[-1] == '=';
        for (end -= is_part; is_part && end > text && (end[-1] == ' ' || end[-1] == '\t');)
            end--;
        const char *begin = end;
        while (is_part && begin > text && begin[-1] >= 'a' && begin[-1] <= 'z')
            begin--;
        if (!is_part || begin == end)
            continue;
        size_t size = (size_t)(end - begin);
        if (value == NULL)
            return true;
        if (size == strlen(name) && memcmp(begin, name, size) == 0) {
            struct line part = {(char *)at + 1, (size_t)(stop - at) - 1};
            strcpy(value, bridge_quoted(part, MAX_NAME));
            return true;
        }
        at = stop;
    }
    return false;
}

/* Takes a line before the answer to ABOUT, which answers nothing. */
static void skip(struct line line) {
    if (strcmp(line.text, about) == 0 || read_about(line.text, "", NULL))
        is_unsettled = false;
    else if (line.size > 0)
        bridge_show(line, OTHER);
}

/* Returns the next answer of the engine to a command; refusals and remarks are none. */
static struct line wait_answer(const char *command) {
    int64_t never = 0;
    for (struct line line;;) {
        line = bridge_wait(&never);
        trim(&line);
        if (is_unsettled) {
            skip(line);
        } else if (has_word(line, "MESSAGE") || has_word(line, "DEBUG")) {
            bridge_show(line, OTHER);
            if (has_word(line, "MESSAGE")) {
                size_t from = line.size > 8 ? 8 : line.size;
                line.text += from, line.size -= from;
                trim(&line);
                strcpy(message, bridge_quoted(line, MAX_NOTE));
            }
        } else if (has_word(line, "UNKNOWN") || has_word(line, "ERROR")) {
            bridge_refuse("the engine refused \"%s\": %s", command, bridge_quoted(line, SHOWN));
        } else if (line.size > 0) {
            return line;
        }
    }
}

/* Reads a point like "7 , 8" of at most three digits each; returns what follows, or NULL. */
static const char *read_point(const char *at, struct point *point) {
    size_t digits = strspn(at, "0123456789");
    point->column = atoi(digits <= 3 ? at : "");
    at += digits;
    if (digits < 1 || digits > 3)
        return NULL;
    at += strspn(at, " \t");
    if (*at++ != ',')
        return NULL;
    at += strspn(at, " \t");
    digits = strspn(at, "0123456789");
    point->row = atoi(digits <= 3 ? at : "");
    return digits < 1 || digits > 3 ? NULL : at + digits;
}

/* Reads the points of an answer; returns their number, 0 for SWAP. `allowed` has a bit for each. */
static int read_points(const char *command, unsigned allowed, struct point points[MAX_POINTS]) {
    struct line line = wait_answer(command);
    const char *at = line.text, *end = line.text + line.size;
    int count = 0;
    if ((allowed & 1) && line.size == 4 && has_word(line, "SWAP"))
        return 0;
    for (; count < MAX_POINTS && at != NULL && at < end; count++) {
        at = read_point(at, &points[count]);
        size_t spaces = at == NULL ? 0 : strspn(at, " \t");
        if (at != NULL && at < end && spaces == 0)
            at = NULL;
        else if (at != NULL)
            at += spaces;
    }
    if (at != end || count == 0 || !(allowed >> count & 1))
        bridge_refuse("no answer to \"%s\": %s", command, bridge_quoted(line, SHOWN));
    return count;
}

/* ---- The dialogue */
static void greet(arena_reply *hello) {
    static const char *const known[] = {"name", "version"};
    char value[4 * MAX_NAME + 1];
    bridge_print("ABOUT\n");
    struct line line = wait_answer("ABOUT");
    memcpy(about, line.text, line.size + 1);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (read_about(about, known[i], value))
            arena_remark(hello, known[i]), arena_str(hello, value);
}

/* Asks ABOUT: what the engine prints before its answer is none to the next command. */
static void write_settled(const char *command) {
    is_unsettled = true;
    bridge_print("%sABOUT\n%s\n", time_left, command);
    *time_left = 0;
}

static int64_t number_of(const arena_value *map, const char *name) {
    const arena_value *value = arena_get(map, name);
    return value->type == ARENA_INT ? value->integer : 0;
}

static int rule_of(const arena_value *options) {
    const char *rule = is_pente ? "freestyle" : arena_need(options, "rule", ARENA_STR)->text;
    return strcmp(rule, "exact") == 0 ? 1 : strcmp(rule, "renju") == 0 ? 4 : 0;
}

static void begin(const arena_value *init) {
    const arena_value *options = arena_need(init, "options", ARENA_MAP);
    const arena_value *time = arena_need(init, "time", ARENA_MAP);
    const arena_value *first = arena_get(options, "opening");
    const char *game = arena_need(init, "game", ARENA_STR)->text;
    char start[32], limits[128];
    is_pente = strcmp(game, "pente") == 0;
    if (!is_pente && strcmp(game, "gomoku") != 0)
        bridge_refuse("%.120s cannot be played in Gomocup's protocol", game);
    seat = (int)arena_need(init, "seat", ARENA_INT)->integer;
    size_of_board = (int)(is_pente ? 2 * arena_need(options, "half_size", ARENA_INT)->integer + 1
                                   : arena_need(options, "size", ARENA_INT)->integer);
    stone_count = told_count = planned_count = black_seat = 0;
    is_choosing = first->type == ARENA_STR && strcmp(first->text, "swap2") == 0;
    has_two = false;
    snprintf(limits, sizeof limits,
             "INFO timeout_turn %" PRId64 "\nINFO timeout_match %" PRId64 "\nINFO rule %d\n",
             arena_need(time, "per_move_ms", ARENA_INT)->integer, number_of(time, "bank_ms"),
             rule_of(options));
    note_played(arena_need(init, "history", ARENA_ARRAY));
    snprintf(start, sizeof start, "START %d", size_of_board);
    write_settled(start);
    struct line line = wait_answer(start);
    if (!has_word(line, "OK")) /* many print "OK - everything is good", as the specification */
        bridge_refuse("the engine answered \"%s\": %s", start, bridge_quoted(line, SHOWN));
    bridge_write(limits, strlen(limits));
}

/* Writes BOARD or SWAP2BOARD with the stones so far; with their owners, 1 for an own one. */
static void write_board(const char *command, bool has_owners) {
    static char text[MOST_STONES * 16 + 64];
    size_t at = (size_t)sprintf(text, "%s\n", command);
    for (int i = 0; i < stone_count; i++) {
        bool is_own = (i % 2 == 0) == (seat == black_seat);
        at += (size_t)sprintf(text + at, "%d,%d%s\n", stones[i].column, stones[i].row,
                              !has_owners ? ""
                              : is_own    ? ",1"
                                          : ",2");
    }
    strcpy(text + at, "DONE");
    write_settled(text);
}

/* Asks for a stone in play. */
static void ask_stone(void) {
    struct point found[MAX_POINTS];
    char turn[48];
    const char *command = "BEGIN";
    if (stone_count == 0) {
        write_settled("BEGIN");
    } else if (told_count == stone_count - 1 && told_count > 0) {
        struct point last = stones[stone_count - 1];
        snprintf(turn, sizeof turn, "TURN %d,%d", last.column, last.row);
        write_settled(command = turn);
    } else {
        write_board(command = "BOARD", true);
    }
    read_points(command, 1U << 1, found);
    name_point(found[0], planned[0]);
    planned_count = 1;
}

/* Asks for the moves of swap2. */
static void ask_choice(void) {
    struct point found[MAX_POINTS];
    unsigned allowed = stone_count == 0 ? 1U << 3 : stone_count == 3 ? 7 : 3;
    if (stone_count != 0 && stone_count != 3 && stone_count != 5)
        bridge_refuse("Gomocup's protocol has no word for an opening amid the stones of swap2");
    write_board("SWAP2BOARD", false);
    int count = read_points("SWAP2BOARD", allowed, found);
    planned_count = 0;
    if (count == 0)
        strcpy(planned[planned_count++], "swap");
    else if (stone_count > 0 && count == 2)
        strcpy(planned[planned_count++], "two");
    for (int i = 0; i < count; i++)
        name_point(found[i], planned[planned_count++]);
}

static void write_move(arena_reply *reply, const char *text) {
    int v, h;
    arena_play(reply);
    if (is_pente && sscanf(text, "%d,%d", &v, &h) == 2) {
        arena_map(reply, 2);
        arena_str(reply, "v"), arena_int(reply, v);
        arena_str(reply, "h"), arena_int(reply, h);
    } else {
        arena_map(reply, 1);
        arena_str(reply, "at"), arena_str(reply, text);
    }
}

static void play(const arena_value *call, arena_reply *reply) {
    const arena_value *left = arena_get(call, "left_ms"); /* nil is the same as no field */
    char text[16];
    note_played(arena_need(call, "opponent_moves", ARENA_ARRAY));
    *message = 0;
    if (planned_count == 0) {
        bool is_limited = left->type == ARENA_INT && left->integer < INT32_MAX;
        snprintf(time_left, sizeof time_left, "INFO time_left %" PRId64 "\n",
                 is_limited ? left->integer : INT32_MAX);
        if (is_choosing)
            ask_choice();
        else
            ask_stone();
    }
    strcpy(text, planned[0]);
    memmove(planned[0], planned[1], sizeof planned - sizeof *planned);
    planned_count--;
    note_move(seat, text);
    told_count = stone_count;
    write_move(reply, text);
    if (*message != 0)
        arena_note(reply, message);
}

int main(int argc, char **argv) {
    static const char *const remarks[] = {"MESSAGE", "DEBUG", "message", "debug", NULL};
    static const struct dialogue gomocup = {
        "gomocup_bridge", remarks, "END", greet, begin, play, NULL};
    if (argc < 3) {
        fputs("usage: gomocup_bridge gomocup_bridge.py ENGINE [ARGUMENT ...]\n", stderr);
        return 1;
    }
    return bridge_run(&gomocup, argv + 2);
}
