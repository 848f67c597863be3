// A running match with people: the board to click, the moves to type, what is said.

import { Board, Diagram } from "./board.mjs";
import { el, seatMark } from "./dom.mjs";
import { clicked, narrow } from "./narrow.mjs";
import { plays } from "./playsetup.mjs";

/**
 * @typedef {import("./narrow.mjs").Choice} Choice
 *
 * @typedef {object} Seated
 * @property {string} game
 * @property {Record<string, any>} options
 * @property {string[]} names
 * @property {number[]} people
 * @property {string[]} roles
 * @property {boolean} can_take_back
 * @property {import("./board.mjs").Layout | null} layout
 *
 * @typedef {object} Scene
 * @property {number} seat
 * @property {number} shown
 * @property {number} turn
 * @property {boolean} is_over
 * @property {number} ply
 * @property {string[]} news
 * @property {[number, number][]} pieces
 * @property {import("./board.mjs").Piece[]} palette
 * @property {string} diagram
 * @property {string} caption
 * @property {number[]} marks
 * @property {Choice[]} moves
 * @property {number[]} first
 * @property {string} task What the seat to move has to do, where it is not a usual move.
 * @property {Record<string, string>} [labels] The words of moves that need some: the game's, or the piece that a move would leave.
 */

const LISTED = 300;
const ADVICE = / (would (play|resign|stop here)|has no answer)/; // a hint, as the server words it

export class PlayView {
  /**
   * @param {(body: Record<string, any>) => Promise<any>} post
   * @param {(() => Promise<any>) | null} leave Null where the match cannot be ended.
   * @param {import("./playsetup.mjs").Bot[]} bots The bots to ask for a hint.
   * @param {{again: string, replay: boolean}} onward The address of a new match, and whether this one is kept to be replayed.
   */
  constructor(post, leave, bots, onward = { again: "#", replay: true }) {
    this.post = post;
    this.leave = leave;
    this.bots = bots;
    this.onward = onward;
    /** @type {number[]} */
    this.own = [];
    /** @type {Record<string, string>} */
    this.keys = {};
    /** @type {Seated | null} */
    this.seated = null;
    /** @type {Scene | null} */
    this.scene = null;
    /** @type {number[]} */
    this.clicks = [];
    /** @type {number[]} Places of a proposed move. */
    this.hinted = [];
    /** @type {Choice[]} */
    this.moves = [];
    /** @type {number | null} The place that a second tap plays. */
    this.aimed = null;
    /** The moves of the menu, as text. */
    this.listed = "";
    this.isAsked = false;
    this.whole = this.#button("whole board", "show the whole board again", () => this.#aim(null));
    this.whole.hidden = true;
    this.title = el("h1", {}, "Play");
    this.players = el("ul", { class: "players" });
    this.stage = el("div", { class: "table" });
    this.caption = el("p", { class: "caption" });
    this.status = el("p", { class: "turn", role: "status" }, "the bots are getting ready …");
    this.menu = el("div", { class: "menu", role: "group", "aria-label": "moves to choose" });
    this.log = el("div", { class: "log", role: "log", "aria-label": "messages", tabindex: 0 });
    this.typed = /** @type {HTMLInputElement} */ (
      el("input", { type: "text", "aria-label": "type a move", placeholder: "type a move", maxlength: 200, autocomplete: "off", autocapitalize: "off", spellcheck: "false" })
    );
    this.played = /** @type {HTMLButtonElement} */ (el("button", { disabled: true }, "play"));
    this.actions = el("div", { class: "controls" });
    this.links = el("div", {});
    this.hinter = /** @type {HTMLSelectElement} */ (el("select", {}));
    const form = el("form", { class: "typing", submit: (/** @type {Event} */ event) => this.#type(event) }, this.typed, this.played);
    this.question = /** @type {HTMLDialogElement} */ (el("dialog", {}));
    this.node = el(
      "article",
      { class: "match playing" },
      this.title,
      this.players,
      el("div", { class: "stage" }, el("div", {}, this.stage, this.whole), el("div", { class: "side" }, this.status, this.menu, this.caption, form, this.actions, this.log, this.links)),
      this.question,
    );
  }

  /** Take a message of the server. @param {any} message */
  hear(message) {
    const handlers = {
      own: () => this.#own(message),
      seated: () => this.#seat(message),
      scene: () => this.#show(message),
      asked: () => this.#ask(message),
      moves: () => this.#continue(message),
      said: () => this.#say(message.text, `${message.seat} ${message.shown}`),
      ended: () => this.#end(message),
      failed: () => this.#finish(message.text),
    };
    handlers[/** @type {keyof typeof handlers} */ (message.kind)]?.();
  }

  /** Start anew: the server repeats what this page needs. @param {{seats: number[], keys: Record<string, string>}} own */
  #own({ seats, keys }) {
    this.own = seats;
    this.keys = keys;
    this.log.replaceChildren();
  }

  /** @param {Seated} seated */
  #seat(seated) {
    this.seated = seated;
    this.title.textContent = `${seated.game.replaceAll("_", " ")}: ${seated.names.join(" – ")}`;
    this.node.classList.toggle("light-first", seated.layout?.is_first_light ?? false);
    this.board = seated.layout ? new Board(seated.layout, [], (place, isBlind) => this.#click(place, isBlind)) : new Diagram([]);
    this.stage.replaceChildren(this.board.node);
    this.buttons = {
      undo: this.#button("take back", "your last move and the replies to it", () => this.#send("undo")),
      hint: this.#button("hint", "ask a bot for a move", () => this.#send(`hint ${this.hinter.value}`)),
      done: seated.names.length === 1 ? this.#button("done", "stop and keep the points", () => this.#send("done")) : null,
      resign: this.#button("resign", "give up", () => this.#ensure("Resign?", () => this.#send("resign"))),
      rules: this.#button("rules", "rules and options of this game", () => this.#send("?")),
    };
    const bots = this.bots.filter((bot) => plays(bot, seated.game));
    this.hinter = /** @type {HTMLSelectElement} */ (
      el("select", { "aria-label": "bot to ask for a hint" }, el("option", { value: "" }, "by the usual bot"), ...bots.map(({ name }) => el("option", { value: name }, `by ${name}`)))
    );
    this.hinter.hidden = bots.length === 0;
    const flip = this.#button("⇅", "flip the board", () => this.#flip());
    const leave = this.#button("leave", "end without a result", () => this.#ensure("Leave? Nothing is kept.", () => void this.leave?.()));
    flip.hidden = seated.layout === null;
    leave.hidden = this.leave === null;
    const { undo, hint, done, resign, rules } = this.buttons;
    undo.hidden = !seated.can_take_back;
    this.actions.replaceChildren(undo, ...(done ? [done] : []), resign, rules, flip, leave, el("span", { class: "hinting" }, hint, this.hinter));
    this.links.replaceChildren(...Object.entries(this.keys).map(([seat, key]) => this.#link(Number(seat), key)));
    this.#enable();
  }

  /** @param {Scene} scene */
  #show(scene) {
    this.scene = scene;
    this.isAsked = false;
    this.clicks = this.hinted = [];
    this.moves = scene.moves;
    this.#aim(null);
    for (const hint of this.log.querySelectorAll(".advice")) if (hint.getAttribute("data-for") !== `${scene.seat} ${scene.shown}`) hint.remove();
    this.caption.textContent = scene.caption;
    if (this.board instanceof Board) {
      this.board.palette = scene.palette;
      this.board.show(new Map(scene.pieces), scene.marks);
    } else if (this.board) {
      this.board.diagrams = [scene.diagram];
      this.board.showPly(0);
    }
    this.#seats();
    this.#tell();
    this.#offer();
    this.#enable();
  }

  /** Say what has happened and what is to be done. */
  #tell() {
    const scene = /** @type {Scene} */ (this.scene);
    const place = this.aimed === null ? null : (this.seated?.layout?.names[this.aimed] ?? this.aimed);
    const { complete } = narrow(this.moves, this.clicks);
    const choice = this.clicks.length && complete.length > 1 ? ["Choose one of the moves below."] : [];
    this.status.textContent = place === null ? [...scene.news, this.#whose(scene), ...choice].join(". ").replaceAll("..", ".") : `${place}: tap it again to play there, or tap another place.`;
  }

  /** @param {Scene} scene */
  #whose(scene) {
    if (scene.is_over) return "The game is over.";
    const { names, people } = /** @type {Seated} */ (this.seated);
    if (!people.includes(scene.turn)) return `${names[scene.turn]} is thinking …`;
    const here = people.filter((seat) => this.own.includes(seat));
    const turn = here.length === 1 && here[0] === scene.turn ? "Your turn" : `Turn of ${names[scene.turn]}`;
    return scene.task ? `${turn}: ${scene.task}.` : `${turn}.`;
  }

  /** @param {number} seat @param {string} key */
  #link(seat, key) {
    const isLocal = ["127.0.0.1", "localhost", "[::1]"].includes(location.hostname);
    const address = `${location.origin}/play/seat?key=${key}`;
    return el(
      "p",
      { class: "hint" },
      `link for ${this.seated?.names[seat]}, who plays on a page of their own: `,
      el("a", { href: address, rel: "noopener", target: "_blank" }, address),
      isLocal ? " (on this machine only; for others start arena serve with --bind)" : "",
    );
  }

  #seats() {
    const { names, roles, layout } = /** @type {Seated} */ (this.seated);
    const { turn, is_over } = /** @type {Scene} */ (this.scene);
    this.players.replaceChildren(
      ...names.map((name, seat) => {
        const isTurn = seat === turn && !is_over;
        const role = layout ? ` ${roles[seat] || `seat ${seat}`}` : "";
        return el("li", { "aria-current": isTurn ? "true" : null }, seatMark(seat, layout === null, roles[seat]), el("strong", {}, name), role, isTurn ? " – to move" : "");
      }),
    );
  }

  /** @param {{seat: number, shown: number}} asked */
  #ask(asked) {
    this.isAsked = asked.seat === this.scene?.seat && asked.shown === this.scene.shown;
    this.#enable();
    this.#offer();
  }

  #enable() {
    this.played.disabled = !this.isAsked;
    for (const button of Object.values(this.buttons ?? {})) if (button) button.disabled = !this.isAsked;
  }

  /** @param {number} place @param {boolean} isBlind Whether a finger may have missed its place: a move needs a second tap. */
  #click(place, isBlind) {
    if (!this.isAsked || !this.scene) return;
    if (isBlind && this.#ends(place)) return this.#aim(place);
    if (this.scene.first.length && !(this.clicks.length && narrow(this.moves, this.clicks).next.has(place))) {
      this.clicks = [];
      this.moves = [];
      if (this.scene.first.includes(place)) return void this.#post({ first: place });
    } else this.clicks = clicked(this.moves, this.clicks, place);
    this.#choose();
  }

  /** Whether a click on a place may complete a move. @param {number} place */
  #ends(place) {
    if (this.scene?.first.length && !this.clicks.length) return this.scene.first.includes(place);
    const { complete, next } = narrow(this.moves, clicked(this.moves, this.clicks, place));
    return complete.length === 1 && next.size === 0;
  }

  /** Show the surroundings of a place, or with null the whole board. @param {number | null} place */
  #aim(place) {
    this.aimed = place;
    this.whole.hidden = place === null;
    this.#offer();
    if (this.board instanceof Board && place === null) this.board.showAll();
    else if (this.board instanceof Board && place !== null) this.board.aim(place);
    if (this.scene) this.#tell();
  }

  /** Take the moves that begin at a place. @param {{shown: number, first: number, moves: Choice[]}} found */
  #continue(found) {
    if (found.shown !== this.scene?.shown) return;
    this.moves = found.moves;
    this.clicks = [found.first];
    this.#choose();
  }

  #choose() {
    const { complete, next } = narrow(this.moves, this.clicks);
    this.aimed = null;
    if (this.clicks.length && complete.length === 1 && next.size === 0) return this.#send(complete[0][0]);
    this.#offer();
    this.#tell();
  }

  /** Mark the places that can be clicked, and list the moves that are left to choose from: the same ones stay, and with them a click that has begun. */
  #offer() {
    const { complete, next } = narrow(this.moves, this.clicks);
    const places = this.isAsked ? (this.moves.length ? [...next] : (this.scene?.first ?? [])) : [];
    if (this.board instanceof Board) {
      this.board.offer(new Set(places), this.clicks);
      this.board.hint(this.hinted);
    }
    const notations = this.isAsked ? complete.map(([notation]) => notation) : [];
    if (notations.join("\n") === this.listed) return;
    this.listed = notations.join("\n");
    this.menu.replaceChildren(
      ...notations.slice(0, LISTED).map((notation) => el("button", { type: "button", click: () => this.#send(notation) }, this.scene?.labels?.[notation] ?? notation)),
      notations.length > LISTED ? el("p", { class: "hint" }, `the first ${LISTED} of ${notations.length} moves; type any other`) : "",
    );
  }

  /** @param {Event} event */
  #type(event) {
    event.preventDefault();
    const line = this.typed.value.trim();
    if (!line || !this.isAsked) return; // the text waits for its turn
    this.#send(line);
    this.typed.value = "";
  }

  /** @param {string} line */
  #send(line) {
    void this.#post({ line });
  }

  /** @param {Record<string, any>} what */
  async #post(what) {
    if (!this.isAsked || !this.scene) return;
    this.isAsked = false;
    this.clicks = [];
    this.#enable();
    this.#aim(null);
    try {
      await this.post({ seat: this.scene.seat, shown: this.scene.shown, ...what });
    } catch (error) {
      this.isAsked = true;
      this.#enable();
      this.#offer();
      this.#say(error instanceof Error ? error.message : String(error));
    }
  }

  /** Show a message; a hint for an earlier position is no longer one. @param {string} text @param {string} [position] */
  #say(text, position = "") {
    const isAdvice = ADVICE.test(text);
    if (isAdvice && this.scene && position !== `${this.scene.seat} ${this.scene.shown}`) return;
    const node = el(text.includes("\n") ? "pre" : "p", { class: isAdvice ? "advice" : null, "data-for": position }, text);
    this.log.append(node);
    this.log.scrollTop = node.offsetTop - this.log.offsetTop; // a long text is read from its beginning
    if (!isAdvice) return;
    const hint = text.split(" would play ")[1] ?? "";
    const move = this.moves.find(([notation]) => hint === notation || hint.startsWith(`${notation} (`));
    this.hinted = move?.[1] ?? [];
    this.#offer();
  }

  /** @param {{text: string, match: number, event: number, key: string}} ended */
  #end(ended) {
    const replay = `/#e=${ended.event}&m=${encodeURIComponent(ended.key)}`;
    this.#finish(ended.text, ...(this.onward.replay ? [el("a", { href: replay }, `replay it: match ${ended.match}`)] : []));
  }

  /** @param {string} text @param {Node[]} links */
  #finish(text, ...links) {
    this.isAsked = false;
    this.typed.disabled = true;
    this.#enable();
    this.#offer();
    this.status.replaceChildren(text);
    this.actions.replaceChildren(...links, el("a", { href: this.onward.again }, "new match"));
  }

  /** @param {string} question @param {() => void} act */
  #ensure(question, act) {
    const yes = el("button", { click: act, value: "yes" }, "yes");
    this.question.replaceChildren(el("p", {}, question), el("form", { method: "dialog", class: "controls" }, yes, el("button", { value: "no" }, "no")));
    this.question.showModal();
  }

  #flip() {
    this.isFlipped = !this.isFlipped;
    if (this.board instanceof Board) this.board.flip(this.isFlipped);
  }

  /** @param {string} text @param {string} title @param {() => void} act */
  #button(text, title, act) {
    return /** @type {HTMLButtonElement} */ (el("button", { type: "button", title, click: act }, text));
  }
}

/**
 * Let a view hear what the server says of its match, until the match ends.
 * @param {string} address @param {PlayView} view @param {string} waiting what is shown while there is no connection
 */
export function followStream(address, view, waiting) {
  const source = new EventSource(address);
  source.addEventListener("message", ({ data }) => {
    const message = JSON.parse(data);
    if (message.kind === "ended" || message.kind === "failed") source.close();
    view.hear(message);
  });
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) view.hear({ kind: "failed", text: "this match is no longer here" });
    else view.status.textContent = waiting;
  });
  return source;
}
