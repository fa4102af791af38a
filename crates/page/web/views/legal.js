// A board of numbered cells: one is asked for, most are illegal.

import { box, chosen, flat, text } from "./kit.js";

/** @type {(root: HTMLElement, match: import("./types.js").Match) => import("./types.js").View} */
export function create(root, match) {
  return flat(root, match, { paint, describe, height: (width) => Math.min(520, Math.max(240, width * 0.62)) });
}

/** @param {import("./kit.js").Moment} moment */
function paint(moment) {
  const { ctx, width, height, colors, a, scene } = moment;
  const count = scene.actions ?? Math.max(a.state, ...a.legal) + 1;
  const top = 44;
  const [w, h] = [width - 32, height - top - 16];
  const columns = Math.max(1, Math.min(count, Math.round(Math.sqrt((count * w) / h))));
  const rows = Math.ceil(count / columns);
  const size = Math.min(w / columns, h / rows);
  const gap = size > 14 ? Math.min(6, size * 0.14) : 0.5;
  const left = (width - columns * size) / 2;
  const legal = new Set(a.legal);
  const choice = chosen(moment, 0, 0);
  for (let i = 0; i < count; i++) {
    const x = left + (i % columns) * size + gap / 2;
    const y = top + Math.floor(i / columns) * size + gap / 2;
    const inner = size - gap;
    const asked = i === a.state;
    const fill = asked ? colors.team[0] : legal.has(i) ? colors.panel : colors.faint;
    box(ctx, x, y, inner, inner, { fill, stroke: legal.has(i) && !asked ? colors.muted : undefined, radius: inner * 0.18 });
    if (choice?.action === i) {
      const color = asked ? colors.good : colors.bad;
      box(ctx, x - 1, y - 1, inner + 2, inner + 2, { stroke: color, radius: inner * 0.2, line: 3 });
    }
    if (size > 22) {
      const color = asked ? colors.ground : legal.has(i) ? colors.text : colors.line;
      text(ctx, i, x + inner / 2, y + inner / 2, { size: Math.min(15, size * 0.4), weight: asked ? 700 : 400, color, align: "center" });
    }
  }
  text(ctx, `asked: ${a.state}`, 16, 22, { size: 14, weight: 600, color: colors.text });
  const verdict = choice ? (choice.action === a.state ? "✓ right" : `✗ ${choice.name}`) : "";
  const color = choice?.action === a.state ? colors.good : colors.bad;
  text(ctx, verdict, width / 2, 22, { size: 14, weight: 600, color, align: "center" });
  const length = scene.length ? ` of ${scene.length}` : "";
  text(ctx, `${a.right} right, step ${a.step}${length}`, width - 16, 22, { size: 13, color: colors.muted, align: "right" });
}

/** @param {any} a @param {import("./kit.js").Moment} moment */
function describe(a, moment) {
  const choice = chosen(moment, 0, 0);
  const answer = choice ? `; the answer is ${choice.name}` : "";
  return `Step ${a.step}: ${a.state} is asked for, ${a.legal.length} actions are legal${answer}. ${a.right} were right so far.`;
}
