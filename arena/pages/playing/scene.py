"""The view of a person in a seat of a running match, as plain values for a page."""

from itertools import islice
from typing import Any

from arena.pages.scenes import Palette
from arena.people.person import PersonScene
from protocol.vocabulary import Seat
from protocol.wording import escaped
from referee.catalog import AnyGame
from referee.rules.layout import Place

MAX_MOVES = 20_000
"""Limit of legal moves in a message; of more, the page receives only the first clicks."""

Choice = tuple[str, tuple[Place, ...]]
"""A legal move: its notation, and the places to click for it."""


def scene_page(scene: PersonScene, palette: Palette) -> dict[str, Any]:
    """Return the position as the person's seat sees it; the palette grows by new pieces."""
    game, state = scene.game, scene.state
    is_over = scene.is_over or game.outcome(state) is not None
    turn = game.turn(state)
    has_board = game.layout(len(scene.names)) is not None
    pieces = palette.kinds(game.pieces(state, scene.seat)) if has_board else {}
    is_own = turn == scene.seat and not is_over
    return {
        "turn": turn,
        "is_over": is_over,
        "ply": scene.ply,
        "news": [escaped(text) for text in scene.news],
        "pieces": sorted(pieces.items()),
        "palette": palette.to_json(),
        "diagram": "" if has_board else game.diagram(state, scene.seat),
        "caption": game.caption(state, scene.seat),
        "marks": list(scene.places),
        "task": game.task(state) if is_own else "",
        **({"first": []} | (legal_page(game, state) if is_own else {"moves": []})),
        "labels": _labels(game, state, scene.seat) if is_own else {},
    }


def legal_page(game: AnyGame, state: Any) -> dict[str, Any]:
    """Return the legal moves, or of too many only the places of their first clicks."""
    moves: list[Choice] = []
    first: set[Place] = set()
    for move in game.legal(state):
        clicks = tuple(game.gesture_in(state, move))
        first.update(clicks[:1])
        if len(moves) <= MAX_MOVES:
            moves.append((game.notation(move), clicks))
    return {"moves": [], "first": sorted(first)} if len(moves) > MAX_MOVES else {"moves": moves}


def _labels(game: AnyGame, state: Any, seat: Seat) -> dict[str, str]:
    """Return the words of the moves that notation and places do not explain.

    They are those of the game, or the piece that a move leaves on the last of shared places.
    """
    words = {}
    by_places: dict[tuple[Place, ...], list[Any]] = {}
    for move in islice(game.legal(state), MAX_MOVES):
        if meaning := game.meaning(state, move):
            words[game.notation(move)] = meaning
        else:
            by_places.setdefault(tuple(game.gesture_in(state, move)), []).append(move)
    if game.has_hidden_information:
        return words  # the position after a move would tell more than the seat knows
    for places, moves in by_places.items():
        if not places or len(moves) == 1:
            continue
        for move in moves:
            if piece := game.pieces(game.apply(state, move), seat).get(places[-1]):
                words[game.notation(move)] = f"{piece.text} {piece.name}".strip()
    return words


def moves_from(game: AnyGame, state: Any, first: Place) -> list[Choice]:
    """Return the legal moves whose first click is a given place, at most MAX_MOVES."""
    gestures = ((move, tuple(game.gesture_in(state, move))) for move in game.legal(state))
    found = ((game.notation(move), clicks) for move, clicks in gestures if clicks[:1] == (first,))
    return list(islice(found, MAX_MOVES))
