"""The half-explicit midpoint rule: time stepping of order 2, the companion of Moreau's method. Compiled.

    q_m = q₀ ⊕ h/2 v₀
    v_m = v₀ + h/2 a,       M a + Φ_vᵀ λ = Q + Gᵀ f,      Φ_v a = γ        at (t_m, q_m, v₀)
    v₁ = v₀ + h a,          the same                                       at (t_m, q_m, v_m)
    q₁ = q_m ⊕ h/2 v₁

Forces follow from velocities explicitly, those of joints and contacts implicitly, as in the schemes of Schindler,
Rezaei, Kursawe and Acary (2015), with laws of contact that are of order 2 as well (`contact.time_stepping`). Both lines
are read at one place: M, Φ_v and G, their factor and the responses of contacts are made once, and the second line costs
an evaluation, a solution and a problem of contact that begins with the forces of the first.

While contacts stay as they are, and over changes of sliding and sticking, it is of order 2: velocities at the ends of
steps, and mean forces, which are those in the middle of a step. An impact is put into the step in which it happens: its
time is known to h, and what follows has an error of order 1. Forces are explicit, so stiff ones bound the step.
"""

import numpy as np

from ...compiled.machine import take_accelerations
from ...compiled.status import DONE
from ...kernels.abi import compiled_apart
from ..contact.time_stepping import coast, impel, impel_anew, look_from_start
from ..derivative import accelerate, evaluate, solve_terms
from .method import H, Method, Stages, tableau
from .moreau import go_to_end, go_to_middle, keeps, read, take_middle_velocity


@compiled_apart
def step(stages: Stages) -> None:
    mechanism, state, contacts, h = stages.mechanism, stages.mechanism.state, stages.mechanism.contacts, stages.now[H]
    q, v, a = stages.y1[: state.q_end], stages.y1[state.v_at : state.v_end], stages.k[1, state.v_at : state.v_end]
    touching = contacts.gap_row.size > 0
    if touching:
        if not keeps(stages):
            return
        look_from_start(contacts, h)
    now = go_to_middle(stages)
    for again in range(2):
        if again == 0:
            stages.status[0] = accelerate(mechanism, now, q, v, a)
        else:
            stages.status[0] = solve_terms(mechanism, v, a)
        if touching and stages.status[0] == DONE:
            coast(contacts, h)
            stages.status[0] = impel_anew(mechanism, h) if again == 1 else impel(mechanism, h)
            take_accelerations(mechanism.machine, a)
        if stages.status[0] != DONE:
            return
        take_middle_velocity(stages)
        evaluate(mechanism, now, q, v)
    go_to_end(stages, now)


_NONE = np.zeros((0, 2))
_NUMBERS = tableau(1, (2, 0), np.zeros((1, 1)), np.ones(1), np.zeros(1), _NONE, np.zeros((0, 0)), means=1)
HALFEXPLICIT = Method("HalfExplicit", _NUMBERS, step, read)
