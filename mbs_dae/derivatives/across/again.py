"""A step, a look at guards, an impact: made again by a run beside, as the run itself has made it. Compiled.

Branches, contacts, rows that are left out, gains and lengths of steps are those of the run, so that what comes out is a
smooth function of the state and of the numbers of the design.
"""

from ...compiled.machine import DONE
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Integers, Vector
from ...linear.vectors import copy
from ...motion.course import moment
from ...motion.derivative import derivative
from ...motion.methods.method import H, T, take_step
from ...motion.record import March, derivative_at_end, keep, put_back, put_right, record_to, remember
from ...motion.switching.switches import look
from .impacts import Notes, strike_alike


@compiled_apart
def make_step(march: March, t: float, end: float, closed: int):
    """The step from the state that stands in `stages`; y' at its end stands there then, too. A status."""
    stages = march.stages
    status = _rate_here(march, t)
    march.mechanism.nearness[0] = 1.0
    if status == DONE:
        status = take_step(stages, t, end - t, closed)
    if status == DONE:
        status = put_right(march, end, stages.y1)
    if status == DONE:
        status = derivative_at_end(march, end, stages.y1, stages.k[march.tableau.stages])
    return status


@compiled_apart
def read_step(march: March, t: float, end: float, changes: bool):
    """Keep the requested times of the step made last; not its end, if the run goes on from there in another way."""
    march.stages.now[T], march.stages.now[H] = t, end - t
    remember(march)
    status = record_to(march, t, end, changes)
    put_back(march)
    return status


@compiled_apart
def read_here(march: March, t: float, k: int):
    """Keep the state that stands in `stages` as requested time k."""
    status = _rate_here(march, t)
    keep(march, k, march.stages.y0, march.stages.k[0])
    return status


@compiled
def _rate_here(march, t):
    remember(march)
    status = derivative_at_end(march, t, march.stages.y0, march.stages.k[0])
    put_back(march)
    return status


@compiled_apart
def read_energy(march: March):
    """y' and the energies of the state that stands in `stages`, into the record."""
    return _rate_here(march, march.time[0])


@compiled_apart
def read_guards_at(march: March, t: float, y: Vector, guards: Vector):
    """The guards of all branches and contacts in a state. A status."""
    mechanism = march.mechanism
    remember(march)
    status = derivative(mechanism, moment(march.course, t), y, march.search.dy)
    look(mechanism)
    copy(mechanism.switches.guard, guards)
    put_back(march)
    return status


@compiled_apart
def meet(march: March, t: float, y: Vector, meeting: Integers, modes: Vector, notes: Notes):
    """y becomes the state behind an impact of these points, which leads to these modes and is decided as noted, or what
    is decided is noted. A status."""
    search = march.search
    search.span[0], search.status[0] = t, DONE
    remember(march)
    strike_alike(search, y, meeting, modes, notes)
    put_back(march)
    return search.status[0]
