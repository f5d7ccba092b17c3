// A slider and a number for each parameter.

import { wordOf } from "../numbers.js";

export function dials(view, parameters) {
  const { page, poses } = view;
  const holder = added(document.querySelector(".stage"), "div", { id: "dials", role: "group", "aria-label": "Parameters" });
  const rows = parameters.map((one) => dialOf(holder, { ...one, read: page.live.read[one.said] }, poses.nominal[one.name], (value) => changed({ [one.name]: value })));
  const hint = added(holder, "p", { id: "stiff", class: "hint" });
  if (rows.length) {
    const reset = added(holder, "button", { id: "reset", type: "button" }, "Reset parameters");
    reset.addEventListener("click", () => {
      changed(poses.nominal);
      rows.forEach((own) => own.show(poses.p));
    });
  }

  function changed(values) {
    poses.change(values);
    view.remade();
    show();
  }

  // What the page tells of the state; where a parameter could not be reached the number says what was.
  function show() {
    const stopped = document.getElementById("stopped");
    if (stopped.textContent !== poses.notice) stopped.textContent = poses.notice;
    stopped.hidden = !poses.notice;
    hint.textContent = leftOut(view);
  }

  show();
  holder.addEventListener("change", () => rows.forEach((own) => own.show(poses.p)));
  return show;
}

export function leftOut(view) {
  const hidden = [...new Set(view.page.pieces.filter((piece) => piece.hidden).map((piece) => piece.of))];
  const stiff = hidden.length ? `Not redrawn for these values, and so left out: parts of ${hidden.join(", ")}.` : "";
  return [stiff, view.poses.nominal && view.page.live.left].filter(Boolean).join(" ");
}

// `range` is from where to where the slider goes; a number may be beyond it.
// `value` and `act` are in SI; its reader sees and writes numbers in the unit of `read`.
export function dialOf(holder, { name, said, unit, read, range: ends }, value, act) {
  const label = unit && unit !== "1" ? `${said} [${wordOf(read, unit)}]` : said;
  const size = read?.size ?? 1;
  const [low, high] = (ends ?? (value === 0 ? [-1, 1] : [0.5 * value, 1.5 * value].sort((a, b) => a - b))).map((x) => x / size);
  const own = added(holder, "div", { class: "dial" });
  added(own, "span", { "aria-hidden": "true" }, label.replaceAll(".", ".\u200b")); // long names break there
  const range = added(own, "input", { type: "range", min: low, max: high, step: "any", "aria-label": label });
  const number = added(own, "input", { type: "number", step: "any", "aria-label": `${label}, as a number` });
  let known = value;
  const show = (now) => {
    known = now;
    range.value = now / size;
    number.value = Number((now / size).toPrecision(6));
  };
  range.addEventListener("input", () => {
    known = size * Number(range.value);
    number.value = Number(Number(range.value).toPrecision(6));
    act(known);
  });
  number.addEventListener("change", () => {
    const wanted = number.value === "" ? NaN : Number(number.value);
    if (!Number.isFinite(wanted)) return show(known);
    known = size * wanted;
    range.value = wanted; // so that the next key goes on from there
    act(known);
  });
  show(value);
  return { show: (p) => show(p[name]) };
}

export function added(holder, tag, attributes, text = "") {
  const element = holder.appendChild(document.createElement(tag));
  Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
  element.textContent = text;
  return element;
}
