// A match of a person against a bot of a league.

import { ask } from "./asking.mjs";
import { followStream, PlayView } from "./playmatch.mjs";

const place = /** @type {HTMLElement} */ (document.getElementById("play"));
const path = place.dataset.match ?? "";
const token = document.querySelector("meta[name=csrf-token]")?.getAttribute("content") ?? "";

/** @param {string} to @param {Record<string, any>} body */
async function post(to, body) {
  const headers = { "content-type": "application/json", "x-csrftoken": token };
  return ask(to, { method: "POST", headers, body: JSON.stringify(body) });
}

const onward = { again: place.dataset.again ?? "/", replay: false };
const view = new PlayView((body) => post(path, body), () => post(`${path}/leave`, {}), [], onward);
place.replaceChildren(view.node);
followStream(`${path}/stream`, view, "not connected; the page tries again");
