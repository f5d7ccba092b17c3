"""Search a pose in which markers reach their targets, by steps of Levenberg and Marquardt. Compiled.

Each step minimises the linearised error, with damping λ,

    y = -Jᵀ (J Jᵀ + λ)⁻¹ e,        λ = ν |e|² / L²,

by a Cholesky factor with one row for each component of the error; there may be more joints than needed, or fewer. Since
λ is proportional to |e|², the last steps are Newton's. A step is taken if its error is below the largest one of the
last RECENT steps, and ν falls; otherwise ν grows. So the error may rise for a while: near a fold, where two solutions
lie close together, the way to them is a narrow bent valley, along which a monotonic descent creeps.

A joint at a limit that -Jᵀ e would move beyond does not move (its column is left out); others stop at their limits.
"""

from math import sqrt

from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Matrix, Vector
from ...linear.vectors import copy, dot, largest
from ...tolerances import DAMPING_FLOOR
from .task import ReachTask, move_joints, observe_task

LONGEST = 1.5
"""Longest motion of a joint in one step: radians, or model lengths."""


@compiled
def search(task: ReachTask, q: Vector, tolerance: float, iterations: int) -> float:
    """Move q, in place, to the least |e| that is reached, and return it. Below the tolerance the search goes on to
    roundoff."""
    length, recent = task.machine.length, task.recent
    nu = 1.0
    square = observe_task(task, q)
    for k in range(recent.size):
        recent[k] = square
    least = square
    copy(q, task.best)
    for k in range(iterations):
        _pin(task, q)
        if not _step(task, nu * square / length**2):
            break
        longest = largest(task.step)  # shortened to LONGEST, then a step of velocities of joints
        shrink = min(1.0, LONGEST * length / longest) if longest > 0.0 else 1.0
        for c in range(task.step.size):
            task.step[c] *= shrink * task.unit[c]
        copy(q, task.trial)
        move_joints(task, task.trial, task.step)
        new = observe_task(task, task.trial)
        solved = sqrt(least) <= tolerance
        if new < (least if solved else largest(recent)):
            copy(task.trial, q)
            converged = solved and new > 0.25 * least
            square = new
            recent[k % recent.size] = square
            nu = max(0.2 * nu, 1e-3)
            if new < least:
                least = new
                copy(q, task.best)
            if converged or new == 0.0:
                break
        else:
            if solved or nu > 1e16 or longest < 1e-15 * length:
                break
            observe_task(task, q)
            nu = 8.0 * nu
    copy(task.best, q)
    return sqrt(least)


@compiled_apart
def search_all(task: ReachTask, starts: Matrix, tolerance: float, iterations: int, residuals: Vector, goal: int) -> int:
    """Search from each start in turn, in place, until `goal` ones are below the tolerance; return the number of starts
    used."""
    hits = 0
    for k in range(starts.shape[0]):
        residuals[k] = search(task, starts[k], tolerance, iterations)
        hits += 1 if residuals[k] <= tolerance else 0
        if hits >= goal:
            return k + 1
    return starts.shape[0]


@compiled
def _pin(task: ReachTask, q: Vector) -> None:
    """Set the columns of J to zero for joints at a limit that would move beyond it."""
    for c in range(task.unit.size):
        k = task.coordinate[c]
        if k < 0 or (q[k] > task.low[c] and q[k] < task.high[c]):
            continue
        slope = 0.0
        for i in range(task.e.size):
            slope += task.J[i, c] * task.e[i]
        if (slope > 0.0 and q[k] <= task.low[c]) or (slope < 0.0 and q[k] >= task.high[c]):
            for i in range(task.e.size):
                task.J[i, c] = 0.0


@compiled
def _step(task: ReachTask, damping: float) -> bool:
    """Put y into `step`; return whether there is one."""
    J, A, x, rows, columns = task.J, task.A, task.x, task.e.size, task.unit.size
    trace = 0.0
    for i in range(rows):
        for j in range(i + 1):
            A[i, j] = dot(J[i], J[j])
        trace += A[i, i]
    if not 0.0 < trace < 1e300:
        return False
    damping = max(damping, DAMPING_FLOOR * trace)
    for i in range(rows):
        for j in range(i + 1):
            total = A[i, j] + (damping if i == j else 0.0) - dot(A[i, :j], A[j, :j])
            A[i, j] = total / A[j, j] if j < i else sqrt(max(total, DAMPING_FLOOR * trace))
    for i in range(rows):
        x[i] = -(task.e[i] + dot(A[i, :i], x[:i])) / A[i, i]
    for i in range(rows - 1, -1, -1):
        total = x[i]
        for k in range(i + 1, rows):
            total -= A[k, i] * x[k]
        x[i] = total / A[i, i]
    for c in range(columns):
        total = 0.0
        for i in range(rows):
            total += J[i, c] * x[i]
        task.step[c] = total
    return True
