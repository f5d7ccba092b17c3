"""Kinematics: every pose, velocity and acceleration of a driven mechanism.

Each pose is predicted from the last one (q + h v + h² a / 2), corrected by Newton's method, and accepted only if one
smooth motion passes through both; otherwise the step is halved. A step that cannot be halved further ends at a dead
point: the driver prescribes a motion that the mechanism does not have. A requested time may also fall on a change
point, where Φ_v loses rank but the motion goes on: the first-order equations do not determine the velocity there, and
the pose is taken from the smooth motion on both its sides (`continuation.bridge`).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arguments import check_tables, checked_times, system_of, truth_of
from ..certify.motion import certified_motion, set_certificate
from ..compiled import System
from ..compiled.machine import EVALUATIONS, FACTORISATIONS, HALVINGS, POSES, Machine
from ..compiled.reading import Trajectory
from ..compiled.status import DONE, ENDLESS, NEAR
from ..derivatives.parameters import motion_variables
from ..derivatives.results import with_derivatives
from ..errors import ModelError, checked_options, counted
from ..explain.axes import check_axes, check_turns
from ..explain.contacts import note_on_overlap
from ..explain.prescribed import check_jumps, singular_start, stop_reason
from ..kernels.blocks import block
from ..model.breaks import breaks_of, put_on_breaks
from ..model.model import Model
from ..poses import continuation
from ..poses.assembly import assembled
from ..poses.newton import dependent_counts
from ..poses.redundancy import is_momentary
from ..poses.slips import free_bodies, loose_bodies, open_ends, slips_in_assembly, with_notes
from ..poses.trajectories import check_trajectories
from ..progress import Progress, progress_bar
from ..readings.motion import result_of
from ..results.result import Result, State

CHUNK, PATIENCE = 5000, 5e5
"""Greatest number of poses, and of unknowns solved for, between two checks of the progress bar and Ctrl-C."""

BRIDGED = "at change points the motion is the smooth one; velocities there come from both its sides"


@checked_options
def kinematics(
    model: Model | System, times: Sequence[float] | np.ndarray = (), start: State | None = None,
    progress: Progress | None = None, derivatives: Sequence[Any] = (), certify: bool = False,
) -> Result:  # fmt: skip
    """Return the positions, velocities and accelerations of a driven mechanism at every time, as a `Result`.

    All degrees of freedom must be driven. `times` are in s. The result holds the motion of the bodies in every
    coordinate set: ``kinematics(model.compile("natural"), times)``. The first pose is assembled from the placement, or
    from the state `start`, which chooses the assembly branch. ``progress(done, total)`` is called repeatedly.
    `derivatives` names parameters and constants by which the motion is differentiated: see `Result.d`. With `certify`,
    ``result.certificate`` is a `MotionCertificate`. Raises `SingularConfigurationError` at a dead point; its ``result``
    holds the motion up to there.

    >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A")
    >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 10 * mbs.t))
    >>> motion = mbs.kinematics(rod, np.linspace(0, np.pi / 10, 3))  # half a turn
    >>> motion["rod.B.vy"].round(6)[[0, 2]]  # 0.3 m times 10 rad/s
    array([ 3., -3.])
    >>> float(motion["rod.B.ay"][1].round(6))  # at the top, 0.3 m times (10 rad/s)²
    -30.0
    """
    system, certify = system_of(model), truth_of(certify, "certify says whether the motion is to be proven")
    model, bodies = system.model, system.cartesian
    t, request = checked_times(times), motion_variables(model, derivatives)
    check_tables(model, t)
    check_trajectories(model, t)
    _, moments = put_on_breaks(t, breaks_of(system.structure.with_breaks, system.evaluator, t[0], t[-1]))
    first = assembled(model, moments[0], start=start)
    machine = system.machine()
    check_axes(bodies, first)
    kinks, slips = check_jumps(first, t[-1]), slips_in_assembly(first.system, first.full_q)
    path = Trajectory(moments, *system.layout.motion(t.size))
    path.q[:1], path.v[:1], path.a[:1] = system.from_bodies(first.motion)
    redundant = redundant_rows(system, machine, moments, first, path.q[0], path.v[0])

    done, message, change_points = 1, "", list[float]()
    facts = {"redundant_equations": redundant[0], "change_points": change_points}
    chunk = poses_at_once(machine)
    with progress_bar(f"kinematics of {model.name}", progress) as watch:
        try:
            while done < t.size:
                stop = min(done + chunk, t.size)
                status = continuation.walk(machine, block(path), done, stop, *redundant)
                done, reached = int(machine.counts[POSES]), float(machine.reached[0])
                if status != DONE:
                    if status != ENDLESS and continuation.bridge(machine, path, done):
                        change_points.append(float(t[done]))
                    elif status != NEAR:
                        motion = system.of_bodies(path.until(done + 1))
                        raise stop_reason(bodies, status, motion, t[:done], reached, counts_of(machine) | facts)
                    done += 1
                watch(done, t.size)
        except KeyboardInterrupt:
            message = f"interrupted after {done} of {t.size} poses"
    overlap = note_on_overlap(bodies, system.of_bodies(path.until(done)))
    bridged = BRIDGED if change_points and not message else ""
    stats = counts_of(machine) | facts | without_empty(kinks=kinks, note=bridged, overlap=overlap, **slips)
    result = result_of(system, path.until(done), t=t[:done], success=not message, message=message, stats=stats)
    check_turns(result)
    if certify:
        set_certificate(result, certified_motion(system, result.t, system.of_bodies(path.until(done))))
    return with_derivatives(result, request)


def without_empty(**facts: Any) -> dict[str, Any]:
    """Return the facts that are not empty."""
    return {name: value for name, value in facts.items() if value}


def poses_at_once(machine: Machine) -> int:
    """Return the number of poses between two checks of the progress bar."""
    return max(1, min(CHUNK, int(PATIENCE / (machine.pattern.n + machine.pattern.m))))


def counts_of(machine: Machine) -> dict[str, Any]:
    """Return the work counts of a walk, for `stats`."""
    places = {"evaluations": EVALUATIONS, "factorisations": FACTORISATIONS, "halvings": HALVINGS}
    return {name: int(machine.counts[place]) for name, place in places.items()}


def moments_beside(t: np.ndarray) -> np.ndarray:
    """Return the first time and two times shortly after it, at which the rank of the equations is examined."""
    span = t[-1] - t[0] if t.size > 1 else 1.0
    return t[0] + np.array([0.0, 1e-3, 2.7e-3]) * span


def redundant_rows(
    system: System, machine: Machine, t: np.ndarray, first: State, q0: np.ndarray, v0: np.ndarray
) -> tuple[int, int]:
    """Return how many equations depend on others in general, and how many almost do: the smallest numbers over several
    poses, so that a singular first pose is noticed."""
    counts, nearly = dependent_counts(machine, moments_beside(t), q0, v0)
    if not counts:  # no pose nearby satisfies the constraints
        raise singular_start(first)
    redundant = min(counts)
    freedom = system.nv - len(system.rows) + redundant
    if freedom > 0 and is_momentary(first.system, first.full_q):
        raise singular_start(first)
    if freedom > 0:
        what = f"{system.model.name!r} has {counted(freedom, 'degree')} of freedom that no driver moves"
        remedy = f"add {counted(freedom, 'driver')}, e.g. mbs.Driver('motor', mbs.angle(i, j), omega * mbs.t)"
        if loose := loose_bodies(system.model):
            remedy += f"; or add the joint that was forgotten: none, and no driver, is on {', '.join(map(repr, loose))}"
        elif ends := open_ends(system.model):
            remedy += f"; or add the joint that was forgotten: no joint is at the ends of links {', '.join(ends)}"
        elif clause := free_bodies(first):
            remedy += f"; or add the joint that was forgotten: {clause}"
        raise ModelError(
            with_notes(system, f"{what}; {remedy}"),
            code="undriven-freedom", model=system.model.name, freedoms=int(freedom),
        )  # fmt: skip
    if counts[0] > redundant:
        raise singular_start(first)
    return redundant, min(nearly)
