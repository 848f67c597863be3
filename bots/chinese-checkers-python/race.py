"""Beam search for the best series of own moves, without regard to rivals.

A beam goes from the best positions after one move to the best after two, three ...
"""

from __future__ import annotations

from typing import NamedTuple

from racer import Racer
from star import Move

HOME = 1 << 30
WIDTH = 20  # Moves tried in a position.
BEAM = 20  # Positions after as many moves that are looked behind.
WEIGHT = 8  # Of a position, against those on the way to it: rather sooner than later.


class Node(NamedTuple):
    """A position and the moves to it."""

    rank: int
    total: int  # Of the scores on the way.
    key: int
    moves: tuple[Move, ...]
    is_home: bool


def race(racer: Racer, roots: list[Move], depth_max: int, work: int) -> tuple[Move, int]:
    """Return the best of the moves and the depth that was looked through completely."""
    start = Node(0, 0, racer.key, (), is_home=False)
    level = _sifted([_after(racer, start, move) for move in roots])
    depth = 1
    while depth < depth_max and not level[0].is_home:
        following = []
        for node in level[:BEAM]:
            following += _behind(racer, node)
            if racer.star.work >= work:
                return level[0].moves[0], depth
        if not following:
            break
        level = _sifted(following)
        depth += 1
    return level[0].moves[0], depth


def _behind(racer: Racer, node: Node) -> list[Node]:
    star, seat = racer.star, racer.seat
    for _, start, to in node.moves:
        star.move(seat, start, to)
    nodes = [_after(racer, node, move) for move in star.moves(seat, WIDTH)]
    for _, start, to in reversed(node.moves):
        star.move(seat, to, start)
    return nodes


def _after(racer: Racer, node: Node, move: Move) -> Node:
    star, seat = racer.star, racer.seat
    _, start, to = move
    key = racer.key_after(node.key, move)
    star.move(seat, start, to)
    is_home = star.is_home(seat)
    score = HOME if is_home else -racer.burden() - racer.malus(key)
    star.move(seat, to, start)
    rank = node.total + WEIGHT * score
    return Node(rank, node.total + score, key, (*node.moves, move), is_home)


def _sifted(nodes: list[Node]) -> list[Node]:
    """Return the nodes, best first, and each position once, by its best way."""
    nodes.sort(key=lambda node: -node.rank)
    once: dict[int, Node] = {}
    for node in nodes:
        once.setdefault(node.key, node)
    return list(once.values())
