/* The settings of an engine, and the options that it declares. */
#ifndef UCI_SETTINGS_H
#define UCI_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct uci_setting {
    const char *name, *text; /* the value as the engine reads it */
    bool is_bool;
};

struct uci_settings {
    const char *dialect, *go;
    struct uci_setting *options;
    size_t count;
    int64_t resign_score;
    unsigned resign_moves; /* 0: never */
};

/* Reads a JSON object in ASCII; ends the bot if it is none of settings. */
void uci_read_settings(char *json, struct uci_settings *settings);

struct uci_option {
    const char *name, *kind, *rest; /* rest: the words after the kind */
};

/* Takes a line of single spaces that begins with "option "; returns whether it declares one. */
bool uci_declare(const char *line);
/* Returns the option with this name in upper or lower case, or NULL. */
const struct uci_option *uci_option_of(const char *name);
/* Returns a question with the most similar option, or "". */
const char *uci_meant(const char *name);
bool uci_is_in_range(const char *value, const char *rest);
bool uci_is_choice(const char *value, const char *rest);

#endif
