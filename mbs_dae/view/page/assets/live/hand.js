// A hand that drags a mechanism through time.

import { projected, unprojected } from "../camera.js";
import { velocityAt } from "./observed.js";
import { at, onBody } from "./reshaped.js";
import { dot } from "../tracks.js";
import { nearest } from "../under.js";

const TRIES = 6; // for one motion of the hand
const LEAP = 1 / 40; // of the whole time, in one try
const NOTHING = 1e-6;

// A hand on a moving body: time goes so that the point that it took follows it.
export function taken(view, x, y) {
  const { camera, state } = view;
  const found = nearest(view, x, y);
  const body = found?.piece.track.on ?? -1;
  if (body < 0) return null;
  const point = onBody(state.pose, body, camera.dimension === 2 ? unprojected(camera, x, y) : found.place);
  return (toX, toY) => view.seek(timeNear(view, body, point, toX, toY));
}

// The time at which a point of a body is nearest on the screen to a place there: by Gauss's method, from the present one.
function timeNear({ poses, camera, state }, body, point, toX, toY) {
  const span = poses.end - poses.start;
  const missing = (pose) => {
    const [x, y] = projected(camera, at(pose, body, point));
    return [toX - x, toY - y];
  };
  let [pose, far, longest] = [state.pose, Math.hypot(...missing(state.pose)), LEAP * span];
  for (let k = 0; k < TRIES && longest > NOTHING * span; k++) {
    const velocity = velocityAt(kinematics, pose.solved, pose, body, point);
    const [vx, vy] = [camera.scale * dot(camera.right, velocity), -camera.scale * dot(camera.up, velocity)];
    const [dx, dy] = missing(pose);
    const step = (dx * vx + dy * vy) / (vx * vx + vy * vy);
    if (!(Math.abs(step) > NOTHING * span)) break;
    const next = poses.at(poses.wrapped(pose.value + Math.max(-longest, Math.min(longest, step)), state.loop));
    const own = Math.hypot(...missing(next));
    if (own < far) [pose, far] = [next, own];
    else longest = Math.min(longest, Math.abs(step)) / 4;
  }
  return pose.value;
}
