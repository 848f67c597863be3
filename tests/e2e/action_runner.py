"""The steps of action.yml, run as a runner of GitHub runs them."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from waiting import LONGEST_S

ROOT = Path(__file__).parents[2]

_EXPRESSION = re.compile(r"\$\{\{ (.+?) \}\}")
_CONDITION = re.compile(r"(\S+) (==|!=) '(.*)'")

VENV = """#!/bin/sh
# A stand-in for python3: a venv contains this Python and this Arena; --version prints a version.
case "$*" in
  "-I -m venv"*) mkdir -p "$4/bin"
    printf '#!/bin/sh\\ncase "$*" in "-I -m pip"*) printf "%%s|" "$@" >> "$PIP_LOG";; *) exec "{python}" "$@";; esac\\n' > "$4/bin/python"
    printf '#!/bin/sh\\nexec {arena} "$@"\\n' > "$4/bin/arena"
    chmod +x "$4/bin/python" "$4/bin/arena";;
  *) exec "{python}" "$@";;
esac
"""  # noqa: E501 - a program
LOGGED = '#!/bin/sh\nprintf "%s " "${0##*/}" "$@" >> "$CALLS"\n'


def action() -> Any:
    return YAML(typ="safe").load((ROOT / "action.yml").read_text())


@dataclass
class Runner:
    """A machine that runs the steps in a folder; programs that would change it are recorded."""

    workspace: Path
    home: Path
    programs: Mapping[str, str] = field(default_factory=dict)
    """More programs in front of the path, by name."""
    path: str = os.environ["PATH"]
    """The path of the machine's own programs."""
    arena: str = f'"{sys.executable}" -P -m arena'
    """The installed command, as a shell reads it."""
    log: str = ""
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    """Outputs of the steps by id."""

    def __post_init__(self) -> None:
        self.home.mkdir(exist_ok=True)
        self.temp = self.home / "runner temp"
        self.temp.mkdir()
        self.summary = self.home / "step_summary"
        here = self.home / "bin"
        here.mkdir()
        programs = {"python3": VENV.format(python=sys.executable, arena=self.arena), "sudo": LOGGED}
        for name, text in {**programs, **self.programs}.items():
            (here / name).write_text(text)
            (here / name).chmod(0o755)

    def run(self, inputs: Mapping[str, str]) -> tuple[int, dict[str, str]]:
        """Run all steps up to one that fails; return its exit code and the action's outputs."""
        code = 0
        loaded = action()
        assert set(inputs) <= set(loaded["inputs"])
        self._values = {f"inputs.{k}": each["default"] for k, each in loaded["inputs"].items()}
        self._values |= {f"inputs.{name}": value for name, value in inputs.items()}
        self._values |= {"github.action_path": str(ROOT), "runner.temp": str(self.temp)}
        self._values |= {"runner.os": "Linux", "runner.arch": "X64"}
        for number, step in enumerate(loaded["runs"]["steps"]):
            if not self._is_wanted(step.get("if")):
                continue
            if "uses" in step:
                self.log += f"{step['uses']} {[*map(self._text, step['with'].values())]}\n"
            elif code := self._step(step, number):
                break
        return code, {k: self._text(each["value"]) for k, each in loaded["outputs"].items()}

    def _step(self, step: Mapping[str, Any], number: int) -> int:
        script, output = self.home / f"step{number}.sh", self.home / f"output{number}"
        script.write_text(step["run"])
        output.touch()
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.workspace / self._text(step.get("working-directory", ".")),
            env={**self._environment(output), **self._texts(step.get("env", {}))},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LONGEST_S,
            check=False,
        )
        self.log += done.stdout
        lines = [line.partition("=") for line in output.read_text().splitlines()]
        for name, _, value in lines:
            self.outputs.setdefault(step["id"], {})[name] = value
            self._values[f"steps.{step['id']}.outputs.{name}"] = value
        return done.returncode

    def _environment(self, output: Path) -> dict[str, str]:
        known = {name: text for name, text in os.environ.items() if "GITHUB_" not in name}
        return {
            **known,
            "PATH": f"{self.home / 'bin'}:{self.path}",
            "PYTHONPATH": str(ROOT),
            "RUNNER_TEMP": str(self.temp),
            "GITHUB_ACTIONS": "true",
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "GITHUB_WORKSPACE": str(self.workspace),
            "CALLS": str(self.home / "calls"),
            "PIP_LOG": str(self.home / "pip"),
        }

    def called(self, log: str) -> Sequence[str]:
        """Return what was written to a log of recorded programs."""
        path = self.home / log
        return path.read_text().replace("|", " ").split() if path.exists() else ()

    def _is_wanted(self, condition: str | None) -> bool:
        if condition is None:
            return True
        found = _CONDITION.fullmatch(condition)
        assert found, f"a condition this runner does not know: {condition}"
        is_same: bool = self._values[found[1]] == found[3]
        return is_same == (found[2] == "==")

    def _texts(self, values: Mapping[str, str]) -> dict[str, str]:
        return {name: self._text(text) for name, text in values.items()}

    def _text(self, text: str) -> str:
        return _EXPRESSION.sub(lambda found: self._values.get(found[1], ""), str(text))
