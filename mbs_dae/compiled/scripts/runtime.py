"""The code that every script of kinematics has besides its kernels and tables."""

KINEMATICS = """
// All outputs of all kernels. The last p is remembered with its numbers, so that a new pose costs no more than itself.
let last = {p: null, numbers: null};
function outputsAt(q, v, t, p) {
  if (q.length !== names.q_size || v.length !== names.nv) {
    throw new RangeError(`q has ${names.q_size} numbers, and v ${names.nv}`);
  }
  const key = JSON.stringify(p);
  if (last.p !== key) last = {p: key, numbers: slots(withDefaults(p))};
  const rates = new Float64Array(names.v_size), out = new Float64Array(outputs);
  rates.set(v);
  for (const [kernel, count, from, where, to] of groups) {
    kernel(count, t, q, rates, index.subarray(from), last.numbers.subarray(where), tables, out.subarray(to));
  }
  return out;
}

const column = (out, from) => Float64Array.from(from, k => k < 0 ? 0 : out[k]);
function matrix(out) {
  const found = new Float64Array(names.rows.length*names.nv);
  jac_from.forEach((from, k) => { found[jac_at[k]] += out[from]; });
  return found;
}
const still = new Float64Array(names.nv);

export const Phi = (q, t, p = {}) => column(outputsAt(q, still, t, p), phi_from);
// row by row, by the velocities
export const Phi_q = (q, t, p = {}) => matrix(outputsAt(q, still, t, p));
export const nu = (q, t, p = {}) => column(outputsAt(q, still, t, p), nu_from);
export const gamma = (q, v, t, p = {}) => column(outputsAt(q, v, t, p), gamma_from);
export function evaluate(q, v, t, p = {}) {
  const out = outputsAt(q, v, t, p);
  return {Phi: column(out, phi_from), Phi_q: matrix(out), nu: column(out, nu_from), gamma: column(out, gamma_from)};
}

// The product of two quaternions, scalar first.
const after = ([a, b, c, d], [e, f, g, h]) =>
  [a*e - b*f - c*g - d*h, a*f + b*e + c*h - d*g, a*g - b*h + c*e + d*f, a*h + b*g - c*f + d*e];

export function qdot(q, v) {
  const out = new Float64Array(names.q_size);
  for (let k = 0; k < plain.length; k += 2) out[plain[k]] = v[plain[k + 1]];
  for (let k = 0; k < quaternions.length; k += 2) {
    const [to, of] = [quaternions[k], quaternions[k + 1]];
    out.set(after(q.slice(to, to + 4), [0, v[of]/2, v[of + 1]/2, v[of + 2]/2]), to);
  }
  for (let k = 0; k < turns.length; k += 2) {
    for (let c = 0; c < 3; c++) out[turns[k] + c] = v[turns[k + 1] + c];
  }
  return out;
}

// Attitudes turn by exactly the rotation vector that stands in the step.
export function moved(q, step) {
  const out = Float64Array.from(q);
  for (let k = 0; k < plain.length; k += 2) out[plain[k]] += step[plain[k + 1]];
  for (let k = 0; k < quaternions.length; k += 2) {
    const [to, of] = [quaternions[k], quaternions[k + 1]];
    const [x, y, z] = [step[of], step[of + 1], step[of + 2]], angle = Math.hypot(x, y, z);
    const s = angle < 1e-100 ? 0.5 : Math.sin(angle/2)/angle;
    out.set(after(q.slice(to, to + 4), [Math.cos(angle/2), s*x, s*y, s*z]), to);
  }
  for (let k = 0; k < turns.length; k += 2) {
    for (let c = 0; c < 3; c++) out[turns[k] + c] += step[turns[k + 1] + c];
  }
  return normalised(out);
}

export function normalised(q) {
  const out = Float64Array.from(q);
  for (let k = 0; k < quaternions.length; k += 2) {
    const to = quaternions[k], length = Math.hypot(...out.subarray(to, to + 4));
    for (let c = 0; c < 4; c++) out[to + c] /= length;
  }
  return out;
}
"""

READINGS = """
function product(matrix, v, less) {
  const found = less.map(x => -x);
  for (let r = 0, k = 0; r < found.length; r++) {
    for (let c = 0; c < names.nv; c++, k++) if (matrix[k] !== 0) found[r] += matrix[k]*v[c];
  }
  return found;
}
return (q, v, a, t, p = {}) => {
  const {Phi, Phi_q, nu, gamma} = evaluate(q, v, t, p);
  return {values: Phi, rates: product(Phi_q, v, nu), accelerations: product(Phi_q, a, gamma)};
};
"""
"""The further code of scripts of readings."""
