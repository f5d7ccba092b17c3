"""True poses in 50 digits: Newton's method on the kernels' source, run on numbers of mpmath (`many_digits`).

It knows nothing of intervals. What a certificate says of a pose is held against it.
"""

from __future__ import annotations

from typing import Any

import many_digits
import mpmath
import numpy as np

DIGITS = 50


def evaluated(system: Any, t: float, q: list[Any]) -> tuple[Any, Any]:
    """Φ and Φ_v at a pose in many digits."""
    program, layout = system.program, system.structure.program.layout
    numbers = [mpmath.mpf(float(x)) for x in program.batch.parameters]
    still = [mpmath.mpf(0)] * system.layout.v_size
    out = many_digits.outputs(program.batch, mpmath.mpf(t), q, still, numbers)
    phi = mpmath.matrix([out[int(k)] for k in layout["phi_from"]])
    jacobian = mpmath.zeros(len(system.rows), system.nv)
    for to, at in zip(layout["jac_to"], layout["jac_from"], strict=True):
        jacobian[int(layout["jac_row"][to]), int(layout["jac_column"][to])] += out[int(at)]
    return phi, jacobian


def true_pose(system: Any, t: float, q: np.ndarray, steps: int = 9) -> list[Any] | None:
    """The pose to which Newton's method leads from here; None if it leads nowhere."""
    with mpmath.workdps(DIGITS):
        here = [mpmath.mpf(float(x)) for x in q]
        for _ in range(steps):
            phi, jacobian = evaluated(system, t, here)
            try:
                here = moved(system.layout, here, mpmath.lu_solve(jacobian, -phi))
            except ZeroDivisionError:
                return None
        phi, _ = evaluated(system, t, here)
        return here if mpmath.norm(phi) < mpmath.mpf(10) ** (-35) else None


def moved(layout: Any, q: list[Any], u: Any) -> list[Any]:
    """q changed by u: places and angles by sums, attitudes to e ∘ (1, w/2)."""
    out = [*q]
    for place, of in layout.plain:
        out[place] = q[place] + u[int(of)]
    for first, of in layout.quaternions:
        e0, e1, e2, e3 = (q[first + k] for k in range(4))
        a, b, c = (u[int(of) + k] / 2 for k in range(3))
        out[first : first + 4] = [
            e0 - e1 * a - e2 * b - e3 * c,
            e1 + e0 * a + e2 * c - e3 * b,
            e2 + e0 * b + e3 * a - e1 * c,
            e3 + e0 * c + e1 * b - e2 * a,
        ]
    return out


def distance(system: Any, q: np.ndarray, other: list[Any]) -> Any:
    """How far one pose is from another, as certificates measure it: the largest |u_k|/s_k."""
    with mpmath.workdps(DIGITS):
        sizes = {}
        for place, of in system.layout.plain:
            sizes[int(of)] = abs(other[place] - mpmath.mpf(float(q[place])))
        for first, of in system.layout.quaternions:
            (e0, *e), (f0, *f) = ([mpmath.mpf(x) for x in x[first : first + 4]] for x in (q, other))
            scalar = e0 * f0 + sum(a * b for a, b in zip(e, f, strict=True))
            for k in range(3):
                i, j = (k + 1) % 3, (k + 2) % 3
                sizes[int(of) + k] = abs(2 * (e0 * f[k] - f0 * e[k] - (e[i] * f[j] - e[j] * f[i])) / scalar)
        return max(size * mpmath.sqrt(float(system.weight[k])) for k, size in sizes.items())
