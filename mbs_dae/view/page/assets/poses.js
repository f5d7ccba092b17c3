// Where all bodies are at a time, between the poses that are known.

import { between } from "./numbers.js";

const LOOKS = 41; // poses that tell how far a motion reaches

// `at(x)`: x is time, or the number of a pose where a parameter was swept.
export function posesOf(page, arrays) {
  const { values, frames, forces } = arrays;
  const width = page.dimension === 2 ? 3 : 7;
  const inTime = page.axis[0] === "t" && values.rows > 1;
  const last = values.rows - 1;
  const source = {
    inTime,
    start: inTime ? values.data[0] : 0,
    end: inTime ? values.data[last] : last,
    step: inTime ? (values.data[last] - values.data[0]) / last : 1,
    at(x) {
      const near = inTime ? nearby(values.data, x) : { row: Math.round(x), rows: [Math.round(x)], parts: [1], part: 0 };
      const pose = emptyPose(page.bodies.length);
      pose.value = inTime ? x : values.data[near.row];
      for (let b = 0; b < page.bodies.length; b++) {
        place(pose, b, Array.from({ length: width }, (_, k) => curved(frames, b * width + k, near)));
      }
      pose.push = (force) => [0, 1, 2].map((k) => straight(forces, 3 * force + k, near));
      pose.path = (name) => {
        const path = arrays[name];
        if (path.rows !== values.rows) return path.data;
        return Float64Array.from({ length: path.columns }, (_, column) => curved(path, column, near));
      };
      return pose;
    },
    // from the first to the last
    looks: () => Array.from({ length: LOOKS }, (_, n) => source.at(source.start + ((source.end - source.start) * n) / (LOOKS - 1))),
  };
  return source;
}

// The rows about x, and how much each one counts on a cubic through the two beside it. Its slopes there are those of the
// parabolas through each and its neighbours, so that no velocities are needed.
function nearby(times, x) {
  const [row, part] = between(times, x);
  if (times.length < 3 || part === 0) return { row, part, rows: [row, row + 1].slice(0, times.length), parts: [1 - part, part] };
  const [first, last] = [row === 0, row + 2 === times.length];
  const [before, own, after] = [-1, 0, 1].map((k) => (times[row + k + 1] - times[row + k]) / (times[row + 1] - times[row]) || 0);
  const inner = (one, other) => [-other / one, other / one - one / other, one / other].map((x) => x / (one + other));
  const straightOn = [0, -1, 1, 0];
  let left = first || !before ? null : [...inner(before, own), 0];
  let right = last || !after ? null : [0, ...inner(own, after)];
  const mirrored = (slope) => straightOn.map((x, k) => 2 * x - (slope ?? straightOn)[k]);
  [left, right] = [left ?? mirrored(right), right ?? mirrored(left)];
  const s = part;
  const [a, b, m, n] = [(1 + 2 * s) * (1 - s) ** 2, s * s * (3 - 2 * s), s * (1 - s) ** 2, s * s * (s - 1)];
  const parts = [0, a, b, 0].map((x, k) => x + m * left[k] + n * right[k]);
  const rows = [-1, 0, 1, 2].map((k) => Math.min(times.length - 1, Math.max(0, row + k)));
  return { row, part, rows, parts };
}

function curved({ data, columns }, column, { rows, parts }) {
  return rows.reduce((sum, row, k) => (parts[k] ? sum + parts[k] * data[row * columns + column] : sum), 0);
}

function straight({ data, columns }, column, { row, part }) {
  const first = data[row * columns + column];
  return part ? first + part * (data[(row + 1) * columns + column] - first) : first;
}

export function emptyPose(bodies) {
  return { value: 0, places: new Float64Array(3 * bodies), turns: new Float64Array(9 * bodies) };
}

// A body's place and rotation from (x, y, angle), or from (x, y, z) and a quaternion.
export function place(pose, body, own) {
  const turn = own.length === 3 ? aboutZ(own[2]) : fromQuaternion(own.slice(3));
  pose.places.set(own.length === 3 ? [own[0], own[1], 0] : own.slice(0, 3), 3 * body);
  pose.turns.set(turn, 9 * body);
}

export function middleOf({ places }) {
  return [0, 1, 2].map((k) => places.reduce((sum, x, n) => (n % 3 === k ? sum + x : sum), 0) / (places.length / 3 || 1));
}

export function rotated(turn, [x, y, z]) {
  return [0, 3, 6].map((row) => turn[row] * x + turn[row + 1] * y + turn[row + 2] * z);
}

function aboutZ(angle) {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return [c, -s, 0, s, c, 0, 0, 0, 1];
}

function fromQuaternion(quaternion) {
  const length = Math.hypot(...quaternion) || 1;
  const [w, x, y, z] = quaternion.map((part) => part / length);
  return [
    1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
    2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
    2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
  ];
}
