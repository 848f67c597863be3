// Questions to the server, and what has happened if there is no answer.

const SILENT = "the server does not answer: it has ended, or cannot be reached; the page works again once it is back";

/**
 * Ask the server and return the value of its answer.
 * @param {string} path @param {RequestInit} [options]
 * @returns {Promise<any>}
 */
export async function ask(path, options) {
  const { isJson, isFine, text } = await answered(path, options).catch(() => {
    throw new Error(SILENT);
  });
  if (!isJson) throw new Error(text.trim() || SILENT);
  const value = JSON.parse(text);
  if (!isFine) throw new Error(value.error);
  return value;
}

/** @param {string} path @param {RequestInit} [options] */
async function answered(path, options) {
  const answer = await fetch(path, options);
  const isJson = answer.headers.get("content-type") === "application/json";
  return { isJson, isFine: answer.ok, text: await answer.text() };
}
