"""Moreau's time stepping, with the position in the middle of the step after Jean (1999). Compiled.

    q_m = q₀ ⊕ h/2 v₀
    v₁ = v₀ + h a,      M a + Φ_vᵀ λ = Q + Gᵀ f,      Φ_v a = γ        at (t_m, q_m, v₀)
    q₁ = q_m ⊕ h/2 v₁

with f the mean forces of contacts (`contact.time_stepping`). Steps are of one length; events within a step are not
located: their effect is part of its mean accelerations and forces, whether velocities jump or not. The order is 1, and
2 where no force depends on velocities and no bodies meet or stick.

Constraints hold for accelerations, and the run projects positions and velocities at the end, as with other methods:
with constraints on velocities alone, Φ_v v₁ = ν, the end would be tangent to the middle of the step, and a projection
there would make half of the centripetal forces. Works are those of forces along the displacement of the step, h (v₀ +
v₁)/2, for this is the change of the kinetic energy.
"""

import numpy as np

from ...compiled.machine import take_accelerations
from ...compiled.manifold import move
from ...compiled.status import DONE, NOT_FINITE, UNSOLVED
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Vector
from ...linear.vectors import all_finite, copy
from ..contact.constrained import find_constrained_ahead
from ..contact.forces import contact_works
from ..contact.time_stepping import impel, look_at_start, look_from_middle, part
from ..course import moment
from ..derivative import accelerate, evaluate, powers, state_rates
from .method import H, Method, Stages, T, X, tableau


@compiled_apart
def step(stages: Stages) -> None:
    mechanism, state, h = stages.mechanism, stages.mechanism.state, stages.now[H]
    q, v, a = stages.y1[: state.q_end], stages.y1[state.v_at : state.v_end], stages.k[1, state.v_at : state.v_end]
    if mechanism.contacts.gap_row.size > 0 and not keeps(stages):
        return
    now = go_to_middle(stages)
    stages.status[0] = accelerate(mechanism, now, q, v, a)
    if mechanism.contacts.gap_row.size > 0 and stages.status[0] == DONE:
        look_from_middle(mechanism.contacts)
        stages.status[0] = impel(mechanism, h)
        take_accelerations(mechanism.machine, a)
    if stages.status[0] == DONE:
        take_middle_velocity(stages)
        evaluate(mechanism, now, q, v)
        go_to_end(stages, now)


@compiled_apart
def keeps(stages: Stages) -> bool:
    """Look at contacts where the step begins, and find the rows that joints alone keep closed; return whether joints
    press no bodies together."""
    mechanism, state, y0 = stages.mechanism, stages.mechanism.state, stages.y0
    first, h = moment(stages.course, stages.now[T]), stages.now[H]
    look_at_start(mechanism, first, y0[: state.q_end], y0[state.v_at : state.v_end])
    apart = find_constrained_ahead(mechanism, first, y0[: state.q_end], y0[state.v_at : state.v_end], h)
    stages.status[0] = DONE if apart else UNSOLVED
    return apart


@compiled_apart
def go_to_middle(stages: Stages) -> float:
    """Put the position in the middle of the step, with the velocities of its beginning, into y₁; return the time
    there."""
    mechanism, state, h = stages.mechanism, stages.mechanism.state, stages.now[H]
    mechanism.contacts.choice.closed_count[0] = 0  # accelerations do not include the forces of contacts
    copy(stages.y0, stages.y1)
    _go(stages, 0.5 * h, stages.y1[state.v_at : state.v_end])
    for k in range(state.z_at, state.q_end):
        stages.y1[k] += 0.5 * h * stages.k[0, k]  # by the rate of the last step
    return moment(stages.course, stages.now[T] + 0.5 * h)


@compiled
def take_middle_velocity(stages: Stages) -> None:
    """Put the velocity in the middle of the step, by the mean accelerations, into y₁."""
    for k in range(stages.mechanism.state.v_at, stages.mechanism.state.v_end):
        stages.y1[k] = stages.y0[k] + 0.5 * stages.now[H] * stages.k[1, k]


@compiled_apart
def go_to_end(stages: Stages, now: float) -> None:
    """Put the end of the step, from mean accelerations and forces, with the middle at this moment as the last
    evaluation."""
    mechanism, y0, y1, means = stages.mechanism, stages.y0, stages.y1, stages.k[1]
    state, t, h = mechanism.state, stages.now[T], stages.now[H]
    q, v, a = y1[: state.q_end], y1[state.v_at : state.v_end], means[state.v_at : state.v_end]
    touching = mechanism.contacts.gap_row.size > 0
    copy(mechanism.machine.multipliers, stages.loads)
    powers(mechanism, means[state.works_at :])
    if touching:
        contact_works(mechanism.contacts, means[state.works_at :])
    if not state_rates(mechanism, now, q, v, means[: state.q_end]):
        stages.status[0] = NOT_FINITE
    for k in range(a.size):
        v[k] += 0.5 * h * a[k]
    _go(stages, 0.5 * h, v)
    for k in range(state.z_at, state.q_end):
        q[k] = y0[k] + h * means[k]
    for k in range(state.works_at, y1.size):
        y1[k] = y0[k] + h * means[k]
    if not all_finite(y1):
        stages.status[0] = NOT_FINITE
    if touching and stages.status[0] == DONE:
        stages.status[0] = part(mechanism, moment(stages.course, t + h), q, v)


@compiled
def _go(stages: Stages, h: float, v: Vector) -> None:
    """Move y₁ with these velocities for a time h."""
    state, mechanism = stages.mechanism.state, stages.mechanism
    way = stages.between[state.v_at : state.v_end]
    for k in range(v.size):
        way[k] = h * v[k]
    move(mechanism.machine.manifold, stages.y1[: state.q_end], way)


@compiled_apart
def read(stages: Stages, out: Vector) -> None:
    """Put the state on the straight line between both ends into `out`: nothing is known of the motion within the
    step."""
    for k in range(out.size):
        out[k] = stages.y0[k] + stages.now[X] * (stages.y1[k] - stages.y0[k])


_NONE = np.zeros((0, 2))
_NUMBERS = tableau(1, (1, 0), np.zeros((1, 1)), np.ones(1), np.zeros(1), _NONE, np.zeros((0, 0)), means=1)
MOREAU = Method("Moreau", _NUMBERS, step, read)
