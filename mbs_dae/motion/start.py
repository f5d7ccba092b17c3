"""What a run chooses for itself at its start: the first step, and the gains of Baumgarte's method."""

from __future__ import annotations

from ..tolerances import MARGIN, PACE, STIFF
from .control import first_step
from .march import March
from .run import pace
from .stabilise import Stabilization


def set_first_step(march: March) -> None:
    control, course, t = march.control, march.course, march.record.times
    if control.fixed > 0.0:
        control.step[0] = control.fixed
        return
    control.step[0] = first_step(
        march.mechanism, march.tableau, control, course, march.stages, t[0], course.ends[0] - t[0]
    )


def set_gains(march: March, how: Stabilization) -> None:
    """α and β as given, or α = β = ω for critical damping, ω being the pace of the motion: at every step where steps
    are controlled, at the first state where they are fixed.

    A method of order p that just meets a tolerance with steps h follows rates up to about rtol^(1/p) / h; where the
    motion is faster than that, as it is for smooth stretches, ω is a few times this.
    """
    gains, fixed = march.stabiliser.gains, march.control.fixed
    if how.gains is not None:
        gains[:] = how.gains
    elif fixed == 0.0:
        march.stabiliser.rule[0] = PACE
        march.stabiliser.rule[1] = min(STIFF, MARGIN * march.control.rtol ** (1.0 / march.tableau.order))
    else:
        gains[:] = min(STIFF / fixed, PACE * (pace(march) or 1.0))
