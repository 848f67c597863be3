/* Plays the moves of a file by UCI, and does nothing else. */
#include <stdio.h>
#include <string.h>

enum { MAX_MOVES = 1000, MAX_LINE = 1 << 16 };

int main(int argc, char **argv) {
    static char moves[MAX_MOVES][8], line[MAX_LINE];
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (file == NULL)
        return 1;
    for (int i = 0; i < MAX_MOVES && fscanf(file, "%7s", moves[i]) == 1; i++) {
    }
    fclose(file);
    setvbuf(stdout, NULL, _IOLBF, 0);
    int ply = 0;
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "position", 8) == 0) {
            const char *played = strstr(line, " moves ");
            ply = 0;
            for (played = played ? played + 6 : ""; *played; played++)
                ply += *played == ' ';
        } else if (strncmp(line, "go", 2) == 0) {
            printf("info depth 1 score cp 20 nodes 1 pv %s\nbestmove %s\n", moves[ply % MAX_MOVES],
                   moves[ply % MAX_MOVES]);
        } else if (strncmp(line, "isready", 7) == 0) {
            puts("readyok");
        } else if (strncmp(line, "uci\n", 4) == 0) {
            puts("uciok");
        } else if (strncmp(line, "quit", 4) == 0) {
            return 0;
        }
    }
}
