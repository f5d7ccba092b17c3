"""Close the gaps: from any placement to a pose with Φ(q, t) = 0, or an error with the reason why there is none.

Newton's step is the least change of the bodies (norm W) that cancels the linearised residual. Far from the solution it
is shortened: no body turns by more than TURN in one step, a line search demands that the gaps shrink, and where that
fails the step is damped (Levenberg-Marquardt). Where all this ends without closing, other starts are tried: if one of
them closes, the guess was bad; if none does, the mechanism cannot reach.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite

import numpy as np

from ..compiled import System
from ..compiled.machine import Machine, observe
from ..compiled.manifold import move
from ..compiled.structure import Structure
from ..coordinates import body_coordinates
from ..errors import AssemblyError, ModelError, counted
from ..kernels.abi import compiled_apart
from ..kernels.blocks import Integers, Vector
from ..model.bodies.body import Marker
from ..model.drivers import Driver, FixedQuantity, Prescribed
from ..model.joints import CamFollower, Spherical
from ..readings.motion import marker_frame, marker_frames
from ..tolerances import CLOSURE_LIMIT, POLE_DISTANCE, RATE_INDEPENDENCE
from . import newton
from .dependence import PoseRank, elements_of
from .newton import finish
from .slips import with_notes
from .trajectories import put_prescribed_attitudes

TURN = 0.5
"""The longest first step of a body: radians, or model lengths."""
ITERATIONS = 1000
PATIENCE, PROGRESS = 50, 0.9
"""An attempt ends if the sum of squared gaps has not fallen by this factor after so many iterations."""
NEAR, NEWTON = 1e-1, 1e-2
"""Gaps, relative to the model's length, below which plain Newton is tried first, and may finish, if it moves bodies by
no more than TURN."""
FAR = 1e-1
"""A step whose admissible part is smaller leads far away; it is taken whole if it leaves gaps of the square of this."""
RESTARTS = 16


@dataclass(frozen=True)
class Attempt:
    """The end of an attempt: the pose, whether it is closed, and the gap and the residual of each row."""

    q: np.ndarray
    closed: bool
    gaps: np.ndarray
    residuals: np.ndarray


def closed(system: System, machine: Machine, t: float, guess: np.ndarray) -> np.ndarray:
    """Return the closed pose that Newton's method reaches from a guess; raise an error with the reason if there is
    none."""
    guess = put_prescribed_attitudes(system, t, guess)
    check_finite(system, machine, t, guess)
    guess = _turned_near(system, machine, t, guess)
    attempt = close_from_afar(machine, t, guess)
    inverted = turned_over(system, attempt.q) if attempt.closed else ()
    if attempt.closed and not inverted:
        return attempt.q
    restarts = [close_from_afar(machine, t, start) for start in _random_starts(system, guess)]
    if inverted:  # a body stands on its head: take the nearest start without such a body
        upright = [r.q for r in restarts if r.closed and not turned_over(system, r.q)]
        if upright:
            return min(upright, key=lambda q: float(system.weight @ system.between(guess, q) ** 2))
        what = f"{system.model.name!r} closes at t = {t:g} only with axes of {', '.join(inverted)} against each other"
        remedy = "turn the bodies nearer to their places, or mind the sense of these axes"
        message = f"{what} (bad guess): a body stands on its head; {remedy}"
        raise _assembly_error(system, t, attempt, message, "bad guess", inverted, {})
    success = next((r for r in restarts if r.closed), None)
    best = attempt if success else min([attempt, *restarts], key=lambda c: c.gaps.max(initial=0.0))
    raise assembly_error(system, t, best, success)


@compiled_apart
def close_at_once(machine: Machine, t: float, guess: Vector, driven: Integers, still: Vector, q: Vector) -> bool:
    """Write the closed pose into q if plain Newton reaches it from the guess; return whether it does, False if the full
    search is needed. (Bodies that stand on their heads are not detected.) `driven` are the `driven_rows`."""
    observe(machine, t, guess, still)
    total = 0.0
    for row in range(machine.phi.size):
        total += abs(machine.phi[row])
    for k in range(driven.size):
        if abs(machine.phi[driven[k]]) > np.pi:  # whole turns away
            return False
    return total < np.inf and finish(machine, t, guess, still, q, NEAR * machine.length, TURN * machine.length)


def driven_rows(structure: Structure) -> np.ndarray:
    """Return the numbers of the rows that prescribe angles of bodies."""
    return np.array([row for _, row in structure.once(_driven_angles)], dtype=np.int64)


def close_from_afar(machine: Machine, t: float, guess: np.ndarray) -> Attempt:
    """Return the end of a damped Newton method with a line search, from any guess."""
    q = guess.copy()
    if (attempt := _newton_attempt(machine, t, q, NEAR)) is not None:
        return attempt
    damping, goal = 0.0, np.inf
    try:
        for count in range(ITERATIONS):
            machine.factor.damping[0] = damping
            before = _gaps(machine, t, q)
            if not CLOSURE_LIMIT * machine.length < before.max(initial=0.0) < np.inf:
                break
            if count % PATIENCE == 0:
                if not before @ before < PROGRESS * goal:
                    break
                goal = float(before @ before)
            length = newton.newton_step(machine, 0 if damping else 1)
            step = machine.x.copy()
            if not np.isfinite(length):
                damping = max(10.0 * damping, 1e-6)
                continue
            longest = np.abs(np.sqrt(machine.factor.weight) * step).max(initial=0.0)
            shrink = min(1.0, TURN * machine.length / longest) if longest > 0 else 1.0
            fraction = _line_search(machine, t, q, step, shrink, before)
            if fraction == 0.0:
                if damping > 1e8:
                    break
                damping = max(10.0 * damping, 1e-6)
                continue
            move(machine.manifold, q, fraction * step)
            damping = 0.0 if damping < 1e-7 or fraction < shrink else damping / 10.0
    finally:
        machine.factor.damping[0] = 0.0
    if (attempt := _newton_attempt(machine, t, q, NEWTON)) is not None:
        return attempt
    return Attempt(q, False, _gaps(machine, t, q), machine.phi.copy())


def _newton_attempt(machine: Machine, t: float, q: np.ndarray, near: float) -> Attempt | None:
    """Return the result of plain Newton from a nearly closed pose; None if the pose is not nearly closed, or if Newton
    moves too far."""
    solution, still, length = np.empty_like(q), np.zeros(machine.here.v.size), machine.length
    if not newton.finish(machine, t, q, still, solution, near * length, TURN * length):
        return None
    return Attempt(solution, True, machine.g.copy(), machine.phi.copy())


def turned_over(system: System, q: np.ndarray) -> tuple[str, ...]:
    """Return the joints whose markers have parallel axes, or frames, that point in opposite directions.

    Φ contains right angles (the z axis of one marker against the x and y axes of the other), which also hold when a
    body stands on its head. From a rough placement Newton's method may end in such a pose: closed to roundoff, and
    wrong."""
    return tuple(name for name, wrong in turned_over_in(system, q[None]).items() if wrong[0])


def turned_over_in(system: System, q: np.ndarray) -> dict[str, np.ndarray]:
    """Return for each joint whose axes must not be opposite, by name, in which poses they are (a row of q each)."""
    found = dict[str, np.ndarray]()
    for element in system.model.conditions if system.model.dimension == 3 else ():
        if element.facing:
            first, second = (marker_frames(system, q, marker)[1] for marker in element.markers[:2])
            x, y, z = (first * second).sum(axis=1).T
            wrong = {"axis": z < 0, "frame": np.minimum(np.minimum(x, y), z) < 0.5, "twist": x + y < 0}
            found[element.name] = wrong[element.facing]
    return found


def _turned_near(system: System, machine: Machine, t: float, guess: np.ndarray) -> np.ndarray:
    """Return the guess with whole turns added to bodies with a driven angle, where this reduces the gaps: a crank that
    has turned a thousand times is in its old place."""
    q = guess
    for marker, row in system.structure.once(_driven_angles):
        if not (turns := -round(machine.phi[row] / (2 * np.pi))):
            continue
        gaps, trial = _gaps(machine, t, q), q.copy()
        turn = np.array(body_coordinates(system.model.dimension).whole_turn(marker, system.evaluator))
        trial[list(system.layout.q[marker.body])] += turns * turn
        trial_gaps = _gaps(machine, t, trial)
        if trial_gaps @ trial_gaps < gaps @ gaps:
            q = trial
        observe(machine, t, q, system.still)
    return q


def _driven_angles(structure: Structure) -> list[tuple[Marker, int]]:
    """Return the markers with a driven angle, and the row of each."""
    return [
        (element.markers[-1], int(structure.rows_of[element.name][0]))
        for element in structure.model.elements.values()
        if isinstance(element, Driver | FixedQuantity)
        and element.measure.kind == "angle"
        and not element.markers[-1].body.fixed
    ]


def _gaps(machine: Machine, t: float, q: np.ndarray) -> np.ndarray:
    """Return the gap of each row in a pose, and factorise there; infinite where the equations have no value."""
    if not newton.evaluate_and_factorise(machine, t, q, np.zeros(machine.here.v.size), True):
        return np.full(machine.g.size, np.inf)
    newton.gaps(machine, machine.phi)
    return machine.g.copy()


def _line_search(
    machine: Machine, t: float, q: np.ndarray, step: np.ndarray, longest: float, before: np.ndarray
) -> float:
    """Return the longest of 1, ½, ¼, ... of the step that reduces the sum of squared gaps; 0 if none does. A step of
    many model lengths is taken whole if it leaves almost no gap: it is straight, like the motion of a body to a far
    place."""
    newton.gaps(machine, np.ones(machine.g.size))
    scale = machine.g.copy()

    def merit(fraction: float) -> float:
        trial = q.copy()
        move(machine.manifold, trial, fraction * step)
        observe(machine, t, trial, np.zeros(machine.here.v.size))
        gaps = machine.phi * scale
        return float(gaps @ gaps)

    if longest < FAR and merit(1.0) <= FAR**4 * (before @ before):
        return 1.0
    fractions = longest * 0.5 ** np.arange(12)
    return next((float(f) for f in fractions if merit(f) <= (1.0 - 1e-3 * f) * (before @ before)), 0.0)


def _random_starts(system: System, guess: np.ndarray) -> list[np.ndarray]:
    """Return other placements, the same in every call: all bodies turned and moved at random."""
    random = np.random.default_rng(20)
    angles = np.tile(body_coordinates(system.model.dimension).turns, len(system.bodies))
    starts = []
    for _ in range(RESTARTS):
        shift = random.uniform(-1.0, 1.0, system.nv) / np.sqrt(system.weight) * system.length
        starts.append(system.moved(guess, shift * np.where(angles, np.pi, 1.0)))
    return starts


def check_finite(system: System, machine: Machine, t: float, q: np.ndarray) -> None:
    """Evaluate the equations at this pose and time; raise a `ModelError` if any has no value."""
    observe(machine, t, q, system.still)
    if isfinite(sum(float(x @ x) for x in (machine.phi, machine.nu, machine.gamma, machine.factor.jacobian))):
        return
    finite = np.isfinite(machine.phi) & np.isfinite(machine.nu) & np.isfinite(machine.gamma)
    finite[system.pattern.jac_row[~np.isfinite(machine.factor.jacobian)].astype(int)] = False
    if not finite.all():
        element = system.model.elements[system.rows[int(np.argmin(finite))].element]
        if pole := pole_message(system, q):
            raise ModelError(
                f"{element.who} has no value at t = {t:g}: {pole}",
                code="angle-without-value", model=system.model.name, time=t, joints=(element.name,),
            )  # fmt: skip
        what = f"{element.who} is not finite at t = {t:g} (it, or a derivative)"
        remedy = "correct its function or keep away from that time and pose"
        raise ModelError(
            f"{what}; {remedy}", code="not-finite", model=system.model.name, time=t, joints=(element.name,)
        )


def pole_message(system: System, q: np.ndarray) -> str:
    """Return a message that names the first element with an angle without a value in this pose, and the remedy; empty
    if there is none. A point in the centre of its cam has no polar angle; a ball that is turned by a right angle about
    its second axis has its first and its third axis in one line."""
    model = system.model
    driven = {e.measure.markers for e in model.elements.values() if isinstance(e, Driver | FixedQuantity)}
    for element in model.elements.values():
        if not isinstance(element, CamFollower | Spherical):
            continue
        (p_i, axes_i), (p_j, axes_j) = (marker_frame(system, q, marker) for marker in element.markers[:2])
        if isinstance(element, Spherical):  # sin(angle_2) = x_i · z_j
            if element.markers in driven and np.hypot(*(axes_i[:, 1:].T @ axes_j[:, 2])) < POLE_DISTANCE:
                what = f"{element.who} is turned by angle_2 = ±π/2, where angle_1 and angle_3 are about one line and "
                what += "their values are not determined"
                return f"{what}; place the body aside of it, or turn the axes of the joint with axis= and x_axis="
        elif element.values["follower"] == "point" and np.linalg.norm((p_j - p_i)[:2]) < POLE_DISTANCE * system.length:
            what = f"{element.who} leads its point into the centre of the cam, where the polar angle has no value"
            return f"{what}; add a base radius to its profile"
    return ""


def assembly_error(system: System, t: float, best: Attempt, success: Attempt | None) -> AssemblyError:
    """Return the error of a failed assembly: the joints, their gaps, and whether another start (`success`) closes."""
    residuals = element_gaps(system, best)
    ranked = sorted(residuals, key=lambda name: -residuals[name][0])
    worst = [
        *ranked[:3],
        *(name for name in ranked[3:] if isinstance(system.model.elements[name], Prescribed | FixedQuantity)),
    ]
    parts = [f"{name} misses by {residuals[name][0]:.3g} {residuals[name][1]}" for name in worst]
    kind = "cannot reach" if success is None else "bad guess"
    if pole := pole_message(system, best.q):
        remedy = pole
    elif success is None:
        remedy = _too_many_drivers(system, t, best.q) or (
            "No other start does better, so the dimensions do not allow a closed position (or constraints contradict "
            "each other: mbs.diagnose(model) tells); change lengths, fixed values or drivers of these joints"
        )
    else:
        # the rows that depend on each other where the attempt stopped, but not in the closed pose
        stop, pose = (PoseRank(system, t, q, RATE_INDEPENDENCE) for q in (best.q, success.q))
        circuits = stop.circuits(range(len(system.rows)))
        locked = elements_of(system, [k for c in circuits if not pose.dependent(c.rows) for k in c.rows])
        reason = f"it stands on a dead centre, where {', '.join(locked)} lock" if locked else "it is too far off"
        remedy = (
            f"Another start does close, but from the placement none is reached, because {reason}; place the bodies "
            f"nearer to the wanted position{', aside of the dead centre' * bool(locked)}, or fix a value: "
            "assemble(model, fix={...})"
        )
    what = f"{system.model.name!r} does not assemble at t = {t:g} ({kind}): {'; '.join(parts)}. {remedy}"
    gaps = {name: gap for name, (gap, _) in residuals.items()}
    return _assembly_error(system, t, best, what, kind, tuple(worst), gaps)


def _assembly_error(
    system: System, t: float, attempt: Attempt, message: str, kind: str, joints: tuple[str, ...], gaps: dict[str, float]
) -> AssemblyError:
    worst, pose = max(gaps.values(), default=0.0), attempt.q[: system.nq]
    message = with_notes(system, message)
    return AssemblyError(
        message,
        code="does-not-assemble", model=system.model.name, kind=kind, time=t, joints=joints, residuals=gaps, gap=worst,
        pose=pose,
    )  # fmt: skip


def _too_many_drivers(system: System, t: float, q: np.ndarray) -> str | None:
    """Return a text if there are more drivers and fixed values than freedoms; else None."""
    drivers = [e.name for e in system.model.elements.values() if isinstance(e, Prescribed | FixedQuantity)]
    pose = PoseRank(system, t, q)
    joints = [k for k, row in enumerate(system.rows) if row.element not in drivers]
    freedom = system.nv - len(joints) + len(pose.dependent(joints))
    if len(drivers) <= freedom:
        return None
    return (
        f"The drivers and fixed values ({', '.join(drivers)}) need {counted(len(drivers), 'degree')} of freedom, and "
        f"the joints leave {freedom}: take {len(drivers) - freedom} of them away{removal_example(system, drivers)}"
    )


def removal_example(system: System, names: Iterable[str]) -> str:
    """Return an example of how to remove a driver among these; empty if there is none."""
    driver = next((name for name in names if isinstance(system.model.elements[name], Prescribed)), None)
    return "" if driver is None else f", e.g. model = model.without({driver!r})"


def element_gaps(system: System, attempt: Attempt) -> dict[str, tuple[float, str]]:
    """Return how far each element is from closing, with the unit: the distance between its points if its equations are
    lengths, the angle if they are angles (the larger of both, a radian counting as the model's length); for equations
    of another kind, the distance that bodies must move."""
    worst: dict[str, tuple[float, str]] = {}
    for name in system.model.elements:
        rows = [(system.rows[k].unit, attempt.residuals[k], attempt.gaps[k]) for k in system.rows_of(name)]
        metres = float(np.hypot.reduce([r for unit, r, _ in rows if unit == "m"] or [0.0]))
        radians = max([abs(float(r)) for unit, r, _ in rows if unit == "rad"], default=0.0)
        distance = max([float(gap) for unit, _, gap in rows if unit not in ("m", "rad")], default=0.0)
        angle_counts = radians * system.length > max(metres, distance)
        worst[name] = (radians, "rad") if angle_counts else (max(metres, distance), "m")
    return {name: pair for name, pair in worst.items() if pair[0] > 1e-9 * system.length} or worst
