"""The records of a run: what it goes by, where it stands, and what is kept of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.state import WORK
from ..kernels.blocks import Integers, Matrix, Vector, Work, block
from .control import Control
from .course import Course
from .derivative import Mechanism
from .methods import Method
from .methods.method import Stages, Tableau
from .singular import Crossing, new_crossing
from .stabilise import Stabiliser


class Record(NamedTuple):
    """What is kept at the requested times; and of the end of the last step, before it is known whether it is kept."""

    times: Vector
    q: Work[Matrix]
    v: Work[Matrix]
    a: Work[Matrix]
    multipliers: Work[Matrix]
    energies: Work[Matrix]
    """Columns: kinetic, potential, then the works."""
    end_multipliers: Work[Vector]
    end_scalars: Work[Vector]
    y: Work[Vector]
    dy: Work[Vector]
    kept: Work[Vector]
    """What is put back where no trace is to be left: which rows are enforced, and the nearness of a singular pose."""
    nearness: Work[Vector]


def new_record(mechanism: Mechanism, times: np.ndarray) -> Record:
    rows, state, zeros = mechanism.machine.pattern.m, mechanism.state, np.zeros
    v_size = state.v_end - state.v_at
    return block(
        Record(
            times=times,
            q=zeros((times.size, state.q_end)),
            v=zeros((times.size, v_size)),
            a=zeros((times.size, v_size)),
            multipliers=zeros((times.size, rows)),
            energies=zeros((times.size, 2 + WORK)),
            end_multipliers=zeros(rows),
            end_scalars=zeros(mechanism.scalars.size),
            y=zeros(state.size),
            dy=zeros(state.size),
            kept=zeros(rows),
            nearness=zeros(3),
        )
    )


class March(NamedTuple):
    """A run: what moves, how steps are made, controlled and stabilised, what is kept, and where it stands."""

    mechanism: Mechanism
    tableau: Tableau
    control: Control
    course: Course
    stabiliser: Stabiliser
    stages: Stages
    record: Record
    clock: Work[Vector]
    """t, and the widest gap and the most energy (moving, above that of the start, gone and come) that were seen."""
    crossing: Crossing
    counts: Work[Integers]
    """Steps accepted and rejected, and the next requested time."""


def new_march(
    mechanism: Mechanism,
    method: Method,
    control: Control,
    course: Course,
    stabiliser: Stabiliser,
    times: np.ndarray,
) -> March:
    stages, record = method.stages(mechanism, course), new_record(mechanism, times)
    counts, crossing = np.zeros(3, dtype=np.int64), new_crossing()
    parts = (mechanism, method.tableau, control, course, stabiliser, stages, record)
    return block(March(*parts, np.zeros(3), crossing, counts))
