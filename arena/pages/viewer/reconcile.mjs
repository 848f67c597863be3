// Changes of what is on a page, without anything that stays being made anew.

import { sortLike } from "./sorting.mjs";

/**
 * Change a node into a fresh one of the same kind, and none of the nodes that both have: a click that has begun on one ends
 * on it, and focus, scrolling, selected text and opened details stay. Of the listeners, only `onclick` is taken over.
 * @param {Node} known @param {Node} fresh
 */
export function renew(known, fresh) {
  if (known instanceof Element && fresh instanceof Element) {
    if (known.tagName === "TABLE") sortLike(known, fresh);
    if (known instanceof HTMLElement && fresh instanceof HTMLElement) {
      known.onclick = fresh.onclick;
      known.style.cssText = fresh.style.cssText; // the policy of the pages forbids the attribute
    }
    const kept = ["style", "open"];
    for (const name of known.getAttributeNames()) if (!kept.includes(name) && !fresh.hasAttribute(name)) known.removeAttribute(name);
    for (const { name, value } of fresh.attributes) if (!kept.includes(name) && known.getAttribute(name) !== value) known.setAttribute(name, value);
  } else if (known.nodeValue !== fresh.nodeValue) known.nodeValue = fresh.nodeValue;
  const old = [...known.childNodes];
  const wanted = [...fresh.childNodes];
  for (const node of old.slice(wanted.length)) node.remove();
  wanted.forEach((node, at) => {
    if (old[at]?.nodeName === node.nodeName) renew(old[at], node);
    else if (old[at]) old[at].replaceWith(node);
    else known.appendChild(node);
  });
}

/**
 * Make `nodes` the children of a parent: what it has already stays, so that nothing moves, scrolls or loses the focus or a click.
 * @param {HTMLElement} parent @param {HTMLElement[]} nodes
 */
export function reconcile(parent, nodes) {
  const name = (/** @type {Element} */ node) => node.getAttribute("aria-labelledby") ?? node.tagName;
  const old = new Map([...parent.children].map((node) => [name(node), node]));
  let at = parent.firstElementChild;
  for (const fresh of nodes) {
    const known = old.get(name(fresh));
    old.delete(name(fresh));
    if (known) {
      if (known === at) at = known.nextElementSibling;
      else parent.insertBefore(known, at);
      if (known !== fresh) renew(known, fresh);
    } else parent.insertBefore(fresh, at);
  }
  for (const node of old.values()) node.remove();
}
