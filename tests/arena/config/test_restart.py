"""Which bots keep running between their matches, unless the config says so."""

from pathlib import Path

import pytest
from small_configs import config_of

ENGINES = {
    "uci": "protocol: uci\n",
    "cecp": "protocol: cecp\n",
    "gomocup": "protocol: gomocup\ngames: [gomoku]\n",
    "gtp": "protocol: gtp\ngames: [gomoku]\n",
    "own": "",
}


def restart_of(game: str, *protocols: str, rest: str = "") -> str:
    """Return what becomes of the bots of an event of engines with these protocols."""
    for number, protocol in enumerate(protocols):
        folder = Path(f"bot{number}")
        folder.mkdir()
        (folder / "engine").touch(mode=0o755)
        (folder / "bot.yaml").write_text(f"{ENGINES[protocol]}run: [./engine]\n")
    bots = ", ".join(f"./bot{number}" for number in range(len(protocols)))
    return config_of(f"name: e\ngame: {{name: {game}}}\nbots: [{bots}]\n{rest}").bot_restart


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("game", "protocols", "restart"),
    [
        ("chess", ("uci", "uci"), "never"),
        ("chess", ("uci", "cecp"), "never"),
        ("gomoku", ("gomocup", "gomocup"), "never"),
        ("gomoku", ("gomocup", "gtp"), "match"),
        ("chess", ("uci", "own"), "match"),
        ("chess", ("own", "own"), "match"),
        ("chess", ("uci", "uci", "uci"), "match"),
    ],
)
def test_two_engines_that_begin_anew_keep_running(
    game: str, protocols: tuple[str, ...], restart: str
) -> None:
    assert restart_of(game, *protocols) == restart


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("rest", "restart"),
    [
        ("restart: match\n", "match"),
        ("restart: never\n", "never"),
        ("isolation: require\n", "match"),
        ("isolation: require\nrestart: never\n", "never"),
        ("isolation: none\n", "never"),
        ("format: gate\ngate: {elo0: -50, elo1: 0}\n", "never"),
    ],
)
def test_the_config_decides_and_strangers_get_new_processes(rest: str, restart: str) -> None:
    assert restart_of("chess", "uci", "uci", rest=rest) == restart
