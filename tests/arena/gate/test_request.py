"""The config, bots and event name that a command line `arena gate` asks for."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from arena.config.event import Config
from arena.config.loading import load_config
from arena.errors import ConfigError, UsageError
from arena.gate import request as subject
from arena.gate.request import GateRequest, asked_gate, check_question, event_name, shard_of
from arena.gate.schedule import Shard
from referee.job import Player

CONFIG = """
name: old-against-new
game: {name: pente}
bots: [{bot: ./new, args: [fast]}, {bot: ./base, time: {per_move: 2s}}]
format: gate
gate: {cap: 60}
seed: 1
"""
THREE = (
    "name: x\ngame: {name: chinese_checkers}\nbots: [./new, ./base, ./eve]\nformat: gate\nseed: 1\n"
)
BOTS = ("./new", "./base")
LONG = "n" * 40


class Builds:
    """Takes the place of building: a bot's content is its folder, or what the test says."""

    def __init__(self) -> None:
        self.contents: dict[str, str] = {}
        self.folders: dict[str, Path] = {}
        self.files: dict[str, str] = {}

    def prepare(self, config: Config, *, skip_missing: bool) -> tuple[dict[str, Player], list[Any]]:
        assert skip_missing is False, "a gate without one of its bots says nothing"
        for bot in config.bots:
            assert bot.manifest.path.is_file(), "a revision is there while it is built"
            self.folders[bot.name] = bot.manifest.path.parent
            self.files[bot.name] = bot.manifest.path.read_text()
        return {bot.name: self._player(bot.name) for bot in config.bots}, []

    def _player(self, name: str) -> Player:
        content = self.contents.get(name, name)
        return Player(name=name, argv=("bot",), folder=".", content=content)


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> Builds:
    builds = Builds()
    monkeypatch.setattr(subject, "prepare_players", builds.prepare)
    return builds


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, builds: Builds) -> Path:
    """Return a folder with the bots new, base and eve."""
    del builds
    monkeypatch.chdir(tmp_path)
    for name in ("new", "base", "eve"):
        write(name)
    return tmp_path


def write(folder: str, more: str = "") -> None:
    Path(folder).mkdir(parents=True, exist_ok=True)
    (Path(folder) / "bot.yaml").write_text(f"run: [./bot]\n{more}")
    (Path(folder) / "bot").write_text("#!/bin/sh\n")
    (Path(folder) / "bot").chmod(0o755)


def commit() -> None:
    for command in (
        "init -q",
        "add -A",
        "-c user.name=x -c user.email=x commit -q -m x",
        "branch -f feature/x",
    ):
        subprocess.run(["git", *command.split()], check=True)


def asked(
    *bots: str, base: str | None = None, shard: str | None = None, **options: Any
) -> tuple[Config, Mapping[str, Player] | None]:
    bots = bots or BOTS
    given: dict[str, Any] = {} if bots[0] == "gate.yaml" else {"game": "pente", "seed": 1}
    return asked_gate(bots, base, GateRequest(**given | options), shard)


def names(*bots: str, **options: Any) -> list[str]:
    config, players = asked(*bots, **options)
    assert players is not None
    assert [*players] == [bot.name for bot in config.bots]
    return [*players]


def refusal(*bots: str, **options: Any) -> str:
    with pytest.raises((UsageError, ConfigError)) as refused:
        asked(*bots or BOTS, **options)
    return str(refused.value)


def test_every_option_stands_in_the_config() -> None:
    request = GateRequest(
        game="pente",
        options=("opening=free", "size=9"),
        times=("per_move=2s", "base.per_move=1s"),
        settings=("limits.memory=1GB", "slots=1"),
        openings="3",
        seed=0,
        build_network="allow",
        gate={"cap": 80, "elo0": None, "max_faults": 0},
    )

    assert request.values([("new", "./new"), ("base", "./base")]) == {
        "name": "gate",
        "game": {"name": "pente", "opening": "free", "size": 9},
        "bots": (
            {"name": "new", "bot": "./new"},
            {"name": "base", "bot": "./base", "time": {"per_move": "1s"}},
        ),
        "format": "gate",
        "gate": {"cap": 80, "max_faults": 0},
        "time": {"per_move": "2s"},
        "limits": {"memory": "1GB"},
        "slots": 1,
        "openings": {"random_plies": 3},
        "seed": 0,
        "build_network": "allow",
    }


def test_an_option_that_is_not_given_stands_in_no_config() -> None:
    request = GateRequest(game="pente")

    assert request.values([("new", "./new")]) == {
        "name": "gate",
        "game": {"name": "pente"},
        "bots": ({"name": "new", "bot": "./new"},),
        "format": "gate",
        "gate": {},
    }
    assert request.given() == ["--game"]
    assert GateRequest().given() == []


def test_a_config_is_refused_beside_options_that_it_has_itself() -> None:
    everything: dict[str, Any] = {
        "game": "pente",
        "openings": "3",
        "seed": 0,
        "build_network": "deny",
        "gate": {"cap": 80, "elo0": None, "max_faults": 0},
        "each": ["Hash=1"],
        "options": ["size=9"],
        "times": ["bank=1s"],
        "settings": ["slots=1"],
    }

    assert refusal("gate.yaml", **everything) == (
        "gate.yaml is a config, in which --game, --openings, --seed, --build-network, --cap,"
        " --max-faults, --each, -o, -t, -c would be set; remove these options"
    )


@pytest.mark.parametrize("name", ["gate.yaml", "gate.yml"])
def test_a_config_is_read_as_it_stands(name: str) -> None:
    Path(name).write_text(CONFIG)

    config, players = asked_gate((name,), None, GateRequest(), None)

    assert config == load_config(name)
    assert players is None


def test_base_replaces_that_of_a_config_and_keeps_its_time_alone(builds: Builds) -> None:
    Path("gate.yaml").write_text(CONFIG.replace("./base,", "./base, args: [slow],"))

    config, players = asked("gate.yaml", base="./eve")

    new, base = config.bots
    assert (config.name, [*(players or ())]) == ("old-against-new", ["new", "eve"])
    assert (new.args, base.args, base.bot) == (("fast",), (), "./eve")
    assert base.time is not None
    assert base.time.per_move is not None
    assert base.isolation == new.isolation
    assert builds.folders["eve"].name == "eve"


def test_base_stays_with_the_others_of_a_config() -> None:
    Path("gate.yaml").write_text(THREE)
    config, _ = asked("gate.yaml", base="./new")

    assert [bot.name for bot in config.bots] == ["new", "new@base", "eve"]


def test_a_revision_is_played_with_the_arguments_of_new(builds: Builds) -> None:
    write("new", "summary: old\n")
    commit()
    write("new")
    Path("gate.yaml").write_text(CONFIG)

    config, _ = asked("gate.yaml", base="git:feature/x")

    new, base = config.bots
    assert (base.name, base.bot) == ("new@feature-x", "git:feature/x")
    assert new.args == base.args == ("fast",)
    assert "summary: old" in builds.files[base.name]
    assert "summary" not in builds.files["new"]
    assert not builds.folders[base.name].exists(), "it is removed after the build"


def test_the_bots_have_different_names_whatever_they_are_called() -> None:
    for place in ("old/new", "old/NEW", f"long/{LONG}", f"old/{LONG}"):
        write(place)

    assert names("./new", "./base") == ["new", "base"]
    assert names("./new", base="./base") == ["new", "base"]
    assert names("./new", "./old/new") == ["new", "new@base"]
    assert names("./new", "./old/NEW") == ["new", "new@base"]
    assert names(f"./long/{LONG}", f"./old/{LONG}") == [LONG, "n" * 35 + "@base"]
    assert names(f"./long/{LONG}", "./new") == [LONG, "new"]
    three = {"game": "chinese_checkers"}
    assert names("./new", "./base", "./eve", **three) == ["new", "base", "eve"]
    assert names("./new", "./eve", base="./base", **three) == ["new", "base", "eve"]
    assert names("./new", "./base", "./old/NEW", **three) == ["new", "base", "NEW-3"]
    assert names("./new", "./base", "./eve", "./eve", **three) == ["new", "base", "eve", "eve-4"]


def test_a_revision_has_the_name_of_new_and_its_own() -> None:
    write(f"long/{LONG}")
    commit()

    config, _ = asked("./new", "git:feature/x")
    assert [(bot.name, bot.bot) for bot in config.bots] == [
        ("new", "./new"),
        ("new@feature-x", "git:feature/x"),
    ]
    assert names("./new", base="git:HEAD~0") == ["new", "new@HEAD-0"]
    assert names(f"./long/{LONG}", "git:HEAD") == [LONG, "n" * 35 + "@base"]


def test_a_gate_is_named_after_its_question_and_its_bots(builds: Builds) -> None:
    config, players = asked()
    assert players is not None
    begin, digest = config.name.rsplit("-", 1)
    assert (begin, len(digest)) == ("gate-new", 10)
    assert int(digest, 16) >= 0
    assert config.name == event_name(config, players)

    same = [asked()[0], asked(gate={"cap": 900})[0], asked(gate={"max_faults": 3})[0]]
    assert {each.name for each in same} == {config.name}
    others = [asked(gate={"elo0": -60})[0], asked(seed=2)[0], asked(times=["bank=9s"])[0]]
    builds.contents["base"] = "changed"
    others.append(asked()[0])
    assert len({config.name, *(each.name for each in others)}) == 5


def test_the_name_of_an_event_has_letters_of_files_alone() -> None:
    write("grün und (1)")
    assert asked("./grün und (1)", "./base")[0].name.startswith("gate-gr_n_und__1_-")


def test_settings_of_all_engines_are_added_to_bots_and_base(folder: Path) -> None:
    for name in ("one", "two"):
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    engines: dict[str, Any] = {"game": "chess", "each": ["Hash=64"]}

    positional, _ = asked("uci:./one", "uci:./two", **engines)
    by_option, _ = asked("uci:./one", base="uci:./two", **engines)

    expected = ["uci:./one?Hash=64", "uci:./two?Hash=64"]
    assert [bot.bot for bot in positional.bots] == expected
    assert [bot.bot for bot in by_option.bots] == expected
    assert "and ./new is none" in refusal("./new", "git:main", each=["Hash=64"])


@pytest.mark.parametrize(
    ("bot", "options"), [("uci:./one", {}), ("uci:./one", {"each": ["Hash=64"]}), ("./one", {})]
)
def test_no_program_alone_has_a_revision(folder: Path, bot: str, options: dict[str, Any]) -> None:
    (folder / "one").touch(0o755)
    for bots, base in (([bot, "git:HEAD"], None), ([bot], "git:HEAD")):
        said = refusal(*bots, base=base, game="chess", **options)
        assert said.startswith(f"git:HEAD: {bot}")
        assert said.endswith(
            " has no bot.yaml that says how to build a revision of it; name an older program by its"
            " path"
        )


@pytest.mark.parametrize(
    ("bots", "options", "says"),
    [
        (
            ("./new",),
            {},
            "./new needs a BASE to play against: arena gate ./new BASE --game GAME",
        ),
        (
            ("new/bot.yaml",),
            {},
            "new/bot.yaml needs a BASE to play against: arena gate new/bot.yaml BASE --game GAME",
        ),
        (
            ("git:main", "./base"),
            {},
            "git:main: NEW is a bot; only BASE can be a revision of it",
        ),
        (
            ("./new", "git:main"),
            {"game": None},
            (
                "name the game, like --game pente, and a bot to play against, like random;"
                " `arena games` lists all games"
            ),
        ),
        (
            BOTS,
            {"shard": "1/2", "seed": None},
            "--shard 1/2 needs a seed, the same for all shards, like --seed 1997; otherwise",
        ),
        (BOTS, {"shard": "3/2"}, "--shard is i/n, from 1/n to n/n, n 1000 at most; not"),
    ],
)
def test_a_wrong_command_line_is_refused(
    bots: Sequence[str], options: dict[str, Any], says: str
) -> None:
    assert refusal(*bots, **options).startswith(says)


def test_the_only_game_of_all_bots_is_played() -> None:
    for name in ("new", "base"):
        write(name, "games: [damspel]\n")
    commit()

    assert asked("./new", "./base", game=None)[0].game.name == "damspel"
    assert asked("./new", "git:HEAD", game=None)[0].game.name == "damspel"


def test_a_base_that_does_not_play_the_game_is_refused() -> None:
    Path("gate.yaml").write_text(CONFIG)
    write("eve", "games: [chess, damspel]\n")

    assert refusal("gate.yaml", base="./eve") == (
        "eve does not play pente; it plays chess and damspel"
    )


def test_a_question_that_is_never_decided_is_refused_at_its_key() -> None:
    assert refusal(gate={"cap": 18}).endswith(
        "cap must be 20 or more, not 18: nothing is decided before 10 pairs"
    )
    assert refusal(gate={"elo0": 5, "elo1": 5}).startswith("arena gate: elo0 must be below elo1")
    Path("gate.yaml").write_text(CONFIG.replace("cap: 60", "elo1: 0, cap: 18"))
    assert refusal("gate.yaml").startswith("gate.yaml:6:22: cap must be 20 or more, not 18")
    assert asked(gate={"cap": 20})[0].gate is not None

    Path("cup.yaml").write_text("name: cup\ngame: {name: pente}\nbots: [./new, ./base]\n")
    with pytest.raises(UsageError, match=r"^cup\.yaml: the format is round_robin, not gate$"):
        check_question(load_config("cup.yaml"))


def test_a_shard_has_the_gate_and_its_part_in_its_name() -> None:
    whole, _ = asked()
    config, players = asked(shard="2/3")

    assert (config.name, config.shard) == (f"{whole.name}.2-of-3", "2/3")
    assert players is not None
    assert shard_of(whole, Shard(2, 3)) == config


def test_a_program_outside_the_folder_has_no_revision(builds: Builds) -> None:
    write("new", "options: {}\n")
    outside = Path("engine").resolve()
    outside.write_text("#!/bin/sh\n")
    outside.chmod(0o755)
    net = Path("net.bin").resolve()
    net.write_text("weights")
    Path("new/bot.yaml").write_text(f"run: [{outside}, --net, {net}, --place, {net.parent}]\n")
    commit()
    builds.contents = {"new": "a", "new@HEAD": "a"}

    assert refusal("./new", "git:HEAD") == (
        f"git:HEAD: {outside}, {net} is in no revision, so NEW and BASE would run the same files;"
        " let `build` in bot.yaml make them in the bot's folder, or name an older bot"
    )
    builds.contents["new@HEAD"] = "b"
    assert names("./new", "git:HEAD") == ["new", "new@HEAD"]
    write("new")
    commit()
    builds.contents["new@HEAD"] = "a"
    assert names("./new", "git:HEAD") == ["new", "new@HEAD"], "nothing has changed, as it may be"
