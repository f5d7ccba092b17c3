// What lies behind a mechanism: a grid with its scale, axes, and in space the floor with the shadows on it.

import { projected } from "./camera.js";
import { trail, turned } from "./canvas.js";
import { wordOf } from "./numbers.js";

const REACH = 2; // lengths of what is followed, to all sides

export function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * [1, 2, 5, 10].find((n) => n * power >= least * 0.999999);
}

export function drawnPaper(context, camera, page, palette, seen, followed) {
  context.fillStyle = palette.paper;
  context.fillRect(0, 0, camera.width, camera.height);
  return camera.dimension === 2 ? ruled(context, camera, page, palette) : floored(context, camera, page, palette, seen, followed);
}

// Lines at round numbers of metres, or of the unit in which lengths are read; they stand at the lower and the left edge.
function ruled(context, camera, page, palette) {
  const size = page.metre?.size ?? 1;
  const step = niceStep(64 / camera.scale / size);
  const upright = lines(camera.centre[0] / size, camera.width, camera.scale * size, step);
  const level = lines(camera.centre[1] / size, camera.height, -camera.scale * size, step);
  const [across, up] = ["x", "y"].map((axis) => `${axis} [${wordOf(page.metre, "m")}]`);
  context.strokeStyle = palette.grid;
  context.fillStyle = palette.ink;
  context.font = "11px system-ui, sans-serif";
  context.lineWidth = 1;
  context.beginPath();
  for (const { at } of upright) {
    context.moveTo(at, 0);
    context.lineTo(at, camera.height);
  }
  for (const { at } of level) {
    context.moveTo(0, at);
    context.lineTo(camera.width, at);
  }
  context.stroke();
  context.globalAlpha = 0.75;
  context.textAlign = "center";
  const word = camera.width - 8 - context.measureText(across).width; // where it begins
  for (const { value, at } of upright) {
    const text = rounded(value, step);
    if (at > 44 && at + context.measureText(text).width / 2 < word - 6) context.fillText(text, at, camera.height - 5);
  }
  context.textAlign = "right";
  context.fillText(across, camera.width - 8, camera.height - 5);
  context.textAlign = "left";
  for (const { value, at } of level) {
    if (at > 30 && at < camera.height - 24) context.fillText(rounded(value, step), 5, at - 3);
  }
  context.fillText(up, 5, 14);
  context.globalAlpha = 1;
}

// The multiples of a step that are on the screen, and where: `scale` is negative where they rise against its pixels.
function lines(centre, size, scale, step) {
  const reach = size / 2 / Math.abs(scale);
  const found = [];
  for (let n = Math.ceil((centre - reach) / step); n * step <= centre + reach; n++) {
    found.push({ value: n * step, at: size / 2 + scale * (n * step - centre) });
  }
  return found;
}

// Below what is followed there is floor as far as it is seen, of which the lines stay where they are.
function floored(context, camera, page, palette, seen, followed) {
  const upright = camera.up[2] >= 0;
  const level = upright ? page.low[2] : page.high[2];
  const fromAbove = (upright ? 1 : -1) * camera.toward[2] > 0.02;
  const [low, high] = followed ? [-1, 1].map((side) => followed.map((x) => x + side * REACH * page.travel.length)) : [page.low, page.high];
  const wide = Math.max(high[0] - low[0], high[1] - low[1], 1e-9);
  const size = page.metre?.size ?? 1;
  const step = niceStep(wide / 8 / size) * size;
  const [x0, x1, y0, y1] = [[0, -1], [0, 1], [1, -1], [1, 1]].map(([k, side]) => {
    const edge = side < 0 ? low[k] : high[k];
    return step * (side < 0 ? Math.floor(edge / step) - 1 : Math.ceil(edge / step) + 1);
  });
  context.strokeStyle = palette.grid;
  context.lineWidth = 1;
  context.beginPath();
  const stroke = (from, to) => {
    const ends = projected(camera, [...from, level, ...to, level]);
    context.moveTo(ends[0], ends[1]);
    context.lineTo(ends[3], ends[4]);
  };
  for (let n = 0; n <= Math.round((x1 - x0) / step); n++) stroke([x0 + n * step, y0], [x0 + n * step, y1]);
  for (let n = 0; n <= Math.round((y1 - y0) / step); n++) stroke([x0, y0 + n * step], [x1, y0 + n * step]);
  context.stroke();
  if (fromAbove) shadows(context, camera, palette, seen, level);
  triad(context, camera, palette);
  context.fillStyle = palette.ink;
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "right";
  context.globalAlpha = 0.75;
  context.fillText(`one square: ${rounded(step / size, step / size)} ${wordOf(page.metre, "m")}`, camera.width - 8, camera.height - 8);
  context.globalAlpha = 1;
}

// Straight down on the floor; all of them as one, so that they do not darken one another.
function shadows(context, camera, palette, seen, level) {
  const areas = new Path2D();
  const lines = new Path2D();
  for (const { piece, points } of seen) {
    if (piece.group !== "bodies" && piece.group !== "joints") continue;
    if (piece.form === "dot" || piece.order === "said") continue;
    const below = points.slice();
    for (let k = 2; k < below.length; k += 3) if (below[k] === below[k]) below[k] = level;
    const screen = projected(camera, below);
    if (piece.form === "line") trail(lines, screen);
    else if (piece.faces.length > 1) around(areas, screen, piece.faces);
    else ring(areas, screen, piece.faces[0] ?? [...Array(screen.length / 3).keys()]);
  }
  context.fillStyle = palette.shadow;
  context.fill(areas, "nonzero");
  context.strokeStyle = palette.shadow;
  context.lineWidth = 4;
  context.lineCap = "butt";
  context.stroke(lines);
}

// The line around all faces of a solid that look up, which cover as much as all of them: where two of these meet there is
// none, so that it is short.
function around(path, screen, faces) {
  const edges = new Map();
  const count = screen.length / 3;
  for (const face of faces) {
    if (turned(screen, face) >= 0) continue;
    for (let k = 0; k < face.length; k++) {
      const [a, b] = [face[k], face[(k + 1) % face.length]];
      if (!edges.delete(b * count + a)) edges.set(a * count + b, [a, b]);
    }
  }
  const from = new Map();
  for (const [a, b] of edges.values()) from.set(a, [...(from.get(a) ?? []), b]);
  for (const start of from.keys()) {
    for (let at = start, k = 0; from.get(at)?.length; at = from.get(at).pop(), k++) {
      path[k ? "lineTo" : "moveTo"](screen[3 * at], screen[3 * at + 1]);
    }
    path.closePath();
  }
}

// Always the same way round as those, or shadows would cancel one another.
function ring(path, screen, face) {
  const order = turned(screen, face) > 0 ? [...face].reverse() : face;
  order.forEach((n, k) => path[k ? "lineTo" : "moveTo"](screen[3 * n], screen[3 * n + 1]));
  path.closePath();
}

// The directions of the axes, in a corner.
function triad(context, camera, palette) {
  const [x, y, size] = [46, camera.height - 46, 28];
  context.font = "italic 13px serif";
  context.textAlign = "center";
  context.lineWidth = 1.5;
  ["x", "y", "z"].forEach((letter, k) => {
    const [dx, dy] = [camera.right[k] * size, -camera.up[k] * size];
    context.strokeStyle = palette.shown(["#D55E00", "#009E73", "#0072B2"][k]);
    context.fillStyle = context.strokeStyle;
    if (Math.hypot(dx, dy) < 3) return;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + dx, y + dy);
    context.stroke();
    context.fillText(letter, x + 1.35 * dx, y + 1.35 * dy + 4);
  });
}

export function rounded(value, step) {
  const digits = Math.min(9, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  return Math.abs(value) < step / 2 ? "0" : value.toFixed(digits).replace("-", "−");
}
