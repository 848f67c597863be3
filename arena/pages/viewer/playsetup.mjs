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
 * @typedef {{games: Game[], bots: Bot[]}} Choices
 */

const PERSON = "";
const SPEEDS = [100, 500, 1000, 2000, 5000, 10_000, 30_000];

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
  /** @param {Choices} choices @param {(asked: Record<string, any>) => Promise<void>} start */
  constructor(choices, start) {
    this.choices = choices;
    this.start = start;
    this.game = choices.games.find((game) => game.name === "pente") ?? choices.games[0];
    this.error = el("p", { class: "fault", role: "alert" });
    /** @type {HTMLElement[]} */
    this.players = [];
    /** @type {Map<Option, HTMLElement>} */
    this.options = new Map();
    this.details = el("div", { class: "details" });
    this.summary = el("p", { class: "hint" });
    const games = choices.games.map((game) => /** @type {[string, string]} */ ([game.name, game.name.replaceAll("_", " ")]));
    const chosen = select(games, this.game.name, { change: () => this.#choose(valueOf(chosen)) });
    this.speed = select(SPEEDS.map((ms) => [String(ms), `${ms / 1000} s`]), "2000", {});
    this.clock = select([["cpu", "of computing"], ["wall", "on the wall clock"]], "cpu", {});
    this.seed = el("input", { type: "text", inputmode: "numeric", pattern: "[0-9]*", maxlength: 39, placeholder: "random" });
    this.button = el("button", { type: "submit", class: "main" }, "play");
    this.node = el(
      "form",
      { class: "setup", submit: (/** @type {Event} */ event) => void this.#submit(event) },
      el("h1", {}, "Play"),
      labelled("game", chosen),
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
    this.#choose(this.game.name);
  }

  /** @param {string} name */
  #choose(name) {
    this.game = this.choices.games.find((game) => game.name === name) ?? this.game;
    this.summary.textContent = this.game.summary;
    this.options = new Map(this.game.options.map((option) => [option, this.#field(option)]));
    this.#seat(this.game.seats[0]);
  }

  /** Show as many seats. @param {number} count */
  #seat(count) {
    const [least, most] = this.game.seats;
    const bots = this.choices.bots
      .filter((bot) => bot.games === null || bot.games.includes(this.game.name))
      .map((bot) => /** @type {[string, string]} */ ([bot.name, bot.name]));
    this.players = Array.from({ length: count }, (_, seat) =>
      select([[PERSON, "you, or a person beside you"], ...bots], seat ? this.game.bot : PERSON, {}),
    );
    const counts = Array.from({ length: most - least + 1 }, (_, at) => String(least + at));
    const number = select(counts.map((text) => [text, text]), String(count), { change: () => this.#seat(Number(valueOf(number))) });
    this.details.replaceChildren(
      el(
        "fieldset",
        {},
        el("legend", {}, "players"),
        most > least ? labelled("number", number) : "",
        ...this.players.map((field, seat) => labelled(this.game.roles[seat] ?? `seat ${seat}`, field, seat ? "" : "moves first")),
      ),
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
    /** @type {Record<string, any>} */
    const asked = {
      game: this.game.name,
      options,
      players: this.players.map((field) => valueOf(field) || null),
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
