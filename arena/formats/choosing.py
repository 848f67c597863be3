"""From the config of an event to its format."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import Any

from arena.config.formats import BY_RESULTS
from arena.formats.encounters import Terms
from arena.formats.format import Format
from arena.formats.knockout import Knockout
from arena.formats.ladder import Ladder
from arena.formats.swiss import Swiss
from arena.schedule.openings import DrawnOpenings
from arena.schedule.pairing import gauntlet, round_robin, solo
from referee.catalog import AnyGame
from referee.options import make_game


def format_of(form: Mapping[str, Any], names: Sequence[str], seed: int) -> Format:
    """Return the format of a canonical config: a pure function of it, the players and the seed.

    `names` are the players that take part, in the order of the config.
    """
    options = {key: value for key, value in form["game"].items() if key != "name"}
    game = make_game(form["game"]["name"], options)
    variants = tuple(label for label, _ in game.variants())
    if form["format"] in BY_RESULTS:
        return _format_by_results(form, names, game, seed)
    if form["format"] == "solo":
        return solo(names, repeat=form["repeat"] or 1, boards=form["boards"], variants=variants)
    if form["format"] == "gauntlet":
        return gauntlet(
            names,
            [name for name in form["challengers"] or names[:1] if name in names],
            seats=form["seats"],
            repeat=form["repeat"],
            boards=form["boards"],
            variants=variants,
            seat_orders=form["seat_orders"],
        )
    return round_robin(
        names,
        seats=form["seats"],
        repeat=form["repeat"] if form["matches"] is None else None,
        boards=form["boards"],
        variants=variants,
        seat_orders=form["seat_orders"],
        matches=form["matches"],
        seed=seed,
    )


def players_of(form: Mapping[str, Any], entrants: Collection[str]) -> list[str]:
    """Return the players of an event that was begun, in the order of its config."""
    return [bot["name"] for bot in form["bots"] if bot["name"] in entrants]


def _format_by_results(
    form: Mapping[str, Any], names: Sequence[str], game: AnyGame, seed: int
) -> Format:
    variants = tuple(label for label, _ in game.variants())
    terms = Terms(form["repeat"] or 2, form["boards"], variants)
    if form["format"] == "swiss":
        return Swiss(names, form["rounds"], terms)
    if form["format"] == "knockout":
        seeding = [name for name in form["seeding"] or names if name in names]
        return Knockout(seeding, terms, form["tie_breaks"])
    return Ladder(
        names,
        certainty=form["certainty"],
        matches=form["matches"],
        terms=Terms(terms.repeat, 1, variants),
        has_board=_boards_of(form["openings"] or {}, game, seed),
    )


def _boards_of(openings: Mapping[str, Any], game: AnyGame, seed: int) -> Callable[[int], bool]:
    """Return what knows which boards differ from all before: files and small games have an end."""
    variants = dict(game.variants())
    if lines := openings.get("file"):
        return range(len(lines)).__contains__
    drawn = DrawnOpenings(variants, openings.get("random_plies") or 0, seed)

    @cache
    def has_board(board: int) -> bool:
        return not openings or all(drawn.has(board, variant, 2) for variant in variants)

    return has_board
