/** What is shown when there is nothing to show: loading, nothing there, something failed. */

import { Refusal } from "./api.js";
import { h, icon } from "./dom.js";

/** @param {string} text */
export function loading(text) {
  return h("div", { class: "loading", role: "status" }, text);
}

/**
 * @param {string} title
 * @param {string} text
 * @param {string} [command] what to type
 */
export function empty(title, text, command) {
  return h("div", { class: "empty" }, h("h2", null, title), h("p", null, text), command && h("pre", { tabindex: "0", role: "region", "aria-label": "What to type" }, command));
}

/** @param {unknown} problem */
export function failed(problem) {
  const refusal = problem instanceof Refusal ? problem : null;
  return h("div", { class: "notice bad", role: "alert" }, icon("warning"),
    h("div", null,
      h("strong", null, refusal?.what ?? (problem instanceof Error ? problem.message : String(problem))),
      refusal?.where && h("div", { class: "muted" }, refusal.where),
      h("div", null, refusal?.remedy ?? "Load the page again. If that does not help, it is a fault of this page.")));
}

/**
 * @param {import("./dom.js").Child[]} children
 * @param {"warn" | "bad" | "good"} [kind]
 */
export function notice(children, kind = "warn") {
  return h("div", { class: `notice ${kind}` }, kind === "good" ? null : icon("warning"), h("div", null, children));
}
