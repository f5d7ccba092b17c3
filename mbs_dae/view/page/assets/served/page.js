// A page that is served: what its reader changes the core computes anew, or the page itself where it can.

import { added, leftOut } from "../live/dials.js";
import { taken } from "../live/hand.js";
import { solvedPoses } from "../live/solved.js";
import { begin, replaced } from "../page.js";
import { posesOf } from "../poses.js";
import { asker, posted } from "./asking.js";
import { keep, kept, restore } from "./kept.js";
import { panelOf } from "./panel.js";

const LOOK = 700; // milliseconds between looks at the model file
const GONE = "The core has ended, and what is shown stays: start mbs-dae view again.";

begin(kinematics ? (page, arrays) => solvedPoses(page, arrays, kinematics) : posesOf, (view) => {
  const { served } = view.page;
  const first = { mode: served.mode, parameters: {}, initial: {}, span: served.span, at: null };
  const own = { ...first, error: "", trouble: "", panel: null, asking: null };
  const live = kinematics && { data: { ...view.page }, arrays: view.arrays, poses: view.poses, names: namesOf(kinematics) };
  own.asking = asker({
    answered: (answer, arrays) => answered(view, own, answer, arrays),
    failed: () => said(view, own, { error: GONE }),
    busy: (on) => own.panel.busy(on),
  });
  own.panel = panelOf(served, {
    mode(mode) {
      const at = mode === served.released ? view.state.x : null;
      Object.assign(own, { mode, at, initial: {} });
      moved(view, own, live);
    },
    span(span) {
      own.span = span;
      moved(view, own, live);
    },
    parameter(name, value) {
      own.parameters[name] = value;
      moved(view, own, live);
    },
    initial(name, value) {
      own.initial[name] = value;
      moved(view, own, live);
    },
    reset() {
      Object.assign(own, { parameters: {}, initial: {}, span: served.span });
      own.panel.span.show(own.span);
      own.panel.parameters.show(served.parameters);
      moved(view, own, live);
    },
  });
  own.panel.mode(own.mode);
  own.panel.initial.show(served.initial);
  if (live) handed(view, own, live);
  window.mbs.served = own;
  if (live && own.mode !== "live") moved(view, own, live); // the page begins with what it knows
  returned(view, own, live);
  setInterval(() => look(view, own), LOOK);
});

function namesOf({ names }) {
  return Object.fromEntries(names.parameters.map(({ said, name }) => [said, name]));
}

// Another motion for what was changed: of the page's own, or of the core.
function moved(view, own, live) {
  own.panel.mode(own.mode);
  own.error = "";
  if (own.mode === "live") return solvedHere(view, own, live);
  const { version } = view.page.served;
  const { mode, parameters, initial, span, at } = own;
  own.asking.ask({ version, mode, parameters, initial, at, ...span });
}

function answered(view, own, answer, arrays) {
  if (answer.overtaken) return;
  if (answer.page) {
    replaced(view, answer.page, arrays, posesOf);
    held(view, false);
    own.panel.initial.show(answer.initial);
  }
  said(view, own, { error: answer.error ?? "" });
}

// What is to be told beside the motion, in words and never as HTML.
function said(view, own, news = {}) {
  Object.assign(own, news);
  const { message } = view.page;
  const words = [own.trouble, own.error, message && `Stopped early: ${message}`, view.poses.notice].filter(Boolean).join("\n");
  const stopped = document.getElementById("stopped");
  if (stopped.textContent !== words) stopped.textContent = words;
  stopped.hidden = !words;
  own.panel.hint(leftOut(view));
}

// --- what the page solves by itself ---

function solvedHere(view, own, live) {
  own.asking.drop();
  if (view.poses !== live.poses) {
    replaced(view, live.data, live.arrays, () => live.poses);
    own.panel.initial.show([]);
  }
  held(view, true);
  const { start, end } = own.span;
  if (start < end) {
    Object.assign(view.page.live, { start, end });
    view.seek(Math.min(end, Math.max(start, view.state.x)));
  } else own.error = `the motion goes from t = ${start} to ${end} s; let it end later than it begins`;
  const known = parametersNow(view, own).filter(({ name }) => live.names[name]);
  live.poses.change(Object.fromEntries(known.map(({ name, value }) => [live.names[name], value])));
  for (const name of Object.keys(own.parameters)) if (live.names[name]) own.parameters[name] = live.poses.p[live.names[name]];
  view.remade();
  said(view, own);
}

// Those of the file, with the values that were chosen.
function parametersNow(view, own) {
  return view.page.served.parameters.map((one) => ({ ...one, value: own.parameters[one.name] ?? one.value }));
}

// A hand can drag it, or not.
function held(view, on) {
  view.taken = on ? (x, y) => taken(view, x, y) : null;
  const hint = document.getElementById("drag");
  if (hint) hint.hidden = !on;
}

// Its table is made between frames.
function handed(view, own, live) {
  const hint = added(document.getElementById("keys"), "span", { id: "drag" }, "Drag a body, and time follows. ");
  hint.parentNode.prepend(hint);
  held(view, true);
  document.getElementById("panel").addEventListener("change", () => {
    if (own.mode === "live") own.panel.parameters.show(parametersNow(view, own));
  });
  window.mbs.kinematics = kinematics;
  const work = () => {
    if (view.poses === live.poses && live.poses.work()) {
      view.remade();
      said(view, own);
    }
    requestAnimationFrame(work);
  };
  work();
}

// --- the model file ---

// The page is made anew for a file that has changed. One that has errors is told, and the page stays.
async function look(view, own) {
  if (document.hidden || own.looking) return;
  own.looking = true; // for good, if nobody answers
  try {
    const { version, trouble } = await posted("look", { version: view.page.served.version });
    if (version !== view.page.served.version) {
      const { mode, parameters, initial, span, at } = own;
      const changed = span !== view.page.served.span;
      keep(view, { mode, parameters, initial, at, ...(changed ? { span } : {}) });
      location.reload();
      return;
    }
    if (trouble !== own.trouble) said(view, own, { trouble });
    own.looking = false;
  } catch {
    said(view, own, { error: GONE });
  }
}

// What was chosen before the file changed, as far as it is still there.
function returned(view, own, live) {
  const before = kept();
  if (!before) return;
  const { served } = view.page;
  const { mode, parameters, initial, span, at } = before.chosen;
  const known = served.parameters.filter(({ name }) => name in parameters);
  own.parameters = Object.fromEntries(known.map(({ name }) => [name, parameters[name]]));
  Object.assign(own, served.modes.includes(mode) ? { mode, at, initial: stillKnown(served, mode, initial) } : {}, span ? { span } : {});
  own.panel.span.show(own.span);
  own.panel.parameters.show(parametersNow(view, own));
  if (known.length || span || own.mode !== served.mode || Object.keys(own.initial).length) moved(view, own, live);
  restore(view, before);
}

function stillKnown(served, mode, initial) {
  const names = new Set(mode === served.released ? Object.keys(initial) : served.initial.map(({ name }) => name));
  return Object.fromEntries(Object.entries(initial).filter(([name]) => names.has(name)));
}
