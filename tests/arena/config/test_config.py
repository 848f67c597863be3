"""Configs: accepted values, and errors with their texts.

`bad_configs.txt` holds configs and the errors they give;
`python tests/arena/config/test_config.py` rewrites the errors, to be read in the diff.
"""

import json
import os
import re
from contextlib import chdir
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from small_configs import PLAIN, THREE, config_of, write_bots

from arena.bots.shipped import data_root, resolve, shipped_configs
from arena.config.event import Event
from arena.config.loading import load_config, make_config
from arena.config.model import EventSection
from arena.config.same_event import conflicts
from arena.config.schema import config_schema, schema_text
from arena.errors import ConfigError, EventError, UsageError
from arena.reading.source import YAML_BYTES
from referee.catalog import game_names
from referee.job import ScoreRule, TimeControl
from referee.sandbox import Limits

GOLDEN = Path(__file__).with_name("bad_configs.txt")


def said_of(text: str) -> str:
    Path("event.yaml").write_text(text)
    try:
        load_config("event.yaml")
    except ConfigError as error:
        return f"{error}\n"
    return "nothing\n"


def golden() -> list[tuple[str, str, str]]:
    parts = re.split(r"^### (.*)\n", GOLDEN.read_text(), flags=re.MULTILINE)[1:]
    cases = []
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        text, says = body.split("--->\n")
        cases.append((name, text, says.rstrip("\n") + "\n"))
    return cases


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("name", "text", "says"), golden(), ids=[case[0] for case in golden()])
def test_a_bad_config_is_refused_with_its_place_and_advice(name: str, text: str, says: str) -> None:
    assert said_of(text) == says, f"{name}; run: python tests/arena/config/test_config.py"


@pytest.mark.parametrize("name", shipped_configs())
def test_every_shipped_config_loads_and_names_the_schema(name: str) -> None:
    config = load_config(str(data_root() / name))

    sides = config.format == "tune"  # another player is the same bot with other values
    assert len(config.bots) + sides >= max(config.seats)
    first = (data_root() / name).read_text().splitlines()[0]
    schema = first.removeprefix("# yaml-language-server: $schema=")
    assert ((data_root() / name).parent / schema).resolve() == data_root() / "configs/schema.json"


def test_the_shipped_schema_is_what_the_command_prints() -> None:
    written = (data_root() / "configs" / "schema.json").read_text()
    assert written == schema_text(), "run: arena schema > configs/schema.json"


@pytest.mark.usefixtures("folder")
def test_a_missing_key_has_its_default() -> None:
    config = config_of(PLAIN)

    assert (config.format, config.repeat, config.boards) == ("round_robin", None, 1)
    assert (config.seats, config.seat_orders, config.matches) == ((2,), "rotate", None)
    assert (config.seed, config.claims, config.max_plies) == (None, "checked", None)
    assert (config.slots, config.pin, config.cores) == ("auto", "auto", 1)
    assert (config.isolation, config.restart, config.transport) == ("auto", "auto", "ipc")
    assert config.withdraw_after == 3
    assert config.time.control() == TimeControl()
    assert config.limits.limits() == Limits()
    assert config.score is None


@pytest.mark.usefixtures("folder")
def test_every_key_is_read() -> None:
    config = config_of(
        "name: all.of-it_1\n"
        "game: {name: chinese_checkers, game_size: 5, positions: [0, 3], anti_block: true}\n"
        "bots: [./one, {name: deux, bot: ./two, args: [--depth, 6, 0.50, on]}, ./three]\n"
        "format: round_robin\nboards: 2\nseats: [2, 3]\nseat_orders: rotate\n"
        "matches: 100\nseed: 340282366920938463463374607431768211455\n"
        "claims: ignored\nmax_plies: 500\n"
        "time: {clock: wall, start: 1m, init: 1.5s, per_move: 500ms, bank: 1h, display: 2s,"
        " term: 3s, grace: 1ms, ponder: true, increment: 1s, bank_moves: 40}\n"
        "score: {percent_per_ms: 0.010, floor: -5}\n"
        "limits: {memory: 2GB, processes: 1, files: 16, output: 64KB}\n"
        "isolation: require\nslots: 2\npin: none\ncores: 2\nrestart: never\ntransport: tcp\n"
        "withdraw_after: 0\n"
        "bonus: {deux: 0.25, one: 0}\n"
    )

    assert config.game.game_size == 5  # type: ignore[attr-defined]
    assert config.game.positions == (0, 3)  # type: ignore[attr-defined]
    assert [entrant.name for entrant in config.bots] == ["one", "deux", "three"]
    assert config.bots[1].args == ("--depth", "6", "0.50", "on")
    assert (config.seats, config.seat_orders, config.matches) == ((2, 3), "rotate", 100)
    assert config.seed == 2**128 - 1
    assert config.withdraw_after == 0
    assert config.time.control() == TimeControl(
        clock="wall",
        start_ns=60 * 10**9,
        init_ns=1_500_000_000,
        per_move_ns=500_000_000,
        bank_ns=3600 * 10**9,
        increment_ns=10**9,
        bank_moves=40,
        display_ns=2 * 10**9,
        term_ns=3 * 10**9,
        grace_ns=10**6,
        ponder=True,
    )
    assert config.score
    assert config.score.rule() == ScoreRule(percent_per_ms=Decimal("0.01"), floor=Decimal(-5))
    assert config.limits.limits() == Limits(
        memory_bytes=2 << 30, processes=1, files=16, output_bytes=64 << 10
    )
    assert config.bonus == {"deux": Decimal("0.25"), "one": Decimal(0)}
    assert (config.slots, config.pin, config.isolation) == (2, "none", "require")
    assert (config.claims, config.max_plies, config.restart) == ("ignored", 500, "never")


@pytest.mark.usefixtures("folder")
def test_a_score_is_kept_exactly() -> None:
    config = config_of(PLAIN + "score: {per_second: 0.1}\n")

    assert config.score
    assert config.score.per_second == Decimal("0.1")
    assert config.form()["score"]["per_second"] == "0.1"


def test_a_game_of_one_seat_is_played_solo(folder: Path) -> None:
    config = config_of("name: event\ngame: {name: down_n_out}\nbots: [./one]\n")

    assert (config.format, config.seats) == ("solo", (1,))
    assert config.bots[0].manifest.folder == folder / "one"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("bots", "more", "format_", "seats"),
    [
        ("[./one]", "", "solo", (1,)),
        ("[./one, ./two]", "", "round_robin", (2,)),
        ("[./one, ./two]", "seats: 1\n", "solo", (1,)),
        ("[./one, ./two]", "format: solo\n", "solo", (1,)),
        ("[./one, ./two]", "format: knockout\n", "knockout", (2,)),
        ("[./one, ./two]", "format: gate\n", "gate", (2,)),
    ],
)
def test_a_game_of_one_to_six_seats_is_played_alone_or_together(
    bots: str, more: str, format_: str, seats: tuple[int, ...]
) -> None:
    config = config_of(f"name: event\ngame: {{name: open_spiel/yacht}}\nbots: {bots}\n{more}")

    assert (config.format, config.seats) == (format_, seats)


def test_paths_are_relative_to_the_config_and_not_to_where_it_is_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "event.yaml").write_text(PLAIN)
    monkeypatch.chdir(folder / "one")

    config = load_config("../event.yaml")

    assert config.bots[1].manifest.path == folder / "two" / "bot.yaml"


def test_a_missing_colon_is_reported_as_such(folder: Path) -> None:
    (folder / "event.yaml").write_text("game {name: pente}\nbots: [one]\n")

    with pytest.raises(ConfigError, match="a colon is missing after game"):
        load_config("event.yaml")


def test_byte_order_marks_and_windows_line_ends_are_read(folder: Path) -> None:
    text = "\ufeff" + PLAIN.replace("\n", "\r\n") + "repaet: 2\r\n"
    (folder / "event.yaml").write_bytes(text.encode())

    with pytest.raises(ConfigError) as refusal:
        load_config("event.yaml")

    assert str(refusal.value).startswith('event.yaml:4:1: unknown key "repaet"')
    assert len(refusal.value.problems) == 1


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"\xff\x00", "event.yaml: is not UTF-8 text: byte 0xff in line 1"),
        (b"name: a\n\x80", "event.yaml: is not UTF-8 text: byte 0x80 in line 2"),
        (b"a" * (YAML_BYTES + 1), "event.yaml: is larger than 1 MiB; expected a YAML file"),
        (
            b"SQLite format 3\0\xff" + bytes(YAML_BYTES),
            "event.yaml: is an SQLite database, which follows --db; expected a YAML file",
        ),
        (b"", "event.yaml: is empty"),
        (b"# nothing\n", "event.yaml: is empty"),
        (b"~", "event.yaml: is empty"),
    ],
)
def test_a_file_that_is_not_text_is_refused_in_one_line(
    folder: Path, data: bytes, says: str
) -> None:
    (folder / "event.yaml").write_bytes(data)

    with pytest.raises(ConfigError) as refusal:
        load_config("event.yaml")

    assert str(refusal.value) == says


def test_a_path_that_is_not_a_regular_file_is_refused_without_waiting(folder: Path) -> None:
    os.mkfifo(folder / "pipe")

    for name, says in {
        "one": "one: is a folder; expected a YAML file",
        "pipe": "pipe: is not a regular file; expected a YAML file",
        "/dev/zero": "/dev/zero: is not a regular file; expected a YAML file",
    }.items():
        with pytest.raises(ConfigError) as refusal:
            load_config(name)
        assert str(refusal.value) == says


def test_an_absent_config_names_the_nearest_shipped_one() -> None:
    with pytest.raises(UsageError, match=re.escape('did you mean "configs/pente.yaml"?')):
        resolve("configs/pent.yaml")


def test_a_shipped_config_is_found_where_the_folder_has_none(folder: Path) -> None:
    assert resolve("configs/pente.yaml") == data_root() / "configs" / "pente.yaml"

    (folder / "configs").mkdir()
    (folder / "configs" / "pente.yaml").write_text(PLAIN)

    assert resolve("configs/pente.yaml") == Path("configs/pente.yaml")


def test_a_config_without_a_file_is_refused_by_its_origin() -> None:
    values = {"name": "event", "game": {"name": "pente", "half_size": 3}, "bots": ()}

    with pytest.raises(ConfigError) as refusal:
        make_config(values, folder=Path(), origin="command line")

    assert str(refusal.value) == "command line: game.half_size must be 9 or more, not 3"


@pytest.mark.usefixtures("folder")
def test_with_an_increment_or_bank_moves_a_move_may_take_the_bank_unless_it_has_a_limit() -> None:
    cases = {
        "increment: 1s": 10,
        "bank_moves: 9": 10,
        "bank_moves: 9, per_move: 3s": 3,
        "init: 1s": 2,
    }
    for keys, expected_s in cases.items():
        config = config_of(PLAIN + f"time: {{bank: 10s, {keys}}}\n")
        assert config.time.control().per_move_ns == expected_s * 10**9


@pytest.mark.usefixtures("folder")
def test_the_stored_form_is_plain_json_with_every_key() -> None:
    form = config_of(THREE + "seats: [2, 3]\nscore: {per_second: 1}\n").form()

    assert json.loads(json.dumps(form)) == form
    derived = {
        "opening_lines",
        "balancer_version",
        "shard",
        "folder",
        "kits",
        "is_quick",
        "is_closed",
    }
    assert set(form) == set(EventSection.model_fields) | derived
    keys = set(config_schema()["$defs"]["TimeSection"]["properties"])
    # absent, so that hashes of events stored before these keys stay as they were
    assert keys - set(form["time"]) == {"increment", "bank_moves"}


STORED = [
    THREE
    + "seats: [2, 3]\nmatches: 40\nseed: 340282366920938463463374607431768211455\n"
    + "score: {percent_per_ms: 0.0100, floor: -5}\nbonus: {one: 0.05}\nslots: 2\n"
    + "time: {bank: 1.5ms, per_move: 90s}\nlimits: {memory: 3000KB}\n",
    PLAIN.replace("./two]", "{name: b, bot: ./two, args: [7, -v], scratch: keep}]")
    + "format: gate\ngate: {elo0: -12.5}\n",
    PLAIN + "format: knockout\nseeding: [two, one]\nopenings: {random_plies: 3}\n",
    PLAIN + "time: {bank: 10s, increment: 100ms}\n",
    PLAIN + "time: {bank: 1m, bank_moves: 40}\n",
    PLAIN + "format: ladder\ncertainty: 0.9\n",
    "name: event\ngame: {name: chinese_checkers, positions: [0, 3]}\nbots: [./one, ./two]\n",
    PLAIN.replace("pente", "down_n_out") + "format: gate\ngate: {score0: -100}\n",
]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("text", STORED)
def test_an_event_is_read_back_as_it_was_stored(text: str) -> None:
    config = config_of(text)

    event = Event.read(json.loads(json.dumps(config.form())))

    assert event.form() == config.form()
    assert conflicts(event, config) == conflicts(config, event) == []
    for key in Event.model_fields.keys() - {"bots"}:
        assert getattr(event, key) == getattr(config, key), key


@pytest.mark.usefixtures("folder")
def test_a_stored_event_that_cannot_be_read_says_why() -> None:
    form = config_of(PLAIN).form()

    with pytest.raises(EventError, match=r'game\.name: unknown game "pent"'):
        Event.read({**form, "game": {"name": "pent"}})


def test_the_schema_describes_every_key_and_every_game() -> None:
    schema = config_schema()
    sections = [schema, *schema["$defs"].values()]

    assert [
        game["properties"]["name"]["const"] for game in schema["properties"]["game"]["oneOf"]
    ] == [*game_names(), "foreign"]
    for section in sections:
        for key, value in section["properties"].items():
            meant = schema["$defs"][value["$ref"].rpartition("/")[2]] if "$ref" in value else value
            assert meant.get("description"), key
        assert section["additionalProperties"] is False


if __name__ == "__main__":
    with TemporaryDirectory() as name, chdir(name):
        write_bots(Path(name))
        GOLDEN.write_text(
            "\n".join(f"### {case}\n{text}--->\n{said_of(text)}" for case, text, _ in golden())
        )
