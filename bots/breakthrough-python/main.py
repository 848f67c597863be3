"""Plays Breakthrough by GTP: alpha-beta over the moves of OpenSpiel's game, like a7b6 or a7b6*.

The first color is at the top and moves down. The first man on the other side's last row wins.
"""

import sys

SIZE = 8
COLUMNS = "abcdefgh"
WIN = 10_000
DEPTH = int(sys.argv[1]) if len(sys.argv) > 1 else 3

Board = list[str]  # rows from 1, as the game counts them
Step = tuple[int, int, int, int, bool]
"""Row and column from and to, and whether a man is taken."""


def first_board() -> Board:
    """Return the board at the start: b at the top, that is in rows 7 and 8."""
    return ["w" * SIZE, "w" * SIZE, *["." * SIZE] * (SIZE - 4), "b" * SIZE, "b" * SIZE]


def steps(board: Board, color: str) -> list[Step]:
    """Return the moves of a color, captures first."""
    forward = -1 if color == "b" else 1
    found = []
    for row, line in enumerate(board):
        for column, man in enumerate(line):
            to_row = row + forward
            if man != color or not 0 <= to_row < SIZE:
                continue
            for to in range(max(0, column - 1), min(SIZE, column + 2)):
                target = board[to_row][to]
                if target == "." or (target != color and to != column):
                    found.append((row, column, to_row, to, target != "."))
    return sorted(found, key=lambda step: not step[4])


def moved(board: Board, step: Step) -> Board:
    """Return the board after a move."""
    row, column, to_row, to, _ = step
    after = list(board)
    man = board[row][column]
    after[row] = f"{board[row][:column]}.{board[row][column + 1 :]}"
    after[to_row] = f"{after[to_row][:to]}{man}{after[to_row][to + 1 :]}"
    return after


def worth(board: Board, color: str) -> int:
    """Return the men and their progress, from a color's side."""
    total = 0
    for row, line in enumerate(board):
        total += line.count("w") * (10 + row) - line.count("b") * (10 + SIZE - 1 - row)
    return total if color == "w" else -total


def search(board: Board, color: str, depth: int, low: int, high: int) -> int:
    """Return the value of a position for the color to move."""
    other = "w" if color == "b" else "b"
    if other in (board[-1] if other == "w" else board[0]):
        return -WIN - depth
    if depth == 0:
        return worth(board, color)
    for step in steps(board, color):
        low = max(low, -search(moved(board, step), other, depth - 1, -high, -low))
        if low >= high:
            break
    return low


def best(board: Board, color: str) -> Step | None:
    """Return the best move, or None without a move."""
    other = "w" if color == "b" else "b"
    found, low = None, -2 * WIN
    for step in steps(board, color):
        value = -search(moved(board, step), other, DEPTH - 1, -2 * WIN, -low)
        if value > low:
            found, low = step, value
    return found


def named(step: Step) -> str:
    """Return a move as OpenSpiel writes it."""
    row, column, to_row, to, takes = step
    return f"{COLUMNS[column]}{row + 1}{COLUMNS[to]}{to_row + 1}{'*' if takes else ''}"


TEXTS = {
    "name": "breakthrough-python",
    "version": "1",
    "protocol_version": "2",
    "list_commands": "list_commands\nname\nversion\nprotocol_version\nclear_board\nplay\ngenmove",
}


def answer(board: Board, words: list[str]) -> tuple[str, Board]:
    """Return the answer to a command, with its mark, and the board after it."""
    command, *arguments = words
    color = arguments[0][0].lower() if arguments else ""
    if command in TEXTS:
        return f"={TEXTS[command]}", board
    if command == "clear_board":
        return "=", first_board()
    if command == "play" and len(arguments) == 2:
        text = arguments[1].rstrip("*")
        found = [step for step in steps(board, color) if named(step).rstrip("*") == text]
        return ("=", moved(board, found[0])) if found else ("?illegal move", board)
    if command == "genmove" and color:
        step = best(board, color)
        return ("=resign", board) if step is None else (f"={named(step)}", moved(board, step))
    return "?unknown command", board


def main() -> None:
    """Answer commands until `quit`."""
    board = first_board()
    for line in sys.stdin:
        words = line.split()
        number = words.pop(0) if words and words[0].isdecimal() else ""
        if not words:
            continue
        if words[0] == "quit":
            break
        said, board = answer(board, words)
        print(f"{said[0]}{number} {said[1:]}\n", flush=True)


main()
