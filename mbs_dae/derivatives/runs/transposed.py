"""The transposed operations of `linear`: weights of results become weights of arguments. Compiled.

There is a row of weights for each number that is differentiated; all go through the same factor and the same entries.
"""

from ...compiled.machine import Machine
from ...compiled.manifold import Manifold
from ...compiled.reading import Trajectory
from ...coordinates.joint.vectors import after, at, back, quaternion_at
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Matrix, Vector
from ...linear.rows import row_dot
from ...linear.vectors import axpy, copy
from ...motion.derivative import refinements
from ...motion.mechanism_record import Mechanism
from ...poses.newton import solve_here
from .linear import (
    BEND,
    FLOW,
    FORCE,
    GAP,
    INPUT,
    MOMENTUM,
    POWER,
    RATE,
    REACTION,
    SHARPER,
    Linear,
    LinearProjection,
    Weights,
    factorise_velocities,
    linearise_forces,
    linearise_way_of_places,
    linearise_way_of_velocities,
)


@compiled
def give_back(own: Linear, level: int) -> None:
    """Add the weights of the rows of a level, in `right`, to those of x, v and z, in `way`."""
    right, values, way = own.right, own.to.values, own.way
    for k in range(own.moving_at[level], own.moving_at[level + 1]):
        way[own.moving_column[k]] += values[own.moving[k]] * right[own.moving_row[k]]


@compiled
def give_numbers(own: Linear, r: int, first: int, last: int) -> None:
    """Add the weights of the rows of levels from `first` up to `last` to those of numbers, in row r of `gradient`."""
    right, values, gradient = own.right, own.to.values, own.gradient[r]
    for k in range(own.numbered_at[first], own.numbered_at[last]):
        gradient[own.number[k]] += values[own.numbered[k]] * right[own.numbered_row[k]]


@compiled
def add_places(manifold: Manifold, q: Vector, way: Vector, out: Vector) -> None:
    """Add the weights of a small motion to those of q, in `out`: the transposed of `put_way`."""
    for k in range(manifold.plain.shape[0]):
        out[manifold.plain[k, 0]] += way[manifold.plain[k, 1]]
    for k in range(manifold.quaternions.shape[0]):
        at, of = manifold.quaternions[k, 0], manifold.quaternions[k, 1]
        square = q[at] ** 2 + q[at + 1] ** 2 + q[at + 2] ** 2 + q[at + 3] ** 2
        _add_quaternion(2.0 / square, after(quaternion_at(q, at), (0.0, way[of], way[of + 1], way[of + 2])), out, at)


@compiled
def changes_back(own: Linear, mechanism: Mechanism, y: Vector, r: int, out: Vector) -> None:
    """Add the weights in `way` to those of y, and those of inputs to those of numbers, in row r: the transposed of
    `linear.put_changes`."""
    state, n, targets = mechanism.state, own.columns, mechanism.signals.inputs.target
    add_places(mechanism.machine.manifold, y[: state.q_end], own.way, out)
    axpy(1.0, own.way[n : 2 * n], out[state.v_at : state.v_end])
    if own.way.size > 2 * n:
        axpy(1.0, own.way[2 * n :], out[state.z_at : state.q_end])
        for k in range(targets.size):
            own.right[own.first[INPUT] + k] = out[targets[k]]
            out[targets[k]] = 0.0
        give_numbers(own, r, INPUT, INPUT + 1)


@compiled
def flows_back(own: Linear, mechanism: Mechanism, r: int, slope: Vector) -> None:
    """Add the weights of ż in y' to those in `way`, and to those of numbers: the transposed of `linear.vary_flows`."""
    for k in range(own.first[INPUT] - own.first[FLOW]):
        own.right[own.first[FLOW] + k] = slope[mechanism.state.z_at + k]
    give_back(own, FLOW)
    give_numbers(own, r, FLOW, INPUT)


@compiled
def reactions_back(own: Linear, mechanism: Mechanism, r: int, out: Vector) -> bool:
    """Replace the weights of signals that are reactions, in `way` and `out`, by those of λ in machine.g, of all else in
    `way` and of numbers: the transposed of `linear.vary_reactions`. Return whether there were any."""
    reactions, z_at, n, machine = mechanism.signals.reactions, mechanism.state.z_at, own.columns, mechanism.machine
    right, found = own.right[own.first[REACTION] : own.first[REACTION + 1]], False
    right[:] = 0.0
    for k in range(reactions.target.size):
        signal = reactions.target[k] - z_at
        right[signal] = own.way[2 * n + signal] + out[reactions.target[k]]
        found = found or right[signal] != 0.0
    for k in range(reactions.target.size):
        machine.g[reactions.row[k]] += own.coefficients[k] * right[reactions.target[k] - z_at]
        own.way[2 * n + reactions.target[k] - z_at] = out[reactions.target[k]] = 0.0
    give_back(own, REACTION)
    give_numbers(own, r, REACTION, REACTION + 1)
    return found


@compiled
def take_places(manifold: Manifold, q: Vector, weights: Vector, way: Vector) -> None:
    """Add the weights of q to those of a small motion, in `way`: the transposed of `vary_places`."""
    for k in range(manifold.plain.shape[0]):
        way[manifold.plain[k, 1]] += weights[manifold.plain[k, 0]]
    for k in range(manifold.quaternions.shape[0]):
        at, to = manifold.quaternions[k, 0], manifold.quaternions[k, 1]
        turn = after(back(quaternion_at(q, at)), quaternion_at(weights, at))
        way[to] += 0.5 * turn[1]
        way[to + 1] += 0.5 * turn[2]
        way[to + 2] += 0.5 * turn[3]


@compiled
def add_rates(manifold: Manifold, q: Vector, v: Vector, weights: Vector, out: Vector, out_v: Vector) -> None:
    """Add the weights of q̇ = N(q) v to those of q and v: the transposed of `vary_rates`."""
    for k in range(manifold.plain.shape[0]):
        out_v[manifold.plain[k, 1]] += weights[manifold.plain[k, 0]]
    for k in range(manifold.quaternions.shape[0]):
        at, of = manifold.quaternions[k, 0], manifold.quaternions[k, 1]
        own = quaternion_at(weights, at)
        _add_quaternion(-0.5, after(own, (0.0, v[of], v[of + 1], v[of + 2])), out, at)
        turn = after(back(quaternion_at(q, at)), own)
        out_v[of] += 0.5 * turn[1]
        out_v[of + 1] += 0.5 * turn[2]
        out_v[of + 2] += 0.5 * turn[3]


@compiled
def _add_quaternion(times: float, e: tuple[float, float, float, float], out: Vector, at: int) -> None:
    out[at] += times * e[0]
    out[at + 1] += times * e[1]
    out[at + 2] += times * e[2]
    out[at + 3] += times * e[3]


@compiled
def add_rows(mechanism: Mechanism, times: float, rows: Vector, out: Vector) -> None:
    """Add `times` Φ_vᵀ times the weights of rows to `out`."""
    pattern, jacobian = mechanism.machine.pattern, mechanism.machine.factor.jacobian
    for e in range(jacobian.size):
        out[pattern.jac_column[e]] += times * jacobian[e] * rows[pattern.jac_row[e]]


@compiled
def put_forces_and_bends(own: Linear, machine: Machine) -> None:
    """Put the weights of the rows of F and C'' into `right`, from a solution."""
    force, bend = own.right[own.first[FORCE] :], own.right[own.first[BEND] :]
    for k in range(own.columns):
        force[k] = -machine.x[k]
    for row in range(machine.pattern.m):
        bend[row] = -machine.multipliers[row]


@compiled_apart
def forces_back(
    mechanism: Mechanism, own: Linear, path: Trajectory, modes: Matrix, multipliers: Matrix, pushes: Matrix,
    weights: Weights,
) -> None:  # fmt: skip
    """Move the weights of multipliers at each time to those of places, velocities, signals and forces of contacts
    there, and of numbers, in place: the transposed of `along.vary_forces`."""
    machine, n, count = mechanism.machine, own.columns, own.gradient.shape[0]
    for k in range(path.t.size):
        linearise_forces(own, mechanism, path, k, modes[k], multipliers[k], pushes[k])
        often = max(refinements(mechanism), 1)
        for r in range(count):
            row = count * k + r
            machine.f[:] = 0.0
            copy(weights.multipliers[row], machine.g)
            solve_here(machine, often)
            for line in range(pushes.shape[1]):
                weights.contacts[row, line] += row_dot(mechanism.contacts.rows, line, machine.x)
            put_forces_and_bends(own, machine)
            own.way[:] = 0.0
            give_back(own, BEND)
            give_back(own, FORCE)
            give_numbers(own, r, BEND, POWER)
            axpy(1.0, own.way[:n], weights.x[row])
            axpy(1.0, own.way[n : 2 * n], weights.v[row])
            axpy(1.0, own.way[2 * n :], weights.signals[row])
            weights.multipliers[row, :] = 0.0


@compiled
def rates_back(own: Linear, mechanism: Mechanism, of_v: Vector) -> None:
    """Project the weights of velocities, in place, and add to those of places, in `way`: the transposed of
    `project_rates`. The weights of the right side are left in `machine.x`."""
    machine = mechanism.machine
    copy(of_v[: own.columns], machine.f)
    machine.g[:] = 0.0
    solve_here(machine, SHARPER)
    for row in range(machine.pattern.m):
        own.right[own.first[RATE] + row] = -machine.multipliers[row]
    add_rows(mechanism, -1.0, machine.multipliers, of_v)
    give_back(own, RATE)


@compiled
def _turned_back(projection: LinearProjection, machine: Machine, r: int, way: Vector) -> None:
    """Add the weights of the right side, in `machine.x`, to those of places and numbers: the transposed of
    `linear._put_turned`."""
    momenta = projection.momenta
    for k in range(momenta.columns):
        momenta.right[k] = -machine.x[k]
    momenta.way[:] = 0.0
    give_back(momenta, MOMENTUM)
    give_numbers(momenta, r, MOMENTUM, MOMENTUM + 1)
    axpy(1.0, momenta.way[: momenta.columns], way)


@compiled_apart
def project_back(
    own: Linear, projection: LinearProjection, mechanism: Mechanism, t: float, before: Vector, y: Vector,
    weights: Matrix,
) -> None:  # fmt: skip
    """Apply the transposed of `vary_projection` to rows of weights, in place."""
    velocity_projection_back(own, projection, mechanism, t, before, y, weights)
    place_projection_back(own, projection, mechanism, t, before, y, weights)


@compiled
def velocity_projection_back(
    own: Linear, projection: LinearProjection, mechanism: Mechanism, t: float, before: Vector, y: Vector,
    weights: Matrix,
) -> None:  # fmt: skip
    """Apply the transposed of `vary_velocity_projection` to rows of weights, in place."""
    machine, state = mechanism.machine, mechanism.state
    manifold, q = machine.manifold, y[: state.q_end]
    linearise_way_of_velocities(projection, mechanism, t, before, y)
    for r in range(weights.shape[0]):
        own.way[:] = 0.0
        rates_back(own, mechanism, weights[r, state.v_at : state.v_end])
        give_numbers(own, r, RATE, BEND)
        _turned_back(projection, machine, r, own.way)
        add_places(manifold, q, own.way, weights[r, : state.q_end])


@compiled
def _solve_way_back(projection: LinearProjection, mechanism: Mechanism) -> None:
    """Solve with the transposed of the matrix of `linear.solve_way`."""
    machine, jacobian, more = mechanism.machine, projection.difference, projection.more
    manifold, pattern = machine.manifold, machine.pattern
    copy(machine.f, projection.f)
    copy(machine.g, projection.g)
    solve_here(machine, SHARPER)
    for _ in range(projection.corrections[0]):
        copy(projection.f, machine.f)
        copy(projection.g, machine.g)
        for e in range(jacobian.size):
            machine.g[pattern.jac_row[e]] -= jacobian[e] * machine.x[pattern.jac_column[e]]
        if manifold.quaternions.shape[0] > 0:
            more[:] = 0.0
            add_rows(mechanism, 1.0, machine.multipliers, more)
            axpy(1.0, more, machine.f)
            _turn_back(manifold, projection.T, more)
            axpy(-1.0, more, machine.f)
        solve_here(machine, SHARPER)


@compiled
def _turn_back(manifold: Manifold, matrices: Matrix, way: Vector) -> None:
    """Multiply the weights of attitudes in `way` by their transposed matrices, in place: the transposed of
    `linear.turn`."""
    for k in range(manifold.quaternions.shape[0]):
        i, x = manifold.quaternions[k, 1], at(way, manifold.quaternions[k, 1])
        for c in range(3):
            way[i + c] = 0.0
            for d in range(3):
                way[i + c] += matrices[3 * k + d, c] * x[d]


@compiled
def place_projection_back(
    own: Linear, projection: LinearProjection, mechanism: Mechanism, t: float, before: Vector, y: Vector,
    weights: Matrix,
) -> None:  # fmt: skip
    """Apply the transposed of `vary_place_projection` to rows of weights, in place."""
    machine, state, first, n = mechanism.machine, mechanism.state, own.first, own.columns
    manifold, q = machine.manifold, y[: state.q_end]
    linearise_way_of_places(projection, mechanism, t, before, y)
    for r in range(weights.shape[0]):
        of_q = weights[r, : state.q_end]
        own.way[:] = 0.0
        take_places(manifold, q, of_q, own.way)
        copy(own.way[:n], machine.f)
        _turn_back(manifold, projection.T, machine.f)
        machine.g[:] = 0.0
        _solve_way_back(projection, mechanism)
        for row in range(machine.pattern.m):
            own.right[first[GAP] + row] = -machine.multipliers[row]
        give_back(own, GAP)
        give_numbers(own, r, GAP, RATE)
        _turn_back(manifold, projection.R, own.way)
        _turned_back(projection, machine, r, own.way)
        of_q[: state.z_at] = 0.0
        add_places(manifold, projection.place, own.way, of_q)
    factorise_velocities(projection, machine)
