"""The original calls of an entry, their order, and the use of its answers."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
from mactech_entries import entry, pente, seat, started

from arena.bots.prepare import PreparedBot

MATCHSTICKS = """
#include <stdio.h>
#include <stdlib.h>
#include "Matchsticks.h"
static char gBoard[64 * 64];
static short gSize;
static void Show(const char *board)
{
    short i;
    for (i = 0; i < gSize * gSize; i++) fputc('0' + board[i], stderr);
    fputc('\\n', stderr);
}
void InitMatchsticks(short dimension, const char *board, bool playFirst, bool lastMatchstickLoses,
                     short opponent)
{
    gSize = dimension;
    BlockMove(board, gBoard, gSize * gSize);
    fprintf(stderr, "Init %d %d %d %s ", dimension, playFirst, lastMatchstickLoses,
            opponent > 0 ? "somebody" : "nobody");
    Show(board);
}
void OpponentMove(bool playingRow, short line, short start, short end, const char *board)
{
    BlockMove(board, gBoard, gSize * gSize);
    fprintf(stderr, "told %d %d %d %d ", playingRow, line, start, end);
    Show(board);
}
const char *YourMove(bool *playingRow, short *line, short *start, short *end)
{
    *playingRow = 2; *line = 1; *start = 1; *end = 0;
    gBoard[gSize] = gBoard[gSize + 1] = 0;
    MORE
    return gBoard;
}
void TermMatchsticks() { fprintf(stderr, "Term\\n"); }
"""
STICKS: dict[str, Any] = {
    "game": "matchsticks",
    "options": {"dimension": 2, "objectives": "misere"},
    "view": {"turn": 0, "ply": 0, "board": ["10", "11"]},
}
CHECKERS = """
#include <stdio.h>
#include "ChineseCheckers.h"
static long *gHomes;
void InitChineseCheckers(long numPlayers, long gameSize, long playerPosition[6], long yourIndex)
{
    fprintf(stderr, "Init %ld %ld %ld %ld %ld %ld\\n", numPlayers, gameSize, playerPosition[0],
            playerPosition[1], playerPosition[2], yourIndex);
    gHomes = playerPosition;
}
void YourMove(Position *from, Position *to)
{
    from->row = 3; from->col = -1; to->row = 4; to->col = -1;
}
void OpponentMove(long opponent, Position from, Position to)
{
    fprintf(stderr, "told %ld %ld %ld %ld %ld\\n", opponent, from.row, from.col, to.row, to.col);
}
void TermChineseCheckers(void) { fprintf(stderr, "Term %ld\\n", gHomes[2]); }
"""
STAR: dict[str, Any] = {
    "game": "chinese_checkers",
    "options": {"game_size": 4},
    "seat": 1,
    "seats": 3,
    "players": ["one", "two", "three"],
    "view": {"turn": 0, "ply": 0, "men": [[], [], []], "positions": [0, 2, 4]},
}
OWN = {"from": [3, -1], "to": [4, -1]}
DOWN_N_OUT = """
#include <stdio.h>
#include "DownNOut.h"
void InitDownNOut(short rows, short cols, short colors, const CellColor board[], WindowPtr window)
{
    fprintf(stderr, "Init %d %d %d %d%d%d%d\\n", rows, cols, colors, board[0], board[1], board[2],
            board[3]);
}
void HandleUpdateEvent(EventRecord theEvent) {}
Boolean PlayOneDownNOutMove(CellColor board[], long score, short *moveRow, short *moveCol,
                            long *numberOfCellsRemoved)
{
    fprintf(stderr, "asked %d%d%d%d %ld\\n", board[0], board[1], board[2], board[3], score);
    *moveRow = 1; *moveCol = 1; *numberOfCellsRemoved = 3; board[1] = board[2] = board[3] = 0;
    return score == 0 ? 255 : false;
}
void TermDownNOut(void) { fprintf(stderr, "Term\\n"); }
"""
CELLS: dict[str, Any] = {
    "game": "down_n_out",
    "options": {"rows": 2, "cols": 2, "colors": 2, "display": "off"},
    "seats": 1,
    "view": {"turn": 0, "ply": 0, "board": ["12", "22"], "points": 0},
}


def played(number: int, **move: Any) -> dict[str, Any]:
    return {"seat": number, "move": move}


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> dict[str, PreparedBot]:
    texts = {
        "pente": pente(),
        "matchsticks": MATCHSTICKS.replace("MORE", ""),
        "chinese_checkers": CHECKERS,
        "down_n_out": DOWN_N_OUT,
    }
    return {
        game: entry(tmp_path_factory.mktemp(game), game, {"Entry.c": text})
        for game, text in texts.items()
    }


@pytest.fixture
def pente_bot(sources: dict[str, PreparedBot]) -> PreparedBot:
    return sources["pente"]


def test_pente_receives_each_move_of_the_opponent_with_its_call(pente_bot: PreparedBot) -> None:
    with started(pente_bot, seat=1) as referee:
        reply = referee.move(ply=1, opponent_moves=[played(0, v=-3, h=9)])
        assert reply == {
            "type": "play",
            "move": {"v": 0, "h": 0},
            "claims": {"captures": [], "victory": False},
        }
        assert referee.move(opponent_moves=[played(0, v=1, h=-9)])["move"] == {"v": 0, "h": 4}
        referee.term()
        assert referee.end() == (0, "", "Init 9\ntold -3 9\ntold 1 -9\nTerm\n")


def test_pente_plays_first_only_once(pente_bot: PreparedBot) -> None:
    with started(pente_bot) as referee:
        referee.move()
        referee.move(ply=2, opponent_moves=[played(1, v=1, h=1)])
        referee.term()
        assert referee.end()[2] == "Init 9\nfirst\ntold 1 1\nTerm\n"


def test_a_history_that_the_entry_would_have_played_is_followed(pente_bot: PreparedBot) -> None:
    history = [played(0, v=0, h=0), played(1, v=2, h=2), played(0, v=0, h=4), played(1, v=3, h=3)]
    with started(pente_bot, history=history) as referee:
        assert referee.move()["move"] == {"v": 0, "h": 8}
        referee.term()
        assert referee.end()[2] == "Init 9\nfirst\ntold 2 2\ntold 3 3\nTerm\n"


def test_a_history_with_other_own_moves_is_given_up_with_the_reason(pente_bot: PreparedBot) -> None:
    history = [played(0, v=0, h=0), played(1, v=2, h=2), played(0, v=0, h=5), played(1, v=3, h=3)]
    with started(pente_bot, history=history) as referee:
        reply = referee.move()
        assert reply["resign"] is True
        assert reply["note"].startswith("cannot be asked: in the history of this match the entry")


@pytest.mark.parametrize("rule", ["both", "free"])
def test_a_second_stone_forbidden_by_a_rule_without_a_call_is_resigned(
    tmp_path: Path, rule: str
) -> None:
    source = pente("if (gNext == 2) yourMove->h = 2;")
    options = {"half_size": 9, "second_stone": rule, "fours": "runs"}
    with started(entry(tmp_path, "pente", {"Entry.c": source}), options=options) as referee:
        assert referee.move()["move"] == {"v": 0, "h": 0}
        reply = referee.move(ply=2, opponent_moves=[played(1, v=5, h=5)])

    if rule == "both":
        assert reply["resign"] is True
        assert reply["note"] == "cannot be asked: no call tells the entry of second_stone: both"
    else:
        assert reply["move"] == {"v": 0, "h": 2}


def test_matches_follow_each_other_in_one_process(pente_bot: PreparedBot) -> None:
    with seat(pente_bot) as referee:
        referee.init()
        referee.move()
        referee.term(last=False)
        referee.term(last=False)  # a match that ended before it began for this bot
        referee.init()
        assert referee.move()["move"] == {"v": 0, "h": 0}
        referee.term()
        assert referee.end()[2] == "Init 9\nfirst\nTerm\n" * 2


def test_matchsticks_is_given_the_board_as_it_stands(sources: dict[str, PreparedBot]) -> None:
    history = [played(1, row=True, line=0, start=1, end=1)]
    with started(sources["matchsticks"], **STICKS, history=history) as referee:
        assert referee.move() == {
            "type": "play",
            "move": {"row": True, "line": 1, "start": 1, "end": 0},
            "claims": {"board": ["10", "00"]},
        }
        last = {"termination": "normal", "scores": ["0", "4"], "reason": "", "offenders": []}
        moves = [played(1, row=False, line=0, start=0, end=0)]
        referee.call("term", opponent_moves=moves, last=True, **last)
        said = "Init 2 1 1 somebody 1011\ntold 0 0 0 0 0000\nTerm\n"
        assert referee.end() == (0, "", said)


def test_chinese_checkers_receives_the_moves_of_every_other_player(
    sources: dict[str, PreparedBot],
) -> None:
    other = {"from": [9, 0], "to": [8, 1]}
    history = [played(0, **other), played(1, **OWN), played(2, **other)]
    with started(sources["chinese_checkers"], **STAR, history=history) as referee:
        assert referee.move(opponent_moves=[played(0, **other)]) == {"type": "play", "move": OWN}
        referee.term()
        told = "".join(f"told {player} 9 0 8 1\n" for player in (0, 2, 0))
        assert referee.end() == (0, "", f"Init 3 4 0 2 4 1\n{told}Term 4\n")


def test_down_n_out_is_given_board_and_score_of_the_referee(
    sources: dict[str, PreparedBot],
) -> None:
    with started(sources["down_n_out"], **CELLS) as referee:
        assert referee.move(view=CELLS["view"]) == {
            "type": "play",
            "move": {"row": 1, "col": 1},
            "claims": {"removed": 3, "board": ["10", "00"]},
        }
        view = {"board": ["00", "10"], "points": 9}
        assert referee.move(view=view) == {"type": "play", "done": True}
        referee.term()
        said = "Init 2 2 2 1222\nasked 1222 0\nasked 0010 9\nTerm\n"
        assert referee.end() == (0, "", said)


def test_claims_that_cannot_be_made_are_left_out(tmp_path: Path) -> None:
    bot = entry(tmp_path, "pente", {"Entry.c": pente("*numCaptures = -1; *claimVictory = 7;")})
    with started(bot) as referee:
        assert referee.move()["claims"] == {"victory": True}


def test_a_board_that_is_not_returned_is_not_claimed(tmp_path: Path) -> None:
    source = MATCHSTICKS.replace("MORE", "return nil;")
    with started(entry(tmp_path, "matchsticks", {"Entry.c": source}), **STICKS) as referee:
        assert referee.move().keys() == {"type", "move"}


ALLOCATES = """
static Ptr gBig;
    if (gBig == nil) gBig = NewPtr(9 * 1024 * 1024);
    *claimVictory = gBig != nil;
    if (NewPtr(2 * 1024 * 1024) == nil && MemError() == memFullErr) yourMove->v = 1;
"""


def test_memory_is_limited_where_that_is_asked_for(tmp_path: Path) -> None:
    bot = entry(tmp_path, "pente", {"Entry.c": pente(ALLOCATES)})
    for arguments, v in ((("--memory", "10"), 1), ((), 0)):
        with started(bot, *arguments) as referee:
            reply = referee.move()
            assert (reply["move"]["v"], reply["claims"]["victory"]) == (v, True)
            referee.term()
            assert referee.end()[0] == 0


@pytest.mark.parametrize("arguments", [("--memory", "0"), ("--memory", "10MB"), ("--memory",)])
def test_arguments_that_are_not_known_are_refused(
    pente_bot: PreparedBot, arguments: tuple[str, ...]
) -> None:
    done = subprocess.run(
        [*pente_bot.argv, *arguments],
        cwd=pente_bot.folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (2, "usage: ./bot [--memory MB]\n")
