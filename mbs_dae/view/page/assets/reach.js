// How far a motion reaches, and a camera that has all of it in the picture.

import { fit, projected } from "./camera.js";
import { middleOf } from "./poses.js";
import { pointsOf } from "./tracks.js";

const SAME = 1e-6; // of the picture's own measures

export function framed(view, width = view.camera.width, height = view.camera.height) {
  fit(view.camera, reached(view), width, height);
  view.framed = standing(view);
}

// What has grown out of the picture is framed anew, if nobody has zoomed or moved it since it was framed.
export function inPicture(view) {
  const { camera, framed: before } = view;
  const now = standing(view);
  const near = (x, k) => Math.abs(x - before[k]) * camera.scale < SAME * camera.width;
  const own = before && Math.abs(now[0] / before[0] - 1) < SAME && now.slice(1).every((x, k) => near(x, k + 1));
  if (!own || !leaves(camera, reached(view))) return false;
  framed(view);
  return true;
}

// The scale, and where the camera is: beside what it follows, where it follows it.
function standing({ camera, state }) {
  return [camera.scale, ...camera.centre.map((x, k) => (state.follows ? x - state.middle[k] : x))];
}

function leaves(camera, points) {
  const screen = projected(camera, points);
  for (let k = 0; k < screen.length; k += 3) {
    if (screen[k] < 0 || screen[k] > camera.width || screen[k + 1] < 0 || screen[k + 1] > camera.height) return true;
  }
  return false;
}

// Points of all that is drawn, at poses from the first to the last.
function reached({ page, poses, state }) {
  if (state.follows) return beside(page, poses, state);
  const pieces = page.pieces.filter((piece) => piece.group !== "reactions" && piece.form !== "word");
  const points = poses.looks().flatMap((pose) => pieces.flatMap((piece) => [...pointsOf(piece.track, pose)]));
  return poses.complete === false ? [...points, ...page.low, ...page.high] : points;
}

// The same of all that rides on bodies, as seen from their middle, about where that is now.
function beside(page, poses, state) {
  const pieces = page.pieces.filter((piece) => piece.track.on >= 0);
  state.middle = middleOf(poses.at(state.x));
  return poses.looks().flatMap((pose) => {
    const middle = middleOf(pose);
    return pieces.flatMap((piece) => Array.from(pointsOf(piece.track, pose), (x, k) => x - middle[k % 3] + state.middle[k % 3]));
  });
}
