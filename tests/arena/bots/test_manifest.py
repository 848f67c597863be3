"""Finding bots and reading their manifests."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from builds import MakeBot

from arena.bots.absent import program_hint
from arena.bots.manifest import find_bot, read_manifest
from arena.bots.shipped import shipped_bots
from arena.errors import BotError, ConfigError
from arena.people.hint import default_bot
from arena.reading.names import name_objection

ALPHABET = (
    "must consist of letters, digits, spaces and . _ - + @ ( ), begin with a letter or a digit and"
    " not end with a space"
)


@pytest.mark.parametrize("name", shipped_bots())
def test_every_shipped_bot_has_a_manifest_that_can_be_read(name: str) -> None:
    manifest = find_bot(name, Path("/nowhere"))

    assert manifest.summary
    assert manifest.folder == shipped_bots()[name].parent


def test_an_engine_needs_no_manifest(
    make_bot: MakeBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_bot("mine")
    engine = tmp_path / "bots" / "engine"
    engine.write_text("#!/bin/sh\n")
    engine.chmod(0o755)
    monkeypatch.setenv("PATH", str(engine.parent))

    for reference, game in (
        ("uci:bots/engine", "chess"),
        (f"uci:{engine}", "chess"),
        ("usi:engine", "open_spiel/shogi"),
        ("ucci:engine", "open_spiel/xiangqi"),
    ):
        found = find_bot(reference, tmp_path)
        assert (found.name, found.path, found.games) == ("engine", engine, (game,))
        assert found.run[1] == "uci_bridge.py"
        assert found.run[-1] == "./engine"
        assert {path.name for path in found.lent} >= {"uci_bridge.py", "uci_games.py"}
    for query, settings in (
        (
            "Hash=64&Threads=1&nodes=5000",
            {"options": {"Hash": 64, "Threads": 1}, "go": "nodes 5000"},
        ),
        ("Clear%20Hash=true", {"options": {"Clear Hash": True}, "go": ""}),
        ("Book%26File=a%3Db=c?d&Skill=-3", {"options": {"Book&File": "a=b=c?d", "Skill": -3}}),
        ("", {"options": {}, "go": ""}),
    ):
        found = find_bot(f"uci:bots/engine?{query}", tmp_path)
        assert json.loads(found.run[2]).items() >= settings.items()
        assert (found.name, found.repeats) == ("engine", query.endswith("nodes=5000"))
    (engine.parent / "odd?Hash=1").symlink_to(engine)
    assert find_bot("uci:bots/odd?Hash=1", tmp_path).options == {}
    for reference, said in (
        ("uci:bots/engine?Hash", "no setting; write NAME=VALUE"),
        ("uci:bots/engine?=1", "no setting; write NAME=VALUE"),
        ("uci:bots/engine?Hash=1&hash=2", "hash is set twice"),
        ("uci:bots/engine?nodes=1&depth=2", "set one of nodes 1 and depth 2"),
        ("uci:bots/engine?nodes=many", 'must be like "nodes 1000"'),
        ("uci:bots/engine?a%0Ab=1", "is no name of an option"),
        ("uci:bots/engine?Hash=%00", "one printable line"),
        ("uci:bots/engine?Ponder=true", "option Ponder is set by the bridge"),
        ("cecp:bots/engine?nodes=5", "CECP limits only the depth"),
        ("uci:", "bot uci:: names no program, like uci:./engine"),
        ("uci:bots/mine", "bot uci:bots/mine: has a bot.yaml; leave out uci:"),
        ("uci:gone", "bot ./gone: nothing exists at"),
        ("gtp:engine", "an engine of GTP or Gomocup needs a bot.yaml with its protocol"),
    ):
        with pytest.raises(BotError, match=re.escape(said)):
            find_bot(reference, tmp_path)


def test_a_bot_is_found_by_folder_by_manifest_and_by_program(
    make_bot: MakeBot, tmp_path: Path
) -> None:
    mine = make_bot("mine")
    program = tmp_path / "bots" / "tool.sh"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)

    assert find_bot("./mine", tmp_path / "bots") == mine
    assert find_bot("mine", tmp_path / "bots") == mine
    assert find_bot("bots/mine/bot.yaml", tmp_path) == mine
    assert find_bot(str(tmp_path / "bots" / "mine"), Path("/nowhere")) == mine
    found = find_bot("./tool.sh", tmp_path / "bots")
    assert (found.name, found.path, found.run) == ("tool", program, ("./tool.sh",))


def test_an_installed_engine_is_refused_with_the_name_that_makes_it_a_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = tmp_path / "bin" / "blue-fish"
    engine.parent.mkdir()
    engine.write_text("#!/bin/sh\n")
    engine.chmod(0o755)
    monkeypatch.setenv("PATH", str(engine.parent), prepend=os.pathsep)

    with pytest.raises(BotError, match=r"name .* cecp:blue-fish for the protocol of xboard"):
        find_bot("xboard:blue-fish", tmp_path)
    with pytest.raises(BotError, match="blue-fish is an installed program") as refusal:
        find_bot("blue-fish", tmp_path)

    name = re.search(r"name (uci:\S+) instead", str(refusal.value))
    assert name is not None
    made = find_bot(name[1], tmp_path)
    assert (made.name, made.games, made.starts) == ("blue-fish", ("chess",), ("./blue-fish",))


def test_an_engine_with_arguments_is_refused_with_the_commands_that_make_it_a_bot(
    tmp_path: Path,
) -> None:
    said = program_hint("gnugo")
    assert said.startswith("gnugo is an installed engine; this makes it a bot:\n")

    subprocess.run(said.splitlines()[1], shell=True, cwd=tmp_path, check=True)  # noqa: S602
    assert find_bot("./gnugo", tmp_path).games == ("go",)


@pytest.mark.parametrize(
    ("reference", "says"),
    [
        ("gredy", 'bot gredy: this bot does not exist; did you mean "greedy"?'),
        ("starter/cc", 'bot starter/cc: this bot does not exist; did you mean "starter/c"?'),
        (
            "nobody-has-this",
            "bot nobody-has-this: this bot does not exist; `arena bots` lists the shipped bots",
        ),
        ("./gone", "bot ./gone: nothing exists at {base}/gone"),
        ("./Emty", 'bot ./Emty: nothing exists at {base}/Emty; did you mean "{base}/empty"?'),
        ("emtpy", 'bot emtpy: this bot does not exist; did you mean "{base}/empty"?'),
        ("no/a", "bot no/a: nothing exists at {base}/no/a; no folder is at {base}/no"),
        (
            "empty",
            (
                "bot empty: the folder {base}/empty has no bot.yaml; write one,"
                ' like `run: ["{{python}}", main.py]`; `arena init` writes a first bot'
            ),
        ),
        (
            "two",
            'bot two: the folder {base}/two has 2 bots, in "a" and "b"; give the path of one',
        ),
        ("zip", 'bot zip: the folder {base}/zip has no bot.yaml, but "bot.zip"; unpack it'),
        ("named", 'bot named: the folder {base}/named has no bot.yaml, but "Bot.YML"; rename it'),
        (
            "students/*",
            (
                "bot students/*: nothing exists at {base}/students/*; patterns are not"
                " expanded, so list each bot"
            ),
        ),
        (
            "plain",
            (
                "bot plain: {base}/plain is neither a bot.yaml nor executable; run chmod +x;"
                " `arena init` writes a first bot"
            ),
        ),
        (
            "zip/bot.zip",
            (
                "bot zip/bot.zip: the archive is damaged (File is not a zip file), or not copied"
                " to its end; pack the bot again"
            ),
        ),
        ("/dev/null", "bot /dev/null: /dev/null is neither a folder nor a file"),
        (
            "greedy --depth 3",
            "bot greedy --depth 3: this bot does not exist; write arguments of a bot in args",
        ),
        ("a\x00b", "bot a\\x00b: its path cannot be written as text; rename it"),
    ],
)
def test_an_invalid_reference_to_a_bot_is_refused_with_advice(
    tmp_path: Path, reference: str, says: str
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "plain").write_text("hello")
    for name in ("two/a/bot.yaml", "two/b/bot.yaml", "zip/bot.zip", "named/Bot.YML"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()

    with pytest.raises(BotError) as refusal:
        find_bot(reference, tmp_path)

    assert str(refusal.value) == says.format(base=tmp_path)


def test_an_unpacked_archive_may_hold_the_folder_of_the_bot(
    make_bot: MakeBot, tmp_path: Path
) -> None:
    unnamed = tmp_path / "rita" / "bot-main" / "bot.yaml"
    for path in (unnamed, tmp_path / "rita" / "__MACOSX" / "._main"):
        path.parent.mkdir(parents=True)
        path.write_text("run: [sh]\n")
    rival = make_bot("rival")
    (tmp_path / "thief").mkdir()
    (tmp_path / "thief" / "mine").symlink_to(rival.folder or "")

    found = find_bot("rita", tmp_path)
    assert (found.name, found.folder, found.path) == ("rita", unnamed.parent, unnamed)
    unnamed.write_text("name: own\nrun: [sh]\n")
    assert find_bot("rita", tmp_path).name == "own"
    with pytest.raises(BotError, match='but the folder "mine" in it has one; give its path'):
        find_bot("thief", tmp_path)


def test_an_unpacked_archive_may_hold_a_folder_in_a_folder_alone(tmp_path: Path) -> None:
    inner = tmp_path / "ida" / "ida-main" / "bot" / "bot.yaml"
    for path in (inner, tmp_path / "ida" / "__MACOSX" / "ida-main" / "._bot"):
        path.parent.mkdir(parents=True)
        path.write_text("run: [sh]\n")
    assert (find_bot("ida", tmp_path).name, find_bot("ida", tmp_path).path) == ("ida", inner)

    (tmp_path / "ida" / "ida-main" / "old").mkdir()
    assert find_bot("ida", tmp_path).path == inner
    (tmp_path / "ida" / "notes").mkdir()
    with pytest.raises(BotError, match="`arena init` writes a first bot"):
        find_bot("ida", tmp_path)


@pytest.mark.parametrize("name", [b"a\xff", b"a\n::error::b", b"\x1b[2J"])
def test_an_archive_cannot_name_its_folder_so_that_no_text_can_show_it(
    tmp_path: Path, name: bytes
) -> None:
    """A path that is no UTF-8 would end the event: jobs, records and results are text."""
    inner = Path(os.fsdecode(os.fsencode(tmp_path) + b"/rita/" + name))
    inner.mkdir(parents=True)
    (inner / "bot.yaml").write_text("run: [sh]\n")

    with pytest.raises(BotError) as refusal:
        find_bot("rita", tmp_path)

    assert "has no bot.yaml, but the folder" in str(refusal.value)
    assert str(refusal.value).isprintable()


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("O'Brien", "OBrien"),
        ("\N{ROBOT FACE}", "bot-b0d12518"),
        ("B\N{CYRILLIC SMALL LETTER O}b", "bot-819fa6b8"),
    ],
)
def test_a_folder_or_file_with_the_name_of_no_bot_gives_one(
    tmp_path: Path, file: str, name: str
) -> None:
    (tmp_path / file).mkdir()
    (tmp_path / file / "bot.yaml").write_text("run: [sh]\n")
    program = tmp_path / file / f"{file}.sh"
    program.touch(0o755)

    found = find_bot(f"./{file}", tmp_path).name
    assert found == name
    assert name_objection(found) is None
    assert find_bot(str(program), tmp_path).name == found


def test_all_errors_of_a_manifest_are_reported_together(tmp_path: Path) -> None:
    path = tmp_path / "bot.yaml"
    path.write_text(
        "name: a/b\ngames: [pent]\nfiles: [./gone.c]\nbuild: cc -o bot bot.c\nrun: []\nrum: 1\n"
    )

    with pytest.raises(ConfigError) as refusal:
        read_manifest(path)

    assert [(problem.line, problem.detail) for problem in refusal.value.problems] == [
        (1, f'name {ALPHABET}, not "a/b"'),
        (2, 'games[0]: unknown game "pent"; did you mean "pente"?'),
        (
            4,
            (
                'build must be a list, not the text "cc -o bot bot.c";'
                " write [...] around it, with a comma between its parts"
            ),
        ),
        (5, "run must have 1 or more items"),
        (6, 'unknown key "rum"; did you mean "run"?'),
    ]


def test_a_file_named_in_a_manifest_must_exist(make_bot: MakeBot) -> None:
    with pytest.raises(ConfigError, match=r'files\[0\]: no file is named "./gone.c"'):
        make_bot(files=["./gone.c"])


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (
            "protocol: jsnl\nrun: [sh]\n",
            1,
            'protocol: unknown protocol "jsnl"; did you mean "jsonl"?',
        ),
        ("protocol: jsonl\n", 0, 'missing key "run"'),
        (
            "protocol: gtp\nrun: [sh]\n",
            0,
            '"games" must name the games of the engine, of go, gomoku, open_spiel/...',
        ),
        (
            "protocol: gomocup\ngames: [gomoku, go]\nrun: [sh]\n",
            2,
            '"games" must name the games of the engine, of gomoku, pente',
        ),
        ("summary: no program\n", 0, 'missing key "run"'),
        ("protocol: uci\n", 0, 'missing key "run"'),
        (
            "run: [sh]\noptions: {Hash: 1}\n",
            2,
            '"options" is for engines, not for protocol arena',
        ),
        (
            "protocol: jsonl\nrun: [sh]\ngo: depth 1\n",
            3,
            '"go" is for engines, not for protocol jsonl',
        ),
        (
            "protocol: uci\nrun: [sh]\ngo: infinite\n",
            3,
            'go must be like "nodes 1000", "depth 8" or "movetime 50"',
        ),
        (
            "protocol: gtp\ngames: [go]\nrun: [sh]\nresign: {score: -600, moves: 3}\n",
            4,
            '"resign" is for engines, not for protocol gtp',
        ),
        (
            "protocol: uci\nrun: [sh]\nresign: {score: 600, moves: 3}\n",
            3,
            "resign.score must be 0 or less, not 600",
        ),
        (
            "protocol: uci\nrun: [sh]\noptions: {Ponder: true}\n",
            3,
            "option Ponder is set by the bridge",
        ),
        (
            "protocol: usi\nrun: [sh]\ngames: [chess]\n",
            3,
            "an engine of protocol usi plays open_spiel/shogi alone",
        ),
        (
            'protocol: uci\nrun: [sh]\noptions: {Book: "a\\nquit"}\n',
            3,
            "options.Book must be true, false, a whole number or one printable line",
        ),
        (
            'protocol: uci\nrun: [sh]\noptions: {"Book\\nquit": 1}\n',
            3,
            'options: "Book\\nquit" is no name of an option',
        ),
        (
            "protocol: uci\nrun: [sh]\noptions: {Hash value 1 name Hash: 1}\n",
            3,
            'options: "Hash value 1 name Hash" cannot be set: a name ends at the word "value"',
        ),
        (
            "protocol: uci\nrun: [sh]\noptions: {Hash: 1.5}\n",
            3,
            "options.Hash must be true, false, a whole number or one printable line",
        ),
    ],
)
def test_a_manifest_must_fit_its_protocol(tmp_path: Path, text: str, line: int, says: str) -> None:
    (tmp_path / "bot.yaml").write_text(text)

    with pytest.raises(ConfigError) as refusal:
        read_manifest(tmp_path / "bot.yaml")

    assert [(fault.line, fault.detail) for fault in refusal.value.problems] == [(line, says)]


def test_every_shipped_bot_names_only_allowed_files() -> None:
    for path in shipped_bots().values():
        assert read_manifest(path).path == path


def test_a_bot_can_play_all_games_of_openspiel() -> None:
    manifest = find_bot("mcts", Path("/nowhere"))

    assert manifest.plays("open_spiel/chess")
    assert not manifest.plays("pente")
    assert manifest.examples == ("open_spiel/tic_tac_toe",)
    assert default_bot("open_spiel/othello") == "mcts"
