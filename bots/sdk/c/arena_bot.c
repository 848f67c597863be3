/* The wire of protocol 1 for a bot: ZMTP 3.0 (NULL, a DEALER's end) and msgpack, written out.
 * The interface and how to use it: arena_bot.h. */
#define _POSIX_C_SOURCE 200809L

#include "arena_bot.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define FAIL_IF(fault, ...) ((fault) ? arena_fail(__VA_ARGS__) : (void)0)

enum { PROTOCOL = 1, MAX_CALL = 1024 * 1024, MAX_REPLY = 64 * 1024, MAX_DEPTH = 16 };
enum { MAX_FIELDS = 1024 }; /* limit of a map, since all names are compared with all */
enum { GREETING = 64, FRAME_HEADER = 9, FIRST_ROOM = 16 * 1024 };
enum { MORE = 1, LONG = 2, COMMAND = 4 }; /* flags of a frame */

static const int64_t max_integer = INT64_C(1) << 53;
static const arena_value nil = {.type = ARENA_NIL};
static const char *const a_type[] = {"nil", "a bool", "an int", "a string", "an array", "a map"};

/* The open call, for messages; a process has one referee, so at most one call is open. */
static const char *open_type;
static int64_t open_id;

struct arena_reply {
    unsigned fields, answers; /* answers: of move, resign and done */
    uint64_t due;             /* missing values of the field begun last, at all levels together */
    size_t size;              /* of data, with the space for the frame's header */
    uint8_t data[FRAME_HEADER + MAX_REPLY];
};

struct link {
    int fd;
    size_t start, end, room; /* of data: start..end is read and not used yet */
    uint8_t *data, *body;
    size_t size; /* of the frame read last, like body and flags */
    unsigned flags;
    size_t value_room;
    arena_value *values; /* of the open call */
    arena_reply reply;
};

void arena_fail(const char *format, ...) {
    va_list arguments;
    fputs("arena_bot: ", stderr);
    if (open_type != NULL)
        fprintf(stderr, "%s %" PRId64 ": ", open_type, open_id);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

static void *grown(void *block, size_t size) {
    void *larger = realloc(block, size);
    FAIL_IF(larger == NULL, "out of memory: %zu bytes", size);
    return larger;
}

static uint64_t big_endian(const uint8_t *bytes, size_t width) {
    uint64_t number = 0;
    while (width-- > 0)
        number = number << 8 | *bytes++;
    return number;
}

static bool is_utf8(const uint8_t *at, size_t size) {
    for (const uint8_t *end = at + size; at < end;) {
        unsigned lead = *at++, tail = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
        if (lead < 0x80) /* as nearly all text is */
            continue;
        /* The limits of the next byte exclude overlong forms, surrogates and high code points. */
        unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
        unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
        if (lead < 0xC2 || lead > 0xF4 || (size_t)(end - at) < tail)
            return false;
        for (; tail > 0; tail--, low = 0x80, high = 0xBF, at++)
            if (*at < low || *at > high)
                return false;
    }
    return true;
}

/* ---- Reading values */
struct reader {
    uint8_t *at, *end;
    arena_value *free; /* space for one value per byte */
    uint64_t owed;     /* missing items of the open containers; each takes a byte at least */
    unsigned depth;
};

static void read_value(struct reader *in, arena_value *value);

static uint8_t *take(struct reader *in, uint64_t size) {
    FAIL_IF(size > (uint64_t)(in->end - in->at), "the call is no msgpack: it is cut off");
    in->at += size;
    return in->at - size;
}

static void read_integer(struct reader *in, arena_value *value, size_t width, bool is_signed) {
    uint64_t raw = big_endian(take(in, width), width), mask = UINT64_MAX >> (64 - 8 * width);
    bool is_negative = is_signed && raw > mask >> 1;
    uint64_t size = is_negative ? mask - raw + 1 : raw;
    FAIL_IF(size > (uint64_t)max_integer, "the call has an integer outside +-2^53");
    *value = (arena_value){ARENA_INT, .integer = is_negative ? -(int64_t)size : (int64_t)size};
}

static void read_text(struct reader *in, arena_value *value, uint64_t size) {
    uint8_t *text = take(in, size);
    FAIL_IF(!is_utf8(text, size), "the call has a string that is not UTF-8");
    /* Move the text over its used header byte, to make space for a 0 at its end. */
    memmove(text - 1, text, size);
    text[(ptrdiff_t)size - 1] = 0;
    *value = (arena_value){ARENA_STR, (uint32_t)size, .text = (const char *)text - 1};
}

static bool has_name(const arena_value *name, const char *text, size_t length) {
    return name->count == length && *name->text == *text && memcmp(name->text, text, length) == 0;
}

static void check_name(const arena_value *name, const arena_value *others) {
    FAIL_IF(name->type != ARENA_STR, "the call has %s for the name of a field", a_type[name->type]);
    for (; others < name; others += 2)
        FAIL_IF(has_name(others, name->text, name->count), "the call has \"%s\" twice", name->text);
}

static void read_items(struct reader *in, arena_value *value, arena_type type, uint64_t count) {
    uint64_t items = type == ARENA_MAP ? 2 * count : count;
    FAIL_IF(items + in->owed > (uint64_t)(in->end - in->at),
            "the call is no msgpack: it promises %" PRIu64 " items and is cut off", items);
    FAIL_IF(items > 0 && in->depth >= MAX_DEPTH, "the call is nested deeper than %d", MAX_DEPTH);
    FAIL_IF(type == ARENA_MAP && (count == 0 || count > MAX_FIELDS),
            "the call has a map of %" PRIu64 " fields, not 1 to %d", count, MAX_FIELDS);
    arena_value *first = in->free;
    in->free += items, in->owed += items;
    in->depth++;
    for (uint64_t i = 0; i < items; i++) {
        read_value(in, first + i);
        if (type == ARENA_MAP && i % 2 == 0)
            check_name(first + i, first);
    }
    in->depth--;
    *value = (arena_value){type, (uint32_t)count, .items = first};
}

static void read_sized(struct reader *in, arena_value *value, uint8_t lead) {
    FAIL_IF(lead < 0xD9, "the call has a value of no allowed type: it begins with %02x", lead);
    size_t width = lead < 0xDC ? (size_t)1 << (lead - 0xD9) : lead & 1 ? 4 : 2;
    uint64_t count = big_endian(take(in, width), width);
    if (lead < 0xDC)
        read_text(in, value, count);
    else
        read_items(in, value, lead < 0xDE ? ARENA_ARRAY : ARENA_MAP, count);
}

static void read_value(struct reader *in, arena_value *value) {
    uint8_t lead = *take(in, 1);
    in->owed--;
    if (lead < 0x80 || lead >= 0xE0)
        *value = (arena_value){ARENA_INT, .integer = lead < 0x80 ? lead : lead - 0x100};
    else if (lead < 0xA0)
        read_items(in, value, lead < 0x90 ? ARENA_MAP : ARENA_ARRAY, lead & 0x0F);
    else if (lead < 0xC0)
        read_text(in, value, lead & 0x1F);
    else if (lead == 0xC0)
        *value = nil;
    else if (lead == 0xC2 || lead == 0xC3)
        *value = (arena_value){ARENA_BOOL, .boolean = lead == 0xC3};
    else if (lead >= 0xCC && lead <= 0xD3)
        read_integer(in, value, (size_t)1 << (lead & 3), lead >= 0xD0);
    else
        read_sized(in, value, lead);
}

const arena_value *arena_get(const arena_value *map, const char *name) {
    size_t length = strlen(name), count = map->type == ARENA_MAP ? map->count : 0;
    for (size_t i = 0; i < count; i++)
        if (has_name(&map->items[2 * i], name, length))
            return &map->items[2 * i + 1];
    return &nil;
}

const arena_value *arena_at(const arena_value *array, size_t index) {
    return array->type == ARENA_ARRAY && index < array->count ? &array->items[index] : &nil;
}

const arena_value *arena_need(const arena_value *map, const char *name, arena_type type) {
    const arena_value *value = arena_get(map, name);
    FAIL_IF(value->type != type, "field \"%s\": %s is needed, not %s", name, a_type[type],
            value == &nil ? "nothing" : a_type[value->type]);
    return value;
}

/* ---- Writing values */
static void put(arena_reply *reply, const void *bytes, size_t size) {
    FAIL_IF(size > sizeof reply->data - reply->size, "a reply of more than %d bytes", MAX_REPLY);
    memcpy(reply->data + reply->size, bytes, size);
    reply->size += size;
}

static void put_number(arena_reply *reply, unsigned lead, uint64_t number, size_t width) {
    uint8_t bytes[9] = {(uint8_t)lead};
    for (size_t i = width; i > 0; i--, number >>= 8)
        bytes[i] = (uint8_t)number;
    put(reply, bytes, width + 1);
}

/* Writes the size of a container or text: in the lead byte if below `few`, otherwise after it. */
static void put_size(arena_reply *reply, unsigned fixed, unsigned few, unsigned lead, size_t size) {
    size_t width = size < few ? 0 : lead == 0xD9 ? 1 : 2;
    put_number(reply, width == 0 ? fixed | (unsigned)size : lead, size, width);
}

static void put_text(arena_reply *reply, const char *text, size_t length) {
    FAIL_IF(!is_utf8((const uint8_t *)text, length), "the reply gets text that is not UTF-8");
    put_size(reply, 0xA0, 32, length <= UINT8_MAX ? 0xD9 : 0xDA, length);
    put(reply, text, length);
}

/* Counts a value, with `items` more to follow; called before each value. */
static void count_value(arena_reply *reply, uint64_t items) {
    FAIL_IF(reply->due == 0, "a value where none is due: without arena_play, or one too many");
    reply->due += items - 1;
}

void arena_bool(arena_reply *reply, bool value) {
    count_value(reply, 0);
    put_number(reply, value ? 0xC3 : 0xC2, 0, 0);
}

void arena_int(arena_reply *reply, int64_t value) {
    count_value(reply, 0);
    FAIL_IF(value < -max_integer || value > max_integer, "%" PRId64 " is outside +-2^53", value);
    uint64_t bits = value < 0 ? 2 * (uint64_t)-value - 1 : (uint64_t)value;
    unsigned power = bits <= UINT8_MAX ? 0 : bits <= UINT16_MAX ? 1 : bits <= UINT32_MAX ? 2 : 3;
    if (value >= -32 && value < 128)
        put_number(reply, (uint8_t)value, 0, 0);
    else
        put_number(reply, (value < 0 ? 0xD0 : 0xCC) + power, (uint64_t)value, (size_t)1 << power);
}

void arena_str(arena_reply *reply, const char *text) {
    count_value(reply, 0);
    put_text(reply, text, strlen(text));
}

void arena_array(arena_reply *reply, size_t items) {
    count_value(reply, items);
    put_size(reply, 0x90, 16, 0xDC, items);
}

void arena_map(arena_reply *reply, size_t fields) {
    count_value(reply, 2 * (uint64_t)fields);
    FAIL_IF(fields == 0, "the reply has an empty map, which is not allowed");
    put_size(reply, 0x80, 16, 0xDE, fields);
}

void arena_copy(arena_reply *reply, const arena_value *value) {
    size_t items = 0;
    if (value->type == ARENA_NIL)
        arena_fail("the reply gets a copy of nil: nothing was found where it was looked for");
    else if (value->type == ARENA_BOOL)
        arena_bool(reply, value->boolean);
    else if (value->type == ARENA_INT)
        arena_int(reply, value->integer);
    else if (value->type == ARENA_STR)
        count_value(reply, 0), put_text(reply, value->text, value->count);
    else if (value->type == ARENA_ARRAY)
        arena_array(reply, items = value->count);
    else
        arena_map(reply, (items = 2 * (size_t)value->count) / 2);
    for (size_t i = 0; i < items; i++)
        arena_copy(reply, &value->items[i]);
}

static void begin_field(arena_reply *reply, const char *name) {
    FAIL_IF(reply->due > 0, "the reply lacks %" PRIu64 " values before \"%s\"", reply->due, name);
    put_text(reply, name, strlen(name));
    reply->fields++;
    reply->due = 1;
}

static void put_field(arena_reply *reply, const char *name, const char *text) {
    if (text != NULL)
        begin_field(reply, name), arena_str(reply, text);
}

static void begin_reply(arena_reply *reply, const char *type) {
    reply->size = FRAME_HEADER + 1; /* the byte with the number of fields is filled in at the end */
    reply->due = reply->fields = reply->answers = 0;
    put_field(reply, "type", type);
}

static void begin_answer(arena_reply *reply, const char *name) {
    begin_field(reply, name), reply->answers++;
}

void arena_play(arena_reply *reply) { begin_answer(reply, "move"); }
void arena_resign(arena_reply *reply) { begin_answer(reply, "resign"), arena_bool(reply, true); }
void arena_done(arena_reply *reply) { begin_answer(reply, "done"), arena_bool(reply, true); }
void arena_claims(arena_reply *reply) { begin_field(reply, "claims"); }
void arena_remark(arena_reply *reply, const char *name) { begin_field(reply, name); }
void arena_note(arena_reply *reply, const char *text) { put_field(reply, "note", text); }

/* ---- The connection */
static void send_all(int fd, const uint8_t *data, size_t size) {
    while (size > 0) {
        ssize_t sent = write(fd, data, size);
        if (sent < 0 && (errno == EPIPE || errno == ECONNRESET))
            return; /* the next read returns the last bytes of the referee */
        FAIL_IF(sent < 0 && errno != EINTR, "cannot write to the referee: %s", strerror(errno));
        data += sent < 0 ? 0 : sent;
        size -= sent < 0 ? 0 : (size_t)sent;
    }
}

static void send_reply(struct link *link) {
    arena_reply *reply = &link->reply;
    FAIL_IF(reply->due > 0, "the reply lacks %" PRIu64 " values at its end", reply->due);
    size_t size = reply->size - FRAME_HEADER, header = size <= UINT8_MAX ? 2 : FRAME_HEADER;
    uint8_t *frame = reply->data + FRAME_HEADER - header;
    reply->data[FRAME_HEADER] = (uint8_t)(0x80 | reply->fields);
    frame[0] = header == 2 ? 0 : LONG;
    for (size_t i = header - 1, rest = size; i > 0; i--, rest >>= 8)
        frame[i] = (uint8_t)rest;
    send_all(link->fd, frame, header + size);
}

/* Returns once `size` bytes are read: in most cases one read brings a whole call. */
static uint8_t *wait_bytes(struct link *link, size_t size) {
    if (link->start == link->end || link->room - link->start < size) {
        memmove(link->data, link->data + link->start, link->end - link->start);
        link->end -= link->start;
        link->start = 0;
    }
    if (link->room < size)
        link->data = grown(link->data, link->room = 2 * size);
    while (link->end - link->start < size) {
        ssize_t got = read(link->fd, link->data + link->end, link->room - link->end);
        FAIL_IF(got == 0 || (got < 0 && errno == ECONNRESET), "the referee closed the connection");
        FAIL_IF(got < 0 && errno != EINTR, "cannot read from the referee: %s", strerror(errno));
        link->end += got < 0 ? 0 : (size_t)got;
    }
    return link->data + link->start;
}

static void next_frame(struct link *link) {
    link->flags = *wait_bytes(link, 2);
    size_t header = link->flags & LONG ? FRAME_HEADER : 2;
    FAIL_IF(link->flags > (MORE | LONG | COMMAND), "a frame with the flags %02x", link->flags);
    uint64_t size = big_endian(wait_bytes(link, header) + 1, header - 1);
    FAIL_IF(size > MAX_CALL, "a frame of %" PRIu64 " bytes; the limit is %d", size, MAX_CALL);
    link->size = (size_t)size;
    link->body = wait_bytes(link, header + link->size) + header;
    link->start += header + link->size;
}

static bool is_command(const struct link *link, const char *name) {
    return link->size >= strlen(name) && memcmp(link->body, name, strlen(name)) == 0;
}

/* Answers a PING with its context, after the name and two bytes of time to live. */
static void obey(const struct link *link) {
    uint8_t pong[2 + 5 + 16] = {COMMAND, (uint8_t)(link->size - 2), 4, 'P', 'O', 'N', 'G'};
    if (!is_command(link, "\4PING") || link->size < 7 || link->size > 7 + 16)
        return;
    memcpy(pong + 7, link->body + 7, link->size - 7);
    send_all(link->fd, pong, link->size);
}

static void shake_hands(struct link *link) {
    static const uint8_t ready[] = "\4\51\5READY\13Socket-Type\0\0\0\6DEALER\10Identity\0\0\0";
    const uint8_t greeting[GREETING] = {0xFF, [9] = 0x7F, 3, [12] = 'N', 'U', 'L', 'L'};
    send_all(link->fd, greeting, sizeof greeting);
    const uint8_t *peer = wait_bytes(link, 11);
    FAIL_IF(peer[0] != 0xFF || !(peer[9] & 1) || peer[10] < 3, "the referee speaks no ZMTP 3");
    FAIL_IF(memcmp(wait_bytes(link, GREETING) + 12, greeting + 12, 20) != 0,
            "the referee wants a security mechanism other than NULL");
    link->start = GREETING;
    send_all(link->fd, ready, sizeof ready);
    next_frame(link);
    FAIL_IF(!(link->flags & COMMAND) || !is_command(link, "\5READY"), "READY was expected");
}

static int dial(const char *endpoint) {
    struct sockaddr_un ipc = {.sun_family = AF_UNIX};
    struct sockaddr_in tcp = {.sin_family = AF_INET};
    char host[16], rest;
    unsigned port = 0;
    bool is_ipc = strncmp(endpoint, "ipc://", 6) == 0 && strlen(endpoint + 6) < sizeof ipc.sun_path;
    bool is_tcp = sscanf(endpoint, "tcp://%15[0-9.]:%5u%c", host, &port, &rest) == 2 &&
                  port <= UINT16_MAX && inet_pton(AF_INET, host, &tcp.sin_addr) == 1;
    FAIL_IF(!is_ipc && !is_tcp, "ARENA_ENDPOINT: ipc://PATH (%zu bytes) or tcp://IP:PORT, not %s",
            sizeof ipc.sun_path - 1, endpoint);
    if (is_ipc)
        memcpy(ipc.sun_path, endpoint + 6, strlen(endpoint + 6));
    tcp.sin_port = htons((uint16_t)port);
    const struct sockaddr *address = is_ipc ? (const void *)&ipc : (const void *)&tcp;
    int fd = socket(address->sa_family, SOCK_STREAM, 0);
    FAIL_IF(fd < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) < 0, "no socket: %s", strerror(errno));
    /* After a signal the connection continues by itself: query its state again. */
    while (connect(fd, address, is_ipc ? sizeof ipc : sizeof tcp) < 0 && errno != EISCONN)
        FAIL_IF(errno != EINTR && errno != EALREADY, "%s: %s", endpoint, strerror(errno));
    if (is_tcp)
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    return fd;
}

/* ---- Calls and replies */
static const arena_value *read_call(struct link *link) {
    FAIL_IF(link->flags & MORE, "a message of several frames: a message is one frame");
    if (link->value_room <= link->size) /* every value takes a byte at least */
        link->values =
            grown(link->values, (link->value_room = 2 * link->size + 1) * sizeof *link->values);
    struct reader in = {link->body, link->body + link->size, link->values + 1, .owed = 1};
    read_value(&in, link->values);
    FAIL_IF(in.at != in.end, "the call has %td bytes too many", in.end - in.at);
    FAIL_IF(link->values->type != ARENA_MAP, "a call is a map, not %s", a_type[link->values->type]);
    return link->values;
}

static void say_hello(struct link *link, const arena_bot *bot, const char *token) {
    static const char *const wants[] = {"view", "legal"};
    arena_reply *reply = &link->reply;
    begin_reply(reply, "hello");
    begin_field(reply, "protocol");
    arena_int(reply, PROTOCOL);
    put_field(reply, "token", token);
    put_field(reply, "name", bot->name);
    put_field(reply, "version", bot->version);
    put_field(reply, "language", "c");
    begin_field(reply, "wants");
    arena_array(reply, (bot->wants & 1) + (bot->wants >> 1 & 1));
    for (unsigned i = 0; i < 2; i++)
        if (bot->wants >> i & 1)
            arena_str(reply, wants[i]);
    send_reply(link);
}

enum kind { INIT, MOVE, DISPLAY, TERM, PING, KINDS };
static const char *const call_types[] = {"init", "move", "display", "term", "ping"};
static const char *const reply_types[] = {"ready", "play", "picture", "bye", "pong"};

static void answer(const arena_bot *bot, enum kind kind, const arena_value *call,
                   arena_reply *reply) {
    if (kind == INIT && bot->on_init != NULL)
        bot->on_init(bot->self, call);
    else if (kind == TERM && bot->on_term != NULL)
        bot->on_term(bot->self, call);
    else if (kind == MOVE)
        bot->on_move(bot->self, call, reply);
    else if (kind == DISPLAY) {
        FAIL_IF(bot->on_display == NULL, "this bot has no on_display to show the board");
        begin_field(reply, "board");
        bot->on_display(bot->self, call, reply);
    }
    FAIL_IF(reply->answers != (kind == MOVE), "one arena_play, arena_resign or arena_done a move");
}

/* Answers one call, if it needs a reply. Returns false after the last one. */
static bool serve(struct link *link, const arena_bot *bot) {
    enum kind kind = INIT;
    for (next_frame(link); link->flags & COMMAND; next_frame(link))
        obey(link);
    const arena_value *call = read_call(link);
    const char *type = arena_need(call, "type", ARENA_STR)->text;
    if (strcmp(type, "error") == 0)
        fprintf(stderr, "arena_bot: the referee says: %s: %s\n",
                arena_need(call, "code", ARENA_STR)->text,
                arena_need(call, "detail", ARENA_STR)->text);
    while (kind < KINDS && strcmp(call_types[kind], type) != 0)
        kind++;
    if (kind == KINDS)
        return true;
    open_id = arena_need(call, "id", ARENA_INT)->integer;
    open_type = call_types[kind];
    bool is_last = kind == TERM && arena_need(call, "last", ARENA_BOOL)->boolean;
    begin_reply(&link->reply, reply_types[kind]);
    begin_field(&link->reply, "id");
    arena_int(&link->reply, open_id);
    answer(bot, kind, call, &link->reply);
    send_reply(link);
    open_type = NULL;
    return !is_last;
}

int arena_run(const arena_bot *bot) {
    const char *endpoint = getenv("ARENA_ENDPOINT"), *token = getenv("ARENA_TOKEN");
    FAIL_IF(endpoint == NULL || token == NULL, "ARENA_ENDPOINT or ARENA_TOKEN is not set");
    FAIL_IF(bot->on_move == NULL, "a bot needs on_move");
    signal(SIGPIPE, SIG_IGN);
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* a killed bot loses no printed line */
    struct link link = {.fd = dial(endpoint), .room = FIRST_ROOM, .data = grown(NULL, FIRST_ROOM)};
    shake_hands(&link);
    say_hello(&link, bot, token);
    while (serve(&link, bot))
        continue;
    close(link.fd);
    free(link.values);
    free(link.data);
    return 0;
}
