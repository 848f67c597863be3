// The stream of changes: opened again after a loss, with longer and longer pauses; closed while the page is hidden.

const FIRST_PAUSE_S = 1;
const LAST_PAUSE_S = 20;

/**
 * Follow the server for as long as the page is open. Every new stream begins with everything, so nothing is missed.
 * Returns a function that turns to an event, or to the list of events (0).
 * @param {Record<string, (data: any) => void>} on Receivers by the type of message.
 * @param {(text: string, isLost: boolean) => void} tell Receives the state of the connection.
 */
export function follow(on, tell) {
  let pauseS = FIRST_PAUSE_S;
  /** @type {EventSource | null} */
  let source = null;
  /** @type {number | undefined} */
  let timer;
  let address = "/api/changes";

  const close = () => {
    window.clearTimeout(timer);
    source?.close();
    source = null;
  };
  const open = () => {
    close();
    source = new EventSource(address);
    source.addEventListener("open", () => {
      pauseS = FIRST_PAUSE_S;
      tell("live", false);
    });
    for (const [name, receive] of Object.entries(on)) {
      source.addEventListener(name, (message) => receive(JSON.parse(/** @type {MessageEvent} */ (message).data)));
    }
    source.addEventListener("error", () => void lose());
  };
  const lose = async () => {
    close();
    const wait = pauseS;
    pauseS = Math.min(2 * pauseS, LAST_PAUSE_S);
    timer = window.setTimeout(open, wait * 1000);
    tell(`connection lost; trying again in ${wait} s`, true);
    const answer = await fetch("/api/events").catch(() => null);
    if (answer?.status === 403) tell("connection lost: the server was started again; open the link that it printed", true);
    if (answer?.status === 503) tell("too many open pages; trying again", true);
  };
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      close();
      tell("paused", false);
    } else if (!source) open();
  });
  window.addEventListener("pagehide", close);
  return (/** @type {number} */ event) => {
    const wanted = event ? `/api/changes?event=${event}` : "/api/changes";
    if (source && wanted === address) return;
    address = wanted;
    if (!document.hidden) open();
  };
}
