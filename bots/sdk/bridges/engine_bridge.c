/* The engine's process, its lines, and the loop of the compiled bridges. The interface:
 * engine_bridge.h. */
#define _GNU_SOURCE

/* The kit, for its parts: a bridge has a loop of its own, as it hears two sides at a time. */
#include "arena_bot.c"

#include "engine_bridge.h"

#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

enum { PIECE = 64 * 1024, LAST_LINES = 6, LAST_READS = 32, SHOWN_LINES = 20 };

extern char **environ;

static const struct dialogue *spoken;
static struct link wire;
static const char *token;
static bool shows_all, is_greeted;

/* The engine. */
static pid_t engine;
static int engine_end, engine_input, engine_output; /* -1: over; the first is a pidfd */
static char *unwritten;
static size_t unwritten_size, unwritten_room;
static struct {
    char data[MAX_LINE + PIECE + 1];
    size_t start, end; /* of what is read and not used yet */
    bool drops_rest;   /* of a line that was cut */
} heard;

/* The last lines to and from it, for messages. */
static struct { char way, text[SHOWN + 8]; } last_lines[LAST_LINES];
static unsigned lines_noted;

static void say(const char *format, ...) {
    va_list arguments;
    fprintf(stderr, "%s: ", spoken->name);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

/* ---- Lines */
const char *bridge_quoted(struct line line, size_t most) {
    static char texts[2][4 * MAX_LINE];
    static unsigned turn;
    char *text = texts[turn++ % 2], *to = text;
    const uint8_t *at = (const uint8_t *)line.text, *end = at + line.size;
    for (; at < end && most > 0 && to < text + sizeof texts[0] - 8; most--) {
        size_t size = *at < 0x80 ? 1 : *at < 0xE0 ? 2 : *at < 0xF0 ? 3 : 4;
        bool is_text = size <= (size_t)(end - at) && is_utf8(at, size) && *at != 0;
        memcpy(to, is_text ? (const char *)at : "\xEF\xBF\xBD", is_text ? size : 3);
        to += is_text ? size : 3, at += is_text ? size : 1;
    }
    *to = 0;
    return text;
}

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

void line_squeeze(struct line *line) {
    char *to = line->text, *end = line->text + line->size;
    for (char *at = line->text; at < end; at++)
        if (!is_space(*at))
            *to++ = *at;
        else if (to > line->text && to[-1] != ' ')
            *to++ = ' ';
    if (to > line->text && to[-1] == ' ')
        to--;
    *to = 0;
    line->size = (size_t)(to - line->text);
}

bool line_begins(struct line line, const char *text) {
    size_t size = strlen(text);
    return line.size >= size && memcmp(line.text, text, size) == 0;
}

bool is_number(const char *word, size_t size) {
    size_t sign = size > 0 && (*word == '-' || *word == '+');
    for (size_t i = sign; i < size; i++)
        if (word[i] < '0' || word[i] > '9')
            return false;
    return size > sign && size - sign <= 18;
}

/* Keeps a line for messages, without its middle: the end may be the last move. */
static void note(char way, const char *text, size_t size) {
    char *to = last_lines[lines_noted % LAST_LINES].text;
    last_lines[lines_noted++ % LAST_LINES].way = way;
    if (size <= SHOWN)
        to[size] = 0, memcpy(to, text, size);
    else
        snprintf(to, SHOWN + 8, "%.*s ... %.*s", SHOWN / 2, text, SHOWN / 2,
                 text + size - SHOWN / 2);
    if (shows_all)
        fprintf(stderr, "%c %.*s\n", way, (int)size, text);
}

static void show_last(void) {
    unsigned count = lines_noted < LAST_LINES ? lines_noted : LAST_LINES;
    if (count > 0 && !shows_all)
        say("the last lines to (>) and from (<) the program:");
    for (unsigned i = lines_noted - count; i < lines_noted && !shows_all; i++)
        fprintf(stderr, "  %c %s\n", last_lines[i % LAST_LINES].way,
                last_lines[i % LAST_LINES].text);
    lines_noted = 0;
}

void bridge_show(struct line line, int kind) {
    static unsigned shown[KINDS_SHOWN];
    if (shown[kind]++ < SHOWN_LINES)
        say("the engine printed: %s", bridge_quoted(line, SHOWN));
}

static bool is_remark(struct line line) {
    while (line.size > 0 && is_space(*line.text))
        line.text++, line.size--;
    for (const char *const *remark = spoken->remarks; *remark != NULL; remark++)
        if (line_begins(line, *remark))
            return true;
    return false;
}

/* Takes the next line that is read already. The part of a remark over the limit is dropped. */
static bool next_line(struct line *line) {
    char *from = heard.data + heard.start;
    size_t size = heard.end - heard.start;
    char *stop = size > 0 ? memchr(from, '\n', size) : NULL;
    bool is_long = stop == NULL ? size > MAX_LINE : stop - from > MAX_LINE;
    if (stop == NULL && !is_long)
        return false;
    *line = (struct line){from, stop == NULL ? size : (size_t)(stop - from)};
    if (is_long && !is_remark(*line)) {
        note('<', from, line->size);
        bridge_refuse("a line of more than %d bytes: %s", MAX_LINE, bridge_quoted(*line, SHOWN));
    }
    heard.start = stop == NULL ? heard.end : (size_t)(stop + 1 - heard.data);
    heard.drops_rest = stop == NULL;
    line->size = is_long ? MAX_LINE : line->size;
    while (line->size > 0 && from[line->size - 1] == '\r')
        line->size--;
    from[line->size] = 0;
    note('<', from, line->size);
    return true;
}

/* ---- The engine */
static _Noreturn void end_like_the_engine(void) {
    int status = 0;
    if (heard.end > heard.start)
        say("the program's last line has no end: %s",
            bridge_quoted((struct line){heard.data + heard.start, heard.end - heard.start}, SHOWN));
    while (waitpid(engine, &status, 0) < 0 && errno == EINTR)
        continue;
    if (status != 0)
        show_last();
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    /* The first process of a namespace lives on after its own signal. */
    _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

static void write_on(void) {
    ssize_t written = write(engine_input, unwritten, unwritten_size);
    if (written < 0 && errno != EAGAIN && errno != EINTR)
        written = (ssize_t)unwritten_size; /* Its input is closed; its exit is seen separately. */
    if (written <= 0)
        return;
    unwritten_size -= (size_t)written;
    memmove(unwritten, unwritten + written, unwritten_size);
}

void bridge_write(const char *text, size_t size) {
    for (const char *at = text, *stop; at < text + size; at = stop + 1) {
        stop = memchr(at, '\n', (size_t)(text + size - at));
        note('>', at, (size_t)(stop - at));
    }
    if (unwritten_size + size > unwritten_room)
        unwritten = grown(unwritten, unwritten_room = 2 * (unwritten_size + size));
    memcpy(unwritten + unwritten_size, text, size);
    unwritten_size += size;
    write_on();
}

void bridge_print(const char *format, ...) {
    static char text[MAX_TEXT];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    FAIL_IF(size < 0 || (size_t)size >= sizeof text, "a line for the engine is too long");
    bridge_write(text, (size_t)size);
}

/* Reads once. Returns whether there was anything, an end included. */
static bool hear_engine(void) {
    size_t size = heard.end - heard.start;
    if (heard.start > 0 && heard.end + PIECE > MAX_LINE + PIECE) {
        memmove(heard.data, heard.data + heard.start, size);
        heard.start = 0, heard.end = size;
    } else if (size == 0)
        heard.start = heard.end = 0;
    ssize_t got = read(engine_output, heard.data + heard.end, PIECE);
    if (got < 0)
        return false;
    if (got == 0)
        engine_output = -1; /* It may still run. */
    char *piece = heard.data + heard.end;
    char *stop = heard.drops_rest ? memchr(piece, '\n', (size_t)got) : NULL;
    if (heard.drops_rest && stop == NULL)
        return true;
    heard.end += (size_t)got;
    if (heard.drops_rest)
        heard.start = (size_t)(stop + 1 - heard.data), heard.drops_rest = false;
    return true;
}

static void start_engine(char **command) {
    int to[2], from[2];
    const char *path = getenv("PATH"),
               *hidden[] = {"ARENA_ENDPOINT=", "ARENA_TOKEN=", "ARENA_DEBUG="};
    size_t count = 0, kept = 0, names = sizeof hidden / sizeof *hidden;
    while (environ[count] != NULL)
        count++;
    char **environment = grown(NULL, (count + 1) * sizeof *environment);
    for (size_t i = 0, name; i < count; i++) {
        for (name = 0; name < names; name++)
            if (strncmp(environ[i], hidden[name], strlen(hidden[name])) == 0)
                break;
        if (name == names)
            environment[kept++] = environ[i];
    }
    environment[kept] = NULL;
    /* Debian puts engines there; the path is searched by this process. */
    char *searched = grown(NULL, (path == NULL ? 0 : strlen(path)) + sizeof ":/usr/games");
    sprintf(searched, "%s:/usr/games", path == NULL ? "/bin:/usr/bin" : path);
    setenv("PATH", searched, 1);
    FAIL_IF(pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0, "no pipe: %s", strerror(errno));
    posix_spawn_file_actions_t moves;
    posix_spawnattr_t ways;
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE); /* The kit ignores it, and children inherit that. */
    posix_spawn_file_actions_init(&moves);
    posix_spawn_file_actions_adddup2(&moves, to[0], 0);
    posix_spawn_file_actions_adddup2(&moves, from[1], 1);
    posix_spawnattr_init(&ways);
    posix_spawnattr_setsigdefault(&ways, &defaults);
    posix_spawnattr_setflags(&ways, POSIX_SPAWN_SETSIGDEF);
    int error = posix_spawnp(&engine, command[0], &moves, &ways, command, environment);
    FAIL_IF(error != 0, "cannot start %s: %s", command[0], strerror(error));
    close(to[0]), close(from[1]);
    engine_input = to[1], engine_output = from[0];
    fcntl(engine_input, F_SETFL, O_NONBLOCK), fcntl(engine_output, F_SETFL, O_NONBLOCK);
    engine_end = (int)syscall(SYS_pidfd_open, engine, 0);
    FAIL_IF(engine_end < 0, "no pidfd: %s", strerror(errno));
    posix_spawn_file_actions_destroy(&moves), posix_spawnattr_destroy(&ways);
    free(environment), free(searched);
}

/* ---- The referee */
static void serve_call(const arena_value *call);

/* Reads what has arrived: calls, and notices of a fault. */
static void hear_referee(void) {
    do {
        next_frame(&wire);
        if (wire.flags & COMMAND)
            obey(&wire);
        else
            serve_call(read_call(&wire));
    } while (wire.start < wire.end);
}

int64_t bridge_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Waits for events, until `until_ns` unless that is 0, and handles them once. Until the engine has
 * read its lines no call is read. */
static void wait_turn(int64_t until_ns) {
    struct pollfd ends[] = {{.fd = engine_output, .events = POLLIN},
                            {.fd = engine_end, .events = POLLIN},
                            {.fd = unwritten_size > 0 ? -1 : wire.fd, .events = POLLIN},
                            {.fd = unwritten_size > 0 ? engine_input : -1, .events = POLLOUT}};
    int64_t left_ns = until_ns == 0 ? 0 : until_ns - bridge_now_ns();
    left_ns = left_ns < 0 ? 0 : left_ns;
    struct timespec left = {left_ns / 1000000000, left_ns % 1000000000};
    if (ppoll(ends, 4, until_ns == 0 ? NULL : &left, NULL) <= 0)
        return;
    if (ends[0].revents != 0)
        hear_engine();
    if (ends[1].revents != 0)
        engine_end = -1; /* Its last lines may still be an answer. */
    if (ends[3].revents != 0)
        write_on();
    if (ends[2].revents != 0)
        hear_referee();
}

/* Returns whether the engine has ended and its last lines are read: few, as a process that it has
 * left behind may print endlessly. */
static bool is_over(void) {
    static unsigned reads;
    return engine_end < 0 && (reads++ == LAST_READS || engine_output < 0 || !hear_engine());
}

struct line bridge_wait(int64_t *stop_at_ns) {
    struct line line;
    while (!next_line(&line)) {
        if (is_over())
            end_like_the_engine();
        if (engine_end < 0)
            continue;
        if (*stop_at_ns != 0 && bridge_now_ns() >= *stop_at_ns) {
            *stop_at_ns = 0;
            bridge_print("stop\n");
        }
        wait_turn(*stop_at_ns);
    }
    return line;
}

void bridge_refuse(const char *format, ...) {
    char reason[8 * SHOWN];
    uint8_t frame[FRAME_HEADER + 3 + sizeof reason] = {LONG};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    const char *text = bridge_quoted((struct line){reason, strlen(reason)}, sizeof reason / 4);
    size_t size = strlen(text), at = FRAME_HEADER;
    frame[at - 2] = (uint8_t)((size + 3) >> 8), frame[at - 1] = (uint8_t)(size + 3);
    frame[at] = 0xDA, frame[at + 1] = (uint8_t)(size >> 8), frame[at + 2] = (uint8_t)size;
    memcpy(frame + at + 3, text, size);
    send_all(wire.fd, frame, at + 3 + size);
    if (!is_greeted) {
        say("no hello: %s", text);
        exit(1);
    }
    engine_output = -1; /* No further line is read: the seat has lost. */
    while (engine_end >= 0)
        wait_turn(0);
    end_like_the_engine();
}

static void answer_call(const arena_value *call, enum kind kind) {
    arena_reply *reply = &wire.reply;
    bool is_last = kind == TERM && arena_need(call, "last", ARENA_BOOL)->boolean;
    begin_reply(reply, reply_types[kind]);
    begin_field(reply, "id");
    arena_int(reply, open_id);
    if (kind == DISPLAY)
        bridge_refuse("an engine cannot show the board that this game asks for");
    if (kind == INIT)
        spoken->begin(call);
    else if (kind == MOVE)
        spoken->play(call, reply);
    else if (kind == PING && spoken->synchronize != NULL)
        spoken->synchronize();
    send_reply(&wire);
    open_type = NULL;
    if (is_last) {
        bridge_print("%s\n", spoken->leave);
        close(engine_input);
        end_like_the_engine();
    }
}

static void serve_call(const arena_value *call) {
    enum kind kind = INIT;
    const char *type = arena_need(call, "type", ARENA_STR)->text;
    if (strcmp(type, "error") == 0) {
        say("error: %s: %s", arena_need(call, "code", ARENA_STR)->text,
            arena_need(call, "detail", ARENA_STR)->text);
        show_last();
    }
    while (kind < KINDS && strcmp(call_types[kind], type) != 0)
        kind++;
    if (kind == KINDS)
        return;
    FAIL_IF(open_type != NULL, "a call before the reply to the last one");
    open_id = arena_need(call, "id", ARENA_INT)->integer;
    open_type = call_types[kind];
    answer_call(call, kind);
}

static void say_engines_hello(void) {
    arena_reply *hello = &wire.reply;
    begin_reply(hello, "hello");
    begin_field(hello, "protocol");
    arena_int(hello, PROTOCOL);
    put_field(hello, "token", token);
    spoken->greet(hello);
    send_reply(&wire);
    is_greeted = true;
}

int bridge_run(const struct dialogue *dialogue, char **command) {
    const char *endpoint = getenv("ARENA_ENDPOINT"), *debug = getenv("ARENA_DEBUG");
    spoken = dialogue;
    token = getenv("ARENA_TOKEN");
    if (endpoint == NULL || token == NULL || *endpoint == 0 || *token == 0) {
        say("ARENA_ENDPOINT and ARENA_TOKEN must be set: the arena starts a bot so");
        return 1;
    }
    shows_all = debug != NULL && *debug != 0;
    signal(SIGPIPE, SIG_IGN);
    start_engine(command);
    /* Most lines of a thinking engine need no answer. The kernel lets no batch process interrupt
     * another one, so they are read together, once the engine waits, or after a slice of time. */
    if (!shows_all) /* each line with its time */
        sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){0});
    wire = (struct link){.fd = dial(endpoint), .room = FIRST_ROOM, .data = grown(NULL, FIRST_ROOM)};
    shake_hands(&wire);
    say_engines_hello();
    for (struct line line;;) {
        if (engine_end >= 0)
            wait_turn(0);
        while (next_line(&line))
            continue; /* It answers no question. */
        if (is_over())
            end_like_the_engine();
    }
}
