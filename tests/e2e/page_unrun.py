"""The commands of pages that no test runs as printed, and why.

A new page needs no line here, unless a machine of CI cannot have what its command needs. A reason
is a fact about the command; it names the file that runs the same in another way, if there is one.
"""

from collections.abc import Mapping

_PIP = "installs packages of a public registry"
_VENV = "is the environment for the packages of the next line"
_CLONE = "needs the public address of the repository"
_SYSTEM = "changes the users or the services of the machine"
_DOCKER = "needs Docker"
_HOST = "needs another host"
_SSH = "needs other hosts"
_SHOWN = "shows how the command refuses"
_OTHER = "is a program beside Arena, for comparison"
_LEAGUE = "needs a league that runs; tests/arena/league/test_tutorial_of_a_league.py has one"
_CLUSTER = "needs a scheduler at this address; tests/e2e/test_cluster_command.py has one"
_JOIN = "needs an open host; tests/e2e/test_remote_event.py has one"
_TESTS = "runs tests that run this one; .ci/run runs them"
_NIGHTLY = "takes from minutes to hours; .github/workflows/nightly.yml runs it"

_LEAGUE_WORDS = [
    "alike",
    "backup",
    "export",
    "final",
    "grades",
    "link",
    "restore",
    "season",
    "start",
    "stop",
    "upgrade",
    "verify",
    "void",
]

UNRUN: Mapping[str, Mapping[str, str]] = {
    "": {
        ".venv/bin/pip install": _PIP,
        "pip install": _PIP,
        "arena-env/bin/pip install": _PIP,
        "python3 -m venv": _VENV,
        "git clone ADDRESS-OF-ARENA": _CLONE,
        "docker": _DOCKER,
        "arena join tcp://": _JOIN,
        "arena serve --port 8000": "has a port that another program of the machine may use",
        "fastchess": _OTHER,
        "cutechess-cli": _OTHER,
        "python3 bootstrap.py pytest": _TESTS,
    },
    "CONTRIBUTING.md": {
        "make test": _TESTS,
        "make fuzz": _NIGHTLY,
        "make mutants": "takes hours",
        "make lint": "has steps of .ci/run",
        "python3 docs/measure.py": "is run by tests/docs/test_measure.py",
        "make docs": "is a step of .ci/run",
        "make bench": _NIGHTLY,
        "make torture": _NIGHTLY,
        "make power": _NIGHTLY,
        "bash .ci/run": "is what runs this test",
        "make release": "pushes a tag; tests/docs/test_release.py has a repository for it",
    },
    "README.md": {
        "arena count damspel": "takes minutes; tests/e2e/test_count_command.py counts less",
    },
    "bots/README.md": {
        "arena check ./mine": "needs Rust and its registry; tests/bots/test_kits.py builds it",
        "arena match ./mine": "needs Rust and its registry; tests/bots/test_kits.py builds it",
        "~/venvs/mine/bin/python -m pip": _PIP,
        "arena tournament configs/languages.yaml": "needs the toolchains of all languages; "
        "tests/bots/test_starters.py plays each",
    },
    "docs/howto/check-a-bot.md": {
        "arena check --determinism": "is run of docs/howto/ci.md, with the game as an option",
    },
    "docs/howto/cluster.md": {
        "scp": _SSH,
        "ssh": _SSH,
        "srun": "needs SLURM",
        "arena worker login1:8786": _CLUSTER,
        "arena cluster start": _CLUSTER,
        "arena tournament configs/pente.yaml": "is run of README.md, with another config",
        "arena tournament cup.yaml --cluster": _CLUSTER,
        "cat open-cup.yaml": "shows an event on four networks",
        "arena tournament open-cup.yaml": "shows an event on four networks",
        "kubectl": "needs Kubernetes",
    },
    "docs/howto/containers.md": {
        "export LEAGUE_PASSWORD": "is for the lines of Docker below it",
    },
    "docs/howto/contest.md": {
        "arena tournament /srv/class/": "is a line for cron, with a folder of the system",
    },
    "docs/howto/foreign-referee.md": {
        "/opt/kaggle/bin/pip": _PIP,
    },
    "docs/howto/install.md": {
        ".venv/bin/python -m build": "is a step of .github/workflows/release.yml",
    },
    "docs/howto/isolation.md": {
        "systemd-run": "needs the service manager of a user",
    },
    "docs/howto/league-as-a-service.md": {
        "useradd": _SYSTEM,
        "sudo": _SYSTEM,
        "systemctl": _SYSTEM,
        "journalctl": _SYSTEM,
        "python3 bootstrap.py arena doctor": "follows the line that makes its folder in /opt",
    },
    "docs/howto/league-behind-a-proxy.md": {
        "curl": _HOST,
    },
    "docs/howto/league-backup.md": {
        "arena league": "is run by tests/arena/league/test_tutorial_of_a_league.py",
    },
    "docs/howto/league-deadlines-and-grades.md": {
        "git pull": _PIP,
        "arena league final": "needs a season with matches; tests/arena/league/test_finals.py",
        "arena league season": "needs a season with matches; tests/arena/league/test_seasons.py",
        "arena serve": "needs a final; the same command is run of docs/howto/watch.md",
        "arena league stop": _LEAGUE,
        "arena league upgrade": _LEAGUE,
    },
    "docs/howto/league-for-entrants.md": {
        "arena check": "is run of README.md, and takes ten seconds of CPU time",
        "arena hand-in": _LEAGUE,
    },
    "docs/howto/league-for-scripts.md": {
        "arena hand-in": _LEAGUE,
    },
    "docs/howto/league-workers.md": {
        "arena worker": _LEAGUE,
        "arena league void": "needs matches; tests/arena/league/test_machine_voids.py",
    },
    "docs/howto/openspiel.md": {
        "arena match random random --game open_spiel/hex -o board_size=100000": _SHOWN,
    },
    "docs/howto/play.md": {
        "arena replay void-2": "replays an error in the rules, and no shipped game has one",
    },
    "docs/howto/remote-bots.md": {
        "arena host": _JOIN,
    },
    "docs/howto/uci.md": {
        "arena match uci:stockfish uci:ethereal-chess": "needs two cores; "
        "tests/bots/test_uci_pondering.py plays such matches",
    },
    "docs/index.md": {
        "arena check": "is run of README.md, after the same line",
    },
    "docs/reference/commands.md": {
        "arena check": "is run of README.md, and takes ten seconds of CPU time",
        "arena hand-in": _LEAGUE,
        "arena host": _JOIN,
        "arena worker": _CLUSTER,
        **{f"arena league {word}": _LEAGUE for word in _LEAGUE_WORDS},
    },
    "docs/showcase/index.md": {
        "arena tournament docs/showcase/breakthrough.yaml": "needs an engine of this game; "
        "tests/bots/test_engines.py plays it with one of Debian",
    },
    "docs/tutorial/first-bot.md": {
        "arena ": "is run by tests/e2e/test_first_bot.py",
    },
    "docs/tutorial/first-game.md": {
        "python3 bootstrap.py arena": "has a game that the reader has written; "
        "tests/e2e/test_first_game.py plays it",
        "pytest": "is run by tests/e2e/test_first_game.py",
    },
    "docs/tutorial/league.md": {
        "arena ": "is run by tests/arena/league/test_tutorial_of_a_league.py",
        "export ARENA_LEAGUE_TOKEN": _LEAGUE,
        "git push": _LEAGUE,
    },
}
"""Beginnings of commands by page, and of every page under the empty name."""


def reason(page: str, command: str) -> str | None:
    """Return why a command of a page is not run, or None."""
    known = {**UNRUN[""], **UNRUN.get(page, {})}
    return next((known[start] for start in known if command.startswith(start)), None)
