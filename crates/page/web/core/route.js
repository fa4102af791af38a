/**
 * Where the page stands: everything a person has set is in the address, so that a reload, a bookmark and a
 * link to a colleague show the same.
 *
 * An address is `#/page/id?key=value&key=value`.
 */

/** @typedef {{ page: string, id: string, query: URLSearchParams }} Place */

/**
 * @param {string} hash
 * @returns {Place}
 */
export function parse(hash) {
  const text = hash.replace(/^#\/?/, "");
  const cut = text.indexOf("?");
  const path = cut < 0 ? text : text.slice(0, cut);
  const slash = path.indexOf("/");
  const page = slash < 0 ? path : path.slice(0, slash);
  const id = slash < 0 ? "" : path.slice(slash + 1);
  return { page: page || "runs", id: decode(id), query: new URLSearchParams(cut < 0 ? "" : text.slice(cut + 1)) };
}

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The address of a place.
 * @param {string} page
 * @param {string} [id]
 * @param {Record<string, string | number | boolean | null | undefined | string[]> | URLSearchParams} [query]
 */
export function href(page, id = "", query = {}) {
  const parameters = query instanceof URLSearchParams ? query : new URLSearchParams();
  if (!(query instanceof URLSearchParams)) {
    for (const [name, value] of Object.entries(query)) set(parameters, name, value);
  }
  // Commas, colons and slashes may stand in a fragment, and read better as themselves.
  const text = parameters.toString().replace(/%2C/g, ",").replace(/%3A/g, ":").replace(/%2F/g, "/");
  return `#/${page}${id && `/${encodeURIComponent(id)}`}${text && `?${text}`}`;
}

/**
 * @param {URLSearchParams} parameters
 * @param {string} name
 * @param {string | number | boolean | null | undefined | string[]} value
 */
function set(parameters, name, value) {
  if (Array.isArray(value)) {
    parameters.delete(name);
    for (const one of value) parameters.append(name, one);
  } else if (value === null || value === undefined || value === "" || value === false) parameters.delete(name);
  // In its place: an address that says the same stays the same.
  else parameters.set(name, value === true ? "1" : String(value));
}

/** The place that is shown. */
export function here() {
  return parse(location.hash);
}

/**
 * Goes to another place.
 * @param {string} address
 */
export function go(address) {
  location.hash = address;
}

/**
 * Changes the query of this place. No page is built anew by it: whoever changes it has shown the change
 * already. With `keep` the back button leads to what was before.
 *
 * @param {Record<string, string | number | boolean | null | undefined | string[]>} changes
 * @param {{ keep?: boolean }} [options]
 */
export function change(changes, options = {}) {
  const place = here();
  for (const [name, value] of Object.entries(changes)) set(place.query, name, value);
  const address = href(place.page, place.id, place.query);
  if (address === location.hash) return;
  if (options.keep) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
}
