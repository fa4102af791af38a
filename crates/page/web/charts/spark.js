/** A curve the size of a word. */

import { colours } from "../core/theme.js";

/**
 * @param {HTMLCanvasElement} canvas
 * @param {(number | null)[]} values
 * @param {{ color?: string, cursor?: number | null }} [options]
 */
export function spark(canvas, values, options = {}) {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const ratio = window.devicePixelRatio || 1;
  if (!width || !height) return;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  if (!context) return;
  context.scale(ratio, ratio);
  const palette = colours();
  const numbers = values.filter((value) => value !== null && Number.isFinite(value));
  if (!numbers.length) return;
  let [low, high] = [Math.min(.../** @type {number[]} */ (numbers)), Math.max(.../** @type {number[]} */ (numbers))];
  if (low === high) [low, high] = [low - 1, high + 1];
  const x = (/** @type {number} */ i) => 2 + (i / Math.max(1, values.length - 1)) * (width - 6);
  const y = (/** @type {number} */ value) => height - 3 - ((value - low) / (high - low)) * (height - 6);
  const color = options.color ?? palette.accent;
  context.beginPath();
  let down = false;
  values.forEach((value, i) => {
    if (value === null || !Number.isFinite(value)) down = false;
    else if (down) context.lineTo(x(i), y(value));
    else {
      context.moveTo(x(i), y(value));
      down = true;
    }
  });
  context.strokeStyle = color;
  context.lineWidth = 1.4;
  context.lineJoin = "round";
  context.stroke();
  const at = options.cursor ?? values.length - 1;
  const value = values[Math.round(at)];
  if (options.cursor !== undefined && options.cursor !== null) {
    context.fillStyle = palette.strong;
    context.fillRect(x(at), 0, 1, height);
  }
  if (value !== null && value !== undefined) {
    context.beginPath();
    context.arc(x(at), y(value), 2.2, 0, 2 * Math.PI);
    context.fillStyle = color;
    context.fill();
  }
}
