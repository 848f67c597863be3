/* Plays moves from a file as scripted.c does, by JSON lines, and does nothing else. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_MOVES = 1000, MAX_LINE = 1 << 20 };

static const char *after(const char *line, const char *key) {
    const char *found = strstr(line, key);
    return found ? found + strlen(key) : "";
}

int main(int argc, char **argv) {
    static int v[MAX_MOVES], h[MAX_MOVES];
    static char line[MAX_LINE];
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (file == NULL)
        return 1;
    for (int i = 0; i < MAX_MOVES && fscanf(file, "%d %d", &v[i], &h[i]) == 2; i++) {
    }
    fclose(file);
    setvbuf(stdout, NULL, _IOLBF, 0);
    puts("{\"type\":\"hello\",\"name\":\"scripted-lines\"}");
    while (fgets(line, sizeof line, stdin)) {
        const char *type = after(line, "\"type\":\"");
        long id = strtol(after(line, "\"id\":"), NULL, 10);
        long ply = strtol(after(line, "\"ply\":"), NULL, 10) % MAX_MOVES;
        if (strncmp(type, "move", 4) == 0)
            printf("{\"type\":\"play\",\"id\":%ld,\"move\":{\"v\":%d,\"h\":%d}}\n", id, v[ply],
                   h[ply]);
        else
            printf("{\"type\":\"%s\",\"id\":%ld}\n",
                   *type == 'i'   ? "ready"
                   : *type == 'p' ? "pong"
                                  : "bye",
                   id);
    }
}
