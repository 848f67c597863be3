"""Patterns of bots in a config: who plays, under which name, and who is refused by name."""

import os
import zipfile
from pathlib import Path

import pytest

from arena.bots.shipped import MANIFEST
from arena.config.event import Config
from arena.config.loading import load_config
from arena.config.quick import quick_config
from arena.errors import ConfigError

HEAD = "name: class\ngame: {name: down_n_out}\nbroken: leave_out\n"


def hand_in(path: Path, name: str = "Lena Meyer", *, age: int = 0, mark: str = "") -> None:
    """Write a zip with a bot of this name, some seconds older than another."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        text = f'name: {name}\nrun: ["{{python}}", main.py]\n'
        archive.writestr(f"bot/{MANIFEST}", text)
        archive.writestr("bot/main.py", f"# {mark}\n")
    os.utime(path, (1_700_000_000 - age, 1_700_000_000 - age))


def config_of(folder: Path, bots: str = "[hand-ins/*.zip]", head: str = HEAD) -> Config:
    (folder / "class.yaml").write_text(f"{head}bots: {bots}\n")
    return load_config(str(folder / "class.yaml"))


def names(config: Config) -> list[str]:
    return [bot.name for bot in config.bots]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_a_pattern_is_every_hand_in_named_by_its_file(tmp_path: Path) -> None:
    for name in ("meyer1", "meyer2", "Jörg Müller"):
        hand_in(tmp_path / f"hand-ins/{name}.zip", mark=name)
    config = config_of(tmp_path, "[random, hand-ins/*.zip]")

    assert names(config) == ["random", "Jörg Müller", "meyer1", "meyer2"]
    assert not any(bot.broken for bot in config.bots)


def test_nobody_is_renamed_by_who_joins_or_leaves(tmp_path: Path) -> None:
    for name in ("meyer1", "meyer2"):
        hand_in(tmp_path / f"hand-ins/{name}.zip", mark=name)
    both = config_of(tmp_path)
    (tmp_path / "hand-ins/meyer2.zip").unlink()
    hand_in(tmp_path / "hand-ins/eve.zip", "meyer1")
    later = config_of(tmp_path)

    assert names(both) == ["meyer1", "meyer2"]
    assert names(later) == ["eve", "meyer1"]
    assert later.bots[1].manifest.folder == both.bots[0].manifest.folder


def test_the_newest_of_two_downloads_plays_and_a_line_says_so(tmp_path: Path) -> None:
    hand_in(tmp_path / "hand-ins/tim.zip", age=20, mark="first")
    hand_in(tmp_path / "hand-ins/tim (1).zip", age=5, mark="third")
    hand_in(tmp_path / "hand-ins/tim(2).zip", age=10, mark="second")
    config = config_of(tmp_path)

    (tim,) = config.bots
    assert (tim.name, Path(tim.bot).name) == ("tim", "tim (1).zip")
    assert config.notes == (
        'tim: "tim (1).zip" plays, which is newer than "tim.zip" and "tim(2).zip"',
    )
    os.utime(tmp_path / "hand-ins/tim.zip")
    assert Path(config_of(tmp_path).bots[0].bot).name == "tim.zip"


def test_of_the_same_age_the_higher_number_plays(tmp_path: Path) -> None:
    for name in ("tim", "tim (2)", "tim (10)"):
        hand_in(tmp_path / f"hand-ins/{name}.zip", mark=name)

    assert Path(config_of(tmp_path).bots[0].bot).name == "tim (10).zip"


def test_numbered_files_without_a_first_one_are_different_bots(tmp_path: Path) -> None:
    for name in ("team (1)", "team (2)"):
        hand_in(tmp_path / f"hand-ins/{name}.zip", mark=name)
    config = config_of(tmp_path)

    assert names(config) == ["team (1)", "team (2)"]
    assert config.notes == ()


def test_a_folder_that_the_pattern_leaves_open_is_the_entrant(tmp_path: Path) -> None:
    hand_in(tmp_path / "in/ann/bot.zip", age=9)
    hand_in(tmp_path / "in/ann/bot-v2.zip", mark="new")
    hand_in(tmp_path / "in/bob/bot.zip", mark="bob")
    config = config_of(tmp_path, "[in/*/*.zip]")

    assert [(bot.name, Path(bot.bot).name) for bot in config.bots] == [
        ("ann", "bot-v2.zip"),
        ("bob", "bot.zip"),
    ]
    assert config.notes == ('ann: "bot-v2.zip" plays, which is newer than "bot.zip"',)


@pytest.mark.parametrize("name", ["bot.zip", "bot"])
def test_no_link_in_a_hand_in_enters_the_bot_of_another(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "hand-ins"
    hand_in(folder / "ann" / "bot.zip")
    (folder / "ann" / "bot").mkdir()
    (folder / "ann" / "bot" / "bot.yaml").write_text("run: [./main.sh]\n")
    (folder / "ann" / "same").symlink_to(name)
    (folder / "eve").mkdir()
    (folder / "eve" / name).symlink_to(folder / "ann" / name)
    (folder / "eve" / "same").symlink_to(name)
    for last in (name, "same"):
        config = config_of(tmp_path, f"[hand-ins/*/{last}]")

        reasons = {bot.name: bot.broken for bot in config.bots}
        assert list(reasons) == ["ann", "eve"]
        assert "outside its entrant's folder" not in reasons["ann"]
        assert "is a link that points outside its entrant's folder" in reasons["eve"]


def test_an_organiser_may_link_the_folder_of_an_entrant(tmp_path: Path) -> None:
    hand_in(tmp_path / "elsewhere" / "bot.zip")
    hand_in(tmp_path / "hand-ins" / "bob" / "bot.zip")
    (tmp_path / "hand-ins" / "ann").symlink_to(tmp_path / "elsewhere")

    config = config_of(tmp_path, "[hand-ins/*/bot.zip]")

    assert [(bot.name, bot.broken) for bot in config.bots] == [("ann", ""), ("bob", "")]


@pytest.mark.parametrize(
    ("link", "target", "pattern"),
    [
        ("eve/deep/bot.zip", "../../tim/bot.zip", "ss/**/*.zip"),
        ("eve/bot.zip", "../tim/bot.zip", "ss/**/*.zip"),
        ("eve/deep", "../tim", "ss/**/deep/*.zip"),
        ("eve", "tim", "ss/**/eve/*.zip"),
    ],
)
def test_a_pattern_of_any_depth_follows_no_link(
    tmp_path: Path, link: str, target: str, pattern: str
) -> None:
    hand_in(tmp_path / "real/tim/bot.zip")
    hand_in(tmp_path / "real/tim/deep/bot.zip", mark="deep")
    (tmp_path / "ss").symlink_to("real")  # the organiser's
    made = tmp_path / "real" / link
    made.parent.mkdir(parents=True, exist_ok=True)
    made.symlink_to(target)

    reasons = {bot.bot: bot.broken for bot in config_of(tmp_path, f'["{pattern}"]').bots}
    linked = [reason for bot, reason in reasons.items() if bot.startswith("./ss/eve")]
    assert linked
    assert all("is a link or in a linked folder" in reason for reason in linked)
    assert not any(reason for bot, reason in reasons.items() if bot.startswith("./ss/tim"))


@pytest.mark.parametrize("target", ["a" * 300, "ann"], ids=["too long", "loop"])
@pytest.mark.parametrize(
    ("link", "pattern", "is_named"),
    [
        ("ann", "ss/*", True),
        ("ann.zip", "ss/*.zip", True),
        ("ann", "ss/*/", False),
        ("ann", "ss/*/bot.zip", False),
        ("ann", "ss/*/*.zip", False),
        ("ann/bot.zip", "ss/*/bot.zip", True),
        ("ann/bot.zip", "ss/*/*.zip", True),
        ("ann/bot.zip", "ss/**/bot.zip", True),
        ("ann/deep", "ss/**/*.zip", False),
    ],
)
def test_a_link_that_cannot_be_followed_stops_no_event(
    tmp_path: Path, link: str, pattern: str, target: str, *, is_named: bool
) -> None:
    hand_in(tmp_path / ("ss/tim.zip" if pattern == "ss/*.zip" else "ss/tim/bot.zip"))
    path = tmp_path / "ss" / link
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(path.name if target == "ann" else target)

    config = config_of(tmp_path, f"[random, '{pattern}']")

    assert len(config.bots) == 2 + is_named
    assert sum("points to no file" in bot.broken for bot in config.bots) == is_named


def test_every_refused_hand_in_keeps_its_name_and_reason(tmp_path: Path) -> None:
    folder = tmp_path / "hand-ins"
    hand_in(folder / "ann.zip")
    (folder / "bob.zip").write_bytes(b"no zip")
    (folder / "cat.tar.gz").write_bytes(b"")
    (folder / "dan.rar").write_bytes(b"Rar!")
    (folder / "eve.zip").symlink_to("nothing")
    (folder / os.fsdecode(b"\xff.zip")).write_bytes(b"")
    (folder / ".DS_Store").write_bytes(b"")
    (folder / "__MACOSX").mkdir()
    config = config_of(tmp_path, "[hand-ins/*]")

    reasons = {bot.name: bot.broken for bot in config.bots}
    assert list(reasons)[:4] == ["ann", "bob", "cat", "dan"]
    assert len(reasons) == 6
    assert reasons["ann"] == ""
    assert "is damaged" in reasons["bob"]
    assert "is damaged" in reasons["cat"]
    assert "pack a zip" in reasons["dan"]
    assert reasons["eve"] == "bot ./hand-ins/eve.zip: points to no file"
    (unnamed,) = (reason for name, reason in reasons.items() if name.startswith("bot-"))
    assert "cannot be written as text; rename it" in unnamed


def test_with_broken_stop_all_refused_hand_ins_are_listed_at_the_pattern(tmp_path: Path) -> None:
    for name in ("bob", "cat"):
        (tmp_path / "hand-ins").mkdir(exist_ok=True)
        (tmp_path / f"hand-ins/{name}.zip").write_bytes(b"no zip")

    with pytest.raises(ConfigError) as refusal:
        config_of(tmp_path, head=HEAD.replace("leave_out", "stop"))
    first, second = map(str, refusal.value.problems)
    assert "class.yaml:4:8: " in first
    assert "bob.zip: the archive is damaged" in first
    assert "cat.zip: the archive is damaged" in second


def test_a_name_that_no_bot_may_have_never_takes_another(tmp_path: Path) -> None:
    for name in ("O'Brien", "OBrien"):
        hand_in(tmp_path / f"hand-ins/{name}.zip", mark=name)
    first, second = names(config_of(tmp_path))

    assert second == "OBrien"
    assert first.startswith("OBrien-")


def test_a_hand_in_never_takes_the_name_of_a_listed_bot_or_of_another_pattern(
    tmp_path: Path,
) -> None:
    for name in ("random", "tim", "tim@1"):
        hand_in(tmp_path / f"hand-ins/{name}.zip", mark=name)
    (tmp_path / "more/tim").mkdir(parents=True)
    config = config_of(tmp_path, "[hand-ins/*.zip, random, more/*]")

    first, tim, old, listed, more = names(config)
    assert (tim, listed) == ("tim", "random")
    assert first.startswith("random-")
    assert old.startswith("tim@1-")
    assert more.startswith("tim-")
    assert "has no bot.yaml" in config.bots[-1].broken


def test_no_bot_yaml_stops_an_event_that_can_be_played_without_it(tmp_path: Path) -> None:
    hand_in(tmp_path / "hand-ins/ann.zip", "random@1")
    for name, text in {
        "big": "protocol: uci\nrun: [./x]\noptions: {Hash: 4096}\ngames: [chess]\n",
        "odd": "games: [no-such-game]\n",
        "none": "",
    }.items():
        with zipfile.ZipFile(tmp_path / f"hand-ins/{name}.zip", "w") as archive:
            archive.writestr(MANIFEST, text)
    config = config_of(
        tmp_path, head=HEAD.replace("down_n_out", "chess"), bots="[random, hand-ins/*]"
    )

    assert names(config) == ["random", "ann", "big", "none", "odd"]
    assert [bool(bot.broken) for bot in config.bots] == [False, False, True, True, True]
    assert "its option Hash of 4096 MB does not fit" in config.bots[2].broken


@pytest.mark.parametrize(
    ("bots", "says"),
    [
        ("[hand-ins/*.tar]", 'class.yaml:4:8: no file or folder matches "hand-ins/*.tar"'),
        (
            '[{name: x, bot: "hand-ins/*"}]',
            'class.yaml:4:15: "hand-ins/*" may be several bots, which cannot have one name',
        ),
    ],
)
def test_a_pattern_without_bots_or_with_a_name_is_an_error(
    tmp_path: Path, bots: str, says: str
) -> None:
    with pytest.raises(ConfigError) as refusal:
        config_of(tmp_path, bots)
    assert says in str(refusal.value)


def test_terms_beside_a_pattern_are_those_of_each_bot(tmp_path: Path) -> None:
    for name in ("ann", "bob"):
        hand_in(tmp_path / f"hand-ins/{name}.zip")
    config = config_of(tmp_path, '[{bot: "hand-ins/*.zip", isolation: require, args: [x]}]')

    assert [(bot.isolation, bot.args) for bot in config.bots] == [("require", ("x",))] * 2


def test_paths_are_relative_to_the_config_and_no_shipped_bots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(tmp_path / "x/greedy.zip")
    (tmp_path / "x/random").mkdir()
    (tmp_path / "x/random/bot.yaml").write_text("run: [./run]\n")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x/class.yaml").write_text(f"{HEAD}bots: ['[gr]*']\n")
    config = load_config("x/class.yaml")

    assert [(bot.name, bot.bot) for bot in config.bots] == [
        ("greedy", "./greedy.zip"),
        ("random", "./random"),
    ]
    assert config.bots[1].manifest.folder == tmp_path / "x/random"


def test_a_file_with_a_star_in_its_name_is_no_pattern(tmp_path: Path) -> None:
    hand_in(tmp_path / "hand-ins/a[1].zip", "ann")

    assert names(config_of(tmp_path, '["hand-ins/a[1].zip"]')) == ["ann"]


def test_a_match_leaves_out_older_downloads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    hand_in(Path("h/tim.zip"), "Tim", age=5, mark="old")
    hand_in(Path("h/tim (1).zip"), "Tim", mark="new")
    hand_in(Path("h/ann.zip"), "Tim", mark="ann")
    bots = ["h/ann.zip", "h/tim (1).zip", "h/tim.zip"]
    config = quick_config(bots, game="pente", games=2, options=[], seed=1)

    assert names(config) == ["Tim (ann)", "Tim (tim (1))"]
    assert config.notes == ('tim: "tim (1).zip" plays, which is newer than "tim.zip"',)
