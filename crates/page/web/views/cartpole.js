// A cart on a track and the pole on it. Both games of it look alike.

import { arrow, bar, box, chosen, disc, flat, mix, number, path, text } from "./kit.js";

/** @type {(root: HTMLElement, match: import("./types.js").Match) => import("./types.js").View} */
export function create(root, match) {
  return flat(root, match, { paint, describe, height: (width) => Math.min(420, Math.max(200, width * 0.5)) });
}

/** @param {import("./kit.js").Moment} moment */
function paint(moment) {
  const { ctx, width, height, colors, a, b, t, scene } = moment;
  const track = scene.track ?? 2.4;
  const lean = scene.lean ?? 0.2094;
  const position = mix(a.position, b.position, t);
  const angle = mix(a.angle, b.angle, t);
  const floor = height * 0.8;
  const scale = (width - 48) / (2 * track + 0.6);
  const x = (/** @type {number} */ metres) => width / 2 + metres * scale;
  const length = Math.min((scene.pole ?? 1) * scale, floor - 64);

  // The track, with where it ends.
  path(ctx, [[x(-track), floor], [x(track), floor]], { stroke: colors.line, line: 3 });
  for (let metre = -Math.floor(track); metre <= track; metre++) {
    path(ctx, [[x(metre), floor], [x(metre), floor + 6]], { stroke: colors.line, line: 1.5 });
    text(ctx, `${metre} m`, x(metre), floor + 18, { size: 11, color: colors.muted, align: "center" });
  }
  for (const end of [-track, track]) {
    path(ctx, [[x(end), floor - 26], [x(end), floor + 6]], { stroke: colors.bad, line: 2, dash: [4, 4] });
  }

  // How far the pole may lean.
  const pivot = [x(position), floor - 22];
  const at = (/** @type {number} */ turn, /** @type {number} */ far) => [pivot[0] + Math.sin(turn) * far, pivot[1] - Math.cos(turn) * far];
  ctx.beginPath();
  ctx.moveTo(pivot[0], pivot[1]);
  ctx.arc(pivot[0], pivot[1], length + 12, -Math.PI / 2 - lean, -Math.PI / 2 + lean);
  ctx.closePath();
  ctx.fillStyle = colors.faint;
  ctx.fill();
  for (const side of [-lean, lean]) path(ctx, [pivot, at(side, length + 12)], { stroke: colors.line, line: 1, dash: [3, 4] });

  // Cart and pole.
  const share = Math.min(1, Math.abs(angle) / lean);
  box(ctx, pivot[0] - 30, floor - 26, 60, 18, { fill: colors.team[0], radius: 4 });
  for (const wheel of [-18, 18]) {
    disc(ctx, pivot[0] + wheel, floor - 6, 6, { fill: colors.text });
    disc(ctx, pivot[0] + wheel, floor - 6, 2, { fill: colors.ground });
  }
  path(ctx, [pivot, at(angle, length)], { stroke: share > 0.8 ? colors.bad : colors.team[1], line: 8 });
  disc(ctx, pivot[0], pivot[1], 4, { fill: colors.panel, stroke: colors.text, line: 1.5 });

  const push = chosen(moment, 0, 0);
  if (push) {
    const way = push.action === 1 ? 1 : -1;
    arrow(ctx, pivot[0] - way * 78, floor - 17, pivot[0] - way * 36, floor - 17, colors.good, 4);
  }

  text(ctx, `step ${a.step}`, 16, 22, { size: 14, weight: 600, color: colors.text });
  if (scene.limit) bar(ctx, 16, 36, Math.min(160, width / 3), 5, a.step / scene.limit, colors.team[0], colors.line);
  const numbers = `${number(position, 2)} m   ${number((angle * 180) / Math.PI, 1)}°`;
  text(ctx, numbers, width - 16, 22, { size: 14, color: colors.muted, align: "right" });
}

/** @param {any} a */
function describe(a) {
  const side = a.angle < 0 ? "left" : "right";
  return `Step ${a.step}: the cart is at ${number(a.position, 2)} metres, the pole leans ${number(Math.abs((a.angle * 180) / Math.PI), 1)} degrees to the ${side}.`;
}
