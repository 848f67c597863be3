/* Reads settings, which are JSON of Arena's own, and options as an engine declares them. */
#define _POSIX_C_SOURCE 200809L

#include "uci_settings.h"

#include "engine_bridge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static struct uci_option *declared;
static size_t declared_count, declared_room, declared_size;
enum { MAX_DECLARED = 1 << 20 }; /* characters of all options of an engine */

static void *again(void *block, size_t size) {
    void *larger = realloc(block, size);
    if (larger == NULL)
        arena_fail("out of memory: %zu bytes", size);
    return larger;
}

/* ---- JSON, as json.dumps of Python writes it: in ASCII, with one space after `,` and `:` */
static void expect(char **at, char c) {
    while (**at == ' ')
        ++*at;
    if (*(*at)++ != c)
        arena_fail("settings: '%c' expected before: %.40s", c, *at - 1);
}

static bool comes(char **at, char c) {
    while (**at == ' ')
        ++*at;
    return **at == c;
}

static char *put_utf8(char *to, unsigned code) {
    if (code < 0x80)
        *to++ = (char)code;
    else if (code < 0x800)
        *to++ = (char)(0xC0 | code >> 6);
    else if (code < 0x10000)
        *to++ = (char)(0xE0 | code >> 12), *to++ = (char)(0x80 | (code >> 6 & 0x3F));
    else
        *to++ = (char)(0xF0 | code >> 18), *to++ = (char)(0x80 | (code >> 12 & 0x3F)),
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
    if (code >= 0x80)
        *to++ = (char)(0x80 | (code & 0x3F));
    return to;
}

static char *read_escape(char **at, char *to) {
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    unsigned code, low;
    int size = 0;
    const char *letter = strchr(letters, **at);
    if (**at != 'u' && letter != NULL && **at != 0) {
        *to++ = meant[letter - letters], ++*at;
        return to;
    }
    if (sscanf(*at, "u%4x%n", &code, &size) != 1 || size != 5)
        arena_fail("settings: no escape: %.8s", *at);
    *at += size;
    if (code >> 10 == 0xD800 >> 10 && sscanf(*at, "\\u%4x", &low) == 1)
        code = 0x10000 + ((code & 0x3FF) << 10 | (low & 0x3FF)), *at += 6;
    return put_utf8(to, code);
}

/* Reads a text in its own place: it only becomes shorter. */
static char *read_text(char **at) {
    expect(at, '"');
    char *text = *at, *to = text;
    while (**at != '"' && **at != 0)
        if (**at == '\\')
            ++*at, to = read_escape(at, to);
        else
            *to++ = *(*at)++;
    expect(at, '"');
    *to = 0;
    return text;
}

/* Reads an integer or a boolean as text. */
static char *read_plain(char **at) {
    while (**at == ' ')
        ++*at;
    size_t size = strcspn(*at, ",}] ");
    char *text = again(NULL, size + 1);
    memcpy(text, *at, size), text[size] = 0;
    *at += size;
    return text;
}

static void read_options(char **at, struct uci_settings *settings) {
    expect(at, '{');
    while (!comes(at, '}')) {
        if (settings->count > 0)
            expect(at, ',');
        settings->options =
            again(settings->options, (settings->count + 1) * sizeof *settings->options);
        struct uci_setting *option = &settings->options[settings->count++];
        option->name = read_text(at);
        expect(at, ':');
        bool is_text = comes(at, '"');
        option->text = is_text ? read_text(at) : read_plain(at);
        option->is_bool =
            !is_text && (strcmp(option->text, "true") == 0 || strcmp(option->text, "false") == 0);
    }
    expect(at, '}');
}

static void read_resignation(char **at, struct uci_settings *settings) {
    expect(at, '[');
    settings->resign_score = strtoll(*at, at, 10);
    expect(at, ',');
    settings->resign_moves = (unsigned)strtoul(*at, at, 10);
    expect(at, ']');
}

void uci_read_settings(char *json, struct uci_settings *settings) {
    char **at = &json;
    settings->dialect = "uci", settings->go = "";
    expect(at, '{');
    for (const char *mark = ""; !comes(at, '}'); mark = ",") {
        if (*mark != 0)
            expect(at, *mark);
        const char *name = read_text(at);
        expect(at, ':');
        if (strcmp(name, "dialect") == 0)
            settings->dialect = read_text(at);
        else if (strcmp(name, "go") == 0)
            settings->go = read_text(at);
        else if (strcmp(name, "options") == 0)
            read_options(at, settings);
        else if (strcmp(name, "resign") == 0)
            read_resignation(at, settings);
        else
            arena_fail("settings: no key %s", name);
    }
}

/* ---- Options of the engine */
bool uci_declare(const char *line) {
    const char *begin = line + strlen("option "), *kind = NULL;
    if (strncmp(begin, "name ", 5) == 0 && begin[5] != 0)
        kind = strstr(begin + 6, " type "), begin += 5;
    if (kind == NULL) /* the option may have the name "name" */
        begin = line + strlen("option "), kind = *begin == 0 ? NULL : strstr(begin + 1, " type ");
    if (kind == NULL)
        return false;
    declared_size += strlen(line);
    if (declared_size > MAX_DECLARED)
        bridge_refuse("options of more than %d characters", MAX_DECLARED);
    if (declared_count == declared_room)
        declared = again(declared, (declared_room = 2 * declared_room + 64) * sizeof *declared);
    char *name = again(NULL, strlen(begin) + 1);
    strcpy(name, begin);
    name[kind - begin] = 0;
    char *word = name + (kind - begin) + strlen(" type ");
    size_t size = strcspn(word, " ");
    char *rest = word + size + (word[size] == ' ');
    word[size] = 0;
    declared[declared_count++] = (struct uci_option){name, word, rest};
    return true;
}

const struct uci_option *uci_option_of(const char *name) {
    for (size_t i = declared_count; i > 0; i--) /* the last one of a name counts */
        if (strcasecmp(declared[i - 1].name, name) == 0)
            return &declared[i - 1];
    return NULL;
}

/* Returns the number of characters to change, insert or delete between two names. */
static size_t distance(const char *one, const char *other) {
    enum { MOST = 64 };
    size_t width = strlen(other), row[MOST + 1];
    if (width > MOST || strlen(one) > MOST)
        return MOST;
    for (size_t i = 0; i <= width; i++)
        row[i] = i;
    for (size_t line = 1; *one != 0; one++, line++) {
        size_t before = row[0];
        row[0] = line;
        for (size_t i = 1; i <= width; i++) {
            size_t changed = before + (strncasecmp(one, other + i - 1, 1) != 0);
            size_t least = row[i] < row[i - 1] ? row[i] + 1 : row[i - 1] + 1;
            before = row[i];
            row[i] = changed < least ? changed : least;
        }
    }
    return row[width];
}

const char *uci_meant(const char *name) {
    static char text[256];
    size_t nearest = strlen(name) / 2;
    for (size_t i = 0; i < declared_count; i++) {
        size_t found = distance(name, declared[i].name);
        if (found < nearest)
            nearest = found,
            snprintf(text, sizeof text, "; did you mean %.120s?", declared[i].name);
        else if (found == nearest && *text == 0 && found <= 1)
            snprintf(text, sizeof text, "; did you mean %.120s?", declared[i].name);
    }
    return text;
}

/* Returns the number after a word like "min " in `rest`, or `without` if there is none. */
static int64_t bound_of(const char *rest, const char *word, int64_t without) {
    for (const char *at = strstr(rest, word); at != NULL; at = strstr(at + 1, word))
        if (is_number(at + strlen(word), strcspn(at + strlen(word), " ")))
            without = atoll(at + strlen(word));
    return without;
}

bool uci_is_in_range(const char *value, const char *rest) {
    int64_t number = atoll(value);
    return bound_of(rest, "min ", number) <= number && number <= bound_of(rest, "max ", number);
}

bool uci_is_choice(const char *value, const char *rest) {
    size_t size = strlen(value);
    for (const char *at = strstr(rest, "var "); at != NULL; at = strstr(at + 4, "var ")) {
        const char *stop = strstr(at + 3, " var ");
        size_t length = stop == NULL ? strlen(at + 4) : (size_t)(stop - at) - 4;
        if ((at == rest || at[-1] == ' ') && length == size &&
            strncasecmp(at + 4, value, size) == 0)
            return true;
    }
    return false;
}
