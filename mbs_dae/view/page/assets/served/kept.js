// What a reader has chosen outlasts a page that is made anew when its model file has changed.

import { aim } from "../camera.js";

const PLACE = "mbs-dae";
const CAMERA = ["dimension", "centre", "scale", "azimuth", "elevation", "roll"];

export function keep({ state, camera, framed }, chosen) {
  const { x, playing, speed, loop, shown, theme, chosen: curves } = state;
  const seen = Object.fromEntries(CAMERA.map((name) => [name, camera[name]]));
  sessionStorage.setItem(PLACE, JSON.stringify({ x, playing, speed, loop, shown, theme, curves, seen, framed, chosen }));
}

export function kept() {
  const text = sessionStorage.getItem(PLACE);
  sessionStorage.removeItem(PLACE);
  return text && JSON.parse(text);
}

export function restore(view, { x, playing, speed, loop, shown, theme, curves, seen, framed }) {
  const { state, camera } = view;
  const part = (id) => document.getElementById(id);
  if (seen.dimension === camera.dimension) {
    Object.assign(camera, seen);
    view.framed = framed;
    aim(camera);
  }
  Object.assign(state, { speed, loop, shown, chosen: curves, middle: null });
  part("speed").value = speed;
  part("loop").checked = loop;
  for (const box of part("shown").querySelectorAll("[data-group]")) box.checked = shown[box.dataset.group];
  for (const box of part("quantities").querySelectorAll("input")) box.checked = curves.includes(box.dataset.name);
  if (theme !== state.theme) part("theme").click();
  view.seek(x);
  view.remade();
  if (playing) part("play").click();
}
