// Draws pieces: in the plane as their zorder says, in space from the back to the front.

import { projected } from "./camera.js";
import { pointsOf } from "./tracks.js";

const PIXELS = 96 / 72; // lengths in looks are points of paper
const LIGHT = normal([0.25, -0.55, 0.8]); // over the left shoulder of the usual view
const [BACK, FRONT] = [2, 5]; // the orders of what is farthest and nearest
const STEP = 1e-4; // between what stands over one another at the same place

// What is seen of the pieces at a pose, in the order of drawing.
export function arranged(pieces, pose, camera) {
  const seen = pieces.map((piece, k) => {
    const points = pointsOf(piece.track, pose);
    return { piece, points, screen: projected(camera, points), order: piece.z, k };
  });
  if (camera.dimension === 3) byDepth(seen);
  return seen.sort((a, b) => a.order - b.order || a.k - b.k);
}

// A joint stands before the bodies that it joins, and a part of its symbol before those that were drawn earlier.
function byDepth(seen) {
  const depths = seen.map(({ screen }) => meanDepth(screen));
  const known = depths.filter(Number.isFinite);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const nearest = new Map();
  seen.forEach((one, k) => {
    if (one.piece.order === "said") return;
    let own = BACK + ((FRONT - BACK) * (depths[k] - low)) / (high - low || 1) || BACK;
    const { group, of, joins } = one.piece;
    const [name, below] = group === "bodies" ? [`body ${of}`, []] : [`${group} ${of}`, joins.map((body) => `body ${body}`)];
    if (one.piece.order === "over") own = Math.max(own, ...[name, ...below].map((owner) => nearest.get(owner) ?? BACK));
    one.order = own + STEP * (group === "bodies" ? 1 : 10);
    nearest.set(name, Math.max(nearest.get(name) ?? BACK, own));
  });
}

function meanDepth(screen) {
  let [sum, count] = [0, 0];
  for (let k = 2; k < screen.length; k += 3) {
    if (screen[k] === screen[k]) {
      sum += screen[k];
      count += 1;
    }
  }
  return sum / count;
}

export function drawn(context, one, palette) {
  const { piece } = one;
  if (piece.form === "line") line(context, one, palette);
  else if (piece.form === "dot") dotted(context, one, palette);
  else if (piece.form === "area") piece.faces.length ? solid(context, one, palette) : flat(context, one, palette);
}

// A polyline on a path or a canvas, lifted off at points that are not finite.
export function trail(path, screen) {
  let lifted = true;
  for (let k = 0; k < screen.length; k += 3) {
    if (screen[k] !== screen[k]) lifted = true;
    else {
      path[lifted ? "moveTo" : "lineTo"](screen[k], screen[k + 1]);
      lifted = false;
    }
  }
}

function line(context, { piece, screen }, palette) {
  context.beginPath();
  trail(context, screen);
  context.lineWidth = (piece.width ?? 1.6) * PIXELS;
  context.lineCap = piece.cap ?? "round";
  context.lineJoin = "round";
  context.strokeStyle = palette.faded(piece.color, piece.alpha ?? 1);
  context.stroke();
}

function dotted(context, { piece, screen }, palette) {
  const half = ((piece.size ?? 6) / 2) * PIXELS;
  const [x, y] = screen;
  if (x !== x) return;
  context.beginPath();
  if (piece.marker === "s") context.rect(x - half, y - half, 2 * half, 2 * half);
  else context.arc(x, y, half, 0, 2 * Math.PI);
  filled(context, piece, palette);
}

function filled(context, piece, palette) {
  context.fillStyle = palette.faded(piece.fill ?? piece.color, piece.alpha ?? 1);
  context.fill();
  if (!piece.edge || !piece.width) return;
  context.lineWidth = piece.width * PIXELS;
  context.lineJoin = "round";
  context.strokeStyle = palette.shown(piece.edge);
  context.stroke();
}

function outline(context, screen, face) {
  context.beginPath();
  context.moveTo(screen[3 * face[0]], screen[3 * face[0] + 1]);
  for (let k = 1; k < face.length; k++) context.lineTo(screen[3 * face[k]], screen[3 * face[k] + 1]);
  context.closePath();
}

// In the plane, or a patch of a plane: one face through all points.
function flat(context, { piece, screen }, palette) {
  outline(context, screen, Array.from({ length: screen.length / 3 }, (_, k) => k));
  filled(context, piece, palette);
}

// Faces lit by the sun, the far ones first; of what is not to be seen through those that look away are left out.
function solid(context, { piece, points, screen }, palette) {
  const opaque = (piece.alpha ?? 1) === 1;
  const faces = [];
  piece.faces.forEach((face, k) => {
    if (opaque && turned(screen, face) >= 0) return;
    let depth = 0;
    for (const n of face) depth += screen[3 * n + 2];
    faces.push({ face, k, depth: depth / face.length });
  });
  faces.sort((a, b) => a.depth - b.depth);
  context.lineJoin = "round";
  context.lineWidth = 0.6 * PIXELS;
  const edged = piece.edge ? palette.shown(piece.edge) : null;
  let shade = null;
  for (const { face, k } of faces) {
    const colour = Array.isArray(piece.color) ? piece.color[k] : piece.color;
    const own = palette.lit(colour, brightness(points, face), piece.alpha ?? 1);
    if (own !== shade) {
      context.fillStyle = shade = own;
      context.strokeStyle = edged ?? own;
    }
    outline(context, screen, face);
    context.fill();
    if (opaque) context.stroke();
  }
}

// Twice the area of a face on the screen, where y goes down: negative if it is gone round as seen from outside.
export function turned(screen, face) {
  let area = 0;
  for (let k = 0; k < face.length; k++) {
    const [a, b] = [3 * face[k], 3 * face[(k + 1) % face.length]];
    area += screen[a] * screen[b + 1] - screen[b] * screen[a + 1];
  }
  return area;
}

function brightness(points, [a, b, c]) {
  [a, b, c] = [3 * a, 3 * b, 3 * c];
  const [ux, uy, uz] = [points[b] - points[a], points[b + 1] - points[a + 1], points[b + 2] - points[a + 2]];
  const [vx, vy, vz] = [points[c] - points[b], points[c + 1] - points[b + 1], points[c + 2] - points[b + 2]];
  const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
  const length = Math.sqrt(x * x + y * y + z * z) || 1;
  return 0.78 + (0.22 * (x * LIGHT[0] + y * LIGHT[1] + z * LIGHT[2])) / length;
}

function normal(vector) {
  const length = Math.hypot(...vector);
  return vector.map((part) => part / length);
}
