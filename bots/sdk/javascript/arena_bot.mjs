/* The kit for JavaScript and TypeScript: derive a bot from `Bot`, answer its calls, and `run` it.
 *
 *     class First extends Bot {
 *       wants = ["legal"];
 *       onMove(call) {
 *         return play(call.legal[0]);
 *       }
 *     }
 *     run(new First());
 *
 * It needs Node 18 or later, this file, and the packages of package.json beside it. Moves, claims
 * and views are plain objects with the fields of protocol/SPEC.md; arena_bot.d.mts has their types.
 * What you print is kept with the match; an exception ends the bot with its stack.
 *
 * The wire is ZMTP 3.0 over node:net, written out at the end. The package zeromq was tried: it starts
 * as fast, but on a busy machine the last reply was lost at the exit in 3 of 40 matches, a call costs
 * a third more, and each bot's folder would hold 36 MB of it. */
import { existsSync, realpathSync } from "node:fs";
import { createConnection } from "node:net";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { Encoder, decode } from "@msgpack/msgpack";

const PROTOCOL = 1;
const MAX_CALL_BYTES = 1024 * 1024;
const MAX_REPLY_BYTES = 64 * 1024;
const MAX_NOTE = 1024; // characters
const MAX_DEPTH = 16;
const MAX_INTEGER = 2 ** 53;
const READ_BYTES = 64 * 1024;
const LONG = 2; // Flags of a frame.
const COMMAND = 4;
const CLOSED = "the connection to the referee is closed";
const SAID = ["move", "resign", "done"];
const REPLIES = new Map([
  ["init", "ready"],
  ["move", "play"],
  ["display", "picture"],
  ["ping", "pong"],
  ["term", "bye"],
]);

const integer = [isInteger, "an integer"];
const text = [(value) => typeof value === "string", "a string"];
const map = [isMap, "an object"];
const list = [Array.isArray, "an array"];
const bool = [(value) => typeof value === "boolean", "a boolean"];
/** What a bot may rely on in a call. */
const CALLS = {
  __proto__: null, // No call is a "constructor".
  init: {
    id: integer,
    game: text,
    options: map,
    match: text,
    seat: integer,
    seats: integer,
    players: list,
    seed: integer,
    time: map,
    history: list,
    view: map,
  },
  move: { id: integer, ply: integer, opponent_moves: list },
  display: { id: integer },
  ping: { id: integer },
  term: { id: integer, opponent_moves: list, scores: list, last: bool },
  error: { code: text, detail: text },
};

/** A program that plays match after match. Write `onMove` and any other methods you need. */
export class Bot {
  name = "";
  version = "";
  language = "javascript";
  wants = []; // Of "view" (the position) and "legal": to be in `move` calls.

  /** Begin a match: `game`, `options`, `seat`, `seed`, `history`, `view` (after it), ... */
  onInit(_init) {}

  /** Return `play(...)`, `resign()` or `done()`; news is in `opponent_moves`. May be async. */
  onMove(_call) {
    throw new Error("a bot must have onMove");
  }

  /** Return the board as it is now, a string a row. */
  onDisplay(_call) {
    throw new Error("this game asks for the board: the bot must have onDisplay");
  }

  /** End a match: `termination`, `scores`, ... After the `last` the process ends by itself. */
  onTerm(_term) {}
}

/** Return the reply with a move; `claims` describe its effect.
 *
 * The others are remarks, shown with the move: a `note`, the `value` of the position for this bot
 * (-1000 to 1000), a `plan` (the next moves it expects), and `data` (figures by name). */
export function play(move, more = {}) {
  const said = Object.entries(more).filter(([, what]) => what !== undefined);
  const length = [...(more.note ?? "")].length;
  if (length > MAX_NOTE) {
    throw new RangeError(`play.note: ${length} characters; the limit is ${MAX_NOTE}`);
  }
  return { move, ...Object.fromEntries(said) };
}

/** Return the reply that resigns. */
export function resign() {
  return { resign: true };
}

/** Return the reply that ends a one-seat game: nothing left to play, points stand. */
export function done() {
  return { done: true };
}

/** Greet the referee and answer its calls.
 *
 * The process exits with 0 after its last match; with 1 when the bot threw an exception, when the
 * connection closed, and at any invalid call; stderr has the reason. */
export async function run(bot) {
  let code = 1;
  try {
    await serve(bot, process.env.ARENA_ENDPOINT, process.env.ARENA_TOKEN);
    code = 0;
  } catch (error) {
    report(error);
  }
  process.exit(code);
}

/** Whether node was started with the module of this `import.meta.url`, and did not import it. */
export function isProgram(url) {
  const [, program = ""] = process.argv;
  return existsSync(program) && realpathSync(program) === fileURLToPath(url);
}

/** Something is wrong with a message or the connection, and not with the bot's thinking. */
class WireError extends Error {}

function report(error) {
  console.error(error instanceof WireError ? `arena_bot: ${error.message}` : error);
}

function serve(bot, endpoint, token) {
  if (!endpoint || !token) {
    throw new WireError("ARENA_ENDPOINT and ARENA_TOKEN must be set: the arena starts a bot so");
  }
  return new Promise((resolve, reject) => {
    let turn = Promise.resolve(); // Calls are answered one after another, though onMove be async.
    const connection = dial(endpoint, {
      onReady: () => connection.send(packed(hello(bot, token))),
      onError: reject,
      onMessage(payload) {
        const call = read(payload);
        if (call.type === "error") {
          report(new WireError(`error: ${call.code}: ${call.detail}`));
        } else if (REPLIES.has(call.type)) {
          const isLast = call.type === "term" && call.last;
          const onSent = (error) => isLast && !error && resolve();
          turn = turn
            .then(() => answer(bot, call))
            .then((reply) => connection.send(packed(reply), onSent))
            .catch(reject);
        }
      },
    });
  });
}

function hello(bot, token) {
  const said = { type: "hello", protocol: PROTOCOL, token };
  for (const field of ["name", "version", "language", "wants"]) {
    if (bot[field]?.length) {
      said[field] = bot[field];
    }
  }
  return said;
}

async function answer(bot, call) {
  const reply = { type: REPLIES.get(call.type), id: call.id };
  if (call.type === "init") {
    await bot.onInit(call);
  } else if (call.type === "term") {
    await bot.onTerm(call);
  } else if (call.type === "display") {
    reply.board = await bot.onDisplay(call);
    if (!Array.isArray(reply.board)) {
      throw new WireError(`onDisplay must return an array of strings, not ${shown(reply.board)}`);
    }
  } else if (call.type === "move") {
    const said = await bot.onMove(call);
    if (!isMap(said) || !SAID.some((field) => field in said)) {
      const rule = "onMove must return play(...), resign() or done()";
      throw new WireError(`${rule}, not ${shown(said)}`);
    }
    return { ...said, ...reply };
  }
  return reply;
}

const encoder = new Encoder({ useBigInt64: true });

function packed(reply) {
  const payload = encoder.encode(sendable(reply, reply.type, 1));
  if (payload.length > MAX_REPLY_BYTES) {
    throw new WireError(`${reply.type}: ${payload.length} bytes; the limit is ${MAX_REPLY_BYTES}`);
  }
  return payload;
}

/** Return a value as the encoder needs it, or name the field that must not be sent. */
function sendable(value, path, depth) {
  if (typeof value === "number" || typeof value === "bigint") {
    return sendableNumber(value, path);
  }
  if (typeof value === "string") {
    return /\p{Surrogate}/u.test(value) ? refuse(path, "Unicode text", value) : value;
  }
  if (typeof value === "boolean" || value === null) {
    return value;
  }
  if (depth > MAX_DEPTH) {
    throw new WireError(`${path.slice(0, 100)}: nested deeper than ${MAX_DEPTH}`);
  }
  if (Array.isArray(value)) {
    return Array.from(value, (item, place) => sendable(item, `${path}[${place}]`, depth + 1));
  }
  const fields = isMap(value) ? Object.entries(value) : [];
  return fields.length === 0
    ? refuse(path, "a value or an object with fields", value)
    : Object.fromEntries(
        fields.map(([name, field]) => [name, sendable(field, `${path}.${name}`, depth + 1)]),
      );
}

/** With more than 32 bits the encoder writes a BigInt as the integer it is, but a number as a float. */
function sendableNumber(value, path) {
  const number = Number(value);
  if (!isInteger(number) || BigInt(number) !== BigInt(value)) {
    refuse(path, "an integer within 2^53", value);
  }
  return Math.abs(number) < 2 ** 31 ? number : BigInt(number);
}

function refuse(path, wanted, value) {
  throw new WireError(`${path}: ${wanted} expected, not ${shown(value)}`);
}

function read(payload) {
  const call = decoded(payload);
  if (!isMap(call) || typeof call.type !== "string") {
    throw new WireError(`a call is a map with a type, not ${shown(call)}`);
  }
  for (const [field, [isRight, wanted]] of Object.entries(CALLS[call.type] ?? {})) {
    if (!isRight(call[field])) {
      const found = field in call ? shown(call[field]) : "missing";
      throw new WireError(`${call.type}.${field}: ${wanted} expected, not ${found}`);
    }
  }
  return call;
}

function decoded(payload) {
  try {
    return decode(payload);
  } catch (error) {
    const start = payload.subarray(0, 64).toString("hex");
    throw new WireError(`a call that is not msgpack: ${error.message}: ${start}`);
  }
}

function isInteger(value) {
  return Number.isInteger(value) && Math.abs(value) <= MAX_INTEGER;
}

function isMap(value) {
  return Object.prototype.toString.call(value) === "[object Object]";
}

function shown(value) {
  return inspect(value, { breakLength: Infinity }).slice(0, 100);
}

/* ---- ZMTP 3.0 with the mechanism NULL, a DEALER's end of it: SPEC.md, appendix A */

const GREETING = Buffer.alloc(64);
GREETING.set([0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 3, 0]);
GREETING.write("NULL", 12);
const READY = Buffer.from("\x05READY\x0bSocket-Type\0\0\0\x06DEALER");

/** Connect; `onReady` comes first, then `onMessage` for each; `onError` when something is wrong. */
function dial(endpoint, { onReady, onMessage, onError }) {
  const tcp = /^tcp:\/\/([0-9.]+):(\d+)$/.exec(endpoint);
  if (!tcp && !endpoint.startsWith("ipc://")) {
    throw new WireError(`ARENA_ENDPOINT: ipc://PATH or tcp://IP:PORT expected, not ${endpoint}`);
  }
  const where = tcp ? { host: tcp[1], port: Number(tcp[2]) } : { path: endpoint.slice(6) };
  const parse = parser(dialog({ send: sendFrame, onReady, onMessage }));
  // One buffer for all that is read: a new one each time costs a pause of 1 ms now and then.
  const onread = {
    buffer: Buffer.alloc(READ_BYTES),
    callback(size, buffer) {
      try {
        parse(buffer.subarray(0, size));
      } catch (error) {
        onError(error);
      }
      return true; // Go on reading.
    },
  };
  const socket = createConnection({ ...where, noDelay: true, onread });
  function sendFrame(flags, body, onSent) {
    socket.write(framed(flags, body), onSent);
  }
  socket.on("error", (error) => onError(new WireError(`${CLOSED}: ${error.message}`)));
  socket.on("close", () => onError(new WireError(CLOSED)));
  socket.resume();
  socket.write(GREETING);
  return { send: (payload, onSent) => sendFrame(0, payload, onSent) };
}

function framed(flags, body) {
  const isLong = body.length > 255;
  const frame = Buffer.alloc((isLong ? 9 : 2) + body.length);
  frame[0] = isLong ? flags | LONG : flags;
  frame.writeUIntBE(body.length, isLong ? 3 : 1, isLong ? 6 : 1);
  frame.set(body, frame.length - body.length);
  return frame;
}

/** Return a function that passes bytes on in the pieces requested by `steps`. */
function parser(steps) {
  let wanted = steps.next().value;
  let rest = Buffer.alloc(0);
  return (piece) => {
    let data = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    while (data.length >= wanted) {
      const taken = data.subarray(0, wanted);
      data = data.subarray(wanted);
      wanted = steps.next(taken).value;
    }
    rest = Buffer.from(data); // A copy, since the piece is read into again.
  };
}

/** What comes, in its order: yields how many bytes it needs next, and is given them. */
function* dialog({ send, onReady, onMessage }) {
  const greeting = yield GREETING.length;
  const isNull = greeting.subarray(12, 32).equals(GREETING.subarray(12, 32));
  if (greeting[0] !== 0xff || !(greeting[9] & 1) || greeting[10] < 3 || !isNull) {
    throw new WireError("the referee speaks no ZMTP 3 with the mechanism NULL");
  }
  send(COMMAND, READY);
  for (;;) {
    const flags = (yield 1)[0];
    const size = flags & LONG ? Number((yield 8).readBigUInt64BE()) : (yield 1)[0];
    if (size > MAX_CALL_BYTES || flags & ~(LONG | COMMAND)) {
      const limit = `the limit is one frame of ${MAX_CALL_BYTES} bytes`;
      throw new WireError(`a call of ${size} bytes, flags ${flags}; ${limit}`);
    }
    const body = yield size;
    const command = flags & COMMAND ? body.toString("latin1", 1, 1 + body[0]) : "";
    if (!(flags & COMMAND)) {
      onMessage(body);
    } else if (command === "READY") {
      onReady();
    } else if (command === "PING") {
      send(COMMAND, Buffer.concat([Buffer.from("\x04PONG"), body.subarray(7)]));
    }
  }
}
