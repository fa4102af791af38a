/**
 * Elements by function calls: no markup in strings, so that no text of a run can become markup.
 */

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, unknown>} Attributes */

/**
 * An element. `class`, `data-*` and `aria-*` are attributes, `on…` with a function is a listener, `style`
 * takes an object; `true` sets an attribute without a value, `null` and `false` leave it out.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes | null} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  dress(element, attributes ?? {});
  append(element, children);
  return element;
}

/**
 * An element of SVG, for icons.
 * @param {string} tag
 * @param {Attributes} attributes
 * @param {...Child} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  dress(element, attributes);
  append(element, children);
  return element;
}

/**
 * @param {Element} element
 * @param {Attributes} attributes
 */
function dress(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on") && typeof value === "function") {
      element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    } else if (name === "style" && typeof value === "object") {
      // Through the object model: the page's policy forbids style attributes.
      const style = /** @type {HTMLElement} */ (element).style;
      for (const [key, text] of Object.entries(value)) style.setProperty(key, String(text));
    } else if (name === "value" && "value" in element) {
      element.value = String(value);
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
}

/**
 * @param {Element} element
 * @param {(Child | Child[])[]} children
 */
export function append(element, children) {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/**
 * A part that scrolls by itself where it is too wide. Keys scroll what has the focus, so it can have it.
 * @param {string} label
 * @param {...(Child | Child[])} children
 */
export function scroller(label, ...children) {
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, ...children);
}

/**
 * Replaces what is in an element.
 * @param {Element} element
 * @param {...(Child | Child[])} children
 */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

/**
 * Sets a text, and touches the document only where it differs.
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Paths of the icons, drawn in a box of 16 by 16. */
const ICONS = {
  play: "M5 3.2v9.6l8-4.8z",
  pause: "M4.5 3h2.4v10H4.5zM9.1 3h2.4v10H9.1z",
  back: "M11.5 3v10L5 8zM3.5 3H5v10H3.5z",
  forward: "M4.5 3v10L11 8zM11 3h1.5v10H11z",
  start: "M12.5 3v10L8 8zM8 3v10L3.5 8zM2 3h1.4v10H2z",
  end: "M3.5 3v10L8 8zM8 3v10l4.5-5zM12.6 3H14v10h-1.4z",
  loop: "M4 5h6.5V3L14 6l-3.5 3V7H5.5v2H4zM12 11H5.5v2L2 10l3.5-3v2h5V7H12z",
  sun: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM7.3 1h1.4v2.4H7.3zM7.3 12.6h1.4V15H7.3zM1 7.3h2.4v1.4H1zM12.6 7.3H15v1.4h-2.4zM3 4l1-1 1.7 1.7-1 1zM10.3 11.3l1-1L13 12l-1 1zM3 12l1.7-1.7 1 1L4 13zM10.3 4.7 12 3l1 1-1.7 1.7z",
  moon: "M13.5 9.8A5.8 5.8 0 0 1 6.2 2.5a5.8 5.8 0 1 0 7.3 7.3z",
  warning: "M8 1.8 15 14H1zM7.3 6v4h1.4V6zM7.3 11v1.5h1.4V11z",
  down: "M8 11 3.5 6.5l1-1L8 9l3.5-3.5 1 1z",
  reset: "M8 3a5 5 0 1 1-4.8 6.4l1.4-.4A3.6 3.6 0 1 0 5.2 5.6L7 7.4H2.4V2.8l1.8 1.8A5 5 0 0 1 8 3z",
  link: "M6.7 9.3a2.4 2.4 0 0 0 3.4 0l2.6-2.6a2.4 2.4 0 0 0-3.4-3.4L8 4.6l1 1 1.3-1.3a1 1 0 0 1 1.4 1.4L9.1 8.3a1 1 0 0 1-1.4 0zM9.3 6.7a2.4 2.4 0 0 0-3.4 0L3.3 9.3a2.4 2.4 0 0 0 3.4 3.4L8 11.4l-1-1-1.3 1.3a1 1 0 0 1-1.4-1.4l2.6-2.6a1 1 0 0 1 1.4 0z",
};

/**
 * @param {keyof typeof ICONS} name
 * @returns {SVGElement}
 */
export function icon(name) {
  const path = svg("path", { d: ICONS[name], "fill-rule": "evenodd" });
  return svg("svg", { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" }, path);
}
