"""Alpha-beta search with increasing depth, until a number of positions is used up."""

import random
from contextlib import suppress

from board import Board, Move, Position

WIN = 1_000_000  # minus one for each ply until the win
PROVED, LIMIT = WIN - 1000, WIN + 1
MAX_PLY = 100
MAX_PLAN = 8
MAX_CAPTURES = 12  # plies of captures beyond the depth
LATE = 4  # From this place on, slides are rarely good and first searched a ply less deep.
AT_MOST, EXACT, AT_LEAST = -1, 0, 1


class SpentError(Exception):
    """The number of positions is used up."""


class Search:
    """The search for one move; chance decides between equal ones."""

    def __init__(self, board: Board, max_nodes: int, chance: random.Random) -> None:
        self.board, self.max_nodes, self.chance = board, max_nodes, chance
        self.nodes = self.depth = self.score = self.ply = 0
        self.move = (0, 0)  # the best so far
        # By position: a depth, a bound, the score, the best move.
        self.known: dict[Position, tuple[int, int, int, Move]] = {}
        self.history: dict[Move, int] = {}  # how often a move caused a cutoff

    def run(self, position: Position, max_depth: int) -> Move:
        """Return a move; at least one must be legal."""
        moves = self.board.captures(position) or self.board.slides(position)
        self.chance.shuffle(moves)
        self.move = moves[0]
        with suppress(SpentError):
            while self.depth < max_depth and len(moves) > 1 and abs(self.score) < PROVED:
                self._order(moves, self.move)
                self.score, _ = self._best(position, moves, self.depth + 1, -LIMIT, LIMIT)
                self.depth += 1
        return self.move

    def plan(self, position: Position) -> list[Move]:
        """Return the moves expected from here: the best ones of the positions that are known."""
        moves: list[Move] = []
        while (entry := self.known.get(position)) and len(moves) < MAX_PLAN:
            moves.append(entry[3])
            position = self.board.after(position, entry[3])
        return moves

    def _score(self, position: Position, depth: int, alpha: int, beta: int) -> int:
        """Return the score: at depth 0 and below only captures, which are forced, are looked at."""
        self.nodes += 1
        if self.nodes > self.max_nodes:
            raise SpentError
        moves = self.board.captures(position)
        if (depth <= 0 and not moves) or depth <= -MAX_CAPTURES or self.ply >= MAX_PLY:
            _, _, _, worth = position
            own, enemy = self.board.count_slides(position)
            return worth + own - enemy if moves or own else self.ply - WIN
        entry = self.known.get(position)
        if entry and entry[0] >= depth:
            _, bound, score, _ = entry
            if bound == EXACT or (score >= beta if bound == AT_LEAST else score <= alpha):
                return score
        moves = moves or self.board.slides(position)
        if not moves:
            return self.ply - WIN
        self._order(moves, entry[3] if entry else None)
        is_forced = len(moves) == 1 and depth > 0  # costs no depth
        score, move = self._best(position, moves, depth + is_forced, alpha, beta)
        bound = AT_LEAST if score >= beta else AT_MOST if score <= alpha else EXACT
        self.known[position] = (depth, bound, score, move)
        return score

    def _order(self, moves: list[Move], first: Move | None) -> None:
        """Put the most promising moves first."""
        moves.sort(key=lambda move: -LIMIT if move == first else -self.history.get(move, 0))

    def _best(
        self, position: Position, moves: list[Move], depth: int, alpha: int, beta: int
    ) -> tuple[int, Move]:
        """Return the best score of the moves, and its move."""
        best, best_move = -LIMIT, moves[0]
        has_late = depth >= 3 and not self.board.is_capture(best_move)
        self.ply += 1
        for place, move in enumerate(moves):
            after = self.board.after(position, move)
            is_late = has_late and place >= LATE
            score = -self._score(after, depth - 1 - is_late, -beta, -alpha)
            if is_late and score > alpha:
                score = -self._score(after, depth - 1, -beta, -alpha)
            if score > best:
                best, best_move = score, move
                if self.ply == 1:
                    self.move = move
            if score >= beta:
                self.history[move] = self.history.get(move, 0) + depth * depth
                break
            alpha = max(alpha, score)
        self.ply -= 1
        return best, best_move
