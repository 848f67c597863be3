"""A match of very many moves: a call in a browser has a limit of arguments, a page one of time."""

import json
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
BANKS = """
const { leftsOf, leftOf } = await import(process.argv[1]);
const many = 3000;
let reads = 0;
const counted = (values) => new Proxy(values, {
  get: (all, name) => { reads += /^\\d+$/.test(String(name)); return Reflect.get(all, name); },
});
const charged = Array.from({ length: many }, (_, at) => 1 + (at % 7));
const seat = Array.from({ length: many }, (_, at) => at % 2);
const time = { bank: 1000, increment: 3, moves: 40 };
const course = { times: [time, time], seat: counted(seat), charged: counted(charged) };
const lefts = leftsOf(course);
const spent = reads;
const slow = (step) => {
  const own = charged.slice(0, step).filter((_, at) => seat[at] === seat[step - 1]);
  const banks = 1 + Math.floor(own.length / 40);
  return own.reduce((left, us) => left - us, banks * 1000 + own.length * 3);
};
const wrong = lefts.filter((left, at) => left !== slow(at + 1)).length;
const some = [leftOf(course, 0, 0), leftOf(course, 0, 1), leftOf(course, 1, 1)];
const none = [...some, leftsOf({ ...course, times: [] })[0]];
console.log(JSON.stringify([spent <= 6 * many, wrong, none]));
"""

needs_node = pytest.mark.skipif(
    not shutil.which("node") and not os.environ.get("CI"), reason="node is not installed"
)


def run(script: str, module: str) -> str:
    """Run a script with a module of the viewer; return its output."""
    command = ["node", "--input-type=module", "-e", script, str(VIEWER / module)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@needs_node
def test_the_times_of_very_many_moves_are_drawn() -> None:
    assert int(run(DRAW, "charts.mjs")) > 200_000


@needs_node
def test_what_is_left_of_a_bank_takes_one_look_at_each_step() -> None:
    assert json.loads(run(BANKS, "clocks.mjs")) == [True, 0, [1000, 1002, 1000, None]]
