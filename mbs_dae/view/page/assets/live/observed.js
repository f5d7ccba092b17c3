// What is read off a solved pose: where bodies and their points are, and how they move; in world axes.

import { emptyPose, place, rotated } from "../poses.js";
import { cross } from "../tracks.js";

const AXES = ["x", "y", "z"];

// The drawing's pose: places and rotations of all bodies.
export function seenAt({ names }, bodies, { q, t }) {
  const pose = emptyPose(bodies);
  const width = names.dimension === 2 ? 3 : 7; // in space what a body has turned about its axes stands behind
  pose.value = t;
  for (let b = 0; b < bodies; b++) place(pose, b, names.bodies[b].q.slice(0, width).map((k) => q[k]));
  return pose;
}

// A quantity of a body, or of a point of it: { body, at, what } with what of "x", "vx", "ax", "angle", "omega", "alpha",
// and in space "wx", "alphax".
export function reading({ names }, solved, pose, { body, at, what }) {
  const axis = AXES.indexOf(what.at(-1));
  const [flat, v, a] = [names.dimension === 2, ratesOf(solved.v, names.bodies[body]), ratesOf(solved.a, names.bodies[body])];
  if (what === "angle") return solved.q[names.bodies[body].q[0] + 2];
  if (what === "omega") return v[2];
  if (what === "alpha") return a[2];
  const turn = pose.turns.subarray(9 * body, 9 * body + 9);
  const spin = flat ? [0, 0, v[2]] : rotated(turn, v.slice(3));
  const twist = flat ? [0, 0, a[2]] : rotated(turn, a.slice(3));
  if (what.startsWith("w")) return spin[axis];
  if (what.startsWith("alpha")) return twist[axis];
  const arm = rotated(turn, at);
  const about = cross(spin, arm);
  if (what.startsWith("v")) return (flat && axis === 2 ? 0 : v[axis]) + about[axis];
  if (what.startsWith("a")) return (flat && axis === 2 ? 0 : a[axis]) + cross(twist, arm)[axis] + cross(spin, about)[axis];
  return pose.places[3 * body + axis] + arm[axis];
}

// The velocity of a point in the world that rides on a body.
export function velocityAt({ names }, solved, pose, body, at) {
  return AXES.map((axis) => reading({ names }, solved, pose, { body, at, what: `v${axis}` }));
}

function ratesOf(values, { v }) {
  return v.map((k) => values[k]);
}
