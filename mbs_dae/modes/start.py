"""The start of paths: one solution of some member of the family, and the rows that make its system square.

From the placement bodies are moved as little as possible, and the numbers are changed as little as possible, until
together they satisfy every equation. So there is a start also where the model has no real pose for the given values.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import qr

from ..errors import AssemblyError, MbsError
from ..poses.closing import closed
from ..poses.trajectories import put_prescribed_attitudes
from ..tolerances import CLOSURE_RANK
from .closure import ClosureSystem

NUMBERS = 0.1
"""Weight of a change of numbers, relative to a change of the pose: the placement is a sketch."""
ASIDE = 0.1
ITERATIONS = 200


def first_solution(closure: ClosureSystem) -> tuple[np.ndarray, np.ndarray]:
    """Return a pose and numbers that satisfy all equations: those of the model where it closes, else changed ones."""
    system = closure.system
    try:
        return closed(system, system.machine(), closure.time, system.placement), closure.values
    except MbsError:
        return _solve(closure, *_as_placed(closure))


def second_solution(closure: ClosureSystem, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return another pose with other numbers, near the placement: a start where the first pose is singular, and no path
    leads away."""
    q, numbers = _as_placed(closure)
    step = ASIDE * closure.scale * random.normal(size=closure.unknowns)
    return _solve(closure, closure.moved(q[:, None], step[:, None])[:, 0], numbers)


def _as_placed(closure: ClosureSystem) -> tuple[np.ndarray, np.ndarray]:
    """Return the placement, with prescribed bodies in their places, and the numbers; angles in space have their present
    values, since equations do not distinguish θ from θ + π."""
    system, numbers = closure.system, closure.values.copy()
    q = put_prescribed_attitudes(system, closure.time, system.placement)
    for element in closure.elements:
        measure = getattr(element, "measure", None)
        if measure is not None and measure.kind == "angle" and measure.dimension == 3:
            still = system.still[None]
            value = system.reader([measure])(np.array([closure.time]), q[None], still, still)[0][0, 0]
            for key, at in closure.places.items():
                if key[0] == element.name and len(key) == 2:
                    numbers[at] = value
    return q, numbers


def _solve(closure: ClosureSystem, q: np.ndarray, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a pose and numbers that satisfy all equations, by a damped Gauss-Newton method from the given ones."""
    keys = [*closure.places.values()]
    x = q.copy()
    scale = np.concatenate([closure.scale, [NUMBERS * max(abs(numbers[at[0]]), 0.1) for at in keys]])
    residual, J = _both(closure, x, numbers, keys)
    damping = 1e-6
    for _ in range(ITERATIONS):
        if np.abs(residual).max(initial=0.0) <= 1e-13:
            break
        A = J * scale
        square = A @ A.T
        step = scale * (A.T @ np.linalg.solve(square + damping * np.eye(len(square)) * np.trace(square), -residual))
        turn = np.abs(step[: closure.unknowns] / closure.scale).max(initial=0.0)
        step *= min(1.0, 0.3 / max(turn, 1e-300))
        trial = closure.moved(x[:, None], step[: closure.unknowns, None])[:, 0]
        other = numbers.copy()
        for change, at in zip(step[closure.unknowns :], keys, strict=True):
            other[at] += change
        new, slopes = _both(closure, trial, other, keys)
        if new @ new < residual @ residual:
            x, numbers, residual, J, damping = trial, other, new, slopes, max(damping / 10, 1e-16)
        else:
            damping = min(10 * damping, 1.0)
            if damping == 1.0:
                break
    if np.abs(residual).max(initial=0.0) > 1e-10 * max(1.0, closure.system.length):
        worst = closure.owners[int(np.flatnonzero(closure.equations)[np.abs(residual).argmax()])]
        raise AssemblyError(
            f"no pose of {closure.system.model.name!r} was found to begin with: {worst} stays open from its placement, "
            "whatever lengths and values of drivers; place bodies nearer to a pose",
            code="no-first-pose", model=closure.system.model.name,
            kind="bad guess", joints=(worst,), residuals={worst: float(np.abs(residual).max())},
        )  # fmt: skip
    return x, numbers


def _both(
    closure: ClosureSystem, x: np.ndarray, numbers: np.ndarray, keys: list[list[int]]
) -> tuple[np.ndarray, np.ndarray]:
    """Return Φ, and its Jacobian by the pose and by the numbers."""
    F, J = closure.evaluate(x[:, None], numbers[:, None])
    ahead = 1e-6
    varied = np.repeat(numbers[:, None], len(keys), axis=1)
    for k, at in enumerate(keys):
        varied[at, k] += ahead
    true = closure.equations
    if not keys:
        return F[0, true], J[0, true]
    slopes = (closure.evaluate(x[:, None].repeat(len(keys), axis=1), varied)[0] - F).T / ahead
    return F[0, true], np.concatenate([J[0], slopes], axis=1)[true]


def independent_rows(
    closure: ClosureSystem, x: np.ndarray, numbers: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    """Return the independent rows; dependent rows are left out, and checked at the end. The pose may be singular by
    chance, so rank is also determined at a pose with complex values of drivers and unchanged geometry, where such a
    pose is reached."""
    best = _pivots(closure, x, numbers)
    if best.size == closure.unknowns:
        return best
    other = _driven_pose(closure, x, numbers, random)
    if other is not None:
        rows = _pivots(closure, *other)
        best = rows if rows.size > best.size else best
    return best


def _pivots(closure: ClosureSystem, x: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    _, J = closure.evaluate(x[:, None], numbers[:, None])
    rows = np.flatnonzero(closure.equations)
    A = J[0, rows] * closure.scale
    A = A / np.maximum(np.linalg.norm(A, axis=1, keepdims=True), 1e-300)
    _, R, order = qr(A.conj().T, mode="economic", pivoting=True)
    sizes = np.abs(np.diag(R))
    return np.sort(rows[order[: int((sizes > CLOSURE_RANK * sizes.max(initial=0.0)).sum())]])


def _driven_pose(
    closure: ClosureSystem, x: np.ndarray, numbers: np.ndarray, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return a pose near by, with unchanged geometry and other values of drivers, along motions that are free without
    drivers; None if the iteration does not converge."""
    driven = {e.name for e in closure.elements if not e.shares and getattr(e, "measure", None) is not None}
    driven |= {e.name for e in closure.elements if hasattr(e, "leads")}
    keys = [at for key, at in closure.places.items() if key[0] in driven and len(key) == 2]
    if not keys:
        return None
    at, values = x.astype(complex), numbers.astype(complex)
    wish = 0.1 * (random.normal(size=closure.unknowns) + 1j * random.normal(size=closure.unknowns)) * closure.scale
    for k in range(40):
        F, J = _both(closure, at, values, keys)
        scale = np.concatenate([closure.scale, np.ones(len(keys))])
        inverse = np.linalg.pinv(J * scale, rcond=1e-9)
        step = -(inverse @ F)
        if k == 0:
            free = np.concatenate([wish / closure.scale, np.zeros(len(keys))])
            step += free - inverse @ (J * scale @ free)
        step *= scale
        at = closure.moved(at[:, None], step[: closure.unknowns, None])[:, 0]
        for change, place in zip(step[closure.unknowns :], keys, strict=True):
            values[place] += change
        if k and np.abs(step).max() < 1e-13:
            break
    F, _ = closure.evaluate(at[:, None], values[:, None])
    return (at, values) if np.abs(F).max(initial=0.0) < 1e-9 else None
