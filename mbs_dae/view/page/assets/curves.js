// Curves of quantities beside the motion: a panel for each unit, one cursor through all of them.

import { between, inUnit, wordOf } from "./numbers.js";
import { niceStep, rounded } from "./paper.js";

const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"];
const [LEFT, RIGHT, TOP, BOTTOM, HEIGHT] = [64, 12, 10, 30, 170];
const LETTER = 6; // pixels of a letter, about
const SVG = "http://www.w3.org/2000/svg";

function value(arrays, column, x) {
  const [row, part] = between(arrays["curve times"].data, x);
  const { data, columns } = arrays.curves;
  const first = data[row * columns + column];
  return part ? first + part * (data[(row + 1) * columns + column] - first) : first;
}

// Draws the chosen quantities anew; gives a function that moves the cursor. What it stands at is read off the curves, or
// told by `now(column)`, where that is known better.
export function drawnCurves(holder, page, arrays, chosen, palette) {
  holder.replaceChildren();
  const units = new Map();
  chosen.forEach((name) => {
    const column = page.curves.findIndex((curve) => curve.name === name);
    if (column < 0) return;
    const { unit, read } = page.curves[column];
    const key = `${unit} in ${wordOf(read, unit)}`;
    units.set(key, [...(units.get(key) ?? []), { name, column, unit, read }]);
  });
  const width = Math.max(240, holder.clientWidth);
  const panels = [...units.values()].map((curves) => panel(holder, page, arrays, curves, width, palette));
  return { show: (x, now) => panels.forEach((one) => one.show(x, now)) };
}

function panel(holder, page, arrays, curves, width, palette) {
  const [{ unit, read }] = curves;
  const word = wordOf(read, unit);
  const times = arrays["curve times"].data;
  const [start, end] = [Math.min(...times), Math.max(...times)];
  const values = curves.map(({ column }) => times.map((_, row) => inUnit(arrays.curves.data[row * arrays.curves.columns + column], read)));
  const finite = values.flatMap((own) => [...own].filter(Number.isFinite));
  let [low, high] = finite.length ? [smallest(finite), largest(finite)] : [0, 1];
  const margin = high > low ? 0.06 * (high - low) : Math.abs(high) || 1;
  [low, high] = [low - margin, high + margin];
  const x = (t) => LEFT + ((width - LEFT - RIGHT) * (t - start)) / (end - start || 1);
  const y = (v) => HEIGHT - BOTTOM - ((HEIGHT - BOTTOM - TOP) * (v - low)) / (high - low);

  const figure = document.createElement("figure");
  const caption = figure.appendChild(document.createElement("figcaption"));
  const svg = figure.appendChild(made("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: "img" }));
  const label = `${page.meanings[unit] ?? ""} [${word || "–"}]`.trim();
  svg.appendChild(made("title")).textContent = `${curves.map((curve) => curve.name).join(", ")} over ${page.axis[0]}`;
  grid(svg, x, y, [start, end], [low, high], width, palette, page, label);
  values.forEach((own, k) => {
    const colour = palette.shown(COLOURS[k % COLOURS.length]);
    const dash = k < COLOURS.length ? {} : { "stroke-dasharray": "6 3" };
    svg.append(made("path", { d: pathOf(times, own, x, y), fill: "none", stroke: colour, "stroke-width": 1.8, ...dash }));
  });
  const cursor = svg.appendChild(made("line", { y1: TOP, y2: HEIGHT - BOTTOM, stroke: palette.ink, "stroke-width": 1 }));
  const dots = curves.map((_, k) => svg.appendChild(made("circle", { r: 3.5, fill: palette.shown(COLOURS[k % COLOURS.length]) })));
  const readings = curves.map(({ name }, k) => {
    const item = caption.appendChild(document.createElement("span"));
    item.className = "reading";
    const mark = item.appendChild(document.createElement("i"));
    mark.style.background = palette.shown(COLOURS[k % COLOURS.length]);
    item.append(`${name} `);
    return item.appendChild(document.createElement("b"));
  });
  holder.append(figure);
  svg.timeAt = (px) => start + ((end - start) * (px - LEFT)) / (width - LEFT - RIGHT);
  return {
    show(t, now) {
      const at = x(Math.min(end, Math.max(start, t)));
      cursor.setAttribute("x1", at);
      cursor.setAttribute("x2", at);
      curves.forEach(({ column }, k) => {
        const own = inUnit(now ? now(column) : value(arrays, column, t), read);
        dots[k].setAttribute("cx", at);
        dots[k].setAttribute("cy", Number.isFinite(own) ? y(own) : -99);
        readings[k].textContent = `${told(own)} ${word}`;
      });
    },
  };
}

function grid(svg, x, y, [start, end], [low, high], width, palette, { axis, axisRead }, label) {
  const text = (content, attributes) => {
    svg.appendChild(made("text", { fill: palette.ink, "font-size": 11, ...attributes })).textContent = content;
  };
  const stroke = (attributes) => svg.append(made("line", { stroke: palette.grid, ...attributes }));
  const size = axisRead?.size ?? 1;
  const [first, last] = [start / size, end / size];
  const across = niceStep((last - first) / Math.max(2, (width - LEFT - RIGHT) / 80) || 1);
  const unit = wordOf(axisRead, axis[1]);
  const word = unit ? `${axis[0]} [${unit}]` : axis[0];
  for (let n = Math.ceil(first / across - 1e-9); n * across <= last + 1e-9 * across; n++) {
    const at = x(n * across * size);
    stroke({ x1: at, x2: at, y1: TOP, y2: HEIGHT - BOTTOM });
    const number = rounded(n * across, across);
    const free = width - RIGHT - LETTER * (word.length + 1 + number.length / 2); // up to the word at the end
    if (at < free) text(number, { x: at, y: HEIGHT - BOTTOM + 14, "text-anchor": "middle" });
  }
  const up = niceStep((high - low) / 4);
  const far = Math.max(Math.abs(low), Math.abs(high));
  const power = far >= 1e5 || far < 1e-3 ? 10 ** Math.floor(Math.log10(far)) : 1;
  for (let n = Math.ceil(low / up); n * up <= high; n++) {
    const at = y(n * up);
    stroke({ x1: LEFT, x2: width - RIGHT, y1: at, y2: at });
    text(rounded((n * up) / power, up / power), { x: LEFT - 6, y: at + 4, "text-anchor": "end" });
  }
  text(word, { x: width - RIGHT, y: HEIGHT - BOTTOM + 14, "text-anchor": "end" });
  const scale = power === 1 ? "" : ` · 10${superscript(Math.log10(power))}`;
  const upright = label + scale;
  const long = LETTER * upright.length > HEIGHT - TOP - BOTTOM; // longer than the axis, so over the whole height
  const middle = long ? HEIGHT / 2 : (TOP + HEIGHT - BOTTOM) / 2;
  const fitting = Math.min(11, (11 * (HEIGHT - 8)) / (LETTER * upright.length));
  const turned = `translate(13 ${middle}) rotate(-90)`;
  text(upright, { x: 0, y: 0, transform: turned, "text-anchor": "middle", "font-size": fitting });
}

function pathOf(times, values, x, y) {
  let [path, lifted] = ["", true];
  for (let k = 0; k < times.length; k++) {
    if (Number.isFinite(values[k])) {
      path += `${lifted ? "M" : "L"}${x(times[k]).toFixed(2)} ${y(values[k]).toFixed(2)}`;
      lifted = false;
    } else lifted = true;
  }
  return path;
}

function made(tag, attributes = {}) {
  const element = document.createElementNS(SVG, tag);
  Object.entries(attributes).forEach(([name, own]) => element.setAttribute(name, own));
  return element;
}

export function told(number) {
  if (!Number.isFinite(number)) return "–";
  const size = Math.abs(number);
  const text = size !== 0 && (size >= 1e5 || size < 1e-3) ? number.toExponential(3) : number.toPrecision(5);
  return text.replace("-", "−");
}

function superscript(power) {
  return String(Math.round(power)).replace(/./g, (sign) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[sign] ?? "⁻");
}

function smallest(values) {
  return values.reduce((least, own) => (own < least ? own : least), Infinity);
}

function largest(values) {
  return values.reduce((most, own) => (own > most ? own : most), -Infinity);
}
