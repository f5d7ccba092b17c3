"""Wide gaps: most steps end far from any contact, and one evaluation within shows it. Compiled.

While gaps are the only guards, a step closes none of them if nothing moves as far in it as each gap is wide, even with
the largest of all velocities along all of its slopes, |ġ| <= |G|₁ max|v| + |ν|. This is tested at the beginning of the
step, at its end, and at its golden section; `locate.first_wrong` examines all other steps closely.

A distance changes by no more than bodies move, so between these places it keeps two thirds of its width. Another kind
of gap, one that oscillates along the way, might be wide and flat at all of them and closed in between. But a sine of n
turns in a step that is flat enough to pass at a place is within 0.05/n turns of its top there (its bottom is a closed
gap), and n turns times the golden section are farther than 0.38/n from any integer.
"""

from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Vector
from ...linear.vectors import copy
from ..contact.gaps import has_gaps_alone, observe_gaps
from ..course import moment
from ..mechanism_record import Mechanism
from ..methods.method import Stages, X
from ..methods.runge_kutta import read_cubic
from .search import Search

GOLDEN = 0.3819660112501051
"""(3 - √5)/2: of all numbers the farthest from fractions."""


@compiled_apart
def stays_wide(search: Search, t: float, h: float) -> bool:
    """Return whether no gap closes in the step whose end has been evaluated last."""
    stages, y = search.stages, search.y
    if not has_gaps_alone(stages.mechanism) or not _is_wide(stages.mechanism, h):
        return False
    copy(stages.y0, y)
    _observe(stages, t, y)
    if not _is_wide(stages.mechanism, h):
        return False
    stages.now[X] = GOLDEN
    read_cubic(stages, y)
    _observe(stages, t + GOLDEN * h, y)
    return _is_wide(stages.mechanism, h)


@compiled
def _observe(stages: Stages, t: float, y: Vector) -> None:
    state = stages.mechanism.state
    observe_gaps(stages.mechanism, moment(stages.course, t), y[: state.q_end], y[state.v_at : state.v_end])


@compiled
def _is_wide(mechanism: Mechanism, h: float) -> bool:
    """Return whether each gap, at the last evaluation, is wider than anything goes in the step."""
    contacts, wide = mechanism.contacts, True
    for row in contacts.gap_row:
        wide = wide and (row < 0 or h * contacts.motion.rate_size[row] < contacts.motion.phi[row])
    return wide
