"""Engines of Debian play whole matches behind their bridges."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from c_programs import missing
from router_seat import BOTS
from waiting import PATIENCE_S

from arena.bots.manifest import read_manifest
from arena.bots.prepare import prepare
from arena.errors import MissingToolchainError
from referee.job import SECOND_NS, Job, TimeControl
from referee.records.record import Record
from referee.service.slot import Slot

TIME = TimeControl(
    start_ns=PATIENCE_S * SECOND_NS,
    init_ns=PATIENCE_S * SECOND_NS,
    per_move_ns=PATIENCE_S * SECOND_NS,
    term_ns=PATIENCE_S * SECOND_NS,
)


@pytest.fixture(scope="module")
def slot() -> Iterator[Slot]:
    slot = Slot(None)
    yield slot
    slot.close()


def play(
    slot: Slot,
    folder: Path,
    game: str,
    *bots: str,
    options: dict[str, Any] | None = None,
    most: int = 60,
) -> Record:
    """Play a match of engines, each given by its bot.yaml."""
    players = []
    for number, manifest in enumerate(bots):
        place = folder / str(number)
        place.mkdir()
        (place / "bot.yaml").write_text(manifest)
        try:
            prepared = prepare(read_manifest(place / "bot.yaml"), folder / "cache")
        except MissingToolchainError as error:
            missing(f"engine: {error.detail}")
        players.append(prepared.player(f"engine {number}"))
    job = Job(
        key="a match",
        game=game,
        options=options or {},
        players=tuple(players),
        seed=1,
        board_seed=1,
        time=TIME,
        max_plies=most,
    )
    return slot.play(job)


def check(record: Record) -> None:
    """Assert that nobody failed and that the engines spoke about their moves."""
    assert not record.verdict.faults, (record.verdict, [s.output_tail for s in record.seats])
    moves = [call for call in record.calls if call.call == "move"]
    assert len(moves) > 8
    assert sum(call.value is not None for call in moves) > len(moves) / 2
    assert any(call.plan for call in moves) or record.job.game == "open_spiel/xiangqi"


def test_stockfish_meets_gnu_chess(slot: Slot, tmp_path: Path) -> None:
    one = "protocol: uci\nrun: [stockfish]\noptions: {Hash: 4, Use NNUE: false}\ngo: nodes 200\n"
    two = "protocol: uci\nrun: [gnuchess, --uci]\noptions: {OwnBook: false}\ngo: depth 1\n"

    check(play(slot, tmp_path, "chess", one, two))


def test_ethereal_meets_toga(slot: Slot, tmp_path: Path) -> None:
    one = "protocol: uci\nrun: [ethereal-chess]\noptions: {Hash: 4}\ngo: nodes 500\n"
    two = "protocol: uci\nrun: [toga2]\noptions: {Hash: 4, OwnBook: false}\ngo: depth 3\n"

    check(play(slot, tmp_path, "chess", one, two))


def test_glaurung_meets_sjaak(slot: Slot, tmp_path: Path) -> None:
    one = "protocol: uci\nrun: [glaurung]\noptions: {Hash: 4, OwnBook: false}\ngo: depth 4\n"
    two = "protocol: uci\nrun: [sjaakii]\noptions: {Hash: 4}\ngo: depth 3\n"

    check(play(slot, tmp_path, "chess", one, two))


def test_engines_of_xboard(slot: Slot, tmp_path: Path) -> None:
    one = "protocol: cecp\nrun: [hoichess, -x]\ngo: depth 3\n"
    two = "protocol: cecp\nrun: [fairymax]\ngo: depth 3\n"
    record = play(slot, tmp_path, "chess", one, two)

    assert not record.verdict.faults, (record.verdict, [s.output_tail for s in record.seats])
    assert record.plies > 8
    assert any(call.value is not None for call in record.calls)


def test_chess960_with_castling(slot: Slot, tmp_path: Path) -> None:
    one = "protocol: uci\nrun: [stockfish]\noptions: {Hash: 4, Use NNUE: false}\ngo: nodes 200\n"
    two = "protocol: uci\nrun: [fairy-stockfish]\noptions: {Hash: 4}\ngo: nodes 200\n"

    check(play(slot, tmp_path, "chess", one, two, options={"chess960": True}))


@pytest.mark.parametrize(("dialect", "game"), [("usi", "shogi"), ("ucci", "xiangqi")])
def test_the_chess_of_other_countries(slot: Slot, tmp_path: Path, dialect: str, game: str) -> None:
    manifest = f"protocol: {dialect}\nrun: [fairy-stockfish]\ngo: depth 1\n"

    check(play(slot, tmp_path, f"open_spiel/{game}", manifest, manifest))


GNUGO = "--level, '1', --max-level, '1', --chinese-rules, --capture-all-dead, --never-resign"


def test_gnu_go_plays_to_the_end(slot: Slot, tmp_path: Path) -> None:
    manifest = f"protocol: gtp\ngames: [go]\nrun: [gnugo, --mode, gtp, {GNUGO}]\n"
    record = play(slot, tmp_path, "go", manifest, manifest, options={"size": 5, "komi": 0.5})

    assert not record.verdict.faults, (record.verdict, [s.output_tail for s in record.seats])
    assert record.verdict.reason == "Black wins by 24.5"  # as is known of this board


def test_grhino_plays_othello_to_the_end(slot: Slot, tmp_path: Path) -> None:
    manifest = "protocol: gtp\ngames: [open_spiel/othello]\nrun: [gtp-rhino]\n"
    longest = 2 * 60  # a side may pass before each of the 60 men
    record = play(slot, tmp_path, "open_spiel/othello", manifest, manifest, most=longest)

    assert not record.verdict.faults, (record.verdict, [s.output_tail for s in record.seats])
    assert record.verdict.reason == "end of the game"  # after a few plies if one side has no men


def test_an_engine_of_uci_meets_one_of_gtp(slot: Slot, tmp_path: Path) -> None:
    gtp = ["protocol: gtp", "games: [open_spiel/breakthrough]"]
    gtp.append(f"run: ['{sys.executable}', '{BOTS}/breakthrough-python/main.py', '1']")
    uci = (BOTS / "breakthrough-python/fairy-stockfish.yaml").read_text()
    record = play(slot, tmp_path, "open_spiel/breakthrough", "\n".join(gtp), uci)

    assert not record.verdict.faults, (record.verdict, [s.output_tail for s in record.seats])
    assert record.plies >= 20
    assert any("*" in str(call.move["text"]) for call in record.calls if call.move), (
        "no man was taken"
    )
