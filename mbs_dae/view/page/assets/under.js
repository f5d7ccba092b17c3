// What is under the pointer.

import { unprojected } from "./camera.js";
import { told } from "./curves.js";
import { inUnit, wordOf } from "./numbers.js";

const NEAR = 10; // pixels within which something is under it

// What is nearest to a point of the screen, and the place in the world of a point of it that is seen there.
export function nearest({ state }, x, y) {
  let [best, distance] = [null, NEAR];
  for (const { piece, points, screen } of state.seen) {
    if (piece.group === "traces") continue;
    for (let k = 0; k + 5 < screen.length || k === 0; k += 3) {
      const next = Math.min(k + 3, screen.length - 3);
      const [own, part] = toSegment(x, y, screen, k, next);
      if (!(own < distance)) continue;
      distance = own;
      best = { piece, place: [0, 1, 2].map((n) => points[k + n] + part * (points[next + n] - points[k + n])) };
    }
  }
  return best;
}

// The name of what is nearest to the pointer; in the plane where that is, too.
export function toldUnder(view, x, y) {
  const { camera, page: { metre } } = view;
  const best = nearest(view, x, y)?.piece;
  const under = document.getElementById("under");
  const place = unprojected(camera, x, y);
  const where = camera.dimension === 2 ? ["x", "y"].map((axis, k) => `${axis} = ${told(inUnit(place[k], metre))} ${wordOf(metre, "m")}`).join(", ") : "";
  under.textContent = [best && best.of, where].filter(Boolean).join("  ·  ");
  under.hidden = !under.textContent;
  under.style.left = `${Math.min(x + 14, Math.max(0, camera.width - under.offsetWidth - 4))}px`;
  under.style.top = `${y > 40 ? y - 30 : y + 18}px`;
}

function toSegment(x, y, screen, a, b) {
  const [dx, dy] = [screen[b] - screen[a], screen[b + 1] - screen[a + 1]];
  const length = dx * dx + dy * dy;
  const part = length ? Math.min(1, Math.max(0, ((x - screen[a]) * dx + (y - screen[a + 1]) * dy) / length)) : 0;
  return [Math.hypot(x - screen[a] - part * dx, y - screen[a + 1] - part * dy), part];
}
