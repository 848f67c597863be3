// The page to play on: the form for a new match, or a running match by its number.

import { ask } from "./asking.mjs";
import { el } from "./dom.mjs";
import { followStream, PlayView } from "./playmatch.mjs";
import { Setup } from "./playsetup.mjs";
import { RunningList } from "./running.mjs";

const main = /** @type {HTMLElement} */ (document.getElementById("page"));
const isSeat = Boolean(document.querySelector("meta[name=arena-seat]")?.getAttribute("content"));
const token = document.querySelector("meta[name=arena-token]")?.getAttribute("content") ?? "";
const home = el("nav", {}, el("a", { href: "/" }, "← all events"), el("a", { href: "#" }, "new match"));
/** @type {EventSource | null} */
let stream = null;

/** @param {string} path @param {Record<string, any>} body */
async function post(path, body) {
  const headers = { "content-type": "application/json", "x-arena-token": token };
  return ask(path, { method: "POST", headers, body: JSON.stringify(body) });
}

/** Show what the address names. */
async function route() {
  stream?.close();
  stream = null;
  main.replaceChildren(home, el("p", { role: "status" }, "loading …"));
  if (isSeat) return follow("/play/seat", null, []);
  const wanted = new URLSearchParams(location.hash.slice(1));
  const choices = /** @type {import("./playsetup.mjs").Choices} */ (await ask("/play/choices"));
  const number = Number(wanted.get("match") ?? 0);
  if (number) return follow(`/play/matches/${number}`, home, choices.bots);
  const from = wanted.get("from");
  const origin = from === null ? null : await ask(`/play/origins/${Number(from)}/${Number(wanted.get("p") ?? 0)}`);
  const load = (/** @type {string} */ name) => ask(`/play/game?name=${encodeURIComponent(name)}`);
  if (origin && !choices.games.some(({ name }) => name === origin.game)) choices.games.push(await load(origin.game));
  const running = new RunningList((match) => post(`/play/matches/${match}/leave`, {}));
  const setup = new Setup(choices, origin, load, async (asked) => {
    const { match } = await post("/play/matches", asked).catch(async (error) => {
      await running.refresh().catch(() => {}); // too many may be running: here are the ways into them
      throw error;
    });
    location.hash = `#match=${match}`;
  });
  await running.refresh();
  main.replaceChildren(home, running.node, setup.node);
}

/**
 * Show a running match.
 * @param {string} path @param {Node | null} nav @param {import("./playsetup.mjs").Bot[]} bots
 */
function follow(path, nav, bots) {
  const view = new PlayView((body) => post(path, body), isSeat ? null : () => post(`${path}/leave`, {}), bots);
  main.replaceChildren(...(nav ? [nav] : []), view.node);
  stream = followStream(`${path}/stream`, view, "not connected: is arena still running? The page waits for it.");
}

window.addEventListener("hashchange", () => void route().catch(complain));
/** @param {unknown} error */
function complain(error) {
  main.replaceChildren(home, el("h1", {}, "Play"), el("p", { role: "alert" }, error instanceof Error ? error.message : String(error)));
}
history.replaceState(null, "", location.pathname + location.hash); // without the key of a seat
await route().catch(complain);
