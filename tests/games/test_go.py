"""Go: captures, ko and superko, the end and its scores, handicaps; and a slow Go beside it."""

import random
from typing import Any

import pytest

from referee.games.go import Go, Move, State
from referee.options import make_game
from referee.rules import IllegalMoveError, NotationError, OptionError
from referee.rules.stones import Boards


def played(game: Go, moves: str) -> State:
    state = game.start(2, 0)
    for text in moves.split():
        state = game.apply(state, game.parse(text))
    return state


def rows(game: Go, state: State) -> list[str]:
    found = game.view(state, 0)["board"]
    assert isinstance(found, list)
    return [str(row) for row in found]


def test_a_stone_takes_the_groups_that_it_leaves_without_a_liberty() -> None:
    game = Go(size=5)
    state = played(game, "B1 A1 B2 A2 A3")

    assert rows(game, state) == [".....", ".....", "X....", ".X...", ".X..."]
    assert state.taken == (2, 0)


def test_suicide_takes_the_own_group_if_it_is_allowed() -> None:
    for allowed in (False, True):
        game = Go(size=5, suicide=allowed)
        state = played(game, "A1 B1 pass B2 pass A3")
        move = Move("A2")
        assert (move in set(game.legal(state))) is allowed
        if allowed:
            after = game.apply(state, move)
            assert (after.taken, rows(game, after)[3:]) == ((0, 2), [".O...", ".O..."])


def test_suicide_of_a_single_stone_leaves_the_board_as_it_was() -> None:
    game = Go(size=5, suicide=True)
    state = played(game, "pass B1 C3 A2")

    with pytest.raises(IllegalMoveError, match="positional superko"):
        game.apply(state, Move("A1"))


def test_suicide_of_a_single_stone_is_no_pass_with_the_simple_ko() -> None:
    game = Go(size=5, suicide=True, ko="simple")
    state = played(game, "pass B1 C3 A2")

    assert Move("A1") not in set(game.legal(state))
    with pytest.raises(IllegalMoveError, match="as before this move or the opponent's last"):
        game.apply(state, Move("A1"))


def test_a_refusal_of_an_unknown_point_stays_on_one_line() -> None:
    game = Go(size=5)
    with pytest.raises(IllegalMoveError, match=r"^'A1\\nB2': not a point of this board") as refusal:
        game.apply(game.start(2, 0), Move("A1\nB2"))
    assert str(refusal.value).isprintable()


KO = "B1 C1 A2 D2 B3 C3 C2 B2"  # White has taken C2 back from B2's side


@pytest.mark.parametrize("ko", ["positional", "situational", "simple"])
def test_a_ko_is_not_taken_back_at_once(ko: Any) -> None:
    game = Go(size=5, ko=ko)
    state = played(game, KO)
    assert state.taken == (0, 1)

    with pytest.raises(IllegalMoveError, match="ko"):
        game.apply(state, Move("C2"))
    assert Move("C2") not in set(game.legal(state))
    later = game.apply(game.apply(game.apply(state, Move("E5")), Move("E4")), Move("C2"))
    assert later.taken == (1, 1)


LAST_BUT_ONE = "C3 pass C5 A2 B5 E1 D5 D2 C2 E4 D3 B3 C4 A4 B4 A5 A3"
"""White A4 would restore a board, but Black was to move on it then, and is not now."""


def test_positional_superko_forbids_a_board_that_situational_allows() -> None:
    state = played(Go(size=5), LAST_BUT_ONE)
    with pytest.raises(IllegalMoveError, match="A4: positional superko"):
        Go(size=5).apply(state, Move("A4"))

    situational = Go(size=5, ko="situational")
    assert situational.apply(played(situational, LAST_BUT_ONE), Move("A4")).ply == 18


CAPTURE = (
    "A1 A3 C1 A5 B2 B4 B3 H1 E1 G1 F2 F1 G2 J2 H2 pass J1 H1 pass A2 pass B1 pass A1 A4 A3 pass B1"
    " pass G1 pass F1"
)
"""Black A1 takes B1, has a liberty at A2, and restores the board after Black's first J1 and H1."""


@pytest.mark.parametrize("ko", ["positional", "situational", "simple"])
def test_a_capturing_stone_with_a_liberty_can_repeat_a_board(ko: Any) -> None:
    game = Go(size=9, ko=ko)
    state = played(game, CAPTURE)

    accepted = {move for move in game.choices(state)[0] if is_accepted(game, state, move)}

    assert set(game.legal(state)) == accepted
    assert (Move("A1") in accepted) is (ko == "simple")


@pytest.mark.parametrize("ko", ["positional", "situational"])
def test_legal_is_what_apply_accepts_whatever_boards_were_before(ko: Any) -> None:
    chance = random.Random(8)
    game = Go(size=6, ko=ko)
    forbidden = 0
    for seed in range(6):
        state = game.start(2, seed)
        for _ in range(40):
            legal = list(game.legal(state))
            if not legal:
                break
            earlier = game.apply(state, chance.choice(legal))
            fuller = max(state.most, earlier.most)
            known = state._replace(seen=earlier.seen, most=fuller)
            accepted = {move for move in game.choices(known)[0] if is_accepted(game, known, move)}
            assert set(game.legal(known)) == accepted
            forbidden += accepted != set(legal)
            state = game.apply(state, chance.choice(legal))
    assert forbidden > 20


def is_accepted(game: Go, state: State, move: Move) -> bool:
    try:
        game.apply(state, move)
    except IllegalMoveError:
        return False
    return True


@pytest.mark.parametrize("ko", ["positional", "situational"])
def test_random_games_are_those_of_a_slow_go(ko: Any) -> None:
    chance = random.Random(5)
    game, slow = Go(size=5, ko=ko, suicide=True), Slow(ko)
    state, twin = game.start(2, 0), slow.first()
    repeated = 0
    for _ in range(80):
        legal = {move.at for move in game.legal(state)}
        assert legal == slow.legal(twin)
        repeated += len(slow.empty(twin) - legal)
        at = chance.choice(sorted(legal - {"pass"}) or ["pass"])
        state, twin = game.apply(state, Move(at)), slow.apply(twin, at)
        if state.ended:
            break
    assert repeated > 0


class Slow:
    """Go as one would write it first: a dict of points, and all boards in a list."""

    def __init__(self, ko: str) -> None:
        self.points = {f"{c}{r}": (c, r) for c in "ABCDE" for r in range(1, 6)}
        self.names = {point: name for name, point in self.points.items()}
        self.ko = ko

    def first(self) -> tuple[Any, ...]:
        return {}, 0, [({}, 0)]

    def empty(self, twin: tuple[Any, ...]) -> set[str]:
        return set(self.points) - set(twin[0])

    def legal(self, twin: tuple[Any, ...]) -> set[str]:
        return {
            "pass",
            *(at for at in self.empty(twin) if not self.is_repeated(twin, at)),
        }

    def is_repeated(self, twin: tuple[Any, ...], at: str) -> bool:
        board = self.placed(twin, at)
        return any(
            board == old and (self.ko == "positional" or turn == 1 - twin[1])
            for old, turn in twin[2]
        )

    def apply(self, twin: tuple[Any, ...], at: str) -> tuple[Any, ...]:
        board = twin[0] if at == "pass" else self.placed(twin, at)
        return board, 1 - twin[1], [*twin[2], (board, 1 - twin[1])]

    def placed(self, twin: tuple[Any, ...], at: str) -> dict[str, int]:
        turn = twin[1]
        board = {**twin[0], at: turn}
        for color in (1 - turn, turn):
            for start in [point for point, owner in board.items() if owner == color]:
                if start in board and not self.lives(board, start):
                    for dead in self.group(board, start):
                        del board[dead]
        return board

    def around(self, at: str) -> list[str]:
        column, row = self.points[at]
        near = [(chr(ord(column) + d), row) for d in (1, -1)] + [(column, row + d) for d in (1, -1)]
        return [self.names[point] for point in near if point in self.names]

    def group(self, board: dict[str, int], start: str) -> set[str]:
        found, left = {start}, [start]
        while left:
            for near in self.around(left.pop()):
                if near not in found and board.get(near) == board[start]:
                    found.add(near)
                    left.append(near)
        return found

    def lives(self, board: dict[str, int], start: str) -> bool:
        return any(near not in board for at in self.group(board, start) for near in self.around(at))


LONG = (
    "D4 D1 A1 C3 B2 pass B1 E3 B5 B4 D3 C4 C2 pass E5 A5 D2 E4 A3 C5 A2 A4 D5 E2 B3 pass E1 pass"
    " E4 E2 pass E3"
)
"""White has sent two stones, Black has taken them, and E1 takes Black's stone back."""


def test_a_board_that_comes_up_again_with_simple_ko_is_a_draw() -> None:
    game = Go(size=5, ko="simple")
    state = played(game, LONG)
    after = game.apply(state, Move("E1"))

    assert after.ended is not None
    assert (after.ended.reason, after.ended.points) == ("the board came up again", (1, 1))
    assert Move("E1") in set(game.legal(state))
    situational = Go(size=5, ko="situational")
    before = played(situational, LONG)
    with pytest.raises(IllegalMoveError, match="E1: situational superko"):
        situational.apply(before, Move("E1"))


def test_so_is_one_that_comes_up_again_by_a_pass() -> None:
    game = Go(size=5, ko="simple", suicide=True)

    state = played(game, "pass B1 pass B2 pass A3 A1 pass A2 pass")

    assert state.ended
    assert state.ended.reason == "the board came up again"


END = "C1 D1 C2 D2 C3 D3 C4 D4 C5 D5 pass"
"""Black has ten or fifteen points at the left of a board of 5 x 5, White ten at the right."""


@pytest.mark.parametrize(
    ("options", "moves", "points", "reason"),
    [
        ({"komi": 0.5}, END, (2, 0), "Black wins by 4.5"),
        ({"komi": 5}, END, (1, 1), "equal scores"),
        ({"komi": 7.5}, END, (0, 2), "White wins by 2.5"),
        ({"komi": -2}, END, (2, 0), "Black wins by 7"),
        ({"komi": 0, "scoring": "territory"}, END, (2, 0), "Black wins by 5"),
        ({"komi": 0}, END.replace("pass", "E1"), (2, 0), "Black wins by 11"),
        ({"komi": 0}, "pass", (1, 1), "equal scores"),
        ({"komi": 0.5}, "C3", (2, 0), "Black wins by 24.5"),
    ],
)
def test_two_passes_end_the_game_with_the_score(
    options: dict[str, Any], moves: str, points: tuple[int, int], reason: str
) -> None:
    game = make_game("go", {"size": 5, **options})
    assert isinstance(game, Go)
    moves = moves if moves.endswith("pass") else f"{moves} pass"
    after = game.apply(played(game, moves), Move("pass"))

    assert after.ended is not None
    assert (after.ended.points, after.ended.reason) == (points, reason)
    assert after.ended.places == {(2, 0): (1, 2), (1, 1): (1, 1), (0, 2): (2, 1)}[points]
    assert list(game.legal(after)) == []


def test_territory_counts_captured_stones_and_no_stones_on_the_board() -> None:
    game = Go(size=5, scoring="territory", komi=0)
    state = played(game, "B1 A1 B2 A2 A3 pass pass")

    assert state.ended is not None
    assert state.ended.reason == "Black wins by 24"  # 22 empty points and two captured stones


def test_a_stopped_game_is_scored_as_it_stands() -> None:
    game = Go(size=5, komi=0.5)
    outcome = game.adjudicate(played(game, "C3"), "stopped after 1 ply")

    assert (outcome.points, outcome.reason) == ((2, 0), "stopped after 1 ply")


@pytest.mark.parametrize(
    ("size", "handicap", "stones"),
    [
        (19, 2, {"D4", "Q16"}),
        (19, 3, {"D4", "Q16", "D16"}),
        (19, 5, {"D4", "Q16", "D16", "Q4", "K10"}),
        (13, 8, {"D4", "K10", "D10", "K4", "D7", "K7", "G4", "G10"}),
        (9, 9, {"C3", "G7", "C7", "G3", "C5", "G5", "E3", "E7", "E5"}),
        (8, 4, {"C3", "F6", "C6", "F3"}),
    ],
)
def test_handicap_stones_stand_as_gtp_has_them_and_white_begins(
    size: int, handicap: int, stones: set[str]
) -> None:
    game = Go(size=size, handicap=handicap)
    state = game.start(2, 0)
    names = game.layout(2).names

    assert {names[place] for place in game.pieces(state, None)} == stones
    assert game.turn(state) == 1
    assert {piece.seat for piece in game.pieces(state, None).values()} == {0}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"handicap": 1}, "0 or 2 to 9"),
        ({"size": 7, "handicap": 5}, "0 or 2 to 4 on a board of size 7, not 5"),
        ({"size": 10, "handicap": 5}, "0 or 2 to 4 on a board of size 10, not 5"),
        ({"size": 6, "handicap": 2}, "must be 0 on a board of size 6"),
        ({"komi": 0.25}, "a multiple of 0.5, not 0.25"),
        ({"komi": 1e308}, "361"),
        ({"komi": float("nan")}, "komi"),
        ({"size": 0}, "5"),
        ({"size": 26}, "19"),
        ({"size": 9.0}, "size"),
    ],
)
def test_options_that_are_no_game_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        make_game("go", options)


@pytest.mark.parametrize("at", ["I5", "T1", "K10", "A0", "d4", "D04", "PASS", "", "D4 ", "resign"])
def test_other_texts_are_no_points(at: str) -> None:
    game = Go(size=9)
    with pytest.raises(IllegalMoveError, match="they are A1 to J9"):
        game.apply(game.start(2, 0), Move(at))


def test_notation_is_read_in_any_case() -> None:
    assert Go().parse(" d4") == Move("D4")
    assert Go().parse("Pass") == Move("pass")
    for text in ("I5", "D20", "D0", "4D", "resign"):
        with pytest.raises(NotationError, match='like "D4"'):
            Go().parse(text)


def test_positions_of_a_long_game_share_the_boards_seen() -> None:
    seen, kept = Boards(), []
    for board in range(3000):
        seen = seen.plus(board).plus(board // 2)
        kept.append(seen)

    assert all(board in seen for board in range(3000))
    assert 3000 not in seen
    assert 1000 not in kept[999]
    assert 999 in kept[999]
    parts = {id(part): len(part) for each in kept for part in each.parts}
    assert sum(parts.values()) < 20 * len(kept)
    assert max(len(each.parts) for each in kept) < 14
