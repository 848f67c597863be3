/* The types of arena_bot.mjs. `class Mine extends Bot<"pente">` has the moves, claims, views and
 * options of that game; a plain `Bot` plays every game. Meanings: protocol/SPEC.md, section 14. */

/** (row, column). */
export type Point = [number, number];

export interface PenteMove {
  v: number;
  h: number;
}
export interface MatchsticksMove {
  row: boolean;
  line: number;
  start: number;
  end: number;
}
/** Of chinese_checkers and damspel. */
export interface Step {
  from: Point;
  to: Point;
}
export interface DownNOutMove {
  row: number;
  col: number;
}
export interface ChessMove {
  from: string;
  to: string;
  promote: "" | "q" | "r" | "b" | "n";
}

interface View {
  turn: number;
  ply: number;
}
interface BoardView extends View {
  board: string[];
}

/** What is special to each game. */
export interface Games {
  pente: {
    move: PenteMove;
    claims: { captures?: [Point, Point][]; victory?: boolean };
    view: BoardView & { pairs: [number, number] };
    options: {
      half_size: number;
      second_stone: "box5" | "both" | "free";
      fours: "runs" | "exact" | "windows";
    };
  };
  matchsticks: {
    move: MatchsticksMove;
    claims: { board?: string[] };
    view: BoardView;
    options: {
      dimension: number;
      hole_fraction: string;
      board: string[] | null;
      objectives: "normal" | "misere" | "both";
      anonymous: boolean;
    };
  };
  chinese_checkers: {
    move: Step;
    claims: never;
    view: View & { men: Point[][]; positions: number[] };
    options: {
      game_size: number;
      positions: number[] | null;
      neutral_end: "forbid" | "allow";
      anti_block: boolean;
      max_rounds: number | null;
    };
  };
  down_n_out: {
    move: DownNOutMove;
    claims: { removed?: number; board?: string[] };
    view: BoardView & { points: number };
    options: { rows: number; cols: number; colors: number; display: "check" | "off" };
  };
  damspel: {
    move: Step;
    claims: never;
    view: BoardView;
    options: { rows: number; cols: number; men_rows: number };
  };
  chess: {
    move: ChessMove;
    claims: never;
    view: BoardView & { fen: string; start: string };
    options: { fen: string | null; chess960: boolean; number: number | null };
  };
}
export type Game = keyof Games;

/**
 * In a game with draws, an entry may have `chance: true` in place of `seat`; in a game that hides moves,
 * `move` may lack fields or be omitted. None of the games above is one.
 */
export interface PlayedMove<G extends Game = Game> {
  seat: number;
  move: Games[G]["move"];
}

/** The time control, in milliseconds. */
export interface Time {
  clock: "cpu" | "wall";
  init_ms: number;
  per_move_ms: number;
  bank_ms?: number | null;
  /** Added to what is left of the bank after each move. */
  increment_ms?: number | null;
  /** Number of moves of the bot after which the bank is added again. */
  bank_moves?: number | null;
  display_ms: number;
  term_ms: number;
  grace_ms: number;
  ponder: boolean;
}

export interface Init<G extends Game = Game> {
  game: G;
  options: Games[G]["options"];
  match: string;
  seat: number;
  seats: number;
  players: string[];
  /** For the bot's own chance. */
  seed: number;
  time: Time;
  /** Moves already played, oldest first. */
  history: PlayedMove<G>[];
  /** The position after `history`. */
  view: Games[G]["view"];
}

export interface MoveCall<G extends Game = Game> {
  ply: number;
  /** What the others have played since the bot's last `init` or `move` call, oldest first. */
  opponent_moves: PlayedMove<G>[];
  /** What is left of the bank. */
  left_ms?: number | null;
  /** There if the bot wants it. */
  view?: Games[G]["view"] | null;
  /** There if the bot wants it, and it is not too long for a message. */
  legal?: Games[G]["move"][] | null;
  legal_omitted?: true | null;
}

export interface Term<G extends Game = Game> {
  opponent_moves: PlayedMove<G>[];
  termination: string;
  /** By seat, as decimals. */
  scores: string[];
  reason: string;
  offenders: number[];
  last: boolean;
}

/** What `play`, `resign` and `done` return. */
export type Reply<G extends Game = Game> =
  | Play<Games[G]["move"], Games[G]["claims"]>
  | (Remarks<Games[G]["move"]> & ({ resign: true } | { done: true }));

export interface Play<M extends object, C extends object> extends Remarks<M> {
  move: M;
  claims?: C;
}

/** What a bot may say about its reply; shown with the move. */
export interface Remarks<M extends object> {
  note?: string;
  /** The value of the position for this bot, -1000 to 1000. */
  value?: number;
  /** The next moves that the bot expects. */
  plan?: M[];
  /** Figures by name, like the depth of a search. */
  data?: Record<string, number>;
}

/** A program that plays match after match. Write `onMove` and any other methods you need. */
export class Bot<G extends Game = Game> {
  name: string;
  version: string;
  language: string;
  /** To be in `move` calls: the position, and the legal moves. */
  wants: ("view" | "legal")[];
  /** Begin a match. */
  onInit(init: Init<G>): void | Promise<void>;
  /** Return `play(...)`, `resign()` or `done()`. */
  onMove(call: MoveCall<G>): Reply<G> | Promise<Reply<G>>;
  /** Return the board as it is now, a string a row. */
  onDisplay(call: object): string[] | Promise<string[]>;
  /** End a match. After the `last` the process ends by itself. */
  onTerm(term: Term<G>): void | Promise<void>;
}

/** Return the reply with a move; `claims` describe its effect. */
export function play<M extends object, C extends object = never>(
  move: M,
  more?: Omit<Play<M, C>, "move">,
): Play<M, C>;
/** Return the reply that resigns. */
export function resign(): { resign: true };
/** Return the reply that ends a one-seat game: nothing left to play, points stand. */
export function done(): { done: true };
/** Greet the referee and answer its calls; the process ends with the last match. */
export function run<G extends Game>(bot: Bot<G>): Promise<never>;

/** Whether node was started with the module of this `import.meta.url`, and did not import it. */
export function isProgram(url: string): boolean;
