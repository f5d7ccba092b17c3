"""The whole motion of a mechanism with one degree of freedom, through the dead points of its drivers.

The driver is released, time is held, and the remaining curve of poses is followed by arc length (`poses.arcs`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...arguments import (
    as_state,
    check_start,
    check_tables,
    checked_fix,
    checked_step,
    model_of,
    truth_of,
    whole_number,
)
from ...compiled import System
from ...compiled.status import ENDLESS
from ...errors import ModelError
from ...explain.axes import check_axes
from ...model.model import Model
from ...model.parameters import finite_number
from ...poses.arcs.curve import Curve
from ...poses.arcs.following import follow_curve
from ...poses.arcs.points import BranchPoint
from ...poses.arcs.start import start_of, track_at
from ...poses.arcs.tracing import CurvePoints
from ...poses.arcs.track import ArcTrack
from ...poses.arcs.zeros import is_constant_along
from ...poses.assembly import holding, in_full, posed
from ...poses.newton import evaluate_and_factorise, gaps
from ...readings.motion import result_of
from ...results.result import State
from ...tolerances import CLOSED_POSE_DISTANCE
from .release import drivers_of, drivers_to_release, without_drivers


def follow(
    model: Model | System, name: str, both: bool = True, start: State | BranchPoint | None = None,
    branch: int | None = None, fix: Mapping[str, float] | None = None, release: str | Sequence[str] | None = None,
    t: float | None = None, step: float = 0.05, poses: int = 20_000,
) -> Curve:  # fmt: skip
    """Return the curve of all poses that a mechanism with one degree of freedom can reach without disassembly, by arc
    length, through turning points of any driver.

    The curve begins in the placement, with drivers at the time `t` in s (default 0), or at `start`: a `State` or a
    branch point of another curve, at its own time unless `t` is given. The curve leaves in the direction in which the
    quantity `name` grows and ends where it began, after one lap of a circuit. An open curve, which a `Stop`, another
    contact or a singular pose ends, is followed in `both` directions. The curve passes branch points smoothly and lists
    them; ``follow(model, name, start=curve.branch_points[0], branch=1)`` follows another branch from there, with the
    time and the held and released quantities of the first curve.

    Drivers hold their quantities at their values at the time `t`, and `fix` maps further quantities to values. If these
    leave no motion, one driver is released: the only one, or the one that drives `name`; `release` names one or several
    instead. Within one step no coordinate moves farther than `step` lengths of the model, and a direction has at most
    `poses` poses.

    A four-bar whose links all rock. Its crank turns back where coupler and rocker are in line: cos φ = (1² + 0.6² -
    1.5²) / (2 · 1 · 0.6).

    >>> points = {"A": (0, 0), "B": (0.6, 0), "C": (0.825, 0.662), "D": (1, 0)}
    >>> model = mbs.PlanarModel.from_points(points, rods={"crank": "AB", "coupler": "BC", "rocker": "CD"}, fixed="AD")
    >>> b, c = np.hypot(0.225, 0.662), np.hypot(0.175, 0.662)
    >>> curve = mbs.follow(model, "crank.angle")
    >>> curve.closed, len(curve.dead_points)
    (True, 2)
    >>> bool(np.isclose(np.cos(curve.limits("crank.angle")[1]), (1.36 - (b + c) ** 2) / 1.2, atol=1e-12))
    True
    """
    model = model_of(model)
    checked_step(step)
    whole_number(poses, "poses is how many there may be", 2)
    if branch is not None and (not isinstance(branch, int | np.integer) or isinstance(branch, bool)):
        raise ModelError(
            f"branch is the number of a branch, from 0 on, not {branch!r}",
            code="not-an-integer", argument="branch", value=branch, least=0,
        )  # fmt: skip
    truth_of(both, "both says whether an open curve is followed in both directions")
    measure, level = model.quantity(name)
    if level or measure.lowest:
        raise ModelError(
            f"{name!r} is a rate; follow a value, such as {name.rpartition('.')[0]}.{measure.levels[0]}",
            code="is-a-rate", argument="name", name=name,
        )  # fmt: skip
    fix, release, t = _arguments(model, start, fix, release, t)
    check_tables(model, np.array([t]))
    if name in fix:
        raise ModelError(
            f"{name} is held by fix=, so there is nothing to follow; name a quantity that moves",
            code="contradictory-arguments", argument="name", other="fix", name=name,
        )  # fmt: skip
    system, q, released_drivers = _mechanism(model, t, name, fix, release, start)
    if isinstance(start, BranchPoint):
        others = [k for k in range(len(start.tangents)) if k != start.along]
        if branch is None and len(others) == 1:  # the only branch that was not followed
            branch = others[0]
    track, motions = track_at(system, t, q, step, name, fix)
    check_axes(system, State(system, t, q, system.still, system.still))
    place = start_of(track, q, motions, name, branch)
    traced, ends, beginning = follow_curve(track, place, both, poses)
    if traced.path.t.size == 1:
        what = f"{model.name!r} does not move: the one motion that its equations leave is infinitesimal"
        raise ModelError(f"{what}; change a length", code="infinitesimal-motion", model=model.name)
    if is_constant_along(track, traced, name):
        content = track.system.model
        of_joints = [f"{e.name}.{m.levels[0]}" for e in content.conditions for m in e.measures().values()]
        names = [one for one in [*of_joints, *content.quantity_names(1)] if content.quantity_or_none(one)]
        other = next(one for one in names if not is_constant_along(track, traced, one))
        raise ModelError(
            f"{name} is the same all along this curve; follow {other}, which changes",
            code="constant-along-curve", argument="name", name=name, other=other,
        )  # fmt: skip
    return _curve(track, traced, ends, beginning, followed=name, fix=fix, release=released_drivers)


def _curve(track: ArcTrack, traced: CurvePoints, ends: tuple[str, ...], beginning: int, **options: Any) -> Curve:
    """Return the traced poses as a `Curve`: at a held time, over the arc length."""
    count, endless = traced.path.t.size, traced.ending == ENDLESS
    path = traced.path._replace(t=np.full(count, track.t))
    message = f"after {count} poses it has not closed; ask for more poses=, or a longer step=" if endless else ""
    stats = {"poses": count, "redundant_equations": track.redundant}
    axis = ("s", "m")
    report: dict[str, Any] = {"success": not endless, "message": message, "stats": stats, "axis": axis}
    result = result_of(track.system, path, t=traced.path.t, **report)
    fields: dict[str, Any] = vars(result) | options | {"closed": not ends, "ends": ends}
    return Curve(**fields, beginning=beginning, track=track, traced=traced)


def _arguments(model: Model, start: Any, fix: Any, release: Any, t: Any) -> tuple[dict[str, float], Any, float]:
    """Return the held values, the released drivers, and the time; a branch point brings those with which it was
    found."""
    values = checked_fix(model, fix)
    t = None if t is None else finite_number(t, "the time t")
    if not isinstance(start, BranchPoint):
        return values, release, getattr(as_state(start), "t", 0.0) if t is None else t
    origin = {"fix": dict(start.fix), "release": start.release, "t": start.state.t}
    names = (release,) if isinstance(release, str) else release
    for key, value in ("fix", None if fix is None else values), ("release", names), ("t", t):
        if value is not None and (tuple(value) if key == "release" else value) != origin[key]:
            what = f"the branch point was found with {key}={origin[key]!r}, "
            what += f"and is not a pose of the mechanism with {value!r}"
            raise ModelError(
                f"{what}; leave {key}= out",
                code="contradictory-arguments", argument=key, other="start", value=value, origin=origin[key],
            )  # fmt: skip
    return dict(start.fix), start.release, start.state.t


def _mechanism(
    model: Model, t: float, name: str, fix: dict[str, float], release: Any, start: Any
) -> tuple[System, np.ndarray, tuple[str, ...]]:
    """Return the mechanism with held quantities and without released drivers, its first pose, and the released
    drivers."""
    state = start.state if isinstance(start, BranchPoint) else as_state(start)
    check_start(model, state)
    q = posed(model, t, fix, None)[0] if state is None else in_full(model.compile(), state)
    names = drivers_to_release(model, holding(model.compile(), 0, fix), t, q, name, release)
    freed = without_drivers(model, names)
    if driving := freed.drivers and drivers_of(freed, name, t, q):
        all_names = tuple(dict.fromkeys([*names, *driving]))
        what = f"{driving[0]} drives {name}, and holds it; let it go"
        which = all_names[0] if len(all_names) == 1 else all_names
        raise ModelError(
            f"{what}, release={which!r}, and hold another by fix= if need be",
            code="held-by-driver", name=name, drivers=tuple(driving), release=all_names,
        )  # fmt: skip
    if isinstance(start, BranchPoint):
        system = holding(freed.compile(), 0, fix)
        _check_closed(system, t, q)
    elif state is not None:
        q = posed(freed, t, fix, state)[0]
    return holding(freed.compile(), 0, fix), q, names


def _check_closed(system: System, t: float, q: np.ndarray) -> None:
    """Refuse a branch point at which the constraints of this mechanism do not close."""
    machine = system.machine()
    evaluate_and_factorise(machine, t, q, system.still, True)
    if not gaps(machine, machine.phi) < CLOSED_POSE_DISTANCE * system.length:
        row = int(np.argmax(machine.g))
        what = f"the branch point is not a pose of {system.model.name!r}: {system.rows[row].element} is open there by "
        raise ModelError(
            f"{what}{machine.g[row]:.3g} m; start at one of a curve of this model",
            code="pose-of-other-model", argument="start", model=system.model.name, element=system.rows[row].element,
            gap=float(machine.g[row]),
        )  # fmt: skip
