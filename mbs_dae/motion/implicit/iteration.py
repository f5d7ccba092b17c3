"""Common parts of implicit methods: their work space, when Newton's matrix is renewed, and the norm of its solutions.
Compiled.

Derivatives of inner stages are rows (u̇, ż, v̇, ẇ) over the places of y: positions are found in a chart about those at
the beginning of the step (`compiled.manifold`), so attitudes stay attitudes. The unknowns are v̇ and ż; positions follow
from velocities, and works, on which nothing depends, from both.
"""

from typing import NamedTuple

import numpy as np

from ...compiled.manifold import chart_motion
from ...compiled.status import DONE
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Integers, Matrix, Vector, Work, block, nothing, zeros
from ...linear.unsymmetric import eliminate_complex, eliminate_real, solve_real
from ...linear.vectors import copy
from ...tolerances import CONTRACTION, CORRECTION_ROUNDOFF, ITERATION_ERROR
from ..mechanism_record import Mechanism
from .linearised import Linearised, add_mass_times, add_place_times, linearise, put_complex, put_real

MOST, SHARP_MOST = 10, 40
"""The largest number of Newton corrections of a step; and of one that is solved to the last digit, where the matrix
does not contain all forces (closed contacts)."""
STEPS_COUPLED = 20
"""The number of steps made with a matrix for each stage after one matrix for all has failed."""

STANDS = 0.75
"""Corrections that shrink by less than this factor are roundoff, if they are also smaller than
`CORRECTION_ROUNDOFF`."""

BEGUN, FRESH, USABLE, COUPLED, SHARP = range(5)
MATRICES, ELIMINATIONS, ITERATIONS = range(5, 8)
FROM, LENGTH, LAST, SHRINKS, C1, C2, PAIR = range(7)


class Implicit(NamedTuple):
    newton: Linearised
    stage: Work[Matrix] = zeros(3, "width")
    """The derivatives at inner stages of the step that is tried."""
    before: Work[Matrix] = zeros(3, "width")
    """The derivatives at inner stages of the step before."""
    chart: Work[Matrix] = zeros(4, "width")
    """The stages in a chart about the beginning; in the rows after them, numbers for reading a step."""
    y: Work[Matrix] = zeros(3, "width")
    """The states at inner stages."""
    slope: Work[Vector] = zeros("width")
    """The derivative at a stage."""
    residual: Work[Matrix] = zeros(3, "unknowns")
    """The residuals of Newton's equations."""
    moved: Work[Matrix] = zeros(3, "unknowns")
    """The corrections of stages."""
    weight: Work[Vector] = zeros("width")
    """The weight of an error of each of y: 1 over its tolerance, 0 for numbers that are not controlled."""
    x_weight: Work[Vector] = zeros("v_size")
    """The weights of errors of small motions."""
    tolerances: Work[Vector] = zeros(2)
    """The relative and the absolute tolerance."""
    weights: Work[Vector] = zeros(3)
    """The weights of stages where a step is read."""
    flags: Work[Integers] = zeros(8)
    """1 if the run has BEGUN from its present state (0 where laws have switched); if the matrix is that of the present
    state (FRESH) and if there is a matrix (USABLE); the number of further steps with a matrix for each stage (COUPLED);
    1 if steps are solved to the last digit (SHARP), with matrices of their own, and are accepted whatever their error.
    Then the numbers of matrices, of eliminations and of corrections."""
    told: Work[Vector] = zeros(7)
    """The beginning and the length of the step that is tried; the length of the last one; the ratio of the last two
    corrections; the numbers c₁, c₂ and the real part of the pair of the present factors."""


NOTHING: list[Implicit] = []


def not_implicit() -> Implicit:
    """Return the work space for explicit methods, which is empty."""
    if not NOTHING:
        NOTHING.append(block(Implicit(nothing(Linearised)), width=0, unknowns=0, v_size=0))
    return NOTHING[0]


def implicit_parts(newton: Linearised) -> Implicit:
    return block(Implicit(newton), width=newton.unit.size, unknowns=newton.right.size // 3, v_size=newton.step.size)


@compiled_apart
def measure_by(own: Implicit, mechanism: Mechanism, y: Vector) -> None:
    """Put the weights of errors at y."""
    rtol, atol, unit = own.tolerances[0], own.tolerances[1], own.newton.unit
    for k in range(y.size):
        own.weight[k] = 1.0 / (atol * unit[k] + rtol * abs(y[k])) if unit[k] < np.inf else 0.0
    manifold, weight = mechanism.machine.manifold, own.weight
    for k in range(manifold.plain.shape[0]):
        own.x_weight[manifold.plain[k, 1]] = weight[manifold.plain[k, 0]]
    for k in range(manifold.quaternions.shape[0]):
        to, of = manifold.quaternions[k, 0], manifold.quaternions[k, 1]
        for c in range(3):
            own.x_weight[of + c] = 0.5 / (atol * unit[to] + rtol)  # half a turn stands in a quaternion of length 1


@compiled
def begin_step(own: Implicit, t: float, h: float) -> bool:
    """Return whether the step that begins here follows the one tried last, which was therefore good; keep its
    length."""
    goes_on = own.flags[BEGUN] == 1 and t > own.told[FROM]
    if goes_on:
        own.told[LAST] = own.told[LENGTH]
        own.flags[FRESH] = 0
    elif own.flags[BEGUN] == 0:
        own.flags[USABLE] = own.flags[FRESH] = 0
        own.told[LAST] = 0.0
    own.flags[BEGUN] = 1
    own.told[FROM], own.told[LENGTH] = t, h
    return goes_on


@compiled_apart
def make_ready(own: Implicit, mechanism: Mechanism, t: float, y: Vector, c1: float, c2: float, anew: bool) -> int:
    """Put and factorise Newton's matrix for these real numbers; with `anew`, at the present state. Return a status."""
    newton, kept = own.newton, mechanism.machine.factor.kept
    if own.flags[FRESH] == 0 and (anew or own.flags[USABLE] == 0 or own.told[SHRINKS] > CONTRACTION):
        own.flags[USABLE] = 0
        status = linearise(newton, mechanism, t, y, newton.values[0])
        if status != DONE:
            return status
        own.flags[FRESH] = own.flags[USABLE] = 1
        own.flags[MATRICES] += 1
        own.told[C1] = own.told[PAIR] = 0.0
    if own.told[C1] != c1 or own.told[C2] != c2:
        put_real(newton, mechanism, c1, c2)
        eliminate_real(newton.real, kept)
        own.flags[ELIMINATIONS] += 1
        own.told[C1], own.told[C2] = c1, c2
    return DONE


@compiled
def eliminate_pair(own: Implicit, mechanism: Mechanism, real: float, imaginary: float) -> None:
    """Put and factorise Newton's matrix for a complex c₁ and its square, unless it is there."""
    if own.told[PAIR] != real:
        put_complex(own.newton, mechanism, real, imaginary)
        eliminate_complex(own.newton.pair, mechanism.machine.factor.kept)
        own.told[PAIR] = real


@compiled
def most_corrections(own: Implicit) -> int:
    return SHARP_MOST if own.flags[SHARP] == 1 else MOST


@compiled
def put_residual(
    own: Implicit, mechanism: Mechanism, slope: Vector, stage: Vector, values: Vector, out: Vector
) -> None:
    """Put (y' - f) in v̇ and ż, times E₀ with these values, into `out`, including the rows of multipliers; put the
    rates of works into the stage."""
    newton, state = own.newton, mechanism.state
    v, x = newton.v_count, newton.x_count
    right = newton.right
    for k in range(v):
        right[k] = slope[state.v_at + k] - stage[state.v_at + k]
    for k in range(x - v):
        right[v + k] = slope[newton.z_place[k]] - stage[newton.z_place[k]]
    for k in range(state.works_at, stage.size):
        stage[k] = slope[k]
    out[:] = 0.0
    add_mass_times(newton, values, right, out)


@compiled
def add_to_stage(own: Implicit, mechanism: Mechanism, moved: Vector, stage: Vector) -> None:
    newton, state = own.newton, mechanism.state
    for k in range(newton.v_count):
        stage[state.v_at + k] += moved[k]
    for k in range(newton.x_count - newton.v_count):
        stage[newton.z_place[k]] += moved[newton.v_count + k]


@compiled
def square_of(own: Implicit, mechanism: Mechanism, moved: Vector, c: float) -> float:
    """Return the squared norm of c times a change of v̇ and ż, as one of velocities and states."""
    newton, state, total = own.newton, mechanism.state, 0.0
    for k in range(newton.v_count):
        total += (c * moved[k] * own.weight[state.v_at + k]) ** 2
    for k in range(newton.x_count - newton.v_count):
        total += (c * moved[newton.v_count + k] * own.weight[newton.z_place[k]]) ** 2
    return total


@compiled
def square_of_motion(own: Implicit, moved: Vector, c: float) -> float:
    """Return the squared norm of c times a change of v̇, as a small motion."""
    total = 0.0
    for k in range(own.newton.v_count):
        total += (c * moved[k] * own.x_weight[k]) ** 2
    return total


@compiled
def has_converged(own: Implicit, size: float, previous: float, count: int, renewed: bool) -> int:
    """Return 1 after a correction of this size, relative to the tolerance, if the remaining error is small, 0 to go on,
    -1 if it is not going to be small (Hairer and Wanner, Solving Ordinary Differential Equations II, IV.8). Where the
    matrix is renewed corrections shrink faster and faster."""
    rtol = own.tolerances[0]
    if own.flags[SHARP] == 1:
        return _is_sharp(rtol * size, rtol * previous, count)
    enough = max(10.0 * 2.2e-16 / rtol, min(0.03, np.sqrt(rtol)))
    if not size < np.inf:
        return -1
    if size == 0.0:
        return 1
    if count == 1:
        return 1 if size <= 1e-3 * enough else 0
    shrinks = size / previous
    own.told[SHRINKS] = shrinks
    if shrinks >= 0.99:
        return 1 if size <= 1e-2 * enough else 0 if renewed else -1
    if shrinks / (1.0 - shrinks) * size <= enough:
        return 1
    if renewed:
        return 0
    return -1 if shrinks ** float(MOST - count) / (1.0 - shrinks) * size > enough else 0


@compiled
def _is_sharp(size: float, previous: float, count: int) -> int:
    """Return 1 after a correction if all digits are right, 0 to go on, -1 if it is not finite: the remaining error is
    predicted by the ratio of this correction to the last one, or corrections are roundoff, which does not shrink."""
    if not size < np.inf:
        return -1
    if size == 0.0:
        return 1
    if count == 1:
        return 0
    shrinks = size / previous
    return 1 if size * shrinks <= ITERATION_ERROR or (size <= CORRECTION_ROUNDOFF and shrinks >= STANDS) else 0


@compiled
def weighted(own: Implicit, rates: Vector) -> float:
    """Return the norm of rates, relative to tolerances."""
    total, count = 0.0, 0.0
    for n in range(rates.size):
        if own.weight[n] > 0.0:
            total += (rates[n] * own.weight[n]) ** 2
            count += 1.0
    return np.sqrt(total / max(count, 1.0))


@compiled_apart
def filter_error(own: Implicit, mechanism: Mechanism, c: float) -> None:
    """Filter an error e of v̇ and ż (`own.residual[0]`) and of a small motion (`newton.step`) by an implicit step: (1 -
    c J)⁻¹ e, in place. Stiff components, which the method damps, count less then."""
    newton, right, values = own.newton, own.newton.right, own.newton.values[0]
    error, way = own.residual[0], own.newton.step
    right[:] = 0.0
    add_mass_times(newton, values, error, right)
    add_place_times(newton, values, -c, way, right)
    solve_real(newton.real, right)
    copy(right[: newton.x_count], error)
    for k in range(newton.v_count):
        way[k] += c * right[k]


@compiled
def put_error(own: Implicit, mechanism: Mechanism, out: Vector) -> None:
    """Put the filtered error into `out`, in the places of y, with positions in their chart."""
    newton, error, state = own.newton, own.residual[0], mechanism.state
    out[: state.q_end] = 0.0
    chart_motion(mechanism.machine.manifold, newton.step, out)
    copy(error[: newton.v_count], out[state.v_at :])
    for k in range(newton.x_count - newton.v_count):
        out[newton.z_place[k]] = error[newton.v_count + k]
