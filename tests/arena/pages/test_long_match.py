"""A match of very many moves is drawn: a call in a browser has a limit of arguments."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from arena import pages

VIEWER = Path(pages.__file__).parent / "viewer"
DRAW = """
class Node {
  constructor() { this.style = { setProperty() {} }; this.classList = { add() {}, toggle() {} }; }
  append(...nodes) { this.count = (this.count ?? 0) + nodes.length; }
  setAttribute() {}
  addEventListener() {}
}
globalThis.Node = Node;
globalThis.document = { createElementNS: () => new Node(), createElement: () => new Node() };
const { timeChart, lineChart } = await import(process.argv[1]);
const many = 200_000;
const all = (value) => Array(many).fill(value);
const chart = timeChart({ charged: all(1), wall: all(2), seat: all(0) }, () => {});
lineChart("score", { one: all(3) }, { unit: "match" });
console.log(chart.node.count);
"""


@pytest.mark.skipif(
    not shutil.which("node") and not os.environ.get("CI"), reason="node is not installed"
)
def test_the_times_of_very_many_moves_are_drawn() -> None:
    command = ["node", "--input-type=module", "-e", DRAW, str(VIEWER / "charts.mjs")]

    drawn = subprocess.run(command, check=False, capture_output=True, text=True)

    assert (drawn.returncode, drawn.stderr) == (0, "")
    assert int(drawn.stdout) > 200_000
