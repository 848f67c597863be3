"""What every game must keep to where its moves, claims, views and records leave the rules."""

from collections.abc import Iterator
from typing import Any

from every_game import SEEDS, Case, every_game, some_positions, steps
from fakes import FakeBot, Step, play
from random_bots import Random, match_of
from verifying import verify

from protocol.codec import PackedFields, encode_call, packed, packed_list
from protocol.messages import Display, Message, Move, parse
from protocol.vocabulary import Termination
from referee.move_codec import MoveCodec
from referee.options import game_options
from referee.play.move_cache import MoveCache


def on_wire(value: Any) -> Any:
    """Return a view or a move as decoded."""
    if isinstance(value, dict):
        return {key: on_wire(item) for key, item in value.items()}
    return tuple(on_wire(item) for item in value) if isinstance(value, list | tuple) else value


@every_game
def test_nothing_is_hidden_in_the_games_of_the_project(case: Case) -> None:
    for state in some_positions(case):
        views = [case.game.view(state, seat) for seat in range(case.seats)]
        assert all(view == views[0] for view in views)


@every_game
def test_legal_moves_are_spliced_into_a_message_as_they_are_packed(case: Case) -> None:
    codec = MoveCodec(case.game)
    for state in some_positions(case):
        game_moves = list(case.game.legal(state))
        moves = [codec.wire_move(move) for move in game_moves]
        fields = {"ply": 0, "opponent_moves": (), "legal": moves}
        assert parse(Move, on_wire({"type": "move", "id": 1, **fields})).legal == on_wire(moves)
        start = map(packed, ("ply", 0, "opponent_moves", (), "legal"))
        spliced = PackedFields([*start, packed_list(MoveCache(codec).packed_moves(game_moves))])
        assert encode_call("move", 1, spliced) == encode_call("move", 1, fields)


class Knowing(FakeBot):
    """A bot that makes given moves with true claims, and shows the right board when asked."""

    def __init__(self, case: Case, made: list[tuple[Any, Any, Any]], seat: int) -> None:
        super().__init__(wants=())
        codec, game = MoveCodec(case.game), case.game
        own = [step for step in made if game.turn(step[0]) == seat]
        self._plays: Iterator[Step] = iter(
            [
                play(codec.wire_move(move), **_claims(codec, game.claims(before, move, after)))
                for before, move, after in own
            ]
        )
        self._boards = iter(
            [
                list(game.picture(state))
                for state in (*(step[0] for step in own), *(step[2] for step in own[-1:]))
                if game.is_display_due(state)
            ]
        )

    def answer(self, call: Message) -> Step:
        if isinstance(call, Move):
            return next(self._plays)
        if isinstance(call, Display):
            return {"type": "picture", "board": next(self._boards)}
        return super().answer(call)


def _claims(codec: MoveCodec, truth: Any) -> dict[str, Any]:
    return {} if truth is None else {"claims": codec.wire_claims(truth)}


@every_game
def test_true_claims_of_every_move_are_accepted_if_required(case: Case) -> None:
    for seed in SEEDS:
        made = list(steps(case, seed))
        bots: list[FakeBot] = [Knowing(case, made, seat) for seat in range(case.seats)]

        match = match_of(case, bots, seed, claims="required")

        assert match.verdict.faults == ()
        assert sum(call.move is not None for call in match.calls) == len(made)
        verify(match.record)


@every_game
def test_a_random_match_can_be_played_again_from_its_record(case: Case) -> None:
    can_show = any("display" in name for name in game_options(case.game))
    calm: dict[str, Any] = {"options": {"display": "off"}} if can_show else {}
    for seed in SEEDS:
        bots: list[FakeBot] = [Random(seed + seat, 3 + seat) for seat in range(case.seats)]

        match = match_of(case, bots, seed, **calm)

        assert match.verdict.faults == ()
        assert match.verdict.termination is not Termination.VOID
        verify(match.record)
