// The page: it plays a motion, and shows what its reader wants to see of it.

import { aim, cameraOf, move, resize, turn, VIEWS, zoom } from "./camera.js";
import { arranged, drawn } from "./canvas.js";
import { paletteOf } from "./colours.js";
import { drawnCurves, told } from "./curves.js";
import { hosted } from "./guest.js";
import { drawnNames } from "./names.js";
import { middleOf } from "./poses.js";
import { inUnit, unpacked, unpackMeshes, wordOf } from "./numbers.js";
import { drawnPaper } from "./paper.js";
import { framed, inPicture } from "./reach.js";
import { toldUnder } from "./under.js";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];
const GROUPS = { bodies: true, joints: true, forces: true, reactions: false, traces: true, names: true };
const PIXEL_PACE = 0.4; // degrees of turning for a pixel of dragging

const page = JSON.parse(document.getElementById("data").textContent);
const part = (id) => document.getElementById(id);
const canvas = part("stage");
const context = canvas.getContext("2d");

// With poses as `posesOf` gives them; `more` adds to the page what these can do besides.
export function begin(posesOf, more = () => {}) {
  start(posesOf, more).catch((error) => {
    part("stopped").hidden = false;
    part("stopped").textContent = `This page cannot be shown: ${error.message}`;
    throw error;
  });
}

async function start(posesOf, more) {
  const arrays = await unpacked(page.arrays);
  unpackMeshes(page, arrays);
  const poses = posesOf(page, arrays);
  traced();
  const state = {
    x: poses.start, playing: false, speed: 1, loop: true, shown: { ...GROUPS }, chosen: [...page.plots], labels: new Map(),
    theme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light", seen: [], pose: null, cursor: null,
    follows: page.travel.far, middle: null,
  };
  const view = { page, arrays, poses, state, camera: cameraOf(page), palette: null, curves: null };
  themed(view, state.theme);
  controls(view);
  gestures(view);
  keys(view);
  hosted((theme) => themed(view, theme));
  new ResizeObserver(() => sized(view)).observe(canvas);
  new ResizeObserver(() => plotted(view)).observe(part("curves"));
  sized(view);
  let before = state.theme;
  addEventListener("beforeprint", () => {
    before = state.theme;
    themed(view, "light");
  });
  addEventListener("afterprint", () => themed(view, before));
  view.seek = (x) => seek(view, x);
  view.remade = () => remade(view);
  window.mbs = { page, get arrays() { return view.arrays; }, get poses() { return view.poses; }, state, view, seek: view.seek, frame: () => frame(view) };
  more(view);
}

function traced() {
  page.traces.forEach(({ name, colour }) => {
    page.pieces.push({ group: "traces", of: name, form: "line", z: 1.5, order: "said", width: 1, alpha: 0.8, color: colour, track: { path: `trace ${name}` } });
  });
}

// Another motion in place of this one; what its reader has chosen, the time and the camera stay.
export function replaced(view, data, arrays, posesOf) {
  const offered = () => JSON.stringify([page.curves, page.travel.part > 1, Object.keys(GROUPS).filter((group) => has(view, group))]);
  const before = offered();
  Object.assign(page, data);
  if (!page.pieces.some(({ group }) => group === "traces")) traced();
  Object.assign(view, { arrays, poses: posesOf(page, arrays) });
  if (offered() !== before) {
    grouped(view);
    listed(view);
  }
  spoken();
  const { start, end } = view.poses;
  Object.assign(view.state, { x: Math.min(end, Math.max(start, view.state.x)), pose: null });
  remade(view);
}

// --- what is seen ---

function sized(view) {
  const { clientWidth: width, clientHeight: height } = canvas;
  if (!width || !height) return;
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const first = !view.sized;
  if (first) framed(view, width, height);
  else {
    resize(view.camera, width, height);
    inPicture(view); // a frame that a page gives to this one may have been of another shape
  }
  view.sized = true;
  frame(view);
}

function frame(view) {
  const { state, camera, palette, poses } = view;
  const begun = performance.now();
  state.pose = poses.at(state.x);
  if (poses.inTime) state.x = state.pose.value; // a pose that is solved may not get as far
  if (state.follows) carry(camera, state);
  const pieces = page.pieces.filter((piece) => state.shown[piece.group] && !piece.hidden);
  state.seen = arranged(pieces, state.pose, camera);
  const ratio = canvas.width / camera.width;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  drawnPaper(context, camera, page, palette, state.seen, state.follows ? state.middle : null);
  for (const one of state.seen) drawn(context, one, palette);
  state.named = state.shown.names ? drawnNames(context, page, state.pose, camera, palette, state.labels) : [];
  state.cost = performance.now() - begun;
  const [name, unit] = page.axis;
  part("value").textContent = `${name} = ${told(inUnit(state.pose.value, page.axisRead))} ${wordOf(page.axisRead, unit)}`;
  part("time").value = state.x;
  if (state.cursor === null) view.curves?.show(state.pose.value, state.pose.read);
  else view.curves?.show(state.cursor);
}

// The camera goes with the middle of the bodies.
function carry(camera, state) {
  const now = middleOf(state.pose);
  if (state.middle) camera.centre = camera.centre.map((x, k) => x + now[k] - state.middle[k]);
  state.middle = now;
}

// Other poses than before: their range and curves.
function remade(view) {
  ranged(view);
  const whole = view.poses.complete !== false;
  if (whole) plotted(view);
  frame(view);
  if (whole && view.sized && inPicture(view)) frame(view);
}

function ranged({ poses }) {
  Object.assign(part("time"), { min: poses.start, max: poses.end, step: poses.inTime ? "any" : 1 });
}

function themed(view, theme) {
  view.state.theme = theme;
  view.palette = paletteOf(theme);
  document.documentElement.dataset.theme = theme;
  part("theme").textContent = theme === "dark" ? "Light" : "Dark";
  plotted(view);
  if (view.sized) frame(view);
}

function plotted(view) {
  view.curves = drawnCurves(part("curves"), page, view.arrays, view.state.chosen, view.palette);
  view.curves.show(view.state.pose?.value ?? view.poses.start, view.state.pose?.read);
}

// --- time ---

function seek(view, x) {
  const { start, end } = view.poses;
  view.state.x = Math.min(end, Math.max(start, x));
  frame(view);
}

function play(view, on) {
  const { state, poses } = view;
  if (on && state.x >= poses.end) state.x = poses.start;
  state.playing = on && poses.end > poses.start;
  part("play").textContent = state.playing ? "❚❚" : "▶";
  part("play").setAttribute("aria-label", state.playing ? "Pause" : "Play");
  if (state.playing) requestAnimationFrame((now) => tick(view, now, now));
}

function tick(view, before, now) {
  const { state, poses } = view;
  if (!state.playing) return;
  const pace = poses.inTime ? page.speed : (poses.end - poses.start) / 6; // a sweep takes six seconds
  let x = state.x + state.speed * pace * ((now - before) / 1000);
  if (x > poses.end) x = state.loop ? poses.start : poses.end;
  seek(view, x);
  if (x >= poses.end && !state.loop) play(view, false);
  else requestAnimationFrame((next) => tick(view, now, next));
}

// --- controls ---

function controls(view) {
  const { state, poses } = view;
  const time = part("time");
  ranged(view);
  time.value = poses.start;
  time.addEventListener("input", () => seek(view, Number(time.value)));
  part("play").addEventListener("click", () => play(view, !state.playing));
  SPEEDS.forEach((speed) => part("speed").append(new Option(`${speed} ×`, speed, speed === 1, speed === 1)));
  part("speed").addEventListener("change", () => (state.speed = Number(part("speed").value)));
  part("loop").addEventListener("change", () => (state.loop = part("loop").checked));
  part("theme").addEventListener("click", () => themed(view, state.theme === "dark" ? "light" : "dark"));
  const views = page.dimension === 2 ? {} : VIEWS;
  Object.keys(views).forEach((name) => button(part("views"), name, () => seenFrom(view, name)));
  button(part("views"), "fit", () => seenFrom(view));
  grouped(view);
  picker(view);
  canvas.setAttribute("aria-label", `Drawing of ${page.title}, with ${page.bodies.length} bodies: ${page.bodies.map((b) => b.name).join(", ")}`);
  spoken();
  part("keys").textContent = `Space plays, ← and → step, + and − zoom, ${page.dimension === 3 ? "drag turns, shift and drag moves, 1 to 4 are views" : "drag moves"}, 0 fits.`;
}

function spoken() {
  part("stopped").hidden = !page.message;
  part("stopped").textContent = page.message && `Stopped early: ${page.message}`;
}

function grouped(view) {
  part("shown").replaceChildren();
  Object.keys(GROUPS).filter((group) => has(view, group)).forEach((group) => {
    const box = check(part("shown"), group, view.state.shown[group], (on) => {
      view.state.shown[group] = on;
      frame(view);
    });
    box.dataset.group = group;
  });
  if (page.travel.part > 1) {
    check(part("shown"), "follow", view.state.follows, (on) => {
      Object.assign(view.state, { follows: on, middle: null });
      seenFrom(view);
    }).id = "follow";
  }
}

function has(view, group) {
  return group === "names" || page.pieces.some((piece) => piece.group === group);
}

function button(holder, name, act) {
  const made = holder.appendChild(document.createElement("button"));
  made.type = "button";
  made.textContent = name;
  made.addEventListener("click", act);
}

function check(holder, name, on, act) {
  const label = holder.appendChild(document.createElement("label"));
  const box = label.appendChild(document.createElement("input"));
  box.type = "checkbox";
  box.checked = on;
  label.append(` ${name}`);
  box.addEventListener("change", () => act(box.checked));
  return box;
}

function listed(view) {
  const { state } = view;
  part("quantities").replaceChildren();
  page.curves.forEach(({ name, unit, read }) => {
    const box = check(part("quantities"), unit ? `${name} [${wordOf(read, unit)}]` : name, state.chosen.includes(name), (on) => {
      state.chosen = on ? [...state.chosen, name] : state.chosen.filter((other) => other !== name);
      plotted(view);
    });
    box.dataset.name = name;
  });
  sifted();
}

function sifted() {
  const wanted = part("find").value.toLowerCase();
  for (const label of part("quantities").children) label.hidden = !label.textContent.toLowerCase().includes(wanted);
}

function picker(view) {
  const { state } = view;
  listed(view);
  part("find").addEventListener("input", sifted);
  part("curves").addEventListener("pointermove", (event) => {
    const svg = event.target.closest("svg");
    if (!svg) return;
    const t = svg.timeAt(event.clientX - svg.getBoundingClientRect().left);
    state.cursor = t;
    if (event.buttons && view.poses.inTime) seek(view, t);
    else view.curves.show(t);
  });
  part("curves").addEventListener("pointerdown", (event) => {
    const svg = event.target.closest("svg");
    if (svg && view.poses.inTime) seek(view, svg.timeAt(event.clientX - svg.getBoundingClientRect().left));
  });
  part("curves").addEventListener("pointerleave", () => {
    state.cursor = null;
    frame(view);
  });
}

function seenFrom(view, name) {
  const { camera } = view;
  if (name) Object.assign(camera, VIEWS[name]);
  aim(camera);
  framed(view);
  frame(view);
}

// --- hands ---

function gestures(view) {
  const { camera } = view;
  const down = new Map();
  let held = null; // what moves what a hand has taken
  const here = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    down.set(event.pointerId, here(event));
    held = down.size === 1 && event.button === 0 && !event.shiftKey ? view.taken?.(...here(event)) : null;
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = here(event);
    if (!down.has(event.pointerId)) return toldUnder(view, x, y);
    const before = down.get(event.pointerId);
    const others = [...down].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
    if (held && !others.length) return held(x, y);
    if (others.length) pinched(camera, before, [x, y], others[0]);
    else if (camera.dimension === 2 || event.shiftKey || event.buttons & 6) move(camera, x - before[0], y - before[1]);
    else turn(camera, -PIXEL_PACE * (x - before[0]), PIXEL_PACE * (y - before[1]));
    down.set(event.pointerId, [x, y]);
    frame(view);
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (event) => down.delete(event.pointerId));
  canvas.addEventListener("pointerleave", () => (part("under").hidden = true));
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(camera, Math.exp(-0.0015 * event.deltaY), ...here(event));
    frame(view);
  }, { passive: false });
}

function pinched(camera, before, now, other) {
  const [was, is] = [before, now].map(([x, y]) => Math.hypot(x - other[0], y - other[1]));
  zoom(camera, is / (was || 1), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
  move(camera, (now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
}

function keys(view) {
  const { camera, state } = view;
  const acts = {
    " ": () => play(view, !state.playing),
    ArrowRight: () => seek(view, state.x + view.poses.step),
    ArrowLeft: () => seek(view, state.x - view.poses.step),
    Home: () => seek(view, view.poses.start),
    End: () => seek(view, view.poses.end),
    "+": () => zoom(camera, 1.2),
    "=": () => zoom(camera, 1.2),
    "-": () => zoom(camera, 1 / 1.2),
    0: () => seenFrom(view),
    ...(page.dimension === 3 ? Object.fromEntries(Object.keys(VIEWS).map((name, k) => [k + 1, () => seenFrom(view, name)])) : {}),
  };
  const turned = { ArrowLeft: [-5, 0], ArrowRight: [5, 0], ArrowUp: [0, 5], ArrowDown: [0, -5] };
  addEventListener("keydown", (event) => {
    const own = event.target === document.body || event.target === canvas;
    if (!own || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.shiftKey && turned[event.key]) {
      if (camera.dimension === 3) turn(camera, ...turned[event.key]);
      else move(camera, -4 * turned[event.key][0], 4 * turned[event.key][1]);
    } else if (acts[event.key]) acts[event.key]();
    else return;
    event.preventDefault();
    frame(view);
  });
}
