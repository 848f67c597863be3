/* Moves of chess, and of shogi, xiangqi and Breakthrough of OpenSpiel. */
#include "uci_games.h"

#include "engine_bridge.h"

#include <stdio.h>
#include <string.h>

static bool is_in(char c, char first, char last) { return c >= first && c <= last; }

/* Whether a word is four characters of two squares, with rows of these digits. */
static bool has_squares(const char *word, char last_column, char first_row, char last_row) {
    return is_in(word[0], 'a', last_column) && is_in(word[1], first_row, last_row) &&
           is_in(word[2], 'a', last_column) && is_in(word[3], first_row, last_row);
}

static const char *text_of(const arena_value *move) {
    return arena_need(move, "text", ARENA_STR)->text;
}

/* ---- Chess */
static const char *chess_position(const arena_value *init) {
    static const char start[] = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    static char text[256];
    const char *fen = arena_need(arena_need(init, "view", ARENA_MAP), "start", ARENA_STR)->text;
    if (strcmp(fen, start) == 0)
        return "startpos";
    snprintf(text, sizeof text, "fen %s", fen);
    return text;
}

static void chess_to_text(const arena_value *move, char text[MAX_MOVE]) {
    snprintf(text, MAX_MOVE, "%.2s%.2s%.1s", arena_need(move, "from", ARENA_STR)->text,
             arena_need(move, "to", ARENA_STR)->text, arena_need(move, "promote", ARENA_STR)->text);
}

static bool chess_to_wire(const char *word, size_t size, arena_reply *reply) {
    bool is_move =
        (size == 4 || (size == 5 && is_in(word[4], 'a', 'z'))) && has_squares(word, 'h', '1', '8');
    if (!is_move || reply == NULL)
        return is_move;
    char from[] = {word[0], word[1], 0}, to[] = {word[2], word[3], 0};
    char promote[] = {size == 5 ? word[4] : 0, 0};
    arena_map(reply, 3);
    arena_str(reply, "from"), arena_str(reply, from);
    arena_str(reply, "to"), arena_str(reply, to);
    arena_str(reply, "promote"), arena_str(reply, promote);
    return true;
}

/* ---- Shogi: the text of a move is that of USI */
static const char *shogi_position(const arena_value *init) {
    (void)init;
    return "startpos";
}

static void shogi_to_text(const arena_value *move, char text[MAX_MOVE]) {
    snprintf(text, MAX_MOVE, "%s", text_of(move));
}

static void reply_text(arena_reply *reply, const char *text) {
    arena_map(reply, 1);
    arena_str(reply, "text"), arena_str(reply, text);
}

static bool shogi_to_wire(const char *word, size_t size, arena_reply *reply) {
    bool is_drop = size == 4 && memchr("PLNSGBR", word[0], 7) != NULL && word[1] == '*';
    bool is_step = (size == 4 || (size == 5 && word[4] == '+')) && is_in(word[0], '1', '9') &&
                   is_in(word[1], 'a', 'i');
    bool is_move = (is_drop || is_step) && is_in(word[2], '1', '9') && is_in(word[3], 'a', 'i');
    char text[MAX_MOVE] = "";
    if (is_move && reply != NULL)
        memcpy(text, word, size), reply_text(reply, text);
    return is_move;
}

/* ---- Xiangqi: moves like S(6,0)-(5,0), with the piece, and rows from the top */
enum { ROWS = 10, COLUMNS = 9 };
static char men[ROWS][COLUMNS];

static const char *xiangqi_position(const arena_value *init) {
    static const char *const half[] = {"rheagaehr", ".........", ".c.....c.", "s.s.s.s.s",
                                       "........."};
    (void)init;
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++) {
            char man = half[row < 5 ? row : 9 - row][column];
            men[row][column] = (char)(row >= 5 && man != '.' ? man - 'a' + 'A' : man);
        }
    return "fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";
}

static void xiangqi_make(const char *text) {
    int row = '9' - text[1], column = text[0] - 'a', to = '9' - text[3], to_column = text[2] - 'a';
    men[to][to_column] = men[row][column];
    men[row][column] = '.';
}

static void xiangqi_to_text(const arena_value *move, char text[MAX_MOVE]) {
    unsigned row, column, to, to_column;
    char man, rest;
    bool is_move = sscanf(text_of(move), "%c(%1u,%1u)-(%1u,%1u%c", &man, &row, &column, &to,
                          &to_column, &rest) == 6;
    if (!is_move || rest != ')' || column >= COLUMNS || to_column >= COLUMNS)
        bridge_refuse("no move of xiangqi: %s", text_of(move));
    snprintf(text, MAX_MOVE, "%c%u%c%u", 'a' + (int)column, 9 - row, 'a' + (int)to_column, 9 - to);
    xiangqi_make(text);
}

static bool xiangqi_to_wire(const char *word, size_t size, arena_reply *reply) {
    bool is_move = size == 4 && has_squares(word, 'i', '0', '9');
    char text[32];
    if (!is_move || reply == NULL)
        return is_move;
    snprintf(text, sizeof text, "%c(%d,%d)-(%d,%d)", men['9' - word[1]][word[0] - 'a'],
             '9' - word[1], word[0] - 'a', '9' - word[3], word[2] - 'a');
    reply_text(reply, text);
    return true;
}

/* ---- Breakthrough: a capture has a star; ranks are mirrored, as Black begins at the top */
static const char *breakthrough_position(const arena_value *init) {
    const arena_value *options = arena_need(init, "options", ARENA_MAP);
    const arena_value *rows = arena_get(options, "rows"), *columns = arena_get(options, "columns");
    if ((rows->type == ARENA_INT && rows->integer != 8) ||
        (columns->type == ARENA_INT && columns->integer != 8))
        bridge_refuse("engines play Breakthrough on 8 x 8 squares only");
    for (int row = 0; row < 8; row++)
        memset(men[row], row < 2 || row > 5 ? 'm' : '.', 8);
    return "startpos";
}

/* Makes a move by squares as in OpenSpiel, on the board of its rows. */
static void breakthrough_move(const char *text) {
    men[text[1] - '1'][text[0] - 'a'] = '.';
    men[text[3] - '1'][text[2] - 'a'] = 'm';
}

static void breakthrough_mirror(const char *text, char mirrored[MAX_MOVE]) {
    snprintf(mirrored, MAX_MOVE, "%c%c%c%c", text[0], '1' + '8' - text[1], text[2],
             '1' + '8' - text[3]);
}

static void breakthrough_make(const char *text) {
    char mirrored[MAX_MOVE];
    breakthrough_mirror(text, mirrored);
    breakthrough_move(mirrored);
}

static void breakthrough_to_text(const arena_value *move, char text[MAX_MOVE]) {
    const char *said = text_of(move);
    if (strlen(said) < 4 || !has_squares(said, 'h', '1', '8'))
        bridge_refuse("no move of Breakthrough: %s", said);
    breakthrough_move(said);
    breakthrough_mirror(said, text);
}

static bool breakthrough_to_wire(const char *word, size_t size, arena_reply *reply) {
    bool is_move = size == 4 && has_squares(word, 'h', '1', '8');
    char text[MAX_MOVE + 2];
    if (!is_move || reply == NULL)
        return is_move;
    breakthrough_mirror(word, text);
    if (men[text[3] - '1'][text[2] - 'a'] != '.')
        strcat(text, "*");
    reply_text(reply, text);
    return true;
}

const struct uci_game *uci_game_of(const char *name) {
    static const struct uci_game games[] = {
        {"chess", false, chess_position, chess_to_text, chess_to_wire, NULL},
        {"open_spiel/shogi", false, shogi_position, shogi_to_text, shogi_to_wire, NULL},
        {"open_spiel/xiangqi", true, xiangqi_position, xiangqi_to_text, xiangqi_to_wire,
         xiangqi_make},
        {"open_spiel/breakthrough", true, breakthrough_position, breakthrough_to_text,
         breakthrough_to_wire, breakthrough_make}};
    for (size_t i = 0; i < sizeof games / sizeof *games; i++)
        if (strcmp(games[i].name, name) == 0)
            return &games[i];
    return NULL;
}
