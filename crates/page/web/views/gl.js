// A small renderer on WebGL2: lit meshes with colours at their vertices, and the arithmetic it needs.
//
// Matrices are 16 numbers, column by column, as WebGL takes them.

/** @typedef {number[]} Vec  three numbers */

/** @param {Vec} a @param {Vec} b @returns {Vec} */
export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
/** @param {Vec} a @param {Vec} b @param {number} [k] @returns {Vec} */
export const add = (a, b, k = 1) => [a[0] + b[0] * k, a[1] + b[1] * k, a[2] + b[2] * k];
/** @param {Vec} a @param {Vec} b */
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
/** @param {Vec} a @param {Vec} b @returns {Vec} */
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
/** @param {Vec} a */
export const length = (a) => Math.hypot(a[0], a[1], a[2]);
/** @param {Vec} a @returns {Vec} */
export const unit = (a) => {
  const far = length(a) || 1;
  return [a[0] / far, a[1] / far, a[2] / far];
};
/** @param {Vec} a @param {Vec} b @param {number} t @returns {Vec} */
export const between = (a, b, t) => [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t];

/** @param {number[]} a @param {number[]} b @returns {number[]} */
export function multiply(a, b) {
  const out = new Array(16);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[k * 4 + row] * b[column * 4 + k];
      out[column * 4 + row] = sum;
    }
  }
  return out;
}

/** @param {number} fov  degrees, from top to bottom @param {number} aspect @param {number} near @param {number} far */
export function perspective(fov, aspect, near, far) {
  const f = 1 / Math.tan((fov * Math.PI) / 360);
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, (2 * far * near) / (near - far), 0];
}

/** @param {Vec} eye @param {Vec} target @param {Vec} [up] */
export function lookAt(eye, target, up = [0, 0, 1]) {
  const back = unit(sub(eye, target));
  const right = unit(cross(up, back));
  const top = cross(back, right);
  return [right[0], top[0], back[0], 0, right[1], top[1], back[1], 0, right[2], top[2], back[2], 0, -dot(right, eye), -dot(top, eye), -dot(back, eye), 1];
}

/** A place with axes as columns. @param {Vec} x @param {Vec} y @param {Vec} z @param {Vec} at @param {Vec} [scale] */
export function placed(x, y, z, at, scale = [1, 1, 1]) {
  const [p, q, r] = scale;
  return [x[0] * p, x[1] * p, x[2] * p, 0, y[0] * q, y[1] * q, y[2] * q, 0, z[0] * r, z[1] * r, z[2] * r, 0, at[0], at[1], at[2], 1];
}

/** @param {Vec} at @param {Vec} [scale] */
export const moved = (at, scale) => placed([1, 0, 0], [0, 1, 0], [0, 0, 1], at, scale);

/** A quaternion of three axes. @param {Vec} x @param {Vec} y @param {Vec} z @returns {number[]} */
export function quaternion(x, y, z) {
  const trace = x[0] + y[1] + z[2];
  if (trace > 0) {
    const s = Math.sqrt(trace + 1) * 2;
    return [(y[2] - z[1]) / s, (z[0] - x[2]) / s, (x[1] - y[0]) / s, s / 4];
  }
  if (x[0] > y[1] && x[0] > z[2]) {
    const s = Math.sqrt(1 + x[0] - y[1] - z[2]) * 2;
    return [s / 4, (y[0] + x[1]) / s, (z[0] + x[2]) / s, (y[2] - z[1]) / s];
  }
  if (y[1] > z[2]) {
    const s = Math.sqrt(1 + y[1] - x[0] - z[2]) * 2;
    return [(y[0] + x[1]) / s, s / 4, (z[1] + y[2]) / s, (z[0] - x[2]) / s];
  }
  const s = Math.sqrt(1 + z[2] - x[0] - y[1]) * 2;
  return [(z[0] + x[2]) / s, (z[1] + y[2]) / s, s / 4, (x[1] - y[0]) / s];
}

/** The short way from one rotation to another. @param {number[]} p @param {number[]} q @param {number} t */
export function slerp(p, q, t) {
  let cosine = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
  const sign = cosine < 0 ? -1 : 1;
  cosine *= sign;
  let [from, to] = [1 - t, t];
  if (cosine < 0.9995) {
    const angle = Math.acos(cosine);
    from = Math.sin((1 - t) * angle) / Math.sin(angle);
    to = Math.sin(t * angle) / Math.sin(angle);
  }
  const mixed = p.map((v, i) => v * from + q[i] * to * sign);
  const far = Math.hypot(...mixed) || 1;
  return mixed.map((v) => v / far);
}

/** The three axes of a rotation. @param {number[]} q @returns {Vec[]} */
export function axes([x, y, z, w]) {
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
    [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
    [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)],
  ];
}

/** A colour of CSS, `#rrggbb`, as numbers from 0 to 1. @param {string} css @returns {Vec} */
export const rgb = (css) => [1, 3, 5].map((i) => parseInt(css.slice(i, i + 2), 16) / 255);

/** Gathers triangles: place, normal, colour and opacity of each corner. */
export class Shape {
  constructor() {
    /** @type {number[]} */
    this.data = [];
  }

  /** @param {Vec} p @param {Vec} normal @param {Vec} color @param {number} alpha */
  corner(p, normal, color, alpha) {
    this.data.push(p[0], p[1], p[2], normal[0], normal[1], normal[2], color[0], color[1], color[2], alpha);
  }

  /** @param {Vec} a @param {Vec} b @param {Vec} c @param {Vec} color @param {number} [alpha] */
  triangle(a, b, c, color, alpha = 1) {
    const normal = unit(cross(sub(b, a), sub(c, a)));
    for (const p of [a, b, c]) this.corner(p, normal, color, alpha);
  }

  /** Corners in order around. @param {Vec} a @param {Vec} b @param {Vec} c @param {Vec} d @param {Vec} color @param {number} [alpha] @param {number} [fade] opacity at c and d */
  quad(a, b, c, d, color, alpha = 1, fade = alpha) {
    const normal = unit(cross(sub(b, a), sub(d, a)));
    /** @type {[Vec, number][]} */
    const corners = [[a, alpha], [b, alpha], [c, fade], [a, alpha], [c, fade], [d, fade]];
    for (const [p, opacity] of corners) this.corner(p, normal, color, opacity);
  }

  /** A box; the top may be narrower than the foot, as a cabin is. @param {Vec} low @param {Vec} high @param {Vec} color @param {Vec[]} [taper] by how much each side of the top stands back: [front, back], [sides] */
  box(low, high, color, taper = [[0, 0, 0], [0, 0, 0]]) {
    const [[front, back], [side]] = taper;
    const foot = [[low[0], low[1], low[2]], [high[0], low[1], low[2]], [high[0], high[1], low[2]], [low[0], high[1], low[2]]];
    const top = [[low[0] + back, low[1] + side, high[2]], [high[0] - front, low[1] + side, high[2]], [high[0] - front, high[1] - side, high[2]], [low[0] + back, high[1] - side, high[2]]];
    this.quad(top[0], top[1], top[2], top[3], color);
    this.quad(foot[3], foot[2], foot[1], foot[0], color);
    for (let i = 0; i < 4; i++) {
      const j = (i + 1) % 4;
      this.quad(foot[i], foot[j], top[j], top[i], color);
    }
  }

  /** A ball of radius 1 in two colours. @param {Vec} color @param {Vec} other */
  ball(color, other) {
    const rings = 24;
    const at = (/** @type {number} */ i, /** @type {number} */ j) => {
      const [down, round] = [(i / rings) * Math.PI, (j / (rings * 2)) * 2 * Math.PI];
      return [Math.sin(down) * Math.cos(round), Math.sin(down) * Math.sin(round), Math.cos(down)];
    };
    for (let i = 0; i < rings; i++) {
      for (let j = 0; j < rings * 2; j++) {
        const patch = (Math.floor(i / 4) + Math.floor(j / 8)) % 2 ? color : other;
        const [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        for (const p of [a, b, c, a, c, d]) this.corner(p, p, patch, 1);
      }
    }
  }

  /** A flat ring around the z axis; with no inner radius, a disc. @param {number} inner @param {number} outer @param {Vec} color @param {number} alpha @param {number} [edge] opacity at the outer edge */
  ring(inner, outer, color, alpha, edge = alpha) {
    const parts = 48;
    const up = [0, 0, 1];
    for (let i = 0; i < parts; i++) {
      const [from, to] = [(i / parts) * 2 * Math.PI, ((i + 1) / parts) * 2 * Math.PI];
      const at = (/** @type {number} */ r, /** @type {number} */ turn) => [Math.cos(turn) * r, Math.sin(turn) * r, 0];
      /** @type {[Vec, number][]} */
      const corners = [[at(inner, from), alpha], [at(outer, from), edge], [at(outer, to), edge], [at(inner, from), alpha], [at(outer, to), edge], [at(inner, to), alpha]];
      for (const [p, opacity] of corners) this.corner(p, up, color, opacity);
    }
  }

  /** A cylinder along z from 0 to 1, of radius 1. @param {Vec} color @param {number} [alpha] @param {number} [fade] opacity at its top @param {number} [tip] radius of its top */
  tube(color, alpha = 1, fade = alpha, tip = 1) {
    const parts = 20;
    for (let i = 0; i < parts; i++) {
      const at = (/** @type {number} */ j, /** @type {number} */ r, /** @type {number} */ z) => [Math.cos((j / parts) * 2 * Math.PI) * r, Math.sin((j / parts) * 2 * Math.PI) * r, z];
      const [a, b, c, d] = [at(i, 1, 0), at(i + 1, 1, 0), at(i + 1, tip, 1), at(i, tip, 1)];
      this.quad(a, b, c, d, color, alpha, fade);
    }
  }
}

const VERTEX = `#version 300 es
layout(location = 0) in vec3 place;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 color;
uniform mat4 world;
uniform mat4 camera;
out vec3 facing;
out vec4 paint;
out vec3 at;
void main() {
  vec4 there = world * vec4(place, 1.0);
  facing = mat3(world) * normal;
  paint = color;
  at = there.xyz;
  gl_Position = camera * there;
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in vec3 facing;
in vec4 paint;
in vec3 at;
uniform vec4 tint;
uniform vec3 eye;
uniform float lit;
uniform vec4 fog;
out vec4 shown;
void main() {
  vec3 n = normalize(facing);
  vec3 sight = normalize(eye - at);
  if (dot(n, sight) < 0.0) n = -n;
  vec3 sun = normalize(vec3(0.35, -0.4, 0.85));
  float light = 0.5 + 0.42 * max(dot(n, sun), 0.0) + 0.14 * n.z;
  float shine = pow(max(dot(reflect(-sun, n), sight), 0.0), 24.0) * 0.18;
  vec3 color = paint.rgb * tint.rgb;
  color = mix(color, color * light + shine, lit);
  float far = clamp((length(eye - at) - 6000.0) / 16000.0, 0.0, 1.0) * fog.a;
  shown = vec4(mix(color, fog.rgb, far), paint.a * tint.a);
}`;

/** Draws shapes into a canvas; null where there is no WebGL2. @param {HTMLCanvasElement} canvas */
export function renderer(canvas) {
  const gl = canvas.getContext("webgl2", { antialias: true, alpha: false, powerPreference: "low-power" });
  if (!gl) return null;
  const program = link(gl);
  if (!program) return null;
  const place = (/** @type {string} */ name) => gl.getUniformLocation(program, name);
  const [world, camera, tint, eye, lit, fog] = ["world", "camera", "tint", "eye", "lit", "fog"].map(place);
  /** @type {WebGLBuffer[]} */
  const buffers = [];
  return {
    gl,
    /** Uploads a shape. @param {Shape} shape */
    mesh(shape) {
      const array = gl.createVertexArray();
      const buffer = gl.createBuffer();
      buffers.push(buffer);
      gl.bindVertexArray(array);
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(shape.data), gl.STATIC_DRAW);
      [[0, 3, 0], [1, 3, 12], [2, 4, 24]].forEach(([index, size, offset]) => {
        gl.enableVertexAttribArray(index);
        gl.vertexAttribPointer(index, size, gl.FLOAT, false, 40, offset);
      });
      return { array, count: shape.data.length / 10 };
    },
    /** Begins a picture. @param {Vec} ground @param {number[]} view @param {Vec} from @param {number} haze */
    begin(ground, view, from, haze) {
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.clearColor(ground[0], ground[1], ground[2], 1);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.enable(gl.DEPTH_TEST);
      gl.useProgram(program);
      gl.uniformMatrix4fv(camera, false, view);
      gl.uniform3fv(eye, from);
      gl.uniform4f(fog, ground[0], ground[1], ground[2], haze);
    },
    /**
     * @param {{array: WebGLVertexArrayObject, count: number}} mesh
     * @param {number[]} where
     * @param {{tint?: number[], lit?: number, blend?: boolean, cull?: boolean, glow?: boolean}} [how]
     */
    draw(mesh, where, how = {}) {
      gl.bindVertexArray(mesh.array);
      gl.uniformMatrix4fv(world, false, where);
      gl.uniform4fv(tint, how.tint ?? [1, 1, 1, 1]);
      gl.uniform1f(lit, how.lit ?? 1);
      const blend = how.blend || how.glow;
      if (blend) {
        gl.enable(gl.BLEND);
        gl.blendFunc(gl.SRC_ALPHA, how.glow ? gl.ONE : gl.ONE_MINUS_SRC_ALPHA);
      } else gl.disable(gl.BLEND);
      gl.depthMask(!blend);
      if (how.cull) gl.enable(gl.CULL_FACE);
      else gl.disable(gl.CULL_FACE);
      gl.drawArrays(gl.TRIANGLES, 0, mesh.count);
    },
    dispose() {
      for (const buffer of buffers) gl.deleteBuffer(buffer);
      gl.deleteProgram(program);
      gl.getExtension("WEBGL_lose_context")?.loseContext();
    },
  };
}

/** @param {WebGL2RenderingContext} gl */
function link(gl) {
  const program = gl.createProgram();
  for (const [kind, source] of /** @type {[number, string][]} */ ([[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]])) {
    const shader = /** @type {WebGLShader} */ (gl.createShader(kind));
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  return gl.getProgramParameter(program, gl.LINK_STATUS) ? program : null;
}
