"""Linearised equations at one state: how y' and λ follow changes of y and of parameters, and the transposed map.
Compiled.

At a state (t, y) with its v̇ and λ, exact partial derivatives E by x, v and the numbers s in slots stand in a sparse
matrix (`compiled.derivatives`), and [M Φ_vᵀ; Φ_v 0] has its factor. With Baumgarte's gains the accelerations satisfy
C'' + 2α C' + β² Φ = 0. So for changes δx, δv and δs

    [M Φ_vᵀ; Φ_v 0] [δv̇; δλ] = -[E_F; E_C'' + 2α (E_C' + Φ_v δv) + β² E_Φ],        δẇ = -E_w + ν-terms of δλ,

where E_F is F_x δx + F_v δv + F_s δs, and so on. The matrix is symmetric: going back, from the weights of v̇, λ and ẇ to
those of x, v and s, is one solution by the same factor, and E transposed.

Signals z, states and inputs, stand behind x and v: E_z δz belongs to all of these, δż = E_ż, and inputs change by their
laws, δz = E_z of these. Signals that are reactions, z = Σ c λ, change by δz = E_z + Σ c δλ with the δλ of all forces,
before the rates δż that read them.

q and y are no small motions. A quaternion e with a change δe moves by the turn 2 (e⁻¹ ∘ δe) and by a stretch, which
nothing feels: rotations are divided by |e|² (`coordinates.cartesian`).
"""

from typing import NamedTuple

import numpy as np

from ...compiled.contact_rows import put_rows
from ...compiled.derivatives import (
    ACCELERATIONS,
    FORCES,
    MOMENTA,
    OF_SIGNALS,
    POSITIONS,
    POWERS,
    RATES,
    SURFACES,
    TOUCHING,
    DerivativeBuilder,
    Derivatives,
    differentiate,
    differentiate_contacts,
)
from ...compiled.machine import Machine, leave_out_velocity_rows, observe, subtract_rates
from ...compiled.manifold import Manifold, difference, restore
from ...compiled.reading import Trajectory
from ...compiled.signals import read_coefficients
from ...compiled.status import DONE
from ...coordinates.joint.vectors import after, at, back, dot, put_at, quaternion_at
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import INDEX, Indices, Integers, Matrix, Vector, Work, block, zeros
from ...linear.kkt import factorise
from ...linear.rows import add_transposed_product
from ...linear.vectors import axpy, copy, largest
from ...motion.course import moment
from ...motion.derivative import copy_forces, evaluate, factorise_terms, solve_terms
from ...motion.mechanism_record import Mechanism
from ...motion.record import IntegratorState
from ...motion.switching.switches import hold_all
from ...poses.newton import solve_here
from ...tolerances import WAY_REMAINDER
from .attitudes import put_rotations

LEVELS = (POSITIONS, RATES, ACCELERATIONS, FORCES, POWERS, SURFACES, *TOUCHING, MOMENTA, *OF_SIGNALS)
"""The levels of equations, in the order of the rows of the matrix."""
(
    GAP, RATE, BEND, FORCE, POWER, SURFACE, GAP_OF, SLIP_OF, BEND_OF, SIZE_OF, MOMENTUM, FLOW, INPUT, REACTION
) = range(len(LEVELS))  # fmt: skip
"""The numbers of the levels; those of contacts are ..._OF."""
MOTION = LEVELS[:POWER]
"""The levels on which a motion depends within a step: no rates of works, no switching functions."""
SHARPER = 1
"""The number of refinements of a projection, whose factor may have a small number added to its diagonal."""
CORRECTIONS = 3
"""The largest number of corrections of `solve_way`. With ρ the part of μ that a correction changes, k corrections leave
ρ^(k + 1) of δx, which itself is of first order: they end where ρ^(k + 2) is negligible."""


class Linear(NamedTuple):
    """The linearised equations; where a state has been linearised its entries stand in `to.values`."""

    to: Derivatives
    columns: int
    """The number of velocities that move."""
    first: Integers
    """The first row of each level, and the number of all rows."""
    moving: Indices
    """The entries by x, v and z, in the order of rows."""
    moving_row: Indices
    """The row of each of these entries."""
    moving_column: Indices
    """The column of each: in x, then v, then z."""
    moving_at: Integers
    """The place in `moving` at which each level begins, and the end."""
    row_at: Indices
    """The place in `moving` at which each row begins, and the end."""
    entry: Indices
    """The partial derivative of a row by a parameter is a sum of entries times factors: the entry of each term."""
    parameter: Indices
    """The parameter of each term."""
    entry_row: Indices
    """The row of each term."""
    factor: Vector
    """The factor of each term."""
    numbered: Indices
    """The entries by numbers in slots."""
    numbered_row: Indices
    """The row of each of these entries."""
    number: Indices
    """The number by which each is a derivative."""
    numbered_at: Integers
    """The place in `numbered` at which each level begins, and the end."""
    given: Work[Matrix] = zeros("parameters", "all_rows")
    """The partial derivative of each row by each parameter."""
    right: Work[Vector] = zeros("all_rows")
    """A right side; going back, the weights of its rows."""
    way: Work[Vector] = zeros("ways")
    """(δx | δv | δz), or their weights."""
    gradient: Work[Matrix] = zeros("weighted", "numbers")
    """Going back, the weights of the numbers, added up."""
    forces: Work[Vector] = zeros("lines")
    """The forces of contacts at the state."""
    coefficients: Work[Vector] = zeros("reaction_terms")
    """The coefficient c of each term c λ of the signals that are reactions, at the state."""


class LinearProjection(NamedTuple):
    """The linearised equations of the projection of states onto the constraints: see `vary_projection`."""

    momenta: Linear
    """The slopes of M x + Jᵀ μ."""
    place: Work[Vector] = zeros("place")
    """q before the projection, its quaternions of unit length."""
    way: Work[Vector] = zeros("way")
    """x, with zeros for what never moves."""
    R: Work[Matrix] = zeros("turns", 3)
    """Rᵀ of each attitude, which takes small motions before the projection to the axes behind it."""
    T: Work[Matrix] = zeros("turns", 3)
    """T of each attitude, which takes changes of x to small motions behind the projection."""
    more: Work[Vector] = zeros("columns")
    """(T - 1) δx; going back (T - 1)ᵀ J₁ᵀ μ."""
    f: Work[Vector] = zeros("columns")
    """The right side of the first equations of `solve_way`."""
    g: Work[Vector] = zeros("rows")
    """The right side of the second equations."""
    loads: Work[Vector] = zeros("rows")
    """μ before it was corrected."""
    jacobian: Work[Vector] = zeros("jacobian")
    """Φ_v with rows of velocities, which places do not know."""
    difference: Work[Vector] = zeros("jacobian")
    """J₀ - J₁: Φ_v before the projection of places minus Φ_v behind it."""
    corrections: Work[Integers] = zeros(1)
    """The number of corrections of a solution (`solve_way`)."""


class Weights(NamedTuple):
    """The weights of recorded arrays, going back: a row for each number that is differentiated at each requested time;
    see `steps.Changes`."""

    x: Matrix
    v: Matrix
    a: Matrix
    multipliers: Matrix
    works: Matrix
    contacts: Matrix
    signals: Matrix


def linear(
    builder: DerivativeBuilder, to: Derivatives, numbers: np.ndarray, weighted: int = 0, others: int = -1
) -> Linear:  # fmt: skip
    """Return the linearised equations. `numbers` says how the numbers in slots change with parameters, (parameters,
    numbers); going back there are `weighted` rows of weights. If `others` is not negative, time stands behind the
    parameters, and behind time `others` ways by which no number changes."""
    n, begin = builder.columns, 2 * builder.columns + 1
    of_signals = to.column >= builder.first_signal
    numbered = np.flatnonzero((to.column >= (begin if others < 0 else begin - 1)) & ~of_signals)
    number = (to.column[numbered] - begin).astype(np.int64)
    if others >= 0:  # time is the last number
        known, (count, room) = numbers, numbers.shape
        numbers = np.zeros((count + 1 + others, room + 1))
        numbers[:count, :room], numbers[count, room] = known, 1.0
        number[number < 0] = room
    parameter, at = (x.copy() for x in np.nonzero(numbers[:, number]))
    entry, factor = numbered[at], numbers[parameter, number[at]]
    moving = np.flatnonzero((to.column < 2 * n) | of_signals)
    column = np.where(of_signals, to.column - builder.first_signal + 2 * n, to.column)
    size = dict(zip(builder.wanted, builder.sizes, strict=True))
    first = np.cumsum([0, *(size.get(level, 0) for level in LEVELS)]).astype(np.int64)
    own = {
        "moving": moving, "moving_row": to.row[moving], "moving_column": column[moving],
        "entry": entry, "parameter": parameter, "entry_row": to.row[entry],
        "numbered": numbered, "numbered_row": to.row[numbered], "number": number,
        "row_at": np.searchsorted(to.row[moving], np.arange(builder.shape[0] + 1)),
    }  # fmt: skip
    made = Linear(
        to=to, columns=n, first=first, factor=factor,
        moving_at=np.searchsorted(to.row[moving], first), numbered_at=np.searchsorted(to.row[numbered], first),
        **{name: one.astype(INDEX) for name, one in own.items()},
    )  # fmt: skip
    sizes = {"lines": builder.structure.contacts.rows * builder.has_contacts}
    sizes |= {"parameters": len(numbers), "all_rows": builder.shape[0], "numbers": numbers.shape[1]}
    sizes |= {"ways": 2 * n + builder.signals}
    sizes["reaction_terms"] = builder.structure.signals.reactions.target.size * builder.has_reactions
    return block(made, weighted=weighted, **sizes)


@compiled_apart
def linearise(own: Linear, mechanism: Mechanism, t: float, y: Vector, dy: Vector) -> None:
    """Evaluate the entries at a state with its derivative, whose λ stand in the machine."""
    state, contacts = mechanism.state, mechanism.contacts
    q, v, a = y[: state.q_end], y[state.v_at : state.v_end], dy[state.v_at : state.v_end]
    differentiate(own.to, t, q, v, a, mechanism.machine.multipliers)
    if own.forces.size > 0:
        copy_forces(contacts, own.forces)
        differentiate_contacts(own.to, t, q, v, own.forces)
    if own.coefficients.size > 0:
        reactions = mechanism.signals.reactions
        read_coefficients(reactions, t, q, v)
        for k in range(own.coefficients.size):
            own.coefficients[k] = reactions.coefficients[reactions.source[k]]


@compiled_apart
def linearise_at(
    own: Linear, march: IntegratorState, t: float, q: Vector, v: Vector, a: Vector, multipliers: Vector,
    forces: Vector,
) -> None:  # fmt: skip
    """Evaluate the entries at time t of a run and any velocities, accelerations, multipliers and forces of contacts."""
    now = moment(march.course, t)
    differentiate(own.to, now, q, v, a, multipliers)
    differentiate_contacts(own.to, now, q, v, forces)


@compiled
def linearise_forces(
    own: Linear, mechanism: Mechanism, path: Trajectory, k: int, modes: Vector, multipliers: Vector, pushes: Vector
) -> None:
    """Evaluate the entries and the factor at time k of a motion of bodies, with these branches of laws, multipliers and
    forces of contacts, at the accelerations that solve the equations. Rows of contacts stand in `contacts.rows`."""
    t, q, v, a = path.t[k], path.q[k], path.v[k], mechanism.machine.here.a
    contacts = mechanism.contacts
    copy(modes, mechanism.switches.mode)
    hold_all(mechanism)
    contacts.choice.closed_count[0] = 0
    evaluate(mechanism, t, q, v)
    if own.forces.size > 0:
        copy(pushes, own.forces)
        put_rows(contacts)
        add_transposed_product(contacts.rows, own.forces, mechanism.machine.f)
    if not factorise_terms(mechanism) or solve_terms(mechanism, v, a) != DONE:
        a[:] = np.nan
    differentiate(own.to, t, q, v, a, multipliers)
    if own.forces.size > 0:
        differentiate_contacts(own.to, t, q, v, own.forces)


@compiled
def _parts(own: Linear, mechanism: Mechanism) -> tuple[Vector, ...]:
    """Return the arrays of a linearised state: the factor, rows of equations, and entries."""
    machine = mechanism.machine
    factor = machine.factor
    return factor.numbers, factor.weight, factor.beside, factor.jacobian, machine.nu, own.to.values


def size_of_linearised(own: Linear, mechanism: Mechanism) -> int:
    """Return the size of the arrays of a linearised state."""
    return sum(part.size for part in (*_parts(own, mechanism), own.coefficients))


@compiled
def save_linearised(own: Linear, mechanism: Mechanism, row: Vector) -> int:
    """Save the arrays of the linearised state in a row of numbers; return how many numbers."""
    at = 0
    for part in _parts(own, mechanism):
        copy(part, row[at:])
        at += part.size
    copy(own.coefficients, row[at:])
    return at + own.coefficients.size


@compiled
def take_linearised(own: Linear, mechanism: Mechanism, row: Vector) -> int:
    """Put a linearised state that was saved back into its places; return how many numbers it has."""
    at = 0
    for part in _parts(own, mechanism):
        copy(row[at : at + part.size], part)
        at += part.size
    copy(row[at : at + own.coefficients.size], own.coefficients)
    return at + own.coefficients.size


# --- ahead --------------------------------------------------------------------------------------------------------


@compiled
def take_given(own: Linear) -> None:
    """Put the partial derivatives by parameters into `given`, from the entries."""
    own.given[:] = 0.0
    for k in range(own.entry.size):
        own.given[own.parameter[k], own.entry_row[k]] += own.factor[k] * own.to.values[own.entry[k]]


@compiled
def put_right(own: Linear, p: int, level: int) -> None:
    """Put the right side of a level, -E, for parameter p and the changes in `way`, into `right`."""
    values, way = own.to.values, own.way
    for row in range(own.first[level], own.first[level + 1]):
        change = own.given[p, row]
        for k in range(own.row_at[row], own.row_at[row + 1]):
            change += values[own.moving[k]] * way[own.moving_column[k]]
        own.right[row] = -change


@compiled
def put_way(manifold: Manifold, q: Vector, dq: Vector, way: Vector) -> None:
    """Put the small motion δx of a change dq into `way`."""
    for k in range(manifold.plain.shape[0]):
        way[manifold.plain[k, 1]] = dq[manifold.plain[k, 0]]
    for k in range(manifold.quaternions.shape[0]):
        of, to = manifold.quaternions[k, 0], manifold.quaternions[k, 1]
        e, twice = quaternion_at(q, of), 2.0 / _square(q, of)
        turn = after(back(e), quaternion_at(dq, of))
        put_at(way, to, (twice * turn[1], twice * turn[2], twice * turn[3]))


@compiled
def put_changes(own: Linear, mechanism: Mechanism, y: Vector, p: int, dy: Vector) -> None:
    """Put the small motions and the changes of velocities and signals of a change dy into `way`. Inputs change as their
    laws do with parameter p, in `dy` too."""
    state, n, targets = mechanism.state, own.columns, mechanism.signals.inputs.target
    put_way(mechanism.machine.manifold, y[: state.q_end], dy[: state.q_end], own.way)
    copy(dy[state.v_at : state.v_at + n], own.way[n:])
    if own.way.size > 2 * n:
        put_right(own, p, INPUT)
        for k in range(targets.size):
            dy[targets[k]] = -own.right[own.first[INPUT] + k]
        copy(dy[state.z_at : state.q_end], own.way[2 * n :])


@compiled
def vary_flows(own: Linear, mechanism: Mechanism, p: int, out: Vector) -> None:
    """Put the change of ż into its place in y', by parameter p and the changes in `way`."""
    state = mechanism.state
    put_right(own, p, FLOW)
    for k in range(own.first[INPUT] - own.first[FLOW]):
        out[state.z_at + k] = -own.right[own.first[FLOW] + k]


@compiled
def vary_reactions(own: Linear, mechanism: Mechanism, p: int, dq: Vector) -> None:
    """Put the changes of signals that are reactions into `way` and into dq, by parameter p, the changes in `way` and
    those of λ in the machine."""
    reactions, z_at, n = mechanism.signals.reactions, mechanism.state.z_at, own.columns
    put_right(own, p, REACTION)
    for k in range(reactions.target.size):
        dq[reactions.target[k]] = -own.right[own.first[REACTION] + reactions.target[k] - z_at]
    for k in range(reactions.target.size):
        dq[reactions.target[k]] += own.coefficients[k] * mechanism.machine.multipliers[reactions.row[k]]
    for k in range(reactions.target.size):
        own.way[2 * n + reactions.target[k] - z_at] = dq[reactions.target[k]]


@compiled
def vary_places(manifold: Manifold, q: Vector, way: Vector, dq: Vector) -> None:
    """Put the change of q by a small motion into `dq`; lengths of quaternions stay."""
    for k in range(manifold.plain.shape[0]):
        dq[manifold.plain[k, 0]] = way[manifold.plain[k, 1]]
    for k in range(manifold.quaternions.shape[0]):
        to, of = manifold.quaternions[k, 0], manifold.quaternions[k, 1]
        _put_quaternion(dq, to, after(quaternion_at(q, to), _half(way, of)))


@compiled
def vary_rates(manifold: Manifold, q: Vector, v: Vector, dq: Vector, dv: Vector, out: Vector) -> None:
    """Put the change of q̇ = N(q) v by dq and dv into `out`. (Turns only count: nothing depends on them smoothly.)"""
    for k in range(manifold.plain.shape[0]):
        out[manifold.plain[k, 0]] = dv[manifold.plain[k, 1]]
    for k in range(manifold.quaternions.shape[0]):
        to, of = manifold.quaternions[k, 0], manifold.quaternions[k, 1]
        one, other = after(quaternion_at(dq, to), _half(v, of)), after(quaternion_at(q, to), _half(dv, of))
        _put_quaternion(out, to, (one[0] + other[0], one[1] + other[1], one[2] + other[2], one[3] + other[3]))


@compiled
def project_rates(own: Linear, machine: Machine, p: int, dv: Vector) -> None:
    """Put changes of velocities with parameter p onto the equations of joints, at the changes of places in `way`, for
    the right side that stands in `machine.f`."""
    put_right(own, p, RATE)
    copy(own.right[own.first[RATE] : own.first[RATE + 1]], machine.g)
    subtract_rates(machine, 1.0, dv)
    solve_here(machine, SHARPER)
    for k in range(own.columns):
        dv[k] += machine.x[k]


@compiled
def factorise_velocities(projection: LinearProjection, machine: Machine) -> None:
    """Factorise the matrix of the pose with all its rows, after the projection of places, which leaves some out."""
    if machine.program.velocity_rows > 0:
        copy(projection.jacobian, machine.factor.jacobian)
        factorise(machine.pattern, machine.factor)


@compiled
def turn(manifold: Manifold, matrices: Matrix, way: Vector) -> None:
    """Multiply the small motions of attitudes in `way` by their matrices, in place."""
    for k in range(manifold.quaternions.shape[0]):
        i, x = manifold.quaternions[k, 1], at(way, manifold.quaternions[k, 1])
        for c in range(3):
            way[i + c] = dot(at(matrices[3 * k + c], 0), x)


@compiled
def solve_way(projection: LinearProjection, machine: Machine) -> None:
    """Solve the linearised equations of a projection of places, with the right sides in machine.f and machine.g,

        [M     J₀ᵀ] [x]   [f]
        [J₁ T  0  ] [μ] = [g],

    with the factor behind the way: J₀ᵀ - J₁ᵀ and T - 1 stand on the right sides, and are corrected."""
    manifold, pattern, jacobian, more = machine.manifold, machine.pattern, projection.difference, projection.more
    copy(machine.f, projection.f)
    copy(machine.g, projection.g)
    solve_here(machine, SHARPER)
    for _ in range(projection.corrections[0]):
        copy(projection.f, machine.f)
        copy(projection.g, machine.g)
        for e in range(jacobian.size):
            machine.f[pattern.jac_column[e]] -= jacobian[e] * machine.multipliers[pattern.jac_row[e]]
        if manifold.quaternions.shape[0] > 0:
            copy(machine.x[: machine.f.size], more)
            turn(manifold, projection.T, more)
            axpy(-1.0, machine.x[: machine.f.size], more)
            subtract_rates(machine, 1.0, more)
        solve_here(machine, SHARPER)


@compiled
def linearise_way_of_places(
    projection: LinearProjection, mechanism: Mechanism, t: float, before: Vector, y: Vector
) -> None:
    """Linearise M x + J₀ᵀ μ = 0 at the small motion x from the place before a projection, where M and J₀ are, to the
    place behind it. Leave the factor behind, without rows that restrict velocities alone."""
    machine, state, way, place = mechanism.machine, mechanism.state, projection.way, projection.place
    manifold, jacobian, corrections, loads = (
        machine.manifold, machine.factor.jacobian, projection.corrections, projection.loads
    )  # fmt: skip
    q, v = y[: state.q_end], y[state.v_at : state.v_end]
    copy(before[: place.size], place)
    restore(manifold, place)
    way[:] = 0.0
    difference(manifold, place, q, way)
    for k in range(manifold.quaternions.shape[0]):
        here = slice(3 * k, 3 * k + 3)
        put_rotations(at(way, manifold.quaternions[k, 1]), projection.R[here], projection.T[here])
    observe(machine, t, place, v)
    leave_out_velocity_rows(machine)
    copy(jacobian, projection.difference)
    observe(machine, t, q, v)
    if machine.program.velocity_rows > 0:
        copy(jacobian, projection.jacobian)
        leave_out_velocity_rows(machine)
        factorise(machine.pattern, machine.factor)
    axpy(-1.0, jacobian, projection.difference)
    machine.f[:] = 0.0
    machine.g[:] = 0.0
    subtract_rates(machine, -1.0, way)
    corrections[0] = 0
    solve_way(projection, machine)
    copy(machine.multipliers, loads)
    corrections[0] = 1
    solve_way(projection, machine)
    whole = largest(loads)
    axpy(-1.0, machine.multipliers, loads)
    part = largest(loads) / whole if whole > 0.0 else 0.0
    corrections[0], left = 0, part * part
    while corrections[0] < CORRECTIONS and left > WAY_REMAINDER:
        corrections[0] += 1
        left *= part
    copy(machine.x[: projection.momenta.columns], way)
    differentiate(projection.momenta.to, t, place, v, way, machine.multipliers)


@compiled
def linearise_way_of_velocities(
    projection: LinearProjection, mechanism: Mechanism, t: float, before: Vector, y: Vector
) -> None:
    """Linearise M w + Jᵀ σ = 0 at the change w of velocities by their projection, with the pose held."""
    machine, state, way, n = mechanism.machine, mechanism.state, projection.way, projection.momenta.columns
    way[:] = 0.0
    for k in range(n):
        way[k] = y[state.v_at + k] - before[state.v_at + k]
    machine.f[:] = 0.0
    machine.g[:] = 0.0
    subtract_rates(machine, -1.0, way)
    solve_here(machine, SHARPER)
    copy(machine.x[:n], way)
    q, v = y[: state.q_end], y[state.v_at : state.v_end]
    differentiate(projection.momenta.to, t, q, v, way, machine.multipliers)


@compiled
def _put_turned(projection: LinearProjection, machine: Machine, p: int, way: Vector) -> None:
    """Put the right side by which the way of a projection turns, for parameter p and these changes of places."""
    momenta = projection.momenta
    copy(way[: momenta.columns], momenta.way)
    put_right(momenta, p, MOMENTUM)
    copy(momenta.right[: momenta.columns], machine.f)


@compiled_apart
def vary_projection(
    own: Linear, projection: LinearProjection, mechanism: Mechanism, t: float, before: Vector, y: Vector,
    dys: Matrix,
) -> None:  # fmt: skip
    """Replace the changes of a state `before` it was put onto the constraints by those of y, which was linearised.

        M x + J₀ᵀ μ = 0, Φ(q₀ ∘ x) = 0;        M w + J₁ᵀ σ = 0, J₁ (v₀ + w) = ν

    give the way x of places and w of velocities: places are moved with M and J of the pose before, velocities with
    those of the pose behind. Both ways turn with these poses and with the masses. With K the slopes of M x + Jᵀ μ by
    places, numbers p, Rᵀ and T the matrices of attitudes (`attitudes`, 1 for plain coordinates),

        M δx + J₀ᵀ δμ = -K δx₀ - (M x + J₀ᵀ μ)_p δp,        J₁ (Rᵀ δx₀ + T δx) = -Φ_p δp,

    and the small motion behind is Rᵀ δx₀ + T δx. The run solves for x by a few Newton steps, so these equations hold
    but for an error of third order in x.
    """
    vary_place_projection(own, projection, mechanism, t, before, y, dys)
    vary_velocity_projection(own, projection, mechanism, t, before, y, dys)


@compiled
def vary_place_projection(
    own: Linear, projection: LinearProjection, mechanism: Mechanism, t: float, before: Vector, y: Vector,
    dys: Matrix,
) -> None:  # fmt: skip
    """Vary the projection of places: the first half of `vary_projection`."""
    machine, state, n = mechanism.machine, mechanism.state, own.columns
    manifold, q = machine.manifold, y[: state.q_end]
    linearise_way_of_places(projection, mechanism, t, before, y)
    take_given(own)
    take_given(projection.momenta)
    for p in range(dys.shape[0]):
        dq = dys[p, : state.q_end]
        put_way(manifold, projection.place, dq, own.way)
        _put_turned(projection, machine, p, own.way)
        turn(manifold, projection.R, own.way)
        put_right(own, p, GAP)
        copy(own.right[own.first[GAP] : own.first[GAP + 1]], machine.g)
        solve_way(projection, machine)
        turn(manifold, projection.T, machine.x)
        axpy(1.0, machine.x[:n], own.way[:n])
        vary_places(manifold, q, own.way, dq)
    factorise_velocities(projection, machine)


@compiled
def vary_velocity_projection(
    own: Linear, projection: LinearProjection, mechanism: Mechanism, t: float, before: Vector, y: Vector,
    dys: Matrix,
) -> None:  # fmt: skip
    """Vary the projection of velocities, after that of places: the second half of `vary_projection`."""
    machine, state = mechanism.machine, mechanism.state
    manifold, q = machine.manifold, y[: state.q_end]
    linearise_way_of_velocities(projection, mechanism, t, before, y)
    take_given(projection.momenta)
    for p in range(dys.shape[0]):
        put_way(manifold, q, dys[p, : state.q_end], own.way)
        _put_turned(projection, machine, p, own.way)
        project_rates(own, machine, p, dys[p, state.v_at : state.v_end])


@compiled_apart
def vary_lengths(mechanism: Mechanism, before: Vector, dys: Matrix) -> None:
    """Replace changes of quaternions, as they stand in `before`, by those of e/|e|. (Symmetric, so that weights go back
    the same way.)"""
    quaternions = mechanism.machine.manifold.quaternions
    for p in range(dys.shape[0]):
        for k in range(quaternions.shape[0]):
            to, along = quaternions[k, 0], 0.0
            square = _square(before, to)
            for c in range(4):
                along += before[to + c] * dys[p, to + c] / square
            for c in range(4):
                dys[p, to + c] = (dys[p, to + c] - along * before[to + c]) / np.sqrt(square)


@compiled
def _square(q: Vector, at: int) -> float:
    return q[at] ** 2 + q[at + 1] ** 2 + q[at + 2] ** 2 + q[at + 3] ** 2


@compiled
def _half(v: Vector, at: int) -> tuple[float, float, float, float]:
    return 0.0, 0.5 * v[at], 0.5 * v[at + 1], 0.5 * v[at + 2]


@compiled
def _put_quaternion(q: Vector, at: int, e: tuple[float, float, float, float]) -> None:
    q[at], q[at + 1], q[at + 2], q[at + 3] = e
