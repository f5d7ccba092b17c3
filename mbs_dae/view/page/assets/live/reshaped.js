// A drawing in other dimensions: points that ride on bodies follow their markers and corners, rails what slides on them.

import { rotated } from "../poses.js";
import { dot } from "../tracks.js";

const AROUND = 180; // points of a cam's curve

// `numbers` are those of kinematics.geometry(p): of each marker its place and axes, of each corner its place.
// `growth` tells of each number that pieces grow with its part of what it was, and `profiles(angle)` the two of each cam.
export function shapeOf({ markers, width }, dimension, numbers, growth, profiles) {
  const row = (k) => numbers.subarray(k * width, (k + 1) * width);
  return {
    growth,
    // Points of a cam's curve, in rows of three: as many, and the first ones again if there are more than go around.
    curve: (cam, count) => Array.from({ length: count }, (_, k) => -Math.PI + (2 * Math.PI * (k % AROUND)) / AROUND).flatMap((angle) => {
      const [h, slope] = profiles(angle).subarray(2 * cam, 2 * cam + 2);
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      return [h * c - slope * s, h * s + slope * c, 0];
    }),
    place: (k) => (dimension === 2 ? [row(k)[0], row(k)[1], 0] : Array.from(row(k).subarray(0, 3))),
    axes(k) {
      if (dimension === 3) return Array.from(row(k).subarray(3));
      const [c, s] = [Math.cos(row(k)[2]), Math.sin(row(k)[2])];
      return [c, -s, 0, s, c, 0, 0, 0, 1];
    },
    corner(k) {
      const at = markers * width + k * dimension;
      return dimension === 2 ? [numbers[at], numbers[at + 1], 0] : Array.from(numbers.subarray(at, at + 3));
    },
  };
}

export function reshape(track, shape) {
  const { grows, cam } = track;
  if (grows) track.offsets = grows.offsets.map((x) => (x === null ? null : x * shape.growth[grows.with]));
  if (cam !== undefined) track.offsets = shape.curve(cam, track.offsets.length / 3);
  if (track.marker !== undefined) track.points = atMarker(track, shape);
  track.corners?.forEach((corner, k) => {
    if (corner !== null) track.points.splice(3 * k, 3, ...shape.corner(corner));
  });
  if (track.ends) {
    track.from.splice(1, 3, ...shape.place(track.ends[0]));
    if (track.to) track.to.splice(1, 3, ...shape.place(track.ends[1]));
  }
}

function atMarker({ marker, offsets, upright }, shape) {
  const [place, axes, points] = [shape.place(marker), shape.axes(marker), []];
  for (let k = 0; k < offsets.length; k += 3) {
    const offset = offsets.slice(k, k + 3);
    for (let r = 0; r < 3; r++) {
      if (offset[0] === null) points.push(null);
      else points.push(place[r] + (upright ? offset[r] : dot(axes.slice(3 * r, 3 * r + 3), offset)));
    }
  }
  return points;
}

// A rail is as long as what slides on it goes along it, at these poses, and a little longer.
export function lengthen(track, shape, poses) {
  const { follower: [marker, body], axis, beyond } = track.rail;
  let [low, high] = track.on < 0 ? [Infinity, -Infinity] : [beyond, -beyond];
  const [own, axes, other] = [shape.place(track.marker), shape.axes(track.marker), shape.place(marker)];
  const along = [0, 1, 2].map((r) => axes[3 * r + axis]);
  for (const pose of poses) {
    const way = at(pose, body, other).map((x, k) => x - at(pose, track.on, own)[k]);
    const ahead = dot(inWorld(pose, track.on, along), way);
    [low, high] = [Math.min(low, ahead), Math.max(high, ahead)];
  }
  track.offsets.fill(0);
  [track.offsets[axis], track.offsets[3 + axis]] = [low - beyond, high + beyond];
  track.points = atMarker(track, shape);
}

// Where a point that rides on a body is in the world; and back.
export function at(pose, body, point) {
  return body < 0 ? point : inWorld(pose, body, point).map((x, k) => x + pose.places[3 * body + k]);
}

export function onBody(pose, body, [x, y, z]) {
  const [px, py, pz] = pose.places.subarray(3 * body, 3 * body + 3);
  const column = (k) => [0, 3, 6].map((row) => pose.turns[9 * body + row + k]);
  return [0, 1, 2].map((k) => dot(column(k), [x - px, y - py, z - pz]));
}

function inWorld(pose, body, vector) {
  return body < 0 ? vector : rotated(pose.turns.subarray(9 * body, 9 * body + 9), vector);
}
