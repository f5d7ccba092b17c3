// Names beside the bodies: outside of what is drawn where possible, off one another, and without jumping about. One that
// has no room is left out; who points at its body reads it there.

import { projected } from "./camera.js";
import { pointsOf } from "./tracks.js";

const FONT = "600 12px system-ui, sans-serif";
const AWAY = 13; // pixels between an edge and the middle of a name
const MORE = 8; // pixels around a name that comes back
const ROUND = [...Array(8).keys()].map((k) => [Math.cos((k * Math.PI) / 4), -Math.sin((k * Math.PI) / 4)]);

export function drawnNames(context, page, pose, camera, palette, kept) {
  context.font = FONT;
  context.textAlign = "center";
  context.textBaseline = "middle";
  const middle = [camera.width / 2, camera.height / 2];
  const taken = [];
  page.names.forEach((name, body) => {
    const { name: text, colour } = page.bodies[body];
    const screen = projected(camera, pointsOf(name, pose));
    const half = [context.measureText(text).width / 2 + 2, 8];
    const places = candidates(screen, half);
    const costs = places.map((place, k) => cost(place, half, taken, middle, camera) - (kept.get(body) === k ? 25 : 0));
    const best = costs.indexOf(Math.min(...costs));
    kept.set(body, best);
    const [x, y] = places[best];
    const room = kept.get(`${body} seen`) === "hidden" ? MORE : 0; // or it would come and go
    const hidden = overlaps(places[best], half.map((size) => size + room), taken).length > 0;
    kept.set(`${body} seen`, hidden ? "hidden" : "shown");
    if (hidden) return;
    taken.push([x, y, ...half]);
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.strokeStyle = palette.paper;
    context.strokeText(text, x, y);
    context.fillStyle = palette.lit(colour, palette.theme === "dark" ? 1.1 : 0.62, 1);
    context.fillText(text, x, y);
  });
  context.textBaseline = "alphabetic";
  return taken;
}

// Both sides of the middle of the longest edge; or around a single point.
function candidates(screen, half) {
  const count = screen.length / 3;
  let [best, length] = [0, -1];
  for (let k = 0; k < count; k++) {
    const next = 3 * ((k + 1) % count);
    const own = Math.hypot(screen[next] - screen[3 * k], screen[next + 1] - screen[3 * k + 1]);
    if (own > length) [best, length] = [k, own];
  }
  const [a, b] = [3 * best, 3 * ((best + 1) % count)];
  const middle = [(screen[a] + screen[b]) / 2, (screen[a + 1] + screen[b + 1]) / 2];
  const aside = ([x, y], reach) => [middle[0] + x * (reach + Math.abs(x) * half[0]), middle[1] + y * (reach + Math.abs(y) * half[1])];
  if (length < 1) return ROUND.map((way) => aside(way, AWAY));
  const normal = [(screen[b + 1] - screen[a + 1]) / length, -(screen[b] - screen[a]) / length];
  return [normal, normal.map((x) => -x)].flatMap((way) => [aside(way, AWAY - 5), aside(way, 2 * AWAY)]);
}

function cost([x, y], [w, h], taken, [mx, my], camera) {
  let sum = -0.05 * Math.hypot(x - mx, y - my);
  for (const over of overlaps([x, y], [w, h], taken)) sum += 60 + Math.min(...over);
  const out = Math.max(w - x, x + w - camera.width, h - y, y + h - camera.height, 0);
  return sum + 20 * out;
}

// By how much a box of these half sides lies over others, where it does.
function overlaps([x, y], [w, h], taken) {
  const all = taken.map(([ox, oy, ow, oh]) => [w + ow - Math.abs(x - ox), h + oh - Math.abs(y - oy)]);
  return all.filter((over) => over[0] > 0 && over[1] > 0);
}
