"""Methods of integration: how one makes a step, and how the step is read between its ends.

A method is one file beside this one and a line in ``methods/__init__.py``. It gives

1. its numbers, a `Tableau`: its order, its nodes, and the weights of its error estimate;
2. ``step``: from y₀ and k₀ = y'(t₀), which stand in the `Stages`, to y₁. It puts y' at node s into k[s], the sine of
   that node into sines[s], and a status. The run stabilises y₁ and puts y' there into k[tableau.stages]. (A method with
   `means` puts y' there itself, multipliers into `loads` and the forces of contacts into `Contacts.force`);
3. ``read``: y at t₀ + x h; and ``prepare``, if there is work to do once before a step is read.

These functions are called by address, so that each is compiled when its method is first used.
"""

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from ...compiled.manifold import most_turned
from ...compiled.status import DONE, NOT_CONVERGED
from ...kernels.abi import call_on_block, compiled
from ...kernels.blocks import Integers, Matrix, Vector, Work, block, ones, zeros
from ...kernels.functions import addresses
from ...linear.vectors import axpy
from ..course import Course
from ..implicit.iteration import Implicit, implicit_parts, not_implicit
from ..implicit.linearised import Linearised
from ..mechanism_record import Mechanism


class Tableau(NamedTuple):
    """The numbers of a method."""

    stages: int
    """The number of evaluations that lead to y₁; the evaluation at y₁ is the first of the next step."""
    order: int
    error_order: int
    """The error estimate shrinks like h to this power plus one."""
    stable: float
    """The rate of decay times h above which a step is unstable; infinite for methods made for stiff systems."""
    end_in_error: int
    """1 if the error estimate needs the evaluation at y₁, else 0."""
    a: Matrix
    b: Vector
    c: Vector
    error: Matrix
    """The weights of the k in the error: a row for the estimate, a second one (of lower order) that is combined with
    the first, if there is one; none for steps of one length. (Implicit methods put the estimate itself after the k.)"""
    dense: Matrix
    middle: float
    """The middle of the widest gap between nodes: where a singular pose is crossed (see `singular`)."""
    half: float
    """Half the width of that gap."""
    inner: int
    """A stage well inside the step."""
    means: int
    """1 if a step yields *mean* accelerations and forces over its length, for velocities jump within it: nothing is
    evaluated at its end, and switches are not located."""


class Stages(NamedTuple):
    """A step of a method, and its work space."""

    mechanism: Mechanism
    course: Course
    tableau: Tableau
    functions: Integers
    """The addresses of `STEP`, `PREPARE` and `READ`."""
    implicit: Implicit
    y0: Work[Vector] = zeros("width")
    y1: Work[Vector] = zeros("width")
    between: Work[Vector] = zeros("width")
    k: Work[Matrix] = zeros("nodes", "width")
    dense: Work[Matrix] = zeros("room", "width")
    estimate: Work[Matrix] = zeros(2, "width")
    """The error estimates: the weights of the error times the k (`estimate_error`)."""
    sines: Work[Vector] = ones("nodes")
    """The sines by which the constraints are independent at every stage, and at the end."""
    loads: Work[Vector] = zeros("rows")
    """The mean multipliers of a step with `means`."""
    now: Work[Vector] = zeros(5)
    """t₀, h, the x at which the step is read, the longest next step, and the end of the step as the run wants it."""
    closed: Work[Integers] = zeros(1)
    """1 if stages are put onto the constraints."""
    status: Work[Integers] = zeros(1)


STEP, PREPARE, READ = 0, 1, 2
T, H, X, LONGEST, END = range(5)
TURNED, AIMED = 3.0, 2.5
"""The largest turn of an attitude (rad) in a step in a chart, which ends at a whole turn; and the turn that is aimed
at."""


@dataclass(frozen=True, eq=False)
class Method:
    name: str
    tableau: Tableau
    step: Any
    read: Any
    prepare: Any = None
    room: int = 0
    """The number of rows of the size of y that reading needs."""
    inner: int = 0
    """The number of stages that depend on each other and are solved for by Newton's method, with `Linearised`
    equations."""
    recipe: tuple[Any, ...] | None = None
    """The function that makes the method, and its arguments; None for a constant of its module."""

    def __reduce__(self) -> Any:
        """Return the function and arguments by which unpickling finds or makes the method: a process has one of
        each."""
        return self.recipe or (_constant_of, (self.step.__module__, self.name.upper()))

    @property
    def order(self) -> int:
        return self.tableau.order

    @property
    def is_controlled(self) -> bool:
        """Whether the method estimates its error, so that it can choose its steps."""
        return len(self.tableau.error) > 0

    @property
    def steps_over(self) -> bool:
        """Whether the method steps over impacts and switches, without locating them."""
        return self.tableau.means == 1

    @property
    def projects(self) -> bool:
        """Whether constraints are projected unless the user chooses otherwise: with long steps, or jumps of velocities,
        gains have little effect."""
        return self.is_implicit or self.steps_over

    @property
    def is_implicit(self) -> bool:
        return self.inner > 0

    @cached_property
    def functions(self) -> np.ndarray:
        """The addresses of step, prepare and read; 0 for one that does not exist."""
        own = (self.step, self.prepare, self.read)
        return addresses(own)

    def stages(self, mechanism: Mechanism, course: Course, newton: Linearised | None) -> Stages:
        """Return the work space of steps in this course of time."""
        implicit = implicit_parts(newton) if newton else not_implicit()
        stages = Stages(mechanism, course, self.tableau, self.functions, implicit)
        sizes = {"width": mechanism.state.size, "rows": mechanism.machine.pattern.m}
        return block(stages, nodes=self.tableau.a.shape[1], room=self.room, **sizes)


def _constant_of(module: str, name: str) -> Method:
    return getattr(import_module(module), name)


@compiled
def take_step(stages: Stages, t: float, h: float, closed: int) -> int:
    """Make y₁ from y₀ and k₀, which must stand in `stages`; if `closed`, put stages onto the constraints. Return a
    status."""
    stages.now[T], stages.now[H], stages.now[LONGEST] = t, h, np.inf
    stages.closed[0] = closed
    unseen = stages.mechanism.contacts.choice.closed_only
    unseen[0] = 1 - stages.tableau.means
    call_on_block(stages.functions[STEP], stages, ())
    unseen[0] = 0
    return stages.status[0]


@compiled
def estimate_error(stages: Stages) -> None:
    """Put the estimates of the error of y₁ over h."""
    weights, k = stages.tableau.error, stages.k
    for row in range(weights.shape[0]):
        estimate = stages.estimate[row]
        estimate[:] = 0.0
        for s in range(weights.shape[1]):
            if weights[row, s] != 0.0:
                axpy(weights[row, s], k[s], estimate)


@compiled
def bound_turns(stages: Stages, chart: Vector) -> None:
    """Refuse a step in which an attitude turns too far in its chart, and put the length of the longest next step."""
    turned = most_turned(stages.mechanism.machine.manifold, chart)
    stages.now[LONGEST] = stages.now[H] * AIMED / turned if turned > 0.0 else np.inf
    if turned > TURNED:
        stages.status[0] = NOT_CONVERGED


@compiled
def prepare_reading(stages: Stages) -> int:
    """Prepare the step made last, with its end settled, for reading; to be called once. Return a status."""
    stages.status[0] = DONE
    if stages.functions[PREPARE] != 0:
        call_on_block(stages.functions[PREPARE], stages, ())
    return stages.status[0]


@compiled
def read_between(stages: Stages, x: float, out: Vector) -> None:
    """Put y at t₀ + x h, between both ends of the step, into `out`."""
    stages.now[X] = x
    call_on_block(stages.functions[READ], stages, (out,))


def tableau(
    stages: int, orders: tuple[int, int], a: np.ndarray, b: np.ndarray, c: np.ndarray, error: np.ndarray,
    dense: np.ndarray, stable: float = np.inf, end_in_error: int = 0, means: int = 0,
) -> Tableau:  # fmt: skip
    """Return a tableau with as many columns as there are k, those after the step included; and with numbers that follow
    from the nodes: the widest gap between them, and a stage well inside the step."""
    width = max(stages + 1, len(c), error.shape[1])
    nodes = np.unique([*c, 1.0])
    widest = int(np.argmax(np.diff(nodes)))
    low, high = nodes[widest : widest + 2]
    inner = int(np.argmin(abs(c[:stages] - 0.6)))
    a = np.pad(a, ((0, 0), (0, width - a.shape[1])))
    b, c, error, dense = (np.array(x, dtype=float) for x in (b, c, error, dense))
    middle, half = (low + high) / 2, (high - low) / 2
    return block(Tableau(stages, *orders, stable, end_in_error, a, b, c, error, dense, middle, half, inner, means))
