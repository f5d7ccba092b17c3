"""Newton's matrix of implicit steps, in all coordinate sets. Compiled.

An implicit method solves for derivatives f = (v̇, ż) at a state that depends on them. A change δf moves this state by

    δv = c₁ δf_v,      δz = c₁ δf_z,      δx = c₂ δf_v,

with numbers c₁ ~ h and c₂ ~ h² of the method. Newton's equations for f - y'(state of f) = 0 are, with the changes of
multipliers,

    (E₀ + c₁ E₁ + c₂ E₂) (δf, δλ) = E₀ (y' - f),

        F   M δv̇ + Φ_vᵀ δλ + D δv + K δx + ∂F/∂z δz = 0,        F = M v̇ + Φ_vᵀ λ - Q,
        C   Φ_v δv̇ + ∂C/∂v δv + ∂C/∂x δx = 0,                   C = Φ_v v̇ - γ.

K, D and the slopes of C are those of `compiled.derivatives`, exact. The columns of states, and the rows of their rates,
are few and follow from differences. In joint coordinates, whose transformation has no kernels, all columns do: there
the equations are δv̇ - ∂v̇/∂v δv - ∂v̇/∂x δx = 0 themselves. In both cases the matrix need not be exact, for it only
determines how fast Newton's method converges, not its limit.

Stages of a step that depend on each other have

    E₀ δfᵢ + h Σⱼ aᵢⱼ E₁ δfⱼ + h² Σⱼ a²ᵢⱼ E₂ δfⱼ + ... = E₀ (y' - f)ᵢ,        a² = A².

With the same matrices E for all stages these equations separate into systems for the eigenvalues of A: a `real` one and
a complex `pair`. But where a stiff force turns by an angle θ in a step, this does not converge for k h² θ² > m, because
of the wrong direction of the force. Then each stage needs matrices of its own, and all stages are `coupled`.
"""

from typing import Any, NamedTuple

import numpy as np

from ...compiled import System
from ...compiled.derivatives import ACCELERATIONS, FORCES, Derivatives, derivatives, differentiate
from ...compiled.manifold import move
from ...compiled.status import DONE
from ...kernels.abi import as_complex, compiled, compiled_apart
from ...kernels.blocks import Integers, IntegerTable, Matrix, Vector, Work, block, nothing, zeros
from ...linear.order import Ordering, ordering
from ...linear.unsymmetric import Elimination, new_elimination, places
from ...linear.vectors import copy
from ...tolerances import LIGHT_MASS, LINEARISATION_STEP
from ..derivative import derivative
from ..mechanism_record import Mechanism

FORCE, MASS, ROW, PLACE, RATE = range(5)
"""The kinds of entries: of Φ_vᵀ, of the rest of E₀, of Φ_v in the rows C, of E₂, and of E₁. Those of Φ_v belong to all
three with Baumgarte's feedback, which adds 2α (Φ_v v - ν) + β² Φ to C. Entries stand in this order."""
X, V, Z = range(3)
"""Directions of differences."""


class Linearised(NamedTuple):
    derivatives: Derivatives
    v_count: int
    x_count: int
    """The size of f: of v̇, then of ż."""
    z_place: Integers
    """The places of states in y."""
    directions: IntegerTable
    """The directions of differences: X, V or Z, and the number of the coordinate."""
    from_bodies: int
    """1 if the equations are those of bodies."""
    source: Integers
    """The number of the value of each entry."""
    row: Integers
    """The row of each entry."""
    column: Integers
    """The column of each entry."""
    place: Integers
    """The place of each entry in the matrix."""
    first: Integers
    """The beginning of the entries of each kind, and the end of all."""
    unit: Vector
    """The unit of each of y (see `control`)."""
    real: Elimination
    """The factor for real c₁ and c₂."""
    pair: Elimination
    """The factor for a complex pair of c₁ and c₂."""
    coupled: Elimination
    """The factor of all stages together."""
    coupled_place: IntegerTable
    """The place of each entry in that matrix: for stages i and j in column 3 i + j, -1 where it has none."""
    values: Work[Matrix] = zeros("stages", "values")
    """1, then M, Φ_v and their derivatives, then differences, direction by direction; one row for each state."""
    step: Work[Vector] = zeros("v_size")
    aside: Work[Vector] = zeros("width")
    slope: Work[Vector] = zeros("width")
    slope_aside: Work[Vector] = zeros("width")
    force: Work[Vector] = zeros("v_size")
    right: Work[Vector] = zeros("right")


@compiled_apart
def linearise(to: Linearised, mechanism: Mechanism, t: float, y: Vector, values: Vector) -> int:
    """Put the values of all entries at the state y, and y' into `slope`; return a status."""
    machine, state = mechanism.machine, mechanism.state
    status = derivative(mechanism, t, y, to.slope)
    if status != DONE:
        return status
    values[0] = 1.0
    at = 1
    if to.from_bodies == 1:
        factor = machine.factor
        for k in range(factor.weight.size):
            values[at + k] = factor.weight[k]
        for k in range(factor.compliance.size):  # M may be singular; Newton's method corrects the effect of this
            values[at + k] += LIGHT_MASS / factor.compliance[k]
        at += factor.weight.size
        copy(factor.beside, values[at:])
        at += factor.beside.size
        copy(factor.jacobian, values[at:])
        at += factor.jacobian.size
        q, v, a = y[: state.q_end], y[state.v_at : state.v_end], to.slope[state.v_at : state.v_end]
        differentiate(to.derivatives, t, q, v, a, machine.multipliers)
        copy(to.derivatives.values, values[at:])
        at += to.derivatives.values.size
    copy(machine.f, to.force)
    for d in range(to.directions.shape[0]):
        status = _difference(to, mechanism, t, y, to.directions[d, 0], to.directions[d, 1], values[at:])
        if status != DONE:
            return status
        at += to.x_count
    return DONE


@compiled
def _difference(
    to: Linearised, mechanism: Mechanism, t: float, y: Vector, direction: int, which: int, out: Vector
) -> int:
    """Put the slopes along one direction, as they stand in E₁ and E₂, into `out`: of -v̇ (of F by -Q where there are
    bodies), and of -ż. Return a status."""
    state, aside = mechanism.state, to.aside
    copy(y, aside)
    at = to.z_place[which] if direction == Z else state.v_at + which
    far = LINEARISATION_STEP * max(to.unit[at], abs(y[at]) if direction != X else 0.0)
    if direction == X:
        to.step[:] = 0.0
        to.step[which] = far
        move(mechanism.machine.manifold, aside[: state.q_end], to.step)
    else:
        aside[at] += far
        far = aside[at] - y[at]
    status = derivative(mechanism, t, aside, to.slope_aside)
    for k in range(to.v_count):
        if to.from_bodies == 1:
            out[k] = (to.force[k] - mechanism.machine.f[k]) / far
        else:
            out[k] = (to.slope[state.v_at + k] - to.slope_aside[state.v_at + k]) / far
    for k in range(to.z_place.size):
        out[to.v_count + k] = (to.slope[to.z_place[k]] - to.slope_aside[to.z_place[k]]) / far
    return status


@compiled
def _put(to: Linearised, matrix: Any, c1: complex, c2: complex, feedback: complex) -> None:
    matrix[:] = 0.0
    for sort in range(5):
        factor = feedback if sort == ROW else c2 if sort == PLACE else c1 if sort == RATE else 1.0 + 0.0 * c1
        for e in range(to.first[sort], to.first[sort + 1]):
            matrix[to.place[e]] += factor * to.values[0, to.source[e]]


@compiled_apart
def put_real(to: Linearised, mechanism: Mechanism, c1: float, c2: float) -> None:
    alpha, beta = mechanism.gains[0], mechanism.gains[1]
    _put(to, to.real.matrix, c1, c2, 1.0 + 2.0 * alpha * c1 + beta * beta * c2)


@compiled_apart
def put_complex(to: Linearised, mechanism: Mechanism, real: float, imaginary: float) -> None:
    """Put the matrix for c₁ = c and c₂ = c²."""
    c, alpha, beta = complex(real, imaginary), mechanism.gains[0], mechanism.gains[1]
    _put(to, as_complex(to.pair.matrix), c, c * c, 1.0 + 2.0 * alpha * c + beta * beta * c * c)


@compiled_apart
def put_coupled(to: Linearised, mechanism: Mechanism, a: Matrix, h: float) -> None:
    """Put the matrix of all stages, each with its own values; A stands in the first rows of `a`."""
    alpha, beta, matrix = mechanism.gains[0], mechanism.gains[1], to.coupled.matrix
    matrix[:] = 0.0
    for i in range(3):
        for j in range(3):
            own, rate = 1.0 if i == j else 0.0, h * a[i, j]
            far = h * h * (a[i, 0] * a[0, j] + a[i, 1] * a[1, j] + a[i, 2] * a[2, j])
            feedback = own + 2.0 * alpha * rate + beta * beta * far
            for sort in range(5):
                factor = feedback if sort == ROW else far if sort == PLACE else rate if sort == RATE else own
                if factor != 0.0:
                    for e in range(to.first[sort], to.first[sort + 1]):
                        matrix[to.coupled_place[e, 3 * i + j]] += factor * to.values[i, to.source[e]]


@compiled
def add_mass_times(to: Linearised, values: Vector, x: Vector, out: Vector) -> None:
    """Add E₀ x to `out`, for unknowns x without λ."""
    for e in range(to.first[MASS], to.first[PLACE]):
        out[to.row[e]] += values[to.source[e]] * x[to.column[e]]


@compiled
def add_mass_transposed(to: Linearised, values: Vector, x: Vector, out: Vector) -> None:
    """Add E₀ᵀ x to `out`, which has the unknowns without λ."""
    for e in range(to.first[MASS], to.first[PLACE]):
        out[to.column[e]] += values[to.source[e]] * x[to.row[e]]


@compiled
def add_place_times(to: Linearised, values: Vector, factor: float, x: Vector, out: Vector) -> None:
    """Add `factor` times E₂ x to `out`."""
    for e in range(to.first[PLACE], to.first[RATE]):
        out[to.row[e]] += factor * values[to.source[e]] * x[to.column[e]]


# --- laid out once ----------------------------------------------------------------------------------------------------


def linearised(system: System, unit: np.ndarray, stages: int) -> Linearised:
    """Return the layout of the matrices for a system, to be kept in one image with its mechanism. `unit` is that of
    each of y; `stages` is the number of stages that depend on each other."""
    layout, states = system.layout, [s for s in system.model.states if not s.is_held]
    z_place = np.array([layout.signals[s.symbol] for s in states], dtype=np.int64)
    bodies = system.coordinates.kernels is system.coordinates
    v, z = system.nv, z_place.size
    x, rows = v + z, len(system.rows) if bodies else 0
    slopes = derivatives(system, FORCES, ACCELERATIONS) if bodies else nothing(Derivatives)
    entries = [_diagonal(v if bodies else 0, x)]
    count = 1
    if bodies:
        pattern = system.mass_pattern
        for row, column, kind, both in (
            (np.arange(v), np.arange(v), MASS, False),
            (pattern.block_row, pattern.block_column, MASS, True),
            (pattern.jac_row + x, pattern.jac_column, ROW, True),
        ):
            entries += _entries(count, row, column, kind, both)
            count += len(row)
        entries += _of_slopes(count, slopes, v, x)
        count += slopes.row.size
    directions = [(Z, k) for k in range(z)]
    if not bodies:
        directions += [(what, k) for what in (X, V) for k in range(v)]
    elif z:
        directions += [(what, k) for what in (X, V) for k in _read_by_rates(system)]
    for what, which in directions:
        first = v if bodies and what != Z else 0  # rows F have their columns of x and v from the slopes
        numbers = np.arange(first, x)
        place, sort = (which, PLACE if what == X else RATE) if what != Z else (v + which, RATE)
        entries.append(np.stack([count + numbers, numbers, np.full(x - first, place), np.full(x - first, sort)]))
        count += x
    found = np.concatenate(entries, axis=1).astype(np.int64)
    source, row, column, kind = found[:, np.argsort(found[3], kind="stable")]
    begins = np.searchsorted(kind, np.arange(6))
    matrix = _ordered(row, column, x, rows)
    coupled, coupled_place = _coupled(row, column, kind, x, rows) if stages > 1 else (nothing(Elimination), NO_PLACES)
    sizes = {"values": count, "v_size": layout.v_size, "width": unit.size, "right": 3 * (x + rows), "stages": stages}
    return block(
        Linearised(
            slopes, v, x, z_place, np.array(directions, dtype=np.int64).reshape(-1, 2), int(bodies), source.copy(),
            row.copy(), column.copy(), places(matrix, row, column), begins, unit,
            new_elimination(matrix, 1), new_elimination(matrix, 2), coupled, coupled_place,
        ),
        **sizes,
    )  # fmt: skip


NO_PLACES = np.zeros((0, 9), dtype=np.int64)


def _coupled(
    row: np.ndarray, column: np.ndarray, kind: np.ndarray, x: int, rows: int
) -> tuple[Elimination, np.ndarray]:
    """Return the matrix of all stages, and the places of entries in it. The unknowns are x of the first stage, of the
    second, ..., then the λ."""

    def numbered(unknown: np.ndarray, stage: int) -> np.ndarray:
        return np.where(unknown < x, stage * x + unknown, 3 * x + stage * rows + unknown - x)

    pairs = [(i, j) for i in range(3) for j in range(3)]
    there = np.stack([(kind > MASS) | (i == j) for i, j in pairs], axis=1)
    all_rows = np.stack([numbered(row, i) for i, _ in pairs], axis=1)
    all_columns = np.stack([numbered(column, j) for _, j in pairs], axis=1)
    matrix = _ordered(all_rows[there], all_columns[there], 3 * x, 3 * rows)
    out = np.full(there.shape, -1, dtype=np.int64)
    out[there] = places(matrix, all_rows[there], all_columns[there])
    return new_elimination(matrix, 1), out


def _diagonal(first: int, last: int) -> np.ndarray:
    """Return entries of one for the components of f that are not accelerations of bodies."""
    numbers = np.arange(first, last)
    return np.stack([0 * numbers, numbers, numbers, np.full(numbers.size, MASS)])


def _entries(first: int, row: np.ndarray, column: np.ndarray, kind: int, both: bool) -> list[np.ndarray]:
    row, column, source = row.astype(np.int64), column.astype(np.int64), first + np.arange(len(row))
    found = [np.stack([source, row, column, np.full(len(row), kind)])]
    other = FORCE if kind == ROW else kind
    return [*found, np.stack([source, column, row, np.full(len(row), other)])] if both else found


def _of_slopes(first: int, slopes: Derivatives, v: int, x: int) -> list[np.ndarray]:
    """Return the entries of the slopes. Their rows are those of F and C, their columns (x | v | t)."""
    row = np.where(slopes.row < v, slopes.row, slopes.row - v + x)
    source, kind = first + np.arange(row.size), np.where(slopes.column < v, PLACE, RATE)
    return [np.stack([source, row, slopes.column % v, kind])[:, slopes.column < 2 * v]]


def _read_by_rates(system: System) -> list[int]:
    """Return the numbers of the velocities of bodies that rates of states read."""
    signals = system.structure.signals
    found = {c for own in (signals.rates, signals.late) for place in own.batch.places() for c in place.columns}
    return sorted(c for c in found if c < system.nv)


def _ordered(row: np.ndarray, column: np.ndarray, x: int, rows: int) -> Ordering:
    below = np.unique(np.stack([np.maximum(row, column), np.minimum(row, column)]), axis=1)
    below = below[:, below[0] != below[1]]
    own = below[0] < x
    (jac_row, jac_column), (block_row, block_column) = below[:, ~own], below[:, own]
    return ordering(x, rows, jac_row - x, jac_column, block_row, block_column)
