// The poses of a page that solves the motion by itself: the one that is shown, and a table of others from the first to the
// last, for curves and paths, and to begin from where one jumps in time.

import { told } from "../curves.js";
import { inUnit, wordOf } from "../numbers.js";
import { reading, seenAt } from "./observed.js";
import { at, lengthen, reshape, shapeOf } from "./reshaped.js";
import { assembled, followed, sizesOf } from "./solver.js";

const ROWS = 120; // of the table
const CLOSED = 1e-6; // the last pose is the first one again, to this part of the size of the mechanism
const NEARBY = 3; // rows before a dead point, in place of which there are four times as many
const SLICE = 6; // milliseconds of solving beside a frame
const FIRST = 100; // before the first one

// The same as `posesOf`, and more: `change(values)` to other parameters, and `work()` on the table.
export function solvedPoses(page, arrays, kinematics) {
  const { live } = page;
  const sizes = sizesOf(kinematics, live.length);
  const nominal = { ...kinematics.parameters };
  const first = assembled(kinematics, sizes, Float64Array.from(live.q), live.start, nominal);
  if (!first) throw new Error("the first pose is not met by the equations");
  first.sizes = kinematics.sizes(nominal);
  const own = { here: first, sure: first, rows: [], known: [], making: null, shape: null, notice: "", cut: "", table: null };
  const source = {
    inTime: true, start: live.start, end: live.end, step: (live.end - live.start) / ROWS, nominal,
    get p() { return own.here.p; },
    get here() { return own.here; },
    get notice() { return [own.notice, own.cut].join("").trim(); },
    get complete() { return own.making === null; },
    at: (x) => shown(moveTo(x)),
    looks: () => (own.known.length ? own.known : [shown(own.here)]),
    wrapped: (x, loop) => (loop && own.table?.closed ? wrap(x, source) : Math.min(source.end, Math.max(source.start, x))),
    change, work,
  };

  function moveTo(x) {
    let from = own.here;
    for (const row of own.rows) if (Math.abs(row.t - x) < Math.abs(from.t - x) - 0.5 * source.step) from = row;
    own.here = from.t === x ? from : followed(kinematics, sizes, from, x, own.here.p);
    return own.here;
  }

  function shown(solved) {
    const pose = seenAt(kinematics, page.bodies.length, solved);
    pose.solved = solved;
    pose.read = (column) => read(solved, pose, live.readings[column]);
    pose.push = (force) => {
      const rows = said(solved).values;
      return live.forces[force].map((row) => (row === null ? 0 : rows[row]));
    };
    pose.path = (name) => own.table?.paths[name] ?? new Float64Array(0);
    return pose;
  }

  const cornerOf = (number) => (number === null ? [0, 0, 0] : own.shape.corner(number));
  function read(solved, pose, wanted) {
    if (wanted.row === undefined) return reading(kinematics, solved, pose, { ...wanted, at: cornerOf(wanted.at) });
    return said(solved)[["values", "rates", "accelerations"][wanted.level]][wanted.row];
  }

  // What joints, drivers and forces say in a pose.
  function said(solved) {
    return (solved.said ??= kinematics.readings(solved.q, solved.v, solved.a, solved.t, solved.p));
  }

  // To these values at the same time, or as far as there are poses; says how far.
  function change(values) {
    const wanted = { ...own.here.p, ...values };
    const found = reached(wanted);
    own.here = found;
    own.notice = found.part < 1 ? stopped(wanted, found.p) : "";
    [source.start, source.end, own.cut] = [live.start, live.end, ""];
    own.rows = [];
    own.making = tabulated();
    reshaped();
    return found.part === 1;
  }

  // At a dead point no step is short enough, not even back: then the way begins where values were last met, or at first.
  function reached(wanted) {
    const tried = [];
    for (const from of new Set([own.here, own.sure, first])) {
      const found = followed(kinematics, sizes, from, from.t, wanted);
      if (found.part === 1) return (own.sure = found);
      tried.push(found);
    }
    return tried[0];
  }

  function stopped(wanted, reached) {
    const changed = kinematics.names.parameters.filter(({ name }) => wanted[name] !== reached[name]);
    const list = (values) => changed
      .map(({ name, said, unit }) => `${said} = ${told(inUnit(values[name], live.read[said]))} ${wordOf(live.read[said], unit)}`.trim())
      .join(", ");
    return `${list(wanted)} cannot be reached: a dead point, or the end of the mechanism's reach, is at ${list(reached)}.`;
  }

  function reshaped() {
    const { p } = own.here;
    const growth = kinematics.sizes(p).map((size, k) => size / first.sizes[k]);
    own.shape = shapeOf(live.geometry, page.dimension, kinematics.geometry(p), growth, (angle) => kinematics.profiles({ ...p, _at: angle }));
    for (const { track } of [...page.pieces, ...page.names.map((track) => ({ track }))]) reshape(track, own.shape);
    for (const piece of page.pieces) piece.hidden = piece.stiff?.some((said) => differs(said)) ?? false;
  }

  function differs(said) {
    const { name } = kinematics.names.parameters.find((one) => one.said === said);
    return own.here.p[name] !== nominal[name];
  }

  // Outward from the present pose to both ends, or to dead points, a row at a time.
  function* tabulated() {
    const from = own.here;
    const below = yield* rowsFrom(from, -1);
    const above = yield* rowsFrom(from, 1);
    own.rows = [...below.reverse(), from, ...above];
    tell();
  }

  function* rowsFrom(from, ahead) {
    const step = (live.end - live.start) / ROWS;
    const near = (from.t - live.start) / step;
    const rows = [];
    for (let k = ahead > 0 ? Math.floor(near) + 1 : Math.ceil(near) - 1; k >= 0 && k <= ROWS; k += ahead) {
      const here = followed(kinematics, sizes, rows.at(-1) ?? from, k === ROWS ? live.end : live.start + k * step, from.p);
      if (here.part < 1) return yield* rowsTo(here, rows, from, ahead);
      rows.push(here);
      yield;
    }
    return rows;
  }

  // Near a dead point the motion goes with the root of the time that is left: there rows are nearer to each other.
  function* rowsTo(last, rows, from, ahead) {
    source[ahead > 0 ? "end" : "start"] = last.t;
    own.cut += ` The motion ${ahead > 0 ? "ends" : "begins"} at t = ${told(last.t)} s: there is a dead point.`;
    rows.splice(-NEARBY);
    const left = (rows.at(-1) ?? from).t - last.t;
    for (let k = 1; k < 4 * NEARBY; k++) {
      const t = last.t + left * (1 - k / (4 * NEARBY)) ** 2;
      const here = followed(kinematics, sizes, rows.at(-1) ?? from, t, from.p);
      if (here.part < 1) break;
      rows.push(here);
      yield;
    }
    return [...rows, last];
  }

  // What follows from the table: curves, paths, rails.
  function tell() {
    own.known = own.rows.map(shown);
    const columns = live.readings.length;
    const data = new Float64Array(own.rows.length * columns);
    own.known.forEach((pose, row) => live.readings.forEach((one, k) => (data[row * columns + k] = read(own.rows[row], pose, one))));
    arrays["curve times"] = { rows: own.rows.length, columns: 1, data: Float64Array.from(own.rows, (row) => row.t) };
    arrays.curves = { rows: own.rows.length, columns, data };
    const paths = page.traces.map(({ name }, k) => {
      const { body, at: number } = live.traces[k];
      return [`trace ${name}`, Float64Array.from(own.known.flatMap((pose) => at(pose, body, cornerOf(number))))];
    });
    const whole = !own.cut && differ(own.known[0], own.known.at(-1)) < CLOSED * live.length;
    own.table = { paths: Object.fromEntries(paths), closed: whole };
    for (const { track } of page.pieces) if (track.rail) lengthen(track, own.shape, own.known);
  }

  // True when a table has just been completed.
  function work(budget = SLICE) {
    if (!own.making) return false;
    const begun = performance.now();
    while (performance.now() - begun < budget) {
      if (own.making.next().done) {
        own.making = null;
        return true;
      }
    }
    return false;
  }

  change({});
  arrays["curve times"] = { rows: 2, columns: 1, data: Float64Array.of(live.start, live.end) };
  arrays.curves = { rows: 2, columns: live.readings.length, data: new Float64Array(2 * live.readings.length).fill(NaN) };
  work(FIRST);
  return source;
}

function wrap(x, { start, end }) {
  const span = end - start;
  return start + ((((x - start) % span) + span) % span);
}

function differ(one, other) {
  const gaps = [...one.places].map((x, k) => Math.abs(x - other.places[k]));
  return Math.max(0, ...gaps, ...[...one.turns].map((x, k) => Math.abs(x - other.turns[k])));
}
