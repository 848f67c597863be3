// A starter bot: it plays random legal moves in any game.
// `extends Bot<"pente">` has the moves, claims, views and options of that game alone.
import { Bot, done, isProgram, play, resign, run } from "./arena_bot.mjs";
import type { Init, MoveCall, Reply } from "./arena_bot.mjs";

export class Starter extends Bot {
  name = "starter-typescript";
  version = "1";
  language = "typescript";
  wants: Bot["wants"] = ["view", "legal"];
  #random = seeded(0);
  #seats = 0;
  #board: string[] = [];

  // Remember the match; its seed makes all random choices reproducible.
  onInit(init: Init) {
    this.#random = seeded(init.seed);
    this.#seats = init.seats;
    this.#look(init.view);
  }

  // Choose one of the legal moves. Make this cleverer.
  onMove(call: MoveCall): Reply {
    this.#look(call.view);
    if (call.legal?.length) {
      return play(call.legal[Math.floor(this.#random() * call.legal.length)]);
    }
    // No list: a one-seat game with no move left, or more moves than fit into a message.
    return this.#seats === 1 ? done() : resign();
  }

  // Show the board as last seen: after an own move you must have changed it yourself.
  onDisplay() {
    return this.#board;
  }

  #look(view: MoveCall["view"]) {
    this.#board = view && "board" in view ? view.board : [];
  }
}

// Math.random takes no seed: this is mulberry32, numbers from 0 to 1 that depend on it alone.
function seeded(state: number) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

// A test that imports this file starts no bot.
if (isProgram(import.meta.url)) {
  run(new Starter());
}
