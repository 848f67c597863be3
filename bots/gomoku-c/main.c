/* A small gomoku engine for Gomocup's protocol, or for GTP with the argument `gtp`.
 *
 * It looks one stone ahead and does not know the forbidden moves of renju. */
#include "five.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { LINE = 256 };

static const char gtp_columns[] = "ABCDEFGHJKLMNOPQRSTUVWXYZ";

static bool read_line(char *line) {
    if (fgets(line, LINE, stdin) == NULL)
        return false;
    line[strcspn(line, "\r\n")] = '\0';
    return true;
}

static bool starts(const char *line, const char *word) {
    return strncasecmp(line, word, strlen(word)) == 0;
}

/* Places the best stone; returns false on a full board. */
static bool play(struct board *board, int *column, int *row, int stone) {
    return board_best(board, column, row) && board_put(board, *column, *row, stone);
}

/* ---- Gomocup's protocol */

static void answer_stone(struct board *board) {
    int column = 0, row = 0;
    if (play(board, &column, &row, OWN))
        printf("%d,%d\n", column, row);
    else
        puts("ERROR the board is full");
}

static bool read_board(struct board *board) {
    char line[LINE];
    bool is_right = board_clear(board, board->size);
    while (read_line(line) && !starts(line, "DONE")) {
        int column, row, stone;
        if (sscanf(line, "%d,%d,%d", &column, &row, &stone) != 3 ||
            (stone != OWN && stone != OTHER))
            is_right = false;
        else
            is_right &= board_put(board, column, row, stone);
    }
    return is_right;
}

/* Opens with two stones side by side and one apart, and always takes Black. */
static void answer_swap2(const struct board *board) {
    char line[LINE];
    int stones = 0, middle = board->size / 2;
    while (read_line(line) && !starts(line, "DONE"))
        stones++;
    if (stones == 0)
        printf("%d,%d %d,%d %d,%d\n", middle, middle, middle + 1, middle, middle - 2, middle - 2);
    else
        puts("SWAP");
}

static void gomocup_answer(struct board *board, const char *line) {
    int column, row, size;
    if (sscanf(line, "START %d", &size) == 1)
        puts(board_clear(board, size) ? "OK" : "ERROR unsupported size");
    else if (starts(line, "RESTART"))
        puts(board_clear(board, board->size) ? "OK" : "ERROR no START yet");
    else if (starts(line, "ABOUT"))
        puts("name=\"gomoku-c\", version=\"1\", author=\"Arena\", country=\"\"");
    else if (starts(line, "BEGIN"))
        answer_stone(board);
    else if (sscanf(line, "TURN %d,%d", &column, &row) == 2 && board_put(board, column, row, OTHER))
        answer_stone(board);
    else if (starts(line, "BOARD") && read_board(board))
        answer_stone(board);
    else if (starts(line, "SWAP2BOARD"))
        answer_swap2(board);
    else if (!starts(line, "INFO"))
        printf("UNKNOWN %.80s\n", line);
}

/* ---- GTP */

/* Reads a vertex like D4; returns false for anything else. */
static bool read_vertex(const struct board *board, const char *text, int *column, int *row) {
    const char *place =
        text[0] == '\0' ? NULL : strchr(gtp_columns, toupper((unsigned char)text[0]));
    int number;
    if (place == NULL || sscanf(text + 1, "%d", &number) != 1)
        return false;
    *column = (int)(place - gtp_columns);
    *row = board->size - number;
    return true;
}

static void gtp_genmove(struct board *board, char color) {
    int column = 0, row = 0, stone = color == 'b' ? OWN : OTHER;
    struct board seen = *board; /* by the color to move */
    for (int r = 0; stone == OTHER && r < board->size; r++)
        for (int c = 0; c < board->size; c++)
            seen.at[r][c] = (unsigned char)(board->at[r][c] == EMPTY ? EMPTY : 3 - board->at[r][c]);
    if (!board_best(&seen, &column, &row) || !board_put(board, column, row, stone))
        printf(" pass");
    else
        printf(" %c%d", gtp_columns[column], board->size - row);
}

static bool gtp_play(struct board *board, const char *arguments) {
    char color, vertex[8];
    int column, row;
    return sscanf(arguments, " %c%*[a-z] %7s", &color, vertex) >= 2 ||
                   sscanf(arguments, " %c %7s", &color, vertex) == 2
               ? read_vertex(board, vertex, &column, &row) &&
                     board_put(board, column, row,
                               tolower((unsigned char)color) == 'b' ? OWN : OTHER)
               : false;
}

static void gtp_answer(struct board *board, const char *line, const char *id) {
    int size;
    char color;
    const char *failure = NULL;
    if (sscanf(line, "boardsize %d", &size) == 1 && size < SIZE_MAX && board_clear(board, size))
        printf("=%s", id);
    else if (starts(line, "boardsize"))
        failure = "unacceptable size";
    else if (starts(line, "clear_board") && board_clear(board, board->size))
        printf("=%s", id);
    else if (starts(line, "play"))
        failure = gtp_play(board, line + 4) ? (printf("=%s", id), NULL) : "illegal move";
    else if (sscanf(line, "genmove %c", &color) == 1 && board->size > 0) {
        printf("=%s", id);
        gtp_genmove(board, (char)tolower((unsigned char)color));
    } else if (starts(line, "protocol_version"))
        printf("=%s 2", id);
    else if (starts(line, "name"))
        printf("=%s gomoku-c", id);
    else if (starts(line, "version"))
        printf("=%s 1", id);
    else if (starts(line, "list_commands"))
        printf("=%s boardsize\nclear_board\ngenmove\nlist_commands\nname\nplay\n"
               "protocol_version\nquit\nversion",
               id);
    else
        failure = "unknown command";
    if (failure != NULL)
        printf("?%s %s", id, failure);
    puts("\n");
}

int main(int count, char **arguments) {
    bool is_gtp = count > 1 && strcmp(arguments[1], "gtp") == 0;
    struct board board = {0};
    char line[LINE];
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (read_line(line)) {
        if (!is_gtp) {
            if (starts(line, "END"))
                break;
            gomocup_answer(&board, line);
            continue;
        }
        size_t digits = strspn(line, "0123456789"); /* the id of the command */
        const char *command = line + digits + strspn(line + digits, " ");
        char id[LINE];
        snprintf(id, sizeof id, "%.*s", (int)digits, line);
        if (starts(command, "quit")) {
            printf("=%s\n\n", id);
            break;
        }
        if (*command != '\0')
            gtp_answer(&board, command, id);
    }
    return 0;
}
