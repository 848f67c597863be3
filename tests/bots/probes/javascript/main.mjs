// A bot for tests of the JavaScript kit: does at its turn what the field `view.do` says.
import { openSync, readSync } from "node:fs";
import { Bot, done, play, resign, run } from "./arena_bot.mjs";

const cycle = [];
cycle[0] = cycle;

const ANSWERS = {
  play: (call) => play(call.legal[0]),
  resign,
  done,
  all: (call) => play(call.legal[0], { claims: { victory: true }, note: "h\u00e9" }),
  remarks: () => play({ v: 0, h: 0 }, { value: -7, plan: [{ v: 1, h: 2 }], data: { depth: 3 } }),
  unsaid: (call) => play(call.legal[0], { note: undefined, value: undefined, plan: [] }),
  numbers: () => play({ v: [2 ** 53, -(2 ** 53), 2 ** 32, -1, -0, 5n] }),
  override: (call) => ({ ...play(call.legal[0]), id: 77, type: "bye" }),
  print: () => process.stdout.write("thinking") && resign(),
  think() {
    console.log("!");
    readSync(openSync("gate", "r"), Buffer.alloc(1)); // A pipe.
    return resign();
  },
  promise: () => process.stdout.write("!") && new Promise(() => setInterval(() => {}, 1000)),
  nothing() {},
  bare: (call) => call.legal[0],
  list: (call) => [play(call.legal[0])],
  long: () => play({ x: "x".repeat(70000) }),
  float: () => play({ x: 7 / 2 }),
  nan: () => play({ x: NaN }),
  huge: () => play({ x: 2n ** 53n + 1n }),
  undefined: (call) => play({ x: [1, call.nix] }),
  map: () => play({ x: new Map() }),
  empty: () => play({}),
  bytes: () => play({ x: "\ud800" }),
  cycle: () => play({ x: cycle }),
  note: () => play({}, { note: "x".repeat(1025) }),
  property: (call) => call.nothing.more,
  reject: () => Promise.reject(new Error("not yet")),
};

class Probe extends Bot {
  async onInit(init) {
    this.init = init;
  }
  onMove(call) {
    return call.view.do === "told" ? this.told(call) : ANSWERS[call.view.do](call);
  }
  onTerm(term) {
    if (this.init.match === "talk") console.log(term.reason);
  }
  async told(call) {
    const [{ seat, move }] = call.opponent_moves;
    const { seed, time } = this.init;
    return play(move, { note: [seed, time.clock, seat, call.ply, call.left_ms].join(" ") });
  }
}
run(new Probe());
