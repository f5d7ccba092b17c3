// The panel of a served page: which motion, from when to when, and sliders for all that it depends on.

import { added, dialOf } from "../live/dials.js";

const MODES = {
  live: "driven, to be dragged", driven: "driven, with its forces", forces: "moved by forces", released: "let go where it is",
};

// `on` is told of every change: mode(name), span(values), parameter(name, value), initial(name, value), reset().
export function panelOf(served, on) {
  const holder = added(document.querySelector(".stage"), "div", { id: "panel" });
  const head = added(holder, "div", { class: "choices" });
  const mode = selected(head, served.modes, on.mode);
  const span = spanOf(head, served.span, on.span);
  const busy = added(head, "output", { id: "busy", role: "status" });
  const hint = added(holder, "p", { id: "stiff", class: "hint" }, served.hint);
  const parameters = group(holder, "Parameters", on.parameter);
  const initial = group(holder, "Initial values", on.initial);
  parameters.show(served.parameters);
  const reset = added(holder, "button", { id: "reset", type: "button" }, "Reset all values");
  reset.addEventListener("click", on.reset);
  return {
    parameters, initial, span,
    mode(name) {
      mode.value = name;
      span.count.closest("label").hidden = name === "live";
    },
    busy: (on) => (busy.textContent = on ? "Computing …" : ""),
    hint: (text) => (hint.textContent = text || served.hint),
  };
}

function selected(holder, modes, act) {
  const label = added(holder, "label", {}, "Motion ");
  const select = added(label, "select", { id: "mode" });
  modes.forEach((name) => select.append(new Option(MODES[name], name)));
  select.addEventListener("change", () => act(select.value));
  return select;
}

function spanOf(holder, { start, end, count }, act) {
  const number = (text, unit, value, id) => {
    const label = added(holder, "label", {}, `${text} `);
    const input = added(label, "input", { id, type: "number", step: "any" });
    label.append(unit);
    input.value = value;
    return input;
  };
  const fields = {
    start: number("from", " s", start, "from"), end: number("to", " s", Number(end.toPrecision(9)), "to"),
    count: number("at", " times", count, "count"),
  };
  const known = { start, end, count };
  for (const [name, field] of Object.entries(fields)) {
    field.addEventListener("change", () => {
      if (field.value === "" || !Number.isFinite(Number(field.value))) field.value = known[name];
      known[name] = Number(field.value);
      act({ ...known });
    });
  }
  return {
    ...fields,
    show(values) {
      Object.assign(known, values);
      Object.entries(fields).forEach(([name, field]) => (field.value = Number(values[name].toPrecision(9))));
    },
  };
}

// Sliders under a heading. Of the same names as before only the values are shown anew, so that a hand keeps its slider.
function group(holder, title, act) {
  const own = added(holder, "div", { class: "dials", role: "group", "aria-label": title });
  added(own, "p", { class: "title", "aria-hidden": "true" }, title);
  const rows = new Map();
  own.hidden = true;

  function show(dials) {
    if (dials.map(({ name }) => name).join("\n") !== [...rows.keys()].join("\n")) made(dials);
    dials.forEach(({ name, value }) => rows.get(name).show({ [name]: value }));
  }

  function made(dials) {
    rows.clear();
    own.querySelectorAll(".dial").forEach((row) => row.remove());
    dials.forEach(({ name, unit, read, value, low, high }) => {
      rows.set(name, dialOf(own, { name, said: name, unit, read, range: [low, high] }, value, (now) => act(name, now)));
    });
    own.hidden = !dials.length;
  }

  return { show };
}
