// The form for a new match: game, options, who sits where, the time of the bots.

import { el } from "./dom.mjs";

/**
 * @typedef {object} Option
 * @property {string} name
 * @property {string} meaning
 * @property {"integer" | "number" | "boolean" | "choice" | "text"} kind
 * @property {any} default
 * @property {string[]} [choices]
 * @property {number} [min]
 * @property {number} [max]
 *
 * @typedef {object} Game
 * @property {string} name
 * @property {string} summary
 * @property {[number, number]} seats
 * @property {string[]} roles
 * @property {string} bot
 * @property {Option[]} options
 *
 * @typedef {{name: string, games: string[] | null, summary: string, language: string}} Bot
 * @typedef {{games: Game[], more: string[], bots: Bot[]}} Choices `more`: names of games still to be loaded.
 * @typedef {{match: number, ply: number, game: string, players: string[], moves: number, turn: number}} Origin
 */

const PERSON = "";
const LINKED = "@link"; // no bot has this name
const SPEEDS = [100, 500, 1000, 2000, 5000, 10_000, 30_000];

/** Whether a bot plays a game; open_spiel/* stands for all of OpenSpiel. @param {Bot} bot @param {string} game */
export function plays({ games }, game) {
  return games === null || games.some((each) => each === game || (each.endsWith("*") && game.startsWith(each.slice(0, -1))));
}

/** @param {HTMLElement} field */
const valueOf = (field) => /** @type {HTMLInputElement | HTMLSelectElement} */ (field).value;

/** @param {[value: string, text: string][]} choices @param {string} chosen @param {Record<string, any>} attributes */
function select(choices, chosen, attributes) {
  return el("select", attributes, ...choices.map(([value, text]) => el("option", { value, selected: value === chosen }, text)));
}

/** @param {string} label @param {HTMLElement} field @param {string} hint */
function labelled(label, field, hint = "") {
  field.id = label.replace(/\W+/g, "-");
  if (hint) field.setAttribute("aria-describedby", `${field.id}-hint`);
  return el(
    "div",
    { class: "field" },
    el("label", { for: field.id }, label),
    field,
    hint ? el("span", { class: "hint", id: `${field.id}-hint` }, hint) : null,
  );
}

export class Setup {
  /**
   * @param {Choices} choices @param {Origin | null} origin The position to play on from.
   * @param {(name: string) => Promise<Game>} load
   * @param {(asked: Record<string, any>) => Promise<void>} start
   */
  constructor(choices, origin, load, start) {
    this.load = load;
    this.choices = choices;
    this.origin = origin;
    this.start = start;
    this.game = choices.games.find((game) => game.name === (origin?.game ?? "pente")) ?? choices.games[0];
    this.error = el("p", { class: "fault", role: "alert" });
    /** @type {HTMLElement[]} */
    this.players = [];
    /** @type {Map<Option, HTMLElement>} */
    this.options = new Map();
    this.details = el("div", { class: "details" });
    this.summary = el("p", { class: "hint" });
    const games = [...choices.games.map(({ name }) => name), ...choices.more].map((name) => /** @type {[string, string]} */ ([name, name.replaceAll("_", " ")]));
    const chosen = select(games, this.game.name, { change: () => void this.#pick(valueOf(chosen)) });
    this.speed = select(SPEEDS.map((ms) => [String(ms), `${ms / 1000} s`]), "2000", {});
    this.clock = select([["cpu", "CPU time"], ["wall", "wall-clock time"]], "cpu", {});
    this.seed = el("input", { type: "text", inputmode: "numeric", pattern: "[0-9]*", maxlength: 39, placeholder: "random" });
    this.button = el("button", { type: "submit", class: "main" }, "play");
    this.node = el(
      "form",
      { class: "setup", submit: (/** @type {Event} */ event) => void this.#submit(event) },
      el("h1", {}, origin ? `Play on from match ${origin.match}` : "Play"),
      origin ? el("p", {}, `${this.game.name.replaceAll("_", " ")}, ${origin.players.join(" – ")}: after ${origin.moves} ${origin.moves === 1 ? "move" : "moves"}`) : labelled("game", chosen),
      this.summary,
      this.details,
      el(
        "fieldset",
        {},
        el("legend", {}, "time of a bot for each move"),
        labelled("at most", this.speed),
        labelled("clock", this.clock, "You have no clock."),
      ),
      this.error,
      this.button,
    );
    this.#choose(this.game);
  }

  /** Choose a game; the button waits for its options. @param {string} name */
  async #pick(name) {
    this.error.textContent = "";
    this.picked = name;
    this.button.toggleAttribute("disabled", true);
    try {
      const game = this.choices.games.find((each) => each.name === name) ?? (await this.load(name));
      if (this.picked !== name) return;
      this.#choose(game);
      this.button.toggleAttribute("disabled", false);
    } catch (error) {
      this.error.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  /** @param {Game} game */
  #choose(game) {
    this.game = game;
    this.summary.textContent = this.game.summary;
    this.options = new Map(this.game.options.map((option) => [option, this.#field(option)]));
    this.#seat(this.origin?.players.length ?? this.game.seats[0]);
  }

  /** Return who sits in a seat at first: in another match's position, those who played there. @param {number} seat @param {string[]} bots */
  #usual(seat, bots) {
    if (seat === (this.origin?.turn ?? 0)) return PERSON;
    const name = this.origin?.players[seat] ?? "";
    return bots.includes(name) ? name : this.game.bot;
  }

  /** Show as many seats. @param {number} count */
  #seat(count) {
    const [least, most] = this.game.seats;
    const bots = this.choices.bots
      .filter((bot) => plays(bot, this.game.name))
      .map((bot) => /** @type {[string, string]} */ ([bot.name, bot.name]));
    /** @type {[string, string][]} */
    const people = [[PERSON, "you, or a person beside you"], ...(count > 1 ? [/** @type {[string, string]} */ ([LINKED, "a person with a link"])] : [])];
    const names = bots.map(([name]) => name);
    this.players = Array.from({ length: count }, (_, seat) => select([...people, ...bots], this.#usual(seat, names), {}));
    const counts = Array.from({ length: most - least + 1 }, (_, at) => String(least + at));
    const number = select(counts.map((text) => [text, text]), String(count), { change: () => this.#seat(Number(valueOf(number))) });
    this.details.replaceChildren(
      el(
        "fieldset",
        {},
        el("legend", {}, "players"),
        most > least && !this.origin ? labelled("number", number) : "",
        ...this.players.map((field, seat) => labelled(this.game.roles[seat] ?? `seat ${seat}`, field, seat === (this.origin?.turn ?? 0) ? "moves first" : "")),
      ),
      this.origin ? "" :
      el(
        "details",
        { class: "options" },
        el("summary", {}, "options of the game"),
        ...[...this.options].map(([option, field]) => labelled(option.name.replaceAll("_", " "), field, option.meaning)),
        labelled("seed", this.seed, "The same seed gives the same start. Empty: a random one."),
      ),
    );
  }

  /** @param {Option} option */
  #field(option) {
    const { kind, default: usual, min, max } = option;
    if (kind === "choice") return select((option.choices ?? []).map((choice) => [choice, choice]), usual, {});
    if (kind === "boolean") return select([["true", "yes"], ["false", "no"]], String(usual), {});
    const isNumber = kind === "integer" || kind === "number";
    const step = kind === "number" ? "any" : null;
    return el("input", { type: isNumber ? "number" : "text", step, min, max, placeholder: usual ?? "default", maxlength: 5000 });
  }

  /** @param {Event} event */
  async #submit(event) {
    event.preventDefault();
    this.error.textContent = "";
    /** @type {Record<string, string>} */
    const options = {};
    for (const [option, field] of this.options) {
      const value = valueOf(field).trim();
      if (value && value !== String(option.default)) options[option.name] = value;
    }
    const players = this.players.map(valueOf);
    /** @type {Record<string, any>} */
    const asked = {
      ...(this.origin ? { origin: { match: this.origin.match, ply: this.origin.ply }, options: {} } : { game: this.game.name, options }),
      players: players.map((name) => (name === PERSON || name === LINKED ? null : name)),
      linked: players.flatMap((name, seat) => (name === LINKED ? [seat] : [])),
      per_move_ms: Number(valueOf(this.speed)),
      clock: valueOf(this.clock),
    };
    if (valueOf(this.seed)) asked.seed = valueOf(this.seed);
    try {
      await this.start(asked);
    } catch (error) {
      this.error.textContent = error instanceof Error ? error.message : String(error);
    }
  }
}
