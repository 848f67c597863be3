"""What every game must keep to where its moves, claims, views and records leave the rules."""

import json
import random
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import msgpack
from every_game import LONGEST, SEEDS, Case, every_game, playout, some_positions, steps
from fakes import RESIGN, FakeBot, Played, Step, play, played

from protocol.codec import decode, encode_fields, packed, packed_list
from protocol.messages import LEGAL_LIMIT_BYTES, Display, Message, Move, parse
from protocol.vocabulary import Termination
from referee.border import Border
from referee.job import Job
from referee.job import Player as Entry
from referee.match import LEGAL_LIMIT
from referee.options import game_options, make_game
from referee.replay import verify


def over_the_wire(value: Any) -> Any:
    """Return the value as carried by a bot's message."""
    return decode(msgpack.packb({"v": value}), limit=2**20)["v"]


def on_wire(value: Any) -> Any:
    """Return a view or a move as decoded."""
    if isinstance(value, dict):
        return {key: on_wire(item) for key, item in value.items()}
    return tuple(on_wire(item) for item in value) if isinstance(value, list | tuple) else value


@every_game
def test_moves_and_true_claims_survive_the_wire(case: Case) -> None:
    border = Border(case.game)
    for before, move, after in steps(case):
        reply: dict[str, Any] = {"type": "play", "id": 1, "move": border.wire_move(move)}
        truth = case.game.claims(before, move, after)
        if case.game.claims_type is None:
            assert truth is None
        else:
            reply["claims"] = border.wire_claims(truth)
            assert len(reply["claims"]) == len(fields(case.game.claims_type))
        said = parse(border.play_model, decode(msgpack.packb(reply)))
        assert said.move is not None
        assert border.move(said.move) == move
        assert border.read_move(json.loads(json.dumps(border.wire_move(move)))) == move
        if truth is not None:
            assert said.claims is not None
            assert border.claims(said.claims) == truth


@every_game
def test_the_true_claim_is_accepted(case: Case) -> None:
    if case.game.claims_type is None:
        assert case.game.normal_claims(None) is None
        return
    nothing = case.game.claims_type()
    assert case.game.normal_claims(nothing) == nothing
    for before, move, after in steps(case):
        truth = case.game.claims(before, move, after)
        assert case.game.normal_claims(truth) == truth


def assert_is_clean(value: Any) -> None:
    """Check that a value is allowed in a message."""
    if isinstance(value, dict):
        assert value
        assert all(type(key) is str for key in value)
        for item in value.values():
            assert_is_clean(item)
    elif isinstance(value, list | tuple):
        for item in value:
            assert_is_clean(item)
    else:
        assert value is None or type(value) in (bool, int, str)
        assert type(value) is not int or abs(value) <= 2**53


@every_game
def test_a_view_can_be_sent_and_says_whose_turn_it_is(case: Case) -> None:
    for seed in SEEDS:
        for ply, (state, _) in enumerate(playout(case, seed)):
            view = case.game.view(state, 0)
            assert_is_clean(view)
            assert (view["turn"], view["ply"]) == (case.game.turn(state), ply)
            assert over_the_wire(view) == on_wire(view)
            # nothing is hidden in these games: every seat sees the same
            assert all(case.game.view(state, seat) == view for seat in range(case.seats))


@every_game
def test_the_legal_moves_can_be_sent(case: Case) -> None:
    border = Border(case.game)
    for state in some_positions(case):
        game_moves = list(case.game.legal(state))
        moves = [border.wire_move(move) for move in game_moves]
        assert_is_clean(moves)
        assert len(moves) < LEGAL_LIMIT
        assert len(packed(moves)) < LEGAL_LIMIT_BYTES
        fields_of_call = {"type": "move", "id": 1, "ply": 0, "opponent_moves": (), "legal": moves}
        assert parse(Move, on_wire(fields_of_call)).legal == on_wire(moves)
        spliced = {**fields_of_call, "legal": packed_list(border.packed_moves(game_moves))}
        assert encode_fields(spliced) == encode_fields(fields_of_call)


@every_game
def test_options_can_be_sent_and_make_the_game_again(case: Case) -> None:
    options = Border(case.game).wire_options()

    assert options
    assert_is_clean(options)
    assert make_game(case.game.name, json.loads(json.dumps(game_options(case.game)))) == case.game


class Knowing(FakeBot):
    """A bot that makes given moves with true claims, and shows the right board when asked."""

    def __init__(self, case: Case, made: list[tuple[Any, Any, Any]], seat: int) -> None:
        super().__init__(wants=())
        border, game = Border(case.game), case.game
        own = [step for step in made if game.turn(step[0]) == seat]
        self._plays: Iterator[Step] = iter(
            [
                play(border.wire_move(move), **_claims(border, game.claims(before, move, after)))
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


def _claims(border: Border, truth: Any) -> dict[str, Any]:
    return {} if truth is None else {"claims": border.wire_claims(truth)}


class Random(FakeBot):
    """A bot that resigns after a number of random moves."""

    def __init__(self, seed: int, until: int) -> None:
        super().__init__(wants=("legal", "view"))
        self._chance = random.Random(seed)
        self._left = until

    def answer(self, call: Message) -> Step:
        if not isinstance(call, Move):
            return super().answer(call)
        self._left -= 1
        return play(self._chance.choice(call.legal or ())) if self._left >= 0 else RESIGN


def match_of(case: Case, bots: list[FakeBot], seed: int, **others: Any) -> Played:
    entries = tuple(
        Entry(name=f"bot{seat}", argv=("bot",), folder=".", content="-")
        for seat in range(case.seats)
    )
    job = Job(
        key="random",
        game=case.game.name,
        options={**game_options(case.game), **others.pop("options", {})},
        players=entries,
        seed=seed,
        board_seed=seed,
        max_plies=LONGEST,
        **others,
    )
    return played(job, bots)


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
    calm = {"options": {"display": "off"}} if can_show else {}
    for seed in SEEDS:
        bots: list[FakeBot] = [Random(seed + seat, 3 + seat) for seat in range(case.seats)]

        match = match_of(case, bots, seed, **calm)

        assert match.verdict.faults == ()
        assert match.verdict.termination is not Termination.VOID
        verify(match.record)
