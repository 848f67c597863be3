/* A bridge between the wire and an engine that speaks UCI, USI (shogi) or UCCI (xiangqi).
 *
 *     uci_bridge uci_bridge.py SETTINGS PROGRAM [ARGUMENT ...]
 *
 * uci_bridge.py as a compiled program, which takes its place where a C compiler is; the tests of
 * the dialogue run both. SETTINGS are a JSON object, as there. */
#define _POSIX_C_SOURCE 200809L

#include "engine_bridge.h"
#include "uci_games.h"
#include "uci_settings.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_PLAN = 16, RESERVE_MS = 10, FIGURES = 5 };

static const char *const figures[FIGURES] = {"depth", "seldepth", "nodes", "cp", "mate"};
enum { CP = 3, MATE = 4 };

static struct uci_settings settings;
static enum { UCI, USI, UCCI } dialect;
static bool is_declared_960;
static int64_t threads = 1;

/* The match. */
static const struct uci_game *game; /* NULL: the engine does not play it */
static struct {
    int64_t per_move, increment, bank_moves; /* ms; 0: none */
    int64_t seat;
    bool is_cpu;
} limits;
struct clock {
    int64_t left, added, share; /* ms, divided by the number `share` of threads */
};
static char *asked; /* isready and the position, of `asked_size` bytes, to which moves are added */
static size_t asked_size, asked_room;
static bool has_moves;
static int64_t opening;    /* number of moves before the first one of this match */
static unsigned low_moves; /* in a row, by the engine's own scores */

/* The last `info` with an exact score of the best line of play; `has_info`: of this move. */
static char info[MAX_LINE + 1];
static size_t info_size;

/* ---- Options */
static bool is_name(const char *one, const char *other) { return strcasecmp(one, other) == 0; }

static bool is_of_threads(const char *name) {
    return is_name(name, "threads") || is_name(name, "thread") || is_name(name, "cores") ||
           is_name(name, "max cpus");
}

static void write_option(const char *name, const char *value) {
    bool is_short = dialect == UCCI;
    bridge_print("setoption %s%s%s%s\n", is_short ? "" : "name ", name,
                 value == NULL ? ""
                 : is_short    ? " "
                               : " value ",
                 value == NULL ? "" : value);
}

static void set_option(const struct uci_setting *setting) {
    const struct uci_option *option = uci_option_of(setting->name);
    const char *name = setting->name, *value = setting->text;
    if (option == NULL)
        bridge_refuse("the engine has no option %s%s", name, uci_meant(name));
    if (strcmp(option->kind, "button") == 0) {
        if (!setting->is_bool)
            bridge_refuse("option %s is a button: true presses it, not %s", name, value);
        if (strcmp(value, "true") == 0)
            write_option(name, NULL);
        return;
    }
    if (strcmp(option->kind, "check") == 0 && strcmp(value, "true") != 0 &&
        strcmp(value, "false") != 0)
        bridge_refuse("option %s: true or false, not %s", name, value);
    if (strcmp(option->kind, "spin") == 0 && !is_number(value, strlen(value)))
        bridge_refuse("option %s: a whole number, not %s; %.120s", name, value, option->rest);
    if (strcmp(option->kind, "spin") == 0 && !uci_is_in_range(value, option->rest))
        bridge_refuse("option %s: %s is outside of its range, %.120s", name, value, option->rest);
    if (strcmp(option->kind, "combo") == 0 && !uci_is_choice(value, option->rest))
        bridge_refuse("option %s: %s is none of its values, %.120s", name, value, option->rest);
    if (is_of_threads(name) && is_number(value, strlen(value)) && atoll(value) > 1)
        threads = atoll(value);
    write_option(name, value);
}

/* A slot is one core: an engine that would begin with more threads is set to one. */
static void use_one_thread(void) {
    static const char *const names[] = {"cores", "max cpus", "thread", "threads"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct uci_option *option = uci_option_of(names[i]);
        const char *given = option == NULL ? NULL : strstr(option->rest, "default ");
        for (size_t k = 0; k < settings.count && given != NULL; k++)
            if (is_name(settings.options[k].name, names[i]))
                given = NULL;
        if (given != NULL && atoll(given + strlen("default ")) > 1)
            write_option(option->name, "1");
    }
}

/* ---- Lines of the engine */
/* Shows a line outside of the protocol, like an error, and the engine's own remarks. */
static void show_other(struct line line) {
    static const char *const usual[] = {"info", "id", "option", "bestmove", "ponderhit"};
    line_squeeze(&line);
    size_t word = strcspn(line.text, " ");
    if (line_begins(line, "info string") && (line.size == 11 || line.text[11] == ' ')) {
        bridge_show(line, REMARK);
        return;
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (word == strlen(usual[i]) && memcmp(line.text, usual[i], word) == 0)
            return;
    if (line.size > 0)
        bridge_show(line, OTHER);
}

static bool is_word(struct line line, const char *word) {
    line_squeeze(&line);
    return line.size == strlen(word) && memcmp(line.text, word, line.size) == 0;
}

static void wait_readiness(void) {
    int64_t never = 0;
    for (struct line line = bridge_wait(&never); !is_word(line, "readyok");
         line = bridge_wait(&never))
        show_other(line);
}

static void synchronize(void) {
    bridge_print("isready\n");
    wait_readiness();
}

static void greet(arena_reply *hello) {
    static const char *const dialects[] = {"uci", "usi", "ucci"};
    char done[8], name[4 * MAX_NAME + 1] = "";
    int64_t never = 0;
    snprintf(done, sizeof done, "%sok", dialects[dialect]);
    bridge_print("%s\n", dialects[dialect]);
    for (struct line line;;) {
        line = bridge_wait(&never);
        line_squeeze(&line);
        if (line_begins(line, done) && (line.text[strlen(done)] | ' ') == ' ')
            break;
        if (line_begins(line, "id name "))
            snprintf(name, sizeof name, "%s",
                     bridge_quoted((struct line){line.text + 8, line.size - 8}, MAX_NAME));
        else if (!line_begins(line, "option ") || !uci_declare(line.text))
            show_other(line);
    }
    use_one_thread();
    for (size_t i = 0; i < settings.count; i++)
        set_option(&settings.options[i]);
    if (uci_option_of("Ponder") != NULL)
        write_option("Ponder", "false");
    if (uci_option_of("USI_Ponder") != NULL)
        write_option("USI_Ponder", "false");
    if (uci_option_of("usemillisec") != NULL)
        write_option("usemillisec", "true");
    is_declared_960 = uci_option_of("UCI_Chess960") != NULL;
    synchronize();
    arena_remark(hello, "wants"), arena_array(hello, 1), arena_str(hello, "clocks");
    if (*name != 0)
        arena_remark(hello, "name"), arena_str(hello, name);
}

/* ---- A match */
static void add(const char *text) {
    size_t size = strlen(text);
    if (asked_size + size > asked_room) {
        asked = realloc(asked, asked_room = 2 * (asked_size + size) + 4096);
        if (asked == NULL)
            arena_fail("out of memory");
    }
    memcpy(asked + asked_size, text, size);
    asked_size += size;
}

static void add_move(const char *text) {
    add(has_moves ? " " : " moves ");
    add(text);
    has_moves = true;
}

static void add_played(const arena_value *played) {
    char text[MAX_MOVE];
    for (size_t i = 0; i < played->count; i++) {
        game->to_text(arena_need(arena_at(played, i), "move", ARENA_MAP), text);
        add_move(text);
    }
}

static int64_t number_of(const arena_value *map, const char *name) {
    const arena_value *value = arena_get(map, name);
    return value->type == ARENA_INT ? value->integer : 0;
}

static void begin(const arena_value *init) {
    static const char *const news[] = {"ucinewgame", "usinewgame", "setoption newgame"};
    const arena_value *time = arena_need(init, "time", ARENA_MAP);
    const arena_value *is_960 = arena_get(arena_need(init, "options", ARENA_MAP), "chess960");
    const arena_value *history = arena_need(init, "history", ARENA_ARRAY);
    game = uci_game_of(arena_need(init, "game", ARENA_STR)->text);
    if (game == NULL)
        return;
    limits.seat = arena_need(init, "seat", ARENA_INT)->integer;
    limits.per_move = arena_need(time, "per_move_ms", ARENA_INT)->integer;
    limits.increment = number_of(time, "increment_ms");
    limits.bank_moves = number_of(time, "bank_moves");
    limits.is_cpu = strcmp(arena_need(time, "clock", ARENA_STR)->text, "cpu") == 0;
    bool is_fischer = is_960->type == ARENA_BOOL && is_960->boolean;
    if (dialect == UCI && is_declared_960)
        write_option("UCI_Chess960", is_fischer ? "true" : "false");
    else if (dialect == UCI && is_fischer)
        bridge_refuse("the engine has no option UCI_Chess960, so it cannot play Chess960");
    asked_size = 0, has_moves = false, low_moves = 0;
    add("isready\nposition ");
    add(game->position(init));
    add_played(history);
    opening = history->count;
    bridge_print("%s\n", news[dialect]);
    synchronize();
}

/* Adds words of `go` with a time in ms; returns the size of all. */
static int add_time(char *text, size_t room, int size, const char *name, int64_t ms) {
    return size + snprintf(text + size, room - (size_t)size, "%s%s %" PRId64, size > 0 ? " " : "",
                           name, ms);
}

/* Writes the clocks of the engine, `own`, and of its opponent; returns the size of the text. */
static int write_clocks(char *text, size_t room, struct clock own, const arena_value *clocks) {
    static const char *const names[][4] = {
        [UCI] = {"wtime", "btime", "winc", "binc"},
        [USI] = {"btime", "wtime", "binc", "winc"},
        [UCCI] = {"time", "opptime", "increment", "oppincrement"}};
    struct clock other = own;
    bool is_known = dialect != UCCI;
    for (size_t i = 0; i < clocks->count; i++) {
        const arena_value *clock = arena_at(clocks, i);
        if (arena_need(clock, "seat", ARENA_INT)->integer == limits.seat)
            continue;
        other.left = arena_need(clock, "left_ms", ARENA_INT)->integer / own.share;
        other.added = number_of(clock, "increment_ms") / own.share;
        is_known = true;
    }
    /* by seat, in USI with that of White first; in UCCI the own one is first */
    bool is_second = dialect == UCCI ? false : limits.seat == 1;
    /* 1 ms of a bank that is used up: by 0 some engines understand that there is no limit */
    own.left = own.left > 0 ? own.left : 1, other.left = other.left > 0 ? other.left : 1;
    struct clock both[] = {is_second ? other : own, is_second ? own : other};
    int order[] = {dialect == USI, dialect != USI}, size = 0;
    for (int i = 0; i < (is_known ? 2 : 1); i++)
        size = add_time(text, room, size, names[dialect][order[i]], both[order[i]].left);
    if (own.added > 0 || other.added > 0)
        for (int i = 0; i < (is_known ? 2 : 1); i++)
            size = add_time(text, room, size, names[dialect][2 + order[i]], both[order[i]].added);
    return size;
}

/* Returns the time in ms after which the engine is stopped, and writes the limits of `go`. */
static double write_limits(char *text, size_t room, const arena_value *call, int64_t made) {
    static const char *const within[] = {"movetime", "btime 0 wtime 0 byoyomi", "time"};
    const arena_value *left_ms = arena_get(call, "left_ms");
    int64_t share = limits.is_cpu ? threads : 1, most = limits.per_move / share;
    int64_t every = limits.bank_moves;
    bool has_bank = left_ms->type == ARENA_INT;
    int64_t left = has_bank ? left_ms->integer / share : most, limit = most < left ? most : left;
    int64_t stop = limit - (limit / 20 > RESERVE_MS ? limit / 20 : RESERVE_MS);
    stop = stop < 1 ? 1 : stop;
    if (!has_bank) {
        snprintf(text, room, "%s %" PRId64, within[dialect], stop);
        return (double)stop + RESERVE_MS / 2.0;
    }
    struct clock own = {.left = left, .added = limits.increment / share, .share = share};
    int size = write_clocks(text, room, own, arena_get(call, "clocks"));
    if (every > 0 && dialect != USI) /* which has no word for it */
        add_time(text, room, size, "movestogo", every - made % every);
    return (double)stop;
}

static bool contains(struct line line, const char *text) {
    size_t size = strlen(text);
    for (char *at = line.text, *end = line.text + line.size;
         (at = memchr(at, *text, (size_t)(end - at))) != NULL; at++)
        if ((size_t)(end - at) >= size && memcmp(at, text, size) == 0)
            return true;
    return false;
}

static void note_info(struct line line) {
    bool is_best = !contains(line, " multipv ") || contains(line, " multipv 1 ");
    if (!is_best || !contains(line, " score ") || contains(line, "bound"))
        return;
    memcpy(info, line.text, line.size + 1);
    info_size = line.size;
}

/* Returns the line of the best move. A line before `readyok` is none about this move. */
static struct line wait_best(int64_t stop_at_ns) {
    bool is_asked = false;
    info_size = 0;
    for (struct line line;;) {
        line = bridge_wait(&stop_at_ns);
        if (!is_asked) {
            is_asked = is_word(line, "readyok");
            if (!is_asked)
                show_other(line);
            continue;
        }
        line_squeeze(&line);
        size_t word = strcspn(line.text, " ");
        if (line_begins(line, "info ") && !line_begins(line, "info string"))
            note_info(line);
        else if ((word == 8 && line_begins(line, "bestmove")) ||
                 (word == 10 && line_begins(line, "nobestmove")))
            return line;
        else
            show_other(line);
    }
}

/* Reads the figures of `info` up to its line of play; returns that, or "". */
static const char *read_info(int64_t values[FIGURES], bool is_known[FIGURES]) {
    struct line whole = {info, info_size};
    char *at = info, *end = info + info_size;
    memset(is_known, 0, FIGURES * sizeof *is_known);
    if (!contains(whole, " score "))
        return "";
    while (at < end) {
        size_t size = strcspn(at, " ");
        char *next = at + size + 1;
        if (size == 2 && memcmp(at, "pv", 2) == 0)
            return next < end ? next : "";
        for (int i = 0; i < FIGURES && next < end; i++)
            if (size == strlen(figures[i]) && memcmp(at, figures[i], size) == 0) {
                is_known[i] = is_number(next, strcspn(next, " "));
                values[i] = is_known[i] ? atoll(next) : 0;
            }
        at = next;
    }
    return "";
}

static int64_t value_of(const int64_t values[FIGURES], bool has_mate) {
    /* Of lichess: 100 centipawns are a chance of 59 %. */
    double scaled = 0.00368208 * (double)values[CP];
    scaled = scaled > 30 ? 30 : scaled < -30 ? -30 : scaled;
    if (has_mate)
        return values[MATE] > 0 ? 1000 : -1000;
    return (int64_t)nearbyint(2000 / (1 + exp(-scaled)) - 1000);
}

/* Writes the moves expected after `move`, as far as they are moves. */
static void write_plan(arena_reply *reply, const char *plan, const char *move) {
    const char *words[MAX_PLAN + 1];
    size_t sizes[MAX_PLAN + 1], count = 0;
    for (; *plan != 0 && count <= MAX_PLAN; count++) {
        words[count] = plan;
        sizes[count] = strcspn(plan, " ");
        plan += sizes[count] + (plan[sizes[count]] == ' ');
        if (count == 0 ? sizes[0] != strlen(move) || memcmp(words[0], move, sizes[0]) != 0
                       : !game->to_wire(words[count], sizes[count], NULL))
            break;
    }
    if (count < 2 || game->needs_board)
        return;
    arena_remark(reply, "plan");
    arena_array(reply, count - 1);
    for (size_t i = 1; i < count; i++)
        game->to_wire(words[i], sizes[i], reply);
}

/* Writes what the engine has said of its move. Returns whether it resigns by its own scores. */
static bool write_remarks(arena_reply *reply, const char *move) {
    const int64_t most = INT64_C(1) << 53;
    int64_t values[FIGURES] = {0};
    bool is_known[FIGURES];
    size_t count = 0;
    const char *plan = read_info(values, is_known);
    for (int i = 0; i < FIGURES; i++)
        count += is_known[i];
    if (is_known[CP] || is_known[MATE])
        arena_remark(reply, "value"), arena_int(reply, value_of(values, is_known[MATE]));
    if (count > 0)
        arena_remark(reply, "data"), arena_map(reply, count);
    for (int i = 0; i < FIGURES; i++)
        if (is_known[i]) {
            int64_t value = values[i] > most ? most : values[i] < -most ? -most : values[i];
            arena_str(reply, figures[i]), arena_int(reply, value);
        }
    write_plan(reply, plan, move);
    bool is_low =
        is_known[MATE] ? values[MATE] <= 0 : is_known[CP] && values[CP] <= settings.resign_score;
    low_moves = is_low ? low_moves + 1 : 0;
    return settings.resign_moves > 0 && low_moves >= settings.resign_moves;
}

static void play(const arena_value *call, arena_reply *reply) {
    static const char *const none[] = {"(none)", "0000", "NULL", "nobestmove"};
    char text[256], move[MAX_MOVE] = "";
    if (game == NULL) {
        arena_resign(reply);
        return;
    }
    add_played(arena_need(call, "opponent_moves", ARENA_ARRAY));
    int64_t made = (arena_need(call, "ply", ARENA_INT)->integer - opening) / 2;
    double stop_ms = write_limits(text, sizeof text, call, made);
    size_t size = asked_size;
    add("\ngo "), add(*settings.go != 0 ? settings.go : text), add("\n");
    int64_t stop_at_ns = bridge_now_ns() + (int64_t)(stop_ms * 1e6);
    bridge_write(asked, asked_size);
    asked_size = size;
    struct line line = wait_best(stop_at_ns);
    char *word = *line.text == 'n' ? line.text : line.text + strcspn(line.text, " ");
    word += *word == ' ';
    size = strcspn(word, " ");
    if (size == 6 && memcmp(word, "resign", 6) == 0) {
        arena_resign(reply);
        return;
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (size == strlen(none[i]) && memcmp(word, none[i], size) == 0)
            bridge_refuse("the engine has found no move: %s", bridge_quoted(line, SHOWN));
    bool has_nul = strlen(line.text) < line.size;
    if (has_nul || size < 4 || size >= MAX_MOVE || !game->to_wire(word, size, NULL))
        bridge_refuse("no move: %s", bridge_quoted(line, SHOWN));
    memcpy(move, word, size);
    if (write_remarks(reply, move)) {
        arena_resign(reply);
        return;
    }
    arena_play(reply);
    game->to_wire(move, size, reply);
    if (game->make != NULL)
        game->make(move);
    add_move(move);
}

int main(int argc, char **argv) {
    static const char *const remarks[] = {"info", NULL};
    static const struct dialogue uci = {"uci_bridge", remarks, "quit",     greet,
                                        begin,        play,    synchronize};
    if (argc < 4) {
        fputs("usage: uci_bridge uci_bridge.py SETTINGS PROGRAM [ARGUMENT ...]\n", stderr);
        return 1;
    }
    uci_read_settings(argv[2], &settings);
    dialect = strcmp(settings.dialect, "usi") == 0    ? USI
              : strcmp(settings.dialect, "ucci") == 0 ? UCCI
                                                      : UCI;
    return bridge_run(&uci, argv + 3);
}
