// The points of a track at a pose, in the world: as `drawing/tracks.py` says them.

export function pointsOf(track, pose) {
  if (track.path !== undefined) return pose.path(track.path);
  if (track.points !== undefined) return riding(track.on, track.points, pose);
  return along(track, pose);
}

function riding(body, points, pose) {
  const count = points.length;
  const found = new Float64Array(count);
  if (body < 0) {
    for (let k = 0; k < count; k++) found[k] = points[k] === null ? NaN : points[k];
    return found;
  }
  const turn = pose.turns.subarray(9 * body, 9 * body + 9);
  const [px, py, pz] = pose.places.subarray(3 * body, 3 * body + 3);
  for (let k = 0; k < count; k += 3) {
    if (points[k] === null) {
      found.fill(NaN, k, k + 3);
      continue;
    }
    const [x, y, z] = [points[k], points[k + 1], points[k + 2]];
    found[k] = px + turn[0] * x + turn[1] * y + turn[2] * z;
    found[k + 1] = py + turn[3] * x + turn[4] * y + turn[5] * z;
    found[k + 2] = pz + turn[6] * x + turn[7] * y + turn[8] * z;
  }
  return found;
}

// A shape of rows (part of the way, how much farther along, how far across in two directions).
function along(track, pose) {
  const start = riding(track.from[0], track.from.slice(1), pose);
  const way = track.to === undefined
    ? pose.push(track.push).map((part) => track.scale * part)
    : riding(track.to[0], track.to.slice(1), pose).map((x, k) => x - start[k]);
  const length = Math.hypot(...way);
  const ahead = unit(way);
  const axis = [0, 0, 0];
  axis[track.least] = 1;
  const x = unit(cross(axis, ahead));
  const y = cross(ahead, x);
  const size = track.most === undefined ? track.unit : Math.min(track.unit, track.most * length);
  const rows = track.shape.length / 4;
  const found = new Float64Array(3 * rows);
  for (let r = 0; r < rows; r++) {
    const [part, farther, one, other] = track.shape.slice(4 * r, 4 * r + 4);
    for (let k = 0; k < 3; k++) {
      found[3 * r + k] = start[k] + part * way[k] + size * (farther * ahead[k] + one * x[k] + other * y[k]);
    }
  }
  return found;
}

export function unit(vector) {
  const length = Math.hypot(...vector) || 1;
  return Array.from(vector, (part) => part / length);
}

export function cross(a, b) {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

export function dot(a, b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
