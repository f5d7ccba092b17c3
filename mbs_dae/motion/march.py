"""The records of a run: what it goes by, where it stands, and what is kept of it."""

from typing import NamedTuple

import numpy as np

from ..compiled.dynamics import SCALARS
from ..kernels.blocks import Integers, Matrix, Vector, Work, block, zeros
from .control import Control
from .course import Course
from .derivative import WORK, Mechanism
from .methods import Method
from .methods.method import Stages, Tableau
from .singular import Crossing
from .stabilise import Stabiliser


class Record(NamedTuple):
    """What is kept at the requested times; and of the end of the last step, before it is known whether it is kept."""

    times: Vector
    q: Work[Matrix] = zeros("times", "q_size")
    v: Work[Matrix] = zeros("times", "v_size")
    a: Work[Matrix] = zeros("times", "v_size")
    multipliers: Work[Matrix] = zeros("times", "rows")
    energies: Work[Matrix] = zeros("times", 2 + WORK)
    """Columns: kinetic, potential, then the works."""
    end_multipliers: Work[Vector] = zeros("rows")
    end_scalars: Work[Vector] = zeros(SCALARS)
    y: Work[Vector] = zeros("width")
    dy: Work[Vector] = zeros("width")
    kept: Work[Vector] = zeros("rows")
    """What is put back where no trace is to be left: which rows are enforced, and the nearness of a singular pose."""
    nearness: Work[Vector] = zeros(3)


class March(NamedTuple):
    """A run: what moves, how steps are made, controlled and stabilised, what is kept, and where it stands."""

    mechanism: Mechanism
    tableau: Tableau
    control: Control
    course: Course
    stabiliser: Stabiliser
    stages: Stages
    record: Record
    crossing: Crossing
    clock: Work[Vector] = zeros(3)
    """t, and the widest gap and the most energy (moving, above that of the start, gone and come) that were seen."""
    counts: Work[Integers] = zeros(3)
    """Steps accepted and rejected, and the next requested time."""


def new_march(
    mechanism: Mechanism, method: Method, control: Control, course: Course, stabiliser: Stabiliser, times: np.ndarray
) -> March:
    state, stages = mechanism.state, method.stages(mechanism, course)
    sizes = {"q_size": state.q_end, "v_size": state.v_end - state.v_at, "width": state.size}
    record = block(Record(times), times=times.size, rows=mechanism.machine.pattern.m, **sizes)
    tableau, crossing = method.tableau, block(Crossing())
    return block(March(mechanism, tableau, control, course, stabiliser, stages, record, crossing))
