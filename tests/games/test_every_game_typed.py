"""The moves of every game as a person types them: as they are written, and with spaces."""

import random
import re

from every_game import Case, every_game, playout

from arena.people.typed_moves import read_move


@every_game
def test_every_legal_move_is_read_as_written_and_with_spaces(case: Case) -> None:
    chance = random.Random(3)
    for state, move in playout(case, 1):
        if move is None:
            continue
        notation = case.game.notation(move)
        assert read_move(case.game, state, notation) == move
        if chance.random() < 0.3:
            loose = re.sub(r"(?<=\w)[,:>x-](?=\w)", " ", notation)
            assert read_move(case.game, state, loose.replace(",", " ")) == move
