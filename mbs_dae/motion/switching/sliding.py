"""Motions held on a surface where a law jumps. Compiled.

With both branches pushing towards g = 0 the motion stays on this surface, with a mixture m of the branches for which ġ
= 0. The law is a straight line between its branches, so ġ is linear in m, and two evaluations tell where it is zero:
several slides at once need one each and one more (Newton's method, in case that laws depend on products of modes).

Laws that switch on one surface have one mixture (`surfaces`). Slides may still depend on each other (three frictions
that hold two freedoms): of all m that solve S m = r the one in the range of S is taken, the limit of (S - ε)⁻¹ r. (S
has no positive eigenvalue, for both branches push back.) With a small ε Newton's steps remove its effect.

The error of g after a step is removed: with S c = -g the state moves by Σ cⱼ ∂y'/∂mⱼ, as if the mixtures had been
others for a moment. This is an impulse of the law itself: constraints and works take part in it.
"""

from ...compiled.status import DONE, NOT_CONVERGED, SINGULAR
from ...kernels.abi import compiled, compiled_apart
from ...kernels.blocks import Matrix, Vector
from ...tolerances import MIXTURE_SHIFT, SLIDING_RATE, SLIDING_ROUNDOFF, TIME_UNDERFLOW
from ..derivative import accelerate_as_held, derivative
from ..mechanism_record import Mechanism, Switches
from .rates import read_rates_here
from .switches import hold_all, laws_of, look, put_mode


@compiled_apart
def slide(mechanism: Mechanism, q: Vector, v: Vector, a: Vector) -> None:
    """Put accelerations, multipliers and modes with which all slides stay on their surfaces."""
    switches = mechanism.switches
    t, count, largest, before = switches.now[0], laws_of(switches), 0.0, 0.0
    _mark(switches)
    for k in range(count):
        if switches.slides[k] == 1:
            switches.mode[k] = 0.0
    for _ in range(6):
        _move(mechanism, t, q, v, a)
        worst = 0.0
        for k in range(count):
            switches.unknown[k] = -switches.rate[k] if switches.responding[k] == 1 else 0.0
            worst = max(worst, abs(switches.unknown[k]))
        left = SLIDING_ROUNDOFF if worst > 0.5 * before and before > 0.0 else SLIDING_RATE
        if switches.status[0] != DONE or worst <= left * largest:
            return
        before = worst
        largest = put_slopes(mechanism, t, q, v, a, MIXTURE_SHIFT)
        if switches.status[0] == DONE and not _solved(switches.slope, switches.unknown):
            switches.status[0] = SINGULAR
        if switches.status[0] != DONE:
            return
        _add(switches, 1.0)
    switches.status[0] = NOT_CONVERGED


@compiled_apart
def return_to_surfaces(mechanism: Mechanism, y: Vector) -> None:
    """Project a state onto the surfaces on which the motion is held, in place."""
    switches, state = mechanism.switches, mechanism.state
    t, count, dy, dy_other = switches.now[0], laws_of(switches), switches.dy, switches.dy_other
    q, v, a = y[: state.q_end], y[state.v_at : state.v_end], dy_other[state.v_at : state.v_end]
    switches.status[0] = derivative(mechanism, t, y, dy)
    look(mechanism)
    _mark(switches)
    size = 0.0
    for k in range(count):
        size = max(size, abs(switches.value[k]) if switches.responding[k] == 1 else 0.0)
    if switches.status[0] != DONE or size == 0.0:
        return
    read_rates_here(mechanism, t, q, v, dy[state.v_at : state.v_end])
    for k in range(count):
        switches.unknown[k] = -switches.rate[k] if switches.responding[k] == 1 else 0.0
    put_slopes(mechanism, t, q, v, a, MIXTURE_SHIFT)
    for k in range(count):
        switches.unknown[k] = -switches.value[k] if switches.responding[k] == 1 else 0.0
    if switches.status[0] != DONE or not _solved(switches.slope, switches.unknown):
        return
    moment = 0.0
    for k in range(count):
        moment = max(moment, abs(switches.unknown[k]))
    if moment <= TIME_UNDERFLOW:
        return
    _add(switches, 1.0 / moment)
    slides, switches.sliding[0] = switches.sliding[0], 0
    hold_all(mechanism)
    switches.status[0] = derivative(mechanism, t, y, dy_other)
    switches.sliding[0] = slides
    for k in range(y.size):
        y[k] += moment * (dy_other[k] - dy[k])


@compiled
def _mark(switches: Switches) -> None:
    """Mark one law for each surface on which the motion slides, in `responding`."""
    for k in range(laws_of(switches)):
        switches.responding[k] = 1 if switches.slides[k] == 1 and switches.leads[k] == k else 0


@compiled
def _add(switches: Switches, scale: float) -> None:
    """Add the solution, times `scale`, to the mixtures of all surfaces."""
    for k in range(laws_of(switches)):
        if switches.responding[k] == 1:
            put_mode(switches, k, switches.mode[k] + scale * switches.unknown[k])


@compiled_apart
def put_slopes(mechanism: Mechanism, t: float, q: Vector, v: Vector, a: Vector, blended: float) -> float:
    """Put S - ε into `slope`: the changes of the rates of the marked laws with their modes. Return the largest entry of
    S. The present rates stand in `unknown`, with the other sign."""
    switches = mechanism.switches
    count, largest, many = laws_of(switches), 0.0, 0
    for j in range(count):
        for k in range(count):
            switches.slope[k, j] = 1.0 if j == k else 0.0
        if switches.responding[j] == 0 or switches.status[0] != DONE:
            continue
        many += 1
        mode = switches.mode[j]
        put_mode(switches, j, mode + 1.0)
        _move(mechanism, t, q, v, a)
        put_mode(switches, j, mode)
        for k in range(count):
            if switches.responding[k] == 1:
                switches.slope[k, j] = switches.rate[k] + switches.unknown[k]
                largest = max(largest, abs(switches.slope[k, j]))
    for k in range(count):
        if switches.responding[k] == 1 and many > 1:
            switches.slope[k, k] -= blended * largest
    return largest


@compiled
def _move(mechanism: Mechanism, t: float, q: Vector, v: Vector, a: Vector) -> None:
    """Evaluate accelerations with the present modes, and the rates of the switching functions."""
    hold_all(mechanism)
    mechanism.switches.status[0] = accelerate_as_held(mechanism, t, q, v, a)
    read_rates_here(mechanism, t, q, v, a)


@compiled
def _solved(A: Matrix, b: Vector) -> bool:
    """Overwrite b by the solution of A x = b, by elimination with row pivots; return whether there is one. Overwrites
    A."""
    n = A.shape[0]
    for k in range(n):
        pivot = k
        for row in range(k + 1, n):
            if abs(A[row, k]) > abs(A[pivot, k]):
                pivot = row
        if A[pivot, k] == 0.0:
            return False
        for column in range(n):
            A[k, column], A[pivot, column] = A[pivot, column], A[k, column]
        b[k], b[pivot] = b[pivot], b[k]
        for row in range(n):
            if row != k:
                factor = A[row, k] / A[k, k]
                for column in range(k, n):
                    A[row, column] -= factor * A[k, column]
                b[row] -= factor * b[k]
    for k in range(n):
        b[k] /= A[k, k]
    return True
