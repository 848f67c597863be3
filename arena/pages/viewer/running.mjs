// The running matches with people: each with a link back into it, for its page may be closed.

import { ask } from "./asking.mjs";
import { el, section } from "./dom.mjs";

/** @typedef {{number: number, game: string, players: string[], is_open: boolean}} Running */

export class RunningList {
  /** @param {(match: number) => Promise<any>} leave */
  constructor(leave) {
    this.leave = leave;
    /** @type {Set<number>} Those left here: their processes may need a moment to end. */
    this.ending = new Set();
    this.items = el("ul", { class: "running" });
    this.node = section("Running matches", this.items);
    this.node.hidden = true;
  }

  /** Read the list again. */
  async refresh() {
    const known = /** @type {Running[]} */ (await ask("/play/matches"));
    const running = known.filter(({ number }) => !this.ending.has(number));
    this.node.hidden = running.length === 0;
    this.items.replaceChildren(...running.map((match) => this.#item(match)));
  }

  /** @param {Running} match */
  #item({ number, game, players, is_open }) {
    const name = `${game.replaceAll("_", " ") || "match"} ${number}${players.length ? `: ${players.join(" – ")}` : ""}`;
    const leave = el("button", { type: "button", "aria-label": `leave ${name}`, click: () => void this.#leave(number) }, "leave");
    return el("li", {}, el("a", { href: `#match=${number}` }, name), is_open ? "" : el("span", { class: "hint" }, "no page is open: left after two minutes"), leave);
  }

  /** @param {number} number */
  async #leave(number) {
    await this.leave(number).then(() => this.ending.add(number), () => {});
    await this.refresh().catch(() => {});
  }
}
