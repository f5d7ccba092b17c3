// Position, velocity and acceleration of a driven mechanism as the textbook solves them: by elimination and by Newton's
// method, from a pose to its neighbour.

const SMALLEST_PIVOT = 1e-9; // as a part of the largest number in its row: what is smaller depends on other equations
const CLOSE = 1e-11; // the last correction is not larger: so many radians, or parts of the size of the mechanism
const NOISE = 1e-9; // what is as small as this, and does not shrink any more, is roundoff
const MET = 1e-8; // an equation that depends on others is met to this part of its own size
const FARTHEST = 0.15; // a step to a neighbouring pose, in the same measure
const CONTRACTS = 0.3; // each correction is at most this part of the one before, or the pose may be of another branch
const MOST = 12; // corrections
const SHORTEST = 1e-6; // of the way that is asked for: there a step is given up

// The rows of a matrix in triangular form, to be solved for any right-hand sides. Columns without a pivot are free, rows
// without one depend on others.
export function eliminated(matrix, rows, columns) {
  const a = Float64Array.from(matrix);
  const sizes = Float64Array.from({ length: rows }, (_, r) => largestOf(a, r * columns, columns) || 1);
  const order = Int32Array.from({ length: rows }, (_, r) => r);
  const [pivots, factors] = [[], []];
  for (let c = 0, at = 0; c < columns && at < rows; c++) {
    let [best, most] = [at, 0];
    for (let r = at; r < rows; r++) {
      const entry = a[order[r] * columns + c];
      if (entry === 0) continue;
      const own = Math.abs(entry) / sizes[order[r]];
      if (own > most) [best, most] = [r, own];
    }
    if (most <= SMALLEST_PIVOT) continue;
    [order[at], order[best]] = [order[best], order[at]];
    const own = order[at] * columns;
    const filled = [];
    for (let k = c + 1; k < columns; k++) if (a[own + k] !== 0) filled.push(k);
    for (let r = at + 1; r < rows; r++) {
      const row = order[r] * columns;
      if (a[row + c] === 0) continue;
      const factor = a[row + c] / a[own + c];
      factors.push([order[r], order[at], factor]);
      for (const k of filled) a[row + k] -= factor * a[own + k];
      a[row + c] = 0;
    }
    pivots.push([order[at], c, filled]);
    at += 1;
  }
  return { a, columns, pivots, factors, rank: pivots.length, dependent: order.subarray(pivots.length) };
}

// A solution; what is free is zero.
export function solved({ a, columns, pivots, factors }, right) {
  const b = Float64Array.from(right);
  for (const [row, from, factor] of factors) b[row] -= factor * b[from];
  const x = new Float64Array(columns);
  for (let k = pivots.length - 1; k >= 0; k--) {
    const [row, column, filled] = pivots[k];
    let sum = b[row];
    for (const other of filled) sum -= a[row * columns + other] * x[other];
    x[column] = sum / a[row * columns + column];
  }
  return x;
}

function largestOf(values, from, count) {
  let most = 0;
  for (let k = from; k < from + count; k++) most = Math.max(most, Math.abs(values[k]));
  return most;
}

// --- poses ---

// What numbers of a step are measured by: places by the length of the mechanism, turns by a radian.
export function sizesOf({ names }, length) {
  const own = names.dimension === 2 ? [length, length, 1] : [length, length, length, 1, 1, 1];
  return Float64Array.from({ length: names.nv }, (_, k) => own[k % own.length]);
}

// The pose at a time t, for parameters p, near to q; null where Newton's method does not go straight to one.
export function assembled(kinematics, sizes, q, t, p) {
  const { nv, rows } = kinematics.names;
  const still = new Float64Array(nv);
  let [pose, before] = [q, Infinity];
  for (let k = 0; k < MOST; k++) {
    const { Phi, Phi_q, nu } = kinematics.evaluate(pose, still, t, p);
    const factor = eliminated(Phi_q, rows.length, nv);
    const step = solved(factor, Phi.map((gap) => -gap));
    const far = farthest(step, sizes);
    if (far <= CLOSE || (far <= NOISE && far >= CONTRACTS * before)) {
      if (!met(factor, Phi, Phi_q, sizes)) return null;
      return { q: kinematics.moved(pose, step), t, p, ...rates(kinematics, pose, t, p, factor, nu) };
    }
    if (!(far <= (k === 0 ? FARTHEST : CONTRACTS * before))) return null;
    pose = kinematics.moved(pose, step);
    before = far;
  }
  return null;
}

// Where the motion is not determined, at a dead point, there are no velocities.
function rates(kinematics, q, t, p, factor, nu) {
  const { nv } = kinematics.names;
  if (factor.rank < nv) return { v: new Float64Array(nv).fill(NaN), a: new Float64Array(nv).fill(NaN) };
  const v = solved(factor, nu);
  return { v, a: solved(factor, kinematics.gamma(q, v, t, p)) };
}

// Equations that depend on others are met too, or there is no such pose.
function met({ dependent, columns }, Phi, Phi_q, sizes) {
  return dependent.every((row) => {
    let size = 0;
    for (let k = 0; k < columns; k++) size = Math.max(size, Math.abs(Phi_q[row * columns + k]) * sizes[k]);
    return Number.isFinite(Phi[row]) && Math.abs(Phi[row]) <= MET * (size || 1);
  });
}

function farthest(step, sizes) {
  let most = 0;
  for (let k = 0; k < step.length; k++) {
    const own = Math.abs(step[k]) / sizes[k];
    if (!(own <= most)) most = own;
  }
  return most;
}

// From a pose to the one at another time, or for other parameters, on the same branch: by steps so short that Newton's
// corrections are small and contract. Where even the shortest one fails the way ends; `part` of it was gone.
export function followed(kinematics, sizes, from, t, p) {
  let [here, part, stride] = [from, 0, 1];
  while (part < 1) {
    const next = part + stride >= 1 - SHORTEST ? 1 : part + stride;
    const [time, values] = next === 1 ? [t, p] : [from.t + next * (t - from.t), mixture(from.p, p, next)];
    const found = assembled(kinematics, sizes, here.q, time, values);
    if (found) [here, part, stride] = [found, next, 2 * stride];
    else stride = (next - part) / 2;
    if (stride < SHORTEST) break;
  }
  return { ...here, part };
}

function mixture(from, to, part) {
  return Object.fromEntries(Object.keys(to).map((name) => [name, from[name] + part * (to[name] - from[name])]));
}
