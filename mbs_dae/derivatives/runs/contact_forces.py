"""The forces of contacts, linearised while the states of contacts hold, ahead and back. Compiled.

With f the forces along the rows of points that are not open, the equations of a stage are

    [M Φ_vᵀ; Φ_v 0] [v̇; λ] = [Q + Gᵀ f; γ],      f = T u,
    G_i v̇ = γ_i   for each gap that is closed and each slip that sticks,
    N = Σ e · (b λ)   for each friction in a joint that slips, or N given,

where u are the forces of gaps and of slips that stick, and the N; T has a 1 for each of these, and -μ d for a slip of
direction d. In space d = s/|s| turns with the slip s: δd = (1 - d dᵀ) δs/|s|. Let x₀, λ₀ be the changes of v̇ and λ that
the equations of bodies and joints make with f held, X and L the responses to unit forces along rows, and C G, D, E the
equations of u by v̇, λ and u. Then changes of f are

    w = -N (δμ d + μ δd),      A δu = r - C G (x₀ + Xᵀ w) - D (λ₀ + Lᵀ w),      A = (C G Xᵀ + D Lᵀ) T + E,
    δf = w + T δu,             δv̇ = x₀ + Xᵀ δf,      δλ = λ₀ + Lᵀ δf,

with r the direct change of the equations of u. Going back, each of these maps is transposed.

A slip in space that begins from rest (`motion.contact.incipient`) has friction at its bound against its acceleration.
Its forces are unknowns, and so is a deficit D ≥ 0 of acceleration. With e = f/|f|,

    ṡ + D e = 0,      |f| = μ N;           δṡ + e δD + D (1 - e eᵀ) δf/|f| = 0,      e · δf - μ δN = N δμ.

A slip that starts from rest at once has these equations, too: there s = ṡ t has the direction of ṡ.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import sympy as sp

from ...compiled import System
from ...compiled.contact_records import CLOSED, FREE, HOLDS, INCIPIENT, OPEN, STICKING, Contacts
from ...compiled.machine import subtract_rates
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Integers, IntegerTable, Matrix, Vector, Work, block, zeros
from ...linear.elimination import factorise, least_solution, solve
from ...linear.vectors import axpy, copy, dot
from ...model.parameters import slope_of
from ...motion.contact.bounds import given, is_given, pressure
from ...motion.contact.normals import sense
from ...motion.contact.rubbing import (
    across,
    direction,
    drives_apart,
    kinetic_coefficient,
    never_sticks,
    speed_of,
    turns_with_slip,
)
from ...motion.mechanism_record import Mechanism
from ...poses.newton import solve_here
from ...symbolic.loads import DISSIPATED, SUPPLIED
from ...tolerances import PIVOT_TOLERANCE
from .linear import (
    BEND,
    BEND_OF,
    FORCE,
    GAP,
    GAP_OF,
    MOMENTUM,
    POWER,
    RATE,
    SIZE_OF,
    SLIP_OF,
    SURFACE,
    Linear,
    project_rates,
    put_changes,
    put_right,
    put_way,
    take_given,
    vary_flows,
    vary_places,
    vary_rates,
    vary_reactions,
)
from .transposed import (
    add_places,
    add_rates,
    add_rows,
    changes_back,
    flows_back,
    give_back,
    give_numbers,
    put_forces_and_bends,
    rates_back,
    reactions_back,
    take_places,
)

RESTITUTION, FRICTION, STATIC, SMOOTH, LAWS = range(5)
"""The places of the numbers of a point, and how many there are."""
NORMAL, COEFFICIENT, ALONG, TURNS, SLOWNESS, SMOOTHED, NU, SLIP, PUSH, FACTS = range(10)
"""Facts of each row: the N, μ and d of a slip, 1/|s| for a direction that turns with the slip s (0 for one that is
held), of an impact 1/|s| behind it, the derivative of d by the speed of smoothing, ν; the rate and the force of a
slip."""


class ForceEquations(NamedTuple):
    """Room for the linear equations A u = r of one state, whose solution completes the changes f of the forces."""

    matrix: Work[Matrix] = zeros("equations", "equations")
    """A, and its factors."""
    order: Work[Integers] = zeros("equations")
    """The order of the rows in these factors."""
    w: Work[Vector] = zeros("lines")
    """-N (δμ d + μ δd), the changes of the forces of rows by their friction alone."""
    f: Work[Vector] = zeros("lines")
    r: Work[Vector] = zeros("equations")
    u: Work[Vector] = zeros("equations")


class HeldForces(NamedTuple):
    """The linearised forces at some states, each on a shelf of its own: `shelves` of rows, behind each other."""

    moved: Matrix
    """The changes of the laws of each point with each parameter, (parameters, LAWS × points)."""
    equations: ForceEquations
    size: Work[IntegerTable] = zeros("shelves", 3)
    """The number of rows in use, the number of equations, and 1 if contacts share a load: their forces are
    of least norm, and have no derivative here."""
    used: Work[Integers] = zeros("shelf_lines")
    """The row of contacts of each row in use."""
    about: Work[Integers] = zeros("shelf_equations")
    """The number, among the rows in use, of the row that each equation keeps as it is; -1 for other equations."""
    bounded: Work[Integers] = zeros("shelf_equations")
    """The point for whose friction f each equation says |f| = μ N with a number μ; -1 for other equations."""
    pressed: Work[Vector] = zeros("shelf_equations")
    """The coefficients of these numbers."""
    lead: Work[Integers] = zeros("shelf_lines")
    """The number, among the rows in use, of the first slip of the point of each row."""
    slips: Work[Integers] = zeros("shelf_lines")
    """The number of slips of the point of each row."""
    G: Work[Matrix] = zeros("shelf_lines", "columns")
    X: Work[Matrix] = zeros("shelf_lines", "columns")
    L: Work[Matrix] = zeros("shelf_lines", "rows")
    T: Work[Matrix] = zeros("shelf_lines", "equations")
    C: Work[Matrix] = zeros("shelf_equations", "lines")
    """The coefficients of the rates of rows in each equation."""
    E: Work[Matrix] = zeros("shelf_equations", "equations")
    """The coefficients of u in each equation."""
    D: Work[Matrix] = zeros("shelf_equations", "rows")
    reach: Work[Matrix] = zeros("shelf_equations", "lines")
    """C G Xᵀ + D Lᵀ."""
    by_size: Work[Matrix] = zeros("shelf_equations", "factors")
    """The slopes of each equation by the readings that bound friction."""
    inverse: Work[Matrix] = zeros("shelf_equations", "equations")
    """A⁻¹."""
    facts: Work[Matrix] = zeros("shelf_lines", FACTS)
    curve: Work[Integers] = zeros("shelf_lines")
    """The number of the reading (`SIZE_OF`) that is the coefficient of a slip; -1 where the coefficient is a number."""
    point: Work[Integers] = zeros("shelf_lines")
    given: Work[Matrix] = zeros("ways", "lines")
    """The changes of the forces of rows that have a given force, 0 but in the expansion of an impact."""
    gradient: Work[Matrix] = zeros("weighted", "laws")
    """Going back, the weights of the laws, added up."""


def law_slopes(system: System, symbols: Sequence[sp.Symbol]) -> np.ndarray:
    """Return the slopes of the laws of each point by parameters, (parameters, LAWS × points)."""
    points, number = system.structure.contacts.points, system.evaluator
    found = np.zeros((len(symbols), LAWS * len(points)))
    for c, (element, _) in enumerate(points):
        for law, value in enumerate(element.laws):
            for row, symbol in enumerate(symbols):
                if symbol in getattr(value, "free_symbols", ()):
                    found[row, LAWS * c + law] = number(slope_of(value, symbol))
    return found


def new_held(system: System, moved: np.ndarray, shelves: int, weighted: int = 0) -> HeldForces:
    """Return room for the linearised forces at `shelves` states, for laws that change with parameters by `moved`, and
    for `weighted` rows of weights going back."""
    contacts, structure = system.structure.contacts, system.structure
    shelves = shelves if contacts.rows else 0
    lines, equations = contacts.rows, contacts.rows + 2 * len(contacts.points)  # an N and a D for each point
    sizes = {"shelves": shelves, "shelf_lines": shelves * lines, "shelf_equations": shelves * equations}
    sizes |= {"columns": structure.columns, "rows": len(structure.rows), "lines": lines, "equations": equations}
    sizes |= {"factors": contacts.bounds.out_size, "laws": moved.shape[1], "ways": len(moved)}
    return block(HeldForces(np.ascontiguousarray(moved), block(ForceEquations(), **sizes)), weighted=weighted, **sizes)


@compiled
def is_held(held: HeldForces, s: int) -> bool:
    """Return whether forces of contacts act at the state on a shelf."""
    return held.size.size > 0 and held.size[s, 0] > 0


@compiled_apart
def hold_forces(held: HeldForces, mechanism: Mechanism, s: int) -> None:
    """Put the linearised forces of the last evaluation on a shelf."""
    contacts, n, number = mechanism.contacts, 0, 0
    motion, delassus = contacts.motion, contacts.delassus
    if held.size.size == 0:
        return
    held.size[s, :] = 0
    if contacts.choice.closed_count[0] == 0:
        return
    first, begin, m = s * motion.gamma.size, s * held.equations.u.size, delassus.used_count[0]
    take_rows(held, contacts, s)
    for c in range(contacts.gap_row.size):
        if contacts.state[c] == OPEN:
            continue
        gaps, normal = 1 if contacts.gap_row[c] >= 0 else 0, n
        if gaps == 1:
            n = _hold_row(held, contacts, first + number, begin, n, number)
        elif contacts.state[c] != STICKING:
            hold_normal(held, mechanism, c, begin + n, n)
            n += 1
        begins = begins_in_space(mechanism, c, number + gaps)
        if begins:
            n = _hold_beginning(held, mechanism, c, first, begin, n, number + gaps, normal)
        for k in range(contacts.slip_count[c]):
            i = number + gaps + k
            facts = held.facts[first + i]
            facts[SLIP], facts[PUSH] = motion.rate[delassus.used[i]], contacts.force[delassus.used[i]]
            if begins:
                continue
            if contacts.state[c] == CLOSED:
                _hold_slip(held, contacts, c, k, first + i)
                held.T[first + i, normal] = -facts[COEFFICIENT] * facts[ALONG]
            else:
                n = _hold_row(held, contacts, first + i, begin, n, i)
        number += gaps + contacts.slip_count[c]
    held.size[s, 0], held.size[s, 1] = m, n
    invert(held, s)


@compiled
def take_rows(held: HeldForces, contacts: Contacts, s: int) -> None:
    """Copy G and the last responses of the rows in use onto shelf s, and clear its equations."""
    delassus, number = contacts.delassus, 0
    first, begin = s * held.equations.w.size, s * held.equations.u.size
    for part in (held.T, held.facts):
        part[first : first + delassus.used_count[0]] = 0.0
    for matrix in (held.C, held.E, held.D, held.by_size, held.reach):
        matrix[begin : begin + held.equations.u.size] = 0.0
    held.about[begin : begin + held.equations.u.size] = held.bounded[begin : begin + held.equations.u.size] = -1
    for i in range(delassus.used_count[0]):
        row = delassus.used[i]
        c = contacts.points.of_row[row]
        number = i if i == 0 or held.point[first + i - 1] != c else number
        number += 1 if contacts.gap_row[c] == row else 0
        held.used[first + i], held.point[first + i], held.curve[first + i] = row, c, -1
        held.lead[first + i], held.slips[first + i] = number, contacts.slip_count[c]
        copy(delassus.G[row], held.G[first + i])
        copy(delassus.response[i], held.X[first + i])
        copy(delassus.multipliers[i], held.L[first + i])
        held.facts[first + i, NU] = contacts.motion.nu[row]


@compiled
def _hold_row(held: HeldForces, contacts: Contacts, line: int, begin: int, n: int, number: int) -> int:
    """Put equation n: a row in use does not accelerate, or has no force if joints keep it. Return n + 1."""
    held.about[begin + n], held.T[line, n] = number, 1.0
    put_rate(held, contacts, begin + n, n, number, 1)
    return n + 1


@compiled
def begins_in_space(mechanism: Mechanism, c: int, number: int) -> bool:
    """Return whether the slip of point c, whose rows in use begin at `number`, begins in space at the last evaluation,
    so that its friction is against its acceleration."""
    contacts = mechanism.contacts
    if contacts.slip_count[c] < 2 or never_sticks(contacts, c) or across(contacts, c, contacts.force) == 0.0:
        return False
    if contacts.state[c] != CLOSED or turns_with_slip(contacts, c):
        return contacts.state[c] == INCIPIENT
    starts = contacts.sliding.holds_direction[c] == 0 and contacts.choice.departure[c] != HOLDS
    return starts and deficit(mechanism, c, number) > 0.0


@compiled
def deficit(mechanism: Mechanism, c: int, number: int) -> float:
    """Return the D of point c, whose rows in use begin at `number`: minus its acceleration along its friction."""
    contacts, x, total = mechanism.contacts, mechanism.machine.x, 0.0
    delassus = contacts.delassus
    for row in delassus.used[number : number + contacts.slip_count[c]]:
        total += contacts.force[row] * (contacts.motion.gamma[row] - dot(delassus.G[row], x[: delassus.G.shape[1]]))
    return total / across(contacts, c, contacts.force)


@compiled
def _hold_beginning(
    held: HeldForces, mechanism: Mechanism, c: int, line: int, begin: int, n: int, number: int, normal: int
) -> int:
    """Put the equations of a slip that begins in space, from number n on: one for each of its rows, which are in use
    from `number` on, and |f| = μ N, multiplied by w = e · W e, with N the unknown `normal`. Return the number of the
    next equation. The unknown behind the forces is D/w."""
    contacts, slips, w = mechanism.contacts, mechanism.contacts.slip_count[c], 0.0
    force, last = across(contacts, c, contacts.force), n + contacts.slip_count[c]
    e = contacts.force[contacts.slip_row[c] : contacts.slip_row[c] + slips]
    for k in range(slips):
        for j in range(slips):
            w += e[k] * contacts.delassus.W[number + k, number + j] * e[j] / force**2
    turn = deficit(mechanism, c, number) / force
    for k in range(slips):
        held.T[line + number + k, n + k] = 1.0
        put_rate(held, contacts, begin + n + k, n + k, number + k, 1)
        for j in range(slips):
            held.E[begin + n + k, n + j] += turn * ((1.0 if j == k else 0.0) - e[k] * e[j] / force**2)
        held.E[begin + n + k, last] = held.E[begin + last, n + k] = w * e[k] / force
    held.E[begin + last, normal] = -w * kinetic_coefficient(contacts, c)
    pressed, curve = w * normal_force(contacts, c, False), contacts.laws.coefficient[c]
    if curve >= 0:
        held.by_size[begin + last, curve] = pressed
    else:
        held.bounded[begin + last], held.pressed[begin + last] = c, pressed
    return last + 1


@compiled
def put_rate(held: HeldForces, contacts: Contacts, equation: int, n: int, number: int, acts: int) -> None:
    """Make equation n give the rate of a row in use; if `acts` is 0, or joints alone keep the row, make it say that the
    row has no force."""
    is_moved = acts == 1 and contacts.constrained.state[contacts.delassus.used[number]] == FREE
    held.C[equation, number], held.E[equation, n] = (1.0, 0.0) if is_moved else (0.0, 1.0)


@compiled
def hold_normal(held: HeldForces, mechanism: Mechanism, c: int, equation: int, n: int) -> None:
    """Put equation n, of the normal force of point c, which a joint carries or which is given."""
    contacts, multipliers = mechanism.contacts, mechanism.machine.multipliers
    normals = contacts.normals
    held.about[equation], held.E[equation, n] = -1, 1.0
    if is_given(contacts, c):
        held.by_size[equation, normals.output[c]] = 1.0
        return
    rows = normals.row_count[c]
    for d in range(normals.components[c]):
        part = normals.direction[3 * c + d]
        for r in range(rows):
            place, row = normals.output[c] + d * rows + r, normals.first_row[c] + r
            held.D[equation, row] -= part * normals.factors[place]
            held.by_size[equation, place] += part * multipliers[row]


@compiled
def normal_force(contacts: Contacts, c: int, rests: bool) -> float:
    """Return the normal force of point c at the last evaluation; of a given force with `rests` that of rest."""
    if contacts.gap_row[c] >= 0:
        return contacts.force[contacts.gap_row[c]]
    if is_given(contacts, c):
        return given(contacts, c, rests)
    return sense(contacts, c, contacts.delassus.amount) * pressure(contacts, c, contacts.delassus.amount)


@compiled
def _hold_slip(held: HeldForces, contacts: Contacts, c: int, k: int, line: int) -> None:
    """Put N, μ and d of friction along component k of the slip of point c, and the slopes of d, into `facts`."""
    laws = contacts.laws
    facts, speed, v = held.facts[line], speed_of(contacts, c), laws.smooth[c]
    facts[NORMAL], facts[COEFFICIENT] = normal_force(contacts, c, False), kinetic_coefficient(contacts, c)
    facts[ALONG] = direction(contacts, c, k)
    if laws.coefficient[c] >= 0:
        held.curve[line] = laws.coefficient[c]
    if never_sticks(contacts, c) and not drives_apart(contacts, c):
        size = np.hypot(speed, v)
        facts[TURNS], facts[SMOOTHED] = 1.0 / size, -contacts.motion.rate[contacts.slip_row[c] + k] * v / size**3
    elif contacts.slip_count[c] > 1 and turns_with_slip(contacts, c):
        along = 0.0
        for row in range(contacts.slip_row[c], contacts.slip_row[c] + contacts.slip_count[c]):
            along += contacts.motion.rate[row] * contacts.sliding.heading[row]
        facts[TURNS] = (1.0 if along > 0.0 else -1.0) / speed


@compiled
def invert(held: HeldForces, s: int) -> None:
    """Put A⁻¹ of a shelf, from its rows and equations; for a singular A, where contacts share an impulse, the matrix
    of least solutions."""
    m, n, first, begin = held.size[s, 0], held.size[s, 1], s * held.equations.w.size, s * held.equations.u.size
    A, largest, least = held.equations.matrix, 0.0, np.inf
    for j in range(n):
        reach = held.reach[begin + j]
        for i in range(m):
            reach[i] = dot(held.D[begin + j], held.L[first + i])
            for row in range(m):
                if held.C[begin + j, row] != 0.0:
                    reach[i] += held.C[begin + j, row] * dot(held.G[first + row], held.X[first + i])
    _put_matrix(held, s)
    regular = n > 0 and factorise(A, held.equations.order) != 0.0
    for k in range(n):
        largest, least = max(largest, abs(A[k, k])), min(least, abs(A[k, k]))
    regular = regular and least > PIVOT_TOLERANCE * largest
    held.size[s, 2] = 0 if regular or n == 0 else 1
    for k in range(n):
        held.equations.r[:] = 0.0
        held.equations.r[k] = 1.0
        if regular:
            copy(held.equations.r, held.equations.u)
            solve(A, held.equations.order, held.equations.u)
        else:
            _put_matrix(held, s)
            least_solution(A, held.equations.r, held.equations.u, held.equations.order, n)
        for j in range(n):
            held.inverse[begin + j, k] = held.equations.u[j]


@compiled
def _put_matrix(held: HeldForces, s: int) -> None:
    """Put A of a shelf, with ones on the diagonal behind it."""
    m, n, first, begin = held.size[s, 0], held.size[s, 1], s * held.equations.w.size, s * held.equations.u.size
    A = held.equations.matrix
    for j in range(n, A.shape[0]):
        A[j, :] = A[:, j] = 0.0
        A[j, j] = 1.0
    for j in range(n):
        reach = held.reach[begin + j]
        for k in range(n):
            A[j, k] = held.E[begin + j, k]
            for i in range(m):
                A[j, k] += reach[i] * held.T[first + i, k]


# --- forces ---------------------------------------------------------------------------------------------------------


@compiled
def vary_held(held: HeldForces, own: Linear, mechanism: Mechanism, p: int, s: int, dv: Vector, out: Vector) -> None:
    """Complete machine.x and the multipliers, the changes of v̇ and λ by parameter p with forces held, by the effect of
    changes of forces, which go into `out`. The right sides of contacts stand in `right`."""
    machine, x, multipliers = mechanism.machine, mechanism.machine.x, mechanism.machine.multipliers
    lines, first, begin = held.equations.w.size, s * held.equations.w.size, s * held.equations.u.size
    m, n, right = held.size[s, 0], held.size[s, 1], own.right
    sizes = right[own.first[SIZE_OF] : own.first[SIZE_OF + 1]]
    out[:lines] = 0.0
    for i in range(m):
        facts, c = held.facts[first + i], held.point[first + i]
        coefficient = held.moved[p, LAWS * c + FRICTION]
        if held.curve[first + i] >= 0:
            coefficient = -sizes[held.curve[first + i]]
        turned = held.moved[p, LAWS * c + SMOOTH] * facts[SMOOTHED]
        if facts[TURNS] != 0.0:
            turned += facts[TURNS] * slip_varied(held, own, first + i, dv)
            for line in range(first + held.lead[first + i], first + held.lead[first + i] + held.slips[first + i]):
                across = facts[TURNS] * facts[ALONG] * held.facts[line, ALONG]
                turned -= across * slip_varied(held, own, line, dv)
        held.equations.w[i] = -facts[NORMAL] * (coefficient * facts[ALONG] + facts[COEFFICIENT] * turned)
    for j in range(n):
        total = -dot(held.by_size[begin + j], sizes)
        for i in range(m):
            if held.C[begin + j, i] != 0.0:
                change = right[own.first[BEND_OF] + held.used[first + i]] - dot(held.G[first + i], x[: held.G.shape[1]])
                total += held.C[begin + j, i] * change
        total -= dot(held.D[begin + j], multipliers)
        if held.about[begin + j] >= 0 and held.C[begin + j, held.about[begin + j]] == 0.0:
            total += held.given[p, held.used[first + held.about[begin + j]]]
        if held.bounded[begin + j] >= 0:
            total += held.pressed[begin + j] * held.moved[p, LAWS * held.bounded[begin + j] + FRICTION]
        for i in range(m):
            total -= held.reach[begin + j, i] * held.equations.w[i]
        held.equations.r[j] = total
    for i in range(m):
        force = held.equations.w[i]
        for j in range(n):
            if held.T[first + i, j] != 0.0:
                force += held.T[first + i, j] * dot(held.inverse[begin + j, :n], held.equations.r[:n])
        out[held.used[first + i]] = force
        axpy(force, held.X[first + i], x[: held.X.shape[1]])
        axpy(force, held.L[first + i], machine.multipliers)


@compiled
def slip_varied(held: HeldForces, own: Linear, line: int, dv: Vector) -> float:
    """Return the change of the rate of a row in use, from the change dv of the velocities."""
    return dot(held.G[line], dv[: held.G.shape[1]]) - own.right[own.first[SLIP_OF] + held.used[line]]


@compiled
def vary_contact_works(held: HeldForces, own: Linear, s: int, dv: Vector, forces: Vector, works: Vector) -> None:
    """Add the effect of changes of forces and slips to the changes of the rates of works."""
    for line in range(s * held.equations.w.size, s * held.equations.w.size + held.size[s, 0]):
        facts, force = held.facts[line], forces[held.used[line]]
        works[SUPPLIED] += force * facts[NU]
        works[DISSIPATED] -= force * facts[SLIP]
        if facts[PUSH] != 0.0:
            works[DISSIPATED] -= facts[PUSH] * slip_varied(held, own, line, dv)


@compiled_apart
def vary_stage(
    own: Linear, held: HeldForces, mechanism: Mechanism, y: Vector, dys: Matrix, slopes: Matrix, loads: Matrix,
    forces: Matrix, often: int, s: int,
) -> None:  # fmt: skip
    """Put the changes of y', λ and the forces of contacts at the state that is linearised, with its forces on shelf s,
    by each parameter: rows of `dys` give rows of `slopes`, `loads` and `forces`."""
    machine, state, first = mechanism.machine, mechanism.state, own.first
    q, v, n, m = y[: state.q_end], y[state.v_at : state.v_end], own.columns, machine.pattern.m
    alpha, beta = mechanism.gains[0], mechanism.gains[1]
    take_given(own)
    for p in range(dys.shape[0]):
        dq, dv, out = dys[p, : state.q_end], dys[p, state.v_at : state.v_end], slopes[p]
        put_changes(own, mechanism, y, p, dys[p])
        for level in range(BEND if alpha == 0.0 and beta == 0.0 else GAP, SURFACE):
            put_right(own, p, level)
        copy(own.right[first[BEND] : first[BEND + 1]], machine.g)
        if alpha > 0.0 or beta > 0.0:
            for row in range(m):
                machine.g[row] += 2.0 * alpha * own.right[first[RATE] + row] + beta * beta * own.right[first[GAP] + row]
            subtract_rates(machine, 2.0 * alpha, dv)
        copy(own.right[first[FORCE] : first[FORCE + 1]], machine.f)
        solve_here(machine, often)
        if is_held(held, s):
            for level in (SLIP_OF, BEND_OF, SIZE_OF):
                put_right(own, p, level)
            vary_held(held, own, mechanism, p, s, dv, forces[p])
        elif forces.shape[1] > 0:
            forces[p, :] = 0.0
        copy(machine.x[:n], out[state.v_at :])
        copy(machine.multipliers, loads[p])
        vary_rates(machine.manifold, q, v, dq, dv, out[: state.q_end])
        if own.coefficients.size > 0:
            if is_held(held, s) and held.size[s, 2] == 1:
                machine.multipliers[:] = np.nan
            vary_reactions(own, mechanism, p, dq)
        vary_flows(own, mechanism, p, out)
        copy(own.right[first[POWER] : first[SURFACE]], out[state.works_at :])
        for row in range(m):
            out[out.size - 1] -= machine.nu[row] * loads[p, row]
        if is_held(held, s):
            vary_contact_works(held, own, s, dv, forces[p], out[state.works_at :])
            if held.size[s, 2] == 1:
                loads[p, :] = forces[p, :] = np.nan


@compiled
def held_back(
    held: HeldForces, own: Linear, mechanism: Mechanism, r: int, s: int, forces: Vector, works: Vector, of_v: Vector
) -> None:
    """Apply the transposed of `vary_held` and `vary_contact_works`: replace the weights of v̇ and λ in machine.f and
    machine.g by those with forces held, given the weights `forces` and `works`. Put the weights of rows of contacts
    into `right`, and add those of v to `of_v`."""
    x, multipliers, right = mechanism.machine.f, mechanism.machine.g, own.right
    first, begin, m, n = s * held.equations.w.size, s * held.equations.u.size, held.size[s, 0], held.size[s, 1]
    columns = held.G.shape[1]
    right[own.first[SLIP_OF] : own.first[SIZE_OF + 1]] = 0.0
    for i in range(m):
        facts, row = held.facts[first + i], held.used[first + i]
        held.equations.f[i] = forces[row] + dot(held.X[first + i], x[:columns]) + dot(held.L[first + i], multipliers)
        held.equations.f[i] += works[SUPPLIED] * facts[NU] - works[DISSIPATED] * facts[SLIP]
        _slip_back(held, own, first + i, -works[DISSIPATED] * facts[PUSH], of_v)
    for j in range(n):
        held.equations.r[j] = 0.0
        for i in range(m):
            held.equations.r[j] += held.T[first + i, j] * held.equations.f[i]
    for j in range(n):
        held.equations.u[j] = 0.0
        for k in range(n):
            held.equations.u[j] += held.inverse[begin + k, j] * held.equations.r[k]
    for j in range(n):
        z = held.equations.u[j]
        for i in range(m):
            held.equations.f[i] -= held.reach[begin + j, i] * z
        axpy(-z, held.D[begin + j], multipliers)
        if held.bounded[begin + j] >= 0:
            held.gradient[r, LAWS * held.bounded[begin + j] + FRICTION] += z * held.pressed[begin + j]
        for k in range(held.by_size.shape[1]):
            right[own.first[SIZE_OF] + k] += z * held.by_size[begin + j, k]
        for i in range(m):
            part = held.C[begin + j, i] * z
            if part != 0.0:
                axpy(-part, held.G[first + i], x[:columns])
                right[own.first[BEND_OF] + held.used[first + i]] -= part
    for i in range(m):
        facts, c, weight = held.facts[first + i], held.point[first + i], held.equations.f[i]
        part, turned = -facts[NORMAL] * facts[ALONG] * weight, -facts[NORMAL] * facts[COEFFICIENT] * weight
        if held.curve[first + i] >= 0:
            right[own.first[SIZE_OF] + held.curve[first + i]] += part
        else:
            held.gradient[r, LAWS * c + FRICTION] += part
        held.gradient[r, LAWS * c + SMOOTH] += turned * facts[SMOOTHED]
        if facts[TURNS] != 0.0:
            _slip_back(held, own, first + i, turned * facts[TURNS], of_v)
            for line in range(first + held.lead[first + i], first + held.lead[first + i] + held.slips[first + i]):
                across = facts[TURNS] * facts[ALONG] * held.facts[line, ALONG]
                _slip_back(held, own, line, -turned * across, of_v)


@compiled_apart
def stage_back(
    own: Linear, held: HeldForces, mechanism: Mechanism, y: Vector, slopes: Matrix, loads: Matrix, forces: Matrix,
    outs: Matrix, often: int, s: int,
) -> None:  # fmt: skip
    """Add the weights of y', λ and forces of contacts at the linearised state, with its forces on shelf s, to those of
    y, in `outs`: the transposed of `vary_stage`."""
    machine, state, first, n = mechanism.machine, mechanism.state, own.first, own.columns
    alpha, beta = mechanism.gains[0], mechanism.gains[1]
    q, v = y[: state.q_end], y[state.v_at : state.v_end]
    least = BEND if alpha == 0.0 and beta == 0.0 else GAP
    for r in range(outs.shape[0]):
        slope, out, reads = slopes[r], outs[r], False
        copy(slope[state.v_at : state.v_at + n], machine.f)
        for row in range(machine.pattern.m):
            machine.g[row] = loads[r, row] - machine.nu[row] * slope[slope.size - 1]
        own.way[:] = 0.0
        flows_back(own, mechanism, r, slope)
        if own.coefficients.size > 0:
            reads = reactions_back(own, mechanism, r, out[: state.q_end])
        if is_held(held, s) and held.size[s, 2] == 1 and (reads or loads[r].any() or forces[r].any()):
            out[:] = np.nan
        if is_held(held, s):
            works = slope[state.works_at :]
            held_back(held, own, mechanism, r, s, forces[r], works, out[state.v_at : state.v_end])
        solve_here(machine, often)
        put_forces_and_bends(own, machine)
        for row in range(machine.pattern.m):
            here = own.right[first[BEND] + row]
            own.right[first[GAP] + row], own.right[first[RATE] + row] = beta * beta * here, 2.0 * alpha * here
        for k in range(first[SURFACE] - first[POWER]):
            own.right[first[POWER] + k] = -slope[state.works_at + k]
        for level in range(least, SURFACE):
            give_back(own, level)
        give_numbers(own, r, least, SURFACE)
        if is_held(held, s):
            for level in (SLIP_OF, BEND_OF, SIZE_OF):
                give_back(own, level)
            give_numbers(own, r, SLIP_OF, MOMENTUM)
        out_v = out[state.v_at : state.v_end]
        if alpha > 0.0:
            add_rows(mechanism, -2.0 * alpha, machine.multipliers, out_v)
        changes_back(own, mechanism, y, r, out)
        add_rates(machine.manifold, q, v, slope, out, out_v)


@compiled
def _slip_back(held: HeldForces, own: Linear, line: int, weight: float, of_v: Vector) -> None:
    """Add the weight of the rate of a row in use to the weights of its right side and of the velocities."""
    own.right[own.first[SLIP_OF] + held.used[line]] += weight
    axpy(weight, held.G[line], of_v[: held.G.shape[1]])


# --- what is closed stays so ------------------------------------------------------------------------------------------


@compiled_apart
def vary_keep(held: HeldForces, own: Linear, mechanism: Mechanism, y: Vector, dys: Matrix, s: int) -> None:
    """Replace changes of y by those after contacts are kept closed (`motion.contact.keeping`). The state y is
    linearised, and its forces stand on shelf s."""
    vary_keep_of_places(held, own, mechanism, y, dys, s)
    vary_keep_of_rates(held, own, mechanism, y, dys, s)


@compiled
def vary_keep_of_places(held: HeldForces, own: Linear, mechanism: Mechanism, y: Vector, dys: Matrix, s: int) -> None:
    """Replace changes of places by those after gaps are kept closed: the first half of `vary_keep`."""
    manifold, state, n = mechanism.machine.manifold, mechanism.state, own.columns
    take_given(own)
    for p in range(dys.shape[0]):
        put_way(manifold, y[: state.q_end], dys[p, : state.q_end], own.way)
        put_right(own, p, GAP_OF)
        for j in range(held.size[s, 1]):
            row = held.used[_line_of(held, s, j)]
            held.equations.u[j] = own.right[own.first[GAP_OF] + row] if _is_gap(held, mechanism, s, j) else 0.0
        _add_cancelling(held, mechanism, s, True, own.way[:n])
        vary_places(manifold, y[: state.q_end], own.way, dys[p, : state.q_end])


@compiled
def vary_keep_of_rates(held: HeldForces, own: Linear, mechanism: Mechanism, y: Vector, dys: Matrix, s: int) -> None:
    """Replace changes of velocities by those after gaps are kept closed and slips stopped: the second half of
    `vary_keep`."""
    machine, state, n = mechanism.machine, mechanism.state, own.columns
    take_given(own)
    for p in range(dys.shape[0]):
        dv = dys[p, state.v_at : state.v_end]
        put_way(machine.manifold, y[: state.q_end], dys[p, : state.q_end], own.way)
        machine.f[:] = 0.0
        project_rates(own, machine, p, dv)
        put_right(own, p, SLIP_OF)
        for j in range(held.size[s, 1]):
            line = _line_of(held, s, j)
            held.equations.u[j] = -slip_varied(held, own, line, dv) if _is_kept(held, s, j) else 0.0
        _add_cancelling(held, mechanism, s, False, dv[:n])


@compiled_apart
def keep_back(held: HeldForces, own: Linear, mechanism: Mechanism, y: Vector, weights: Matrix, s: int) -> None:
    """Apply the transposed of `vary_keep` to rows of weights, in place."""
    keep_of_rates_back(held, own, mechanism, y, weights, s)
    keep_of_places_back(held, own, mechanism, y, weights, s)


@compiled
def keep_of_rates_back(held: HeldForces, own: Linear, mechanism: Mechanism, y: Vector, weights: Matrix, s: int) -> None:
    """Apply the transposed of `vary_keep_of_rates` to rows of weights, in place."""
    state, n = mechanism.state, own.columns
    for r in range(weights.shape[0]):
        of_v = weights[r, state.v_at : state.v_end]
        own.way[:] = 0.0
        own.right[own.first[SLIP_OF] : own.first[SLIP_OF + 1]] = 0.0
        _take_amounts(held, mechanism, s, False, of_v[:n])
        for j in range(held.size[s, 1]):
            if _is_kept(held, s, j):
                _slip_back(held, own, _line_of(held, s, j), -held.equations.u[j], of_v)
        rates_back(own, mechanism, of_v)
        give_back(own, SLIP_OF)
        give_numbers(own, r, RATE, RATE + 1)
        give_numbers(own, r, SLIP_OF, SLIP_OF + 1)
        add_places(mechanism.machine.manifold, y[: state.q_end], own.way, weights[r, : state.q_end])


@compiled
def keep_of_places_back(
    held: HeldForces, own: Linear, mechanism: Mechanism, y: Vector, weights: Matrix, s: int
) -> None:
    """Apply the transposed of `vary_keep_of_places` to rows of weights, in place."""
    manifold, state, n = mechanism.machine.manifold, mechanism.state, own.columns
    q, gaps = y[: state.q_end], own.right[own.first[GAP_OF] : own.first[GAP_OF + 1]]
    for r in range(weights.shape[0]):
        of_q = weights[r, : state.q_end]
        own.way[:] = 0.0
        gaps[:] = 0.0
        take_places(manifold, q, of_q, own.way)
        _take_amounts(held, mechanism, s, True, own.way[:n])
        for j in range(held.size[s, 1]):
            if _is_gap(held, mechanism, s, j):
                gaps[held.used[_line_of(held, s, j)]] = -held.equations.u[j]
        give_back(own, GAP_OF)
        give_numbers(own, r, GAP_OF, GAP_OF + 1)
        of_q[: state.z_at] = 0.0
        add_places(manifold, q, own.way, of_q)


@compiled
def _line_of(held: HeldForces, s: int, j: int) -> int:
    """Return the line, on the shelf of a state, of the row that an equation keeps as it is."""
    return s * held.equations.w.size + held.about[s * held.equations.u.size + j]


@compiled
def _is_kept(held: HeldForces, s: int, j: int) -> bool:
    """Return whether equation j of a shelf is that of a row that is kept, not of an N."""
    return held.about[s * held.equations.u.size + j] >= 0


@compiled
def _is_gap(held: HeldForces, mechanism: Mechanism, s: int, j: int) -> bool:
    """Return whether equation j of a shelf is that of a gap."""
    contacts, line = mechanism.contacts, _line_of(held, s, j)
    return _is_kept(held, s, j) and contacts.gap_row[held.point[line]] == held.used[line]


@compiled
def _put_amounts(held: HeldForces, mechanism: Mechanism, s: int, gaps: bool) -> None:
    """Solve for the amounts along rows that are kept, of gaps alone or of all, from values in `u`, in place."""
    first, begin, n = s * held.equations.w.size, s * held.equations.u.size, held.size[s, 1]
    A = held.equations.matrix
    for j in range(n):
        takes = (_is_gap(held, mechanism, s, j) if gaps else _is_kept(held, s, j)) and held.E[begin + j, j] == 0.0
        for k in range(n):
            has = (_is_gap(held, mechanism, s, k) if gaps else _is_kept(held, s, k)) and held.E[begin + k, k] == 0.0
            A[j, k] = 0.0 if j != k else 1.0
            if takes and has:
                A[j, k] = dot(held.G[first + held.about[begin + j]], held.X[first + held.about[begin + k]])
        held.equations.r[j] = held.equations.u[j] if takes else 0.0
    least_solution(A, held.equations.r, held.equations.u, held.equations.order, n)


@compiled
def _add_cancelling(held: HeldForces, mechanism: Mechanism, s: int, gaps: bool, to: Vector) -> None:
    """Add the displacements, or velocities, that cancel the values in `u`."""
    _put_amounts(held, mechanism, s, gaps)
    for j in range(held.size[s, 1]):
        if held.equations.u[j] != 0.0 and _is_kept(held, s, j):
            axpy(held.equations.u[j], held.X[_line_of(held, s, j)], to)


@compiled
def _take_amounts(held: HeldForces, mechanism: Mechanism, s: int, gaps: bool, weights: Vector) -> None:
    """Put into `u` the weights of the values, from weights of displacements or velocities: the transpose of
    `_add_cancelling`, whose matrix W is symmetric."""
    for j in range(held.size[s, 1]):
        kept = _is_gap(held, mechanism, s, j) if gaps else _is_kept(held, s, j)
        line = _line_of(held, s, j)
        held.equations.u[j] = dot(held.X[line], weights) if kept else 0.0
    _put_amounts(held, mechanism, s, gaps)
