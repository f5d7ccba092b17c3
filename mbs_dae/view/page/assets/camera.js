// From where it is seen. The projection is parallel: lengths on the screen are to scale, whatever their depth.

const PLANE = { elevation: 90, azimuth: -90, roll: 0 };
export const VIEWS = {
  oblique: { elevation: 24, azimuth: -58, roll: 0 },
  front: { elevation: 0, azimuth: -90, roll: 0 },
  side: { elevation: 0, azimuth: 0, roll: 0 },
  top: { elevation: 90, azimuth: -90, roll: 0 },
};
const MARGIN = 40; // pixels around what is drawn

export function cameraOf(page) {
  const [elevation, azimuth, roll = 0] = page.view;
  const first = page.view.length ? { elevation, azimuth, roll } : VIEWS.oblique;
  const camera = { dimension: page.dimension, ...(page.dimension === 2 ? PLANE : first), centre: [0, 0, 0], scale: 1 };
  aim(camera);
  return camera;
}

// These points fill the screen, with room for numbers and names at its edges.
export function fit(camera, points, width, height) {
  resize(camera, width, height);
  Object.assign(camera, { centre: [0, 0, 0], scale: 1 });
  const screen = projected(camera, points);
  const [low, high] = [[Infinity, Infinity], [-Infinity, -Infinity]];
  for (let k = 0; k < screen.length; k += 3) {
    for (const n of [0, 1]) {
      if (screen[k + n] < low[n]) low[n] = screen[k + n];
      if (screen[k + n] > high[n]) high[n] = screen[k + n];
    }
  }
  if (!(low[0] <= high[0])) return;
  const scales = [width, height].map((size, n) => Math.max(size - 2 * MARGIN, size / 2) / (high[n] - low[n]));
  const [scale] = scales.filter(Number.isFinite).sort((a, b) => a - b);
  move(camera, width / 2 - (low[0] + high[0]) / 2, height / 2 - (low[1] + high[1]) / 2);
  camera.scale = scale ?? 100;
}

export function resize(camera, width, height) {
  camera.width = width;
  camera.height = height;
}

export function turn(camera, azimuth, elevation) {
  const upright = Math.cos((camera.roll * Math.PI) / 180) < 0 ? -1 : 1;
  camera.azimuth = ((camera.azimuth + upright * azimuth + 540) % 360) - 180;
  camera.elevation = Math.min(90, Math.max(-90, camera.elevation + upright * elevation));
  aim(camera);
}

export function move(camera, dx, dy) {
  for (let k = 0; k < 3; k++) camera.centre[k] -= (camera.right[k] * dx - camera.up[k] * dy) / camera.scale;
}

// What is at a point of the screen stays there.
export function zoom(camera, factor, x = camera.width / 2, y = camera.height / 2) {
  const [dx, dy] = [x - camera.width / 2, y - camera.height / 2];
  move(camera, -dx * (1 - 1 / factor), -dy * (1 - 1 / factor));
  camera.scale *= factor;
}

export function aim(camera) {
  const [e, a, r] = [camera.elevation, camera.azimuth, camera.roll].map((angle) => (angle * Math.PI) / 180);
  const toward = [Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e)];
  const right = [-Math.sin(a), Math.cos(a), 0];
  const up = [-Math.sin(e) * Math.cos(a), -Math.sin(e) * Math.sin(a), Math.cos(e)];
  camera.toward = toward;
  camera.right = right.map((x, k) => Math.cos(r) * x - Math.sin(r) * up[k]);
  camera.up = up.map((y, k) => Math.cos(r) * y + Math.sin(r) * right[k]);
}

// (x, y) on the screen and the depth out of it, for points in the world, in rows of three.
export function projected(camera, points) {
  const { right, up, toward, centre, scale } = camera;
  const found = new Float64Array(points.length);
  for (let k = 0; k < points.length; k += 3) {
    const [x, y, z] = [points[k] - centre[0], points[k + 1] - centre[1], points[k + 2] - centre[2]];
    found[k] = camera.width / 2 + scale * (right[0] * x + right[1] * y + right[2] * z);
    found[k + 1] = camera.height / 2 - scale * (up[0] * x + up[1] * y + up[2] * z);
    found[k + 2] = toward[0] * x + toward[1] * y + toward[2] * z;
  }
  return found;
}

// The point of the plane through the centre, at right angles to the view, that is under a point of the screen.
export function unprojected(camera, x, y) {
  const [dx, dy] = [(x - camera.width / 2) / camera.scale, (camera.height / 2 - y) / camera.scale];
  return camera.centre.map((c, k) => c + dx * camera.right[k] + dy * camera.up[k]);
}
