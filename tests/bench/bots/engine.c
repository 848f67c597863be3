/* Plays a fixed game of gomoku on 19 x 19 points by GTP or Gomocup's protocol, without thinking. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 512, SIZE = 19, LINE = 256 };

static int columns[MOST], rows[MOST], count;

static void read_moves(const char *name) {
    FILE *file = fopen(name, "r");
    int v, h;
    while (file != NULL && count < MOST && fscanf(file, "%d %d", &v, &h) == 2) {
        columns[count] = h + SIZE / 2;
        rows[count++] = v + SIZE / 2;
    }
}

static int gtp(const char *line, int ply) {
    long id = strtol(line, NULL, 10);
    if (strstr(line, " clear_board") != NULL)
        ply = 0;
    else if (strstr(line, " play ") != NULL)
        ply++;
    if (strstr(line, " genmove ") == NULL) {
        printf("=%ld\n\n", id);
        return ply;
    }
    printf("=%ld %c%d\n\n", id, "ABCDEFGHJKLMNOPQRST"[columns[ply]], SIZE - rows[ply]);
    return ply + 1;
}

static int gomocup(const char *line, int ply) {
    if (strncmp(line, "START", 5) == 0) {
        puts("OK");
        return 0;
    }
    if (strncmp(line, "ABOUT", 5) == 0)
        puts("name=\"engine\"");
    if (strncmp(line, "TURN", 4) == 0 || strncmp(line, "BOARD", 5) == 0)
        ply++;
    if (strncmp(line, "BEGIN", 5) != 0 && strncmp(line, "TURN", 4) != 0 &&
        strncmp(line, "DONE", 4) != 0)
        return ply;
    printf("%d,%d\n", columns[ply], rows[ply]);
    return ply + 1;
}

int main(int argc, char **argv) {
    char line[LINE];
    int ply = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    read_moves(argc > 2 ? argv[2] : "moves");
    while (fgets(line, sizeof line, stdin) != NULL && strncmp(line, "END", 3) != 0)
        ply = argc > 1 && strcmp(argv[1], "gtp") == 0 ? gtp(line, ply) : gomocup(line, ply);
    return 0;
}
