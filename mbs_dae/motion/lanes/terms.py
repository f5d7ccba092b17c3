"""y' of eight runs side by side, as `derivative` evaluates it for one. Compiled.

The work is done by the same functions, or by the same operations in the same order. A decision that a run takes by its
numbers is not taken here: `doubt` is raised, and that run makes its step again alone. It is raised where numbers are
not finite, where an enforced row is so weak that others might take its place, and where solutions are refined.
"""

import numpy as np

from ...compiled.batch import evaluate_in_lanes
from ...compiled.dynamics import add_forces, add_masses
from ...compiled.machine import shares_of_rows
from ...compiled.manifold import put_rates
from ...compiled.program import read_jacobian, read_rows
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Vector
from ...kernels.lanes import Lanes, choose, everywhere
from ...linear.vectors import copy
from ...tolerances import CHOICE_INDEPENDENCE, REFINEMENT_INDEPENDENCE, ROW_DEPENDENCE, SOLUTION_ERROR
from ..derivative import put_powers
from ..mechanism_record import INDEPENDENCE, NEAREST, NORM_RATIO
from .elimination import factorise, solve
from .records import LaneRun


@compiled_apart
def derivative(abreast: LaneRun, y: Lanes, dy: Lanes) -> None:
    """Put y' at (now, y) into dy."""
    equations = abreast.equations
    mechanism, state = abreast.mechanism, abreast.mechanism.state
    machine = mechanism.machine
    q, v, a = y[: state.q_end], y[state.v_at : state.v_end], dy[state.v_at : state.v_end]
    evaluate(abreast, q, v)
    factorise(machine.pattern, abreast.factor, mechanism.faint)
    _look_at_rows(abreast)
    _solve_terms(abreast, v)
    copy(equations.x[: machine.pattern.n], a)
    _doubt_unless_finite(abreast, a)
    if machine.manifold.turned.size > 0:
        evaluate_in_lanes(abreast.turning, abreast.step.now, q, v)
    put_rates(machine.manifold, q, v, abreast.turning.out, dy[: state.q_end])
    for k in range(mechanism.dynamics.rate_to.size):
        dy[mechanism.dynamics.rate_to[k]] = abreast.forces.out[mechanism.dynamics.rate_from[k]]
    _doubt_unless_finite(abreast, dy[: state.q_end])
    put_powers(equations.scalars, equations.multipliers, equations.nu, dy[state.works_at :])


@compiled_apart
def evaluate(abreast: LaneRun, q: Lanes, v: Lanes) -> None:
    """Evaluate the terms of the equations."""
    step, equations = abreast.step, abreast.equations
    mechanism, factor, inputs = abreast.mechanism, abreast.factor, abreast.inputs
    program, places = mechanism.machine.program, mechanism.signals.inputs
    if places.target.size > 0:
        evaluate_in_lanes(inputs, step.now, q, v)
        for k in range(places.target.size):
            q[places.target[k]] = inputs.out[places.source[k]]
    evaluate_in_lanes(abreast.constraints, step.now, q, v)
    out = abreast.constraints.out
    read_rows(program, out, equations.phi, equations.nu, equations.gamma)
    read_jacobian(program, out, factor.jacobian)
    _doubt_unless_finite(abreast, factor.jacobian)
    if program.losses.rows.size > 0:
        shares_of_rows(program, step, out, factor.jacobian, factor.share)
    evaluate_in_lanes(abreast.forces, step.now, q, v)
    add_forces(mechanism.dynamics, abreast.forces.out, equations.f, equations.scalars)
    add_masses(mechanism.dynamics, abreast.forces.out, factor.weight, factor.beside)


@compiled
def _doubt_unless_finite(abreast: LaneRun, x: Vector) -> None:
    most = everywhere(0.0)
    for k in range(x.size):
        most = choose(abs(x[k]) < np.inf, most, 1.0)
    abreast.step.doubt[0] = max(abreast.step.doubt[0], most)


@compiled
def _look_at_rows(abreast: LaneRun) -> None:
    """Note the nearness of a singular pose; raise `doubt` where rows might have to change or solutions be refined."""
    step = abreast.step
    factor, nearness = abreast.factor, step.nearness
    least, out = everywhere(1.0), everywhere(0.0)
    for row in range(factor.kept.size):
        is_kept = factor.kept[row] > 0.0
        out = choose(is_kept, out, 1.0)
        least = choose(is_kept & (factor.row_square[row] > 0.0), min(least, factor.independence[row]), least)
    weakest = max(least, ROW_DEPENDENCE)
    nearness[NEAREST], nearness[INDEPENDENCE] = min(nearness[NEAREST], weakest * nearness[NORM_RATIO]), weakest
    unsure = ((out > 0.0) & (least < CHOICE_INDEPENDENCE)) | (weakest < REFINEMENT_INDEPENDENCE)
    step.doubt[0] = choose(unsure, 1.0, step.doubt[0])


@compiled
def _solve_terms(abreast: LaneRun, v: Vector) -> None:
    """Solve for v̇ and λ by the present factor, with the feedback of Baumgarte's method where there are gains."""
    step, equations = abreast.step, abreast.equations
    mechanism, factor, g = abreast.mechanism, abreast.factor, equations.g
    pattern, alpha, beta = mechanism.machine.pattern, step.gains[0], step.gains[1]
    fed_back, double, square = (alpha > 0.0) | (beta > 0.0), 2.0 * alpha, beta * beta
    for row in range(pattern.m):
        g[row] = equations.gamma[row] + (double * equations.nu[row] - square * equations.phi[row])
    for e in range(factor.jacobian.size):
        g[pattern.jac_row[e]] -= double * factor.jacobian[e] * v[pattern.jac_column[e]]
    for row in range(pattern.m):
        g[row] = choose(fed_back, g[row], equations.gamma[row])
    solve(
        pattern,
        factor,
        equations.f,
        g,
        equations.x,
        equations.multipliers,
        mechanism.refinements,
    )
    step.doubt[0] = choose(factor.unsettled[0] <= SOLUTION_ERROR, step.doubt[0], 1.0)
