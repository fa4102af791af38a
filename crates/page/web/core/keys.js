/**
 * Keys of the page. A key belongs to the whole page or to what is shown now; `?` lists them all, so there is
 * one place that knows them.
 */

import { h, fill } from "./dom.js";

/** @typedef {{ keys: string, about: string, run: (event: KeyboardEvent) => void }} Binding */

/** @type {{ title: string, bindings: Binding[], signal?: AbortSignal }[]} */
const groups = [];
let pending = "";
/** @type {ReturnType<typeof setTimeout> | undefined} */
let forget;

/**
 * Adds keys, until the signal fires. `keys` is a key by its name, a sequence ("g r"), or several ways
 * ("j, ArrowDown").
 *
 * @param {string} title
 * @param {Binding[]} bindings
 * @param {AbortSignal} [signal]
 */
export function bind(title, bindings, signal) {
  const group = { title, bindings, signal };
  groups.push(group);
  signal?.addEventListener("abort", () => {
    const at = groups.indexOf(group);
    if (at >= 0) groups.splice(at, 1);
  });
}

/** Starts to listen. */
export function listen() {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.key === "Escape" && target.matches("input, select, textarea")) target.blur();
    if (writes(target)) return;
    if (document.querySelector("dialog[open]")) return;
    const name = event.shiftKey && event.key.length > 1 ? `Shift+${event.key}` : event.key;
    const typed = pending ? `${pending} ${name}` : name;
    const all = groups.flatMap((group) => group.bindings).reverse();
    const met = all.find((binding) => binding.keys.split(", ").includes(typed));
    clearTimeout(forget);
    pending = "";
    if (met) {
      // A button under the focus takes Enter and Space itself.
      if ((name === "Enter" || name === " ") && target.closest("button, a, summary, select")) return;
      event.preventDefault();
      met.run(event);
    } else if (all.some((binding) => binding.keys.split(", ").some((way) => way.startsWith(`${typed} `)))) {
      pending = typed;
      forget = setTimeout(() => (pending = ""), 1200);
    }
  });
}

/** @param {HTMLElement} target */
function writes(target) {
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable;
}

/** @type {Record<string, string>} */
const SIGNS = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", " ": "Space" };

/** @param {string} keys */
function caps(keys) {
  const ways = keys.split(", ").map((way) => {
    const parts = way === " " ? [" "] : way.split(/[ ]|(?<=Shift)\+/).filter(Boolean);
    return h("span", { class: "way" }, parts.map((part) => h("kbd", null, SIGNS[part] ?? part)));
  });
  return ways.flatMap((way, index) => (index ? [" ", way] : [way]));
}

/** Lists the keys. */
export function showKeys() {
  let dialog = /** @type {HTMLDialogElement | null} */ (document.getElementById("keys"));
  if (!dialog) {
    dialog = h("dialog", { id: "keys", "aria-labelledby": "keys-title" });
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog?.close();
    });
    document.body.append(dialog);
  }
  const close = h("button", { class: "quiet", onclick: () => dialog?.close() }, "Close");
  const sections = groups.map((group) =>
    h("section", null,
      h("h3", null, group.title),
      h("dl", { class: "keylist" },
        group.bindings.flatMap((binding) => [h("dt", null, caps(binding.keys)), h("dd", null, binding.about)]))));
  fill(dialog, h("div", { class: "dialog-head" }, h("h2", { id: "keys-title" }, "Keys"), close),
    h("div", { class: "keygroups" }, sections));
  dialog.showModal();
}
