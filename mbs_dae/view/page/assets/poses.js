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
      const [row, part] = inTime ? between(values.data, x) : [Math.round(x), 0];
      const mixed = (array, column) => {
        const first = array.data[row * array.columns + column];
        return part ? first + part * (array.data[(row + 1) * array.columns + column] - first) : first;
      };
      const pose = emptyPose(page.bodies.length);
      pose.value = inTime ? x : values.data[row];
      for (let b = 0; b < page.bodies.length; b++) {
        place(pose, b, Array.from({ length: width }, (_, k) => mixed(frames, b * width + k)));
      }
      pose.push = (force) => [0, 1, 2].map((k) => mixed(forces, 3 * force + k));
      pose.path = (name) => {
        const path = arrays[name];
        const from = path.rows === values.rows ? row : 0;
        return path.data.subarray(from * path.columns, (from + 1) * path.columns);
      };
      return pose;
    },
    // from the first to the last
    looks: () => Array.from({ length: LOOKS }, (_, n) => source.at(source.start + ((source.end - source.start) * n) / (LOOKS - 1))),
  };
  return source;
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
