"""The whole motion of a mechanism with one freedom, through the dead points of whatever drives it.

What is driven is let go, time is held, and the curve that is left is followed by its arc length (`poses.arcs`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...arguments import as_state, check_tables, model_of
from ...compiled import System
from ...compiled.machine import ENDLESS
from ...errors import ModelError, check_dict
from ...explain.axes import check_axes
from ...model.drivers import Driver, Prescribed
from ...model.model import Model
from ...model.parameters import finite_number
from ...poses.arcs.curve import BranchPoint, Curve
from ...poses.arcs.following import start_of, track_at, whole
from ...poses.arcs.tracing import Traced
from ...poses.arcs.track import Track
from ...poses.arcs.turning import row_of
from ...poses.assembly import holding, posed
from ...poses.freedom import free_motions
from ...readings.motion import result_of
from ...results.result import State

PARALLEL = 1e-9


def follow(
    model: Model | System, name: str, both: bool = True, start: State | BranchPoint | None = None,
    branch: int | None = None, fix: Mapping[str, float] | None = None, release: str | None = None, t: float = 0.0,
    step: float = 0.05, poses: int = 20_000,
) -> Curve:  # fmt: skip
    """The curve of all poses that a mechanism with one freedom can go to without being taken apart: by arc length,
    through turning points of any driver.

    It begins in the placement (driven as it is at the time t) or at `start`, in the direction in which the quantity
    `name` grows, and ends where it began: a lap of a circuit. Where it is open (a `Stop` or another contact, a singular
    pose in which it is not smooth) it is followed in `both` directions. Branch points are passed smoothly, and
    listed; another branch is followed from there: ``follow(model, name, start=curve.branch_points[0], branch=1)``.

    One driver is let go: the only one, the one that drives `name`, or that named by `release`. Others are held as they
    are at the time t, and quantities in `fix` at their values. No coordinate moves farther in one `step` than so many
    lengths of the model, and there are `poses` at most in one direction.

    A four-bar whose links all rock. Its crank turns back where coupler and rocker are in line:
    cos φ = (1² + 0.6² - 1.5²) / (2 · 1 · 0.6).

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
    t, step = finite_number(t, "the time t"), finite_number(step, "step")
    check_tables(model, np.array([t]))
    check_dict("fix", {} if fix is None else fix, "names and values", 'fix={"crank.angle": 0.6}')
    _check_numbers(step, poses, branch)
    measure, level = model.quantity(name)
    if level or measure.lowest:
        raise ModelError(f"{name!r} is a rate; follow a value, such as {name.rpartition('.')[0]}.{measure.levels[0]}")
    given = dict(fix or {})
    q = posed(model, t, given, None)[0] if start is None else None
    freed = _freed(model, t, name, release, given, q)
    if q is None:
        q, branch = _begun(freed, t, given, start, branch)
    system = holding(freed.compile(), 0, {key: finite_number(value, key) for key, value in given.items()})
    track, singular = track_at(system, t, q, step)
    check_axes(system, State(system, t, q, system.still, system.still))
    row = row_of(system, name, t, q)
    place = start_of(track, q, singular, row, branch)
    traced, ends, beginning = whole(track, place, both, poses)
    if traced.path.t.size == 1:
        what = f"{model.name!r} does not move: the one motion that its equations leave is infinitesimal"
        raise ModelError(f"{what}; change a length")
    return _curve(track, traced, ends, beginning, name)


def _curve(track: Track, traced: Traced, ends: tuple[str, ...], beginning: int, followed: str) -> Curve:
    """The result: at a held time, over the arc length."""
    count, endless = traced.path.t.size, traced.ending == ENDLESS
    path = traced.path._replace(t=np.full(count, track.t))
    told = f"after {count} poses it has not closed; ask for more poses=, or a longer step=" if endless else ""
    stats = {"poses": count, "redundant_equations": track.redundant}
    axis = ("s", "m")
    result = result_of(track.system, path, t=traced.path.t, success=not endless, message=told, stats=stats, axis=axis)
    own: dict[str, Any] = vars(result) | {"followed": followed, "closed": not ends, "ends": ends}
    return Curve(**own, beginning=beginning, track=track, traced=traced)


def _check_numbers(step: float, poses: Any, branch: Any) -> None:
    if not 0.0 < step <= 0.25:
        raise ModelError(f"step is in lengths of the model, more than 0 and 0.25 at most, not {step:g}")
    if not isinstance(poses, int | np.integer) or isinstance(poses, bool) or poses < 2:
        raise ModelError(f"poses is how many there may be, a whole number from 2 on, not {poses!r}")
    if branch is not None and (not isinstance(branch, int | np.integer) or isinstance(branch, bool)):
        raise ModelError(f"branch is the number of a branch, from 0 on, not {branch!r}")


def _begun(
    freed: Model, t: float, fix: dict[str, float], start: Any, branch: int | None
) -> tuple[np.ndarray, int | None]:
    """The pose to start with; and of a branch point which branch, if not said the one that was not gone."""
    if isinstance(start, BranchPoint):
        others = [k for k in range(len(start.tangents)) if k != start.along]
        return start.state.full_q.copy(), others[0] if branch is None and len(others) == 1 else branch
    return posed(freed, t, fix, as_state(start))[0], branch


def _freed(
    model: Model, t: float, name: str, release: str | None, fix: dict[str, float], q: np.ndarray | None
) -> Model:
    """The model without the driver that is let go."""
    drivers = [d.name for d in model.drivers]
    if release is not None:
        if release not in drivers:
            known = ", ".join(drivers) or "none"
            raise ModelError(f"release={release!r} is no driver of {model.name!r}; it has {known}", name=release)
        return model.without(release)
    if not drivers:
        return model
    if len(drivers) == 1:
        return model.without(*drivers)
    pose = model.compile().placement if q is None else q
    alone = model.without(*drivers)
    freedom = free_motions(alone.compile(), t, pose).shape[1] - len(fix)
    prescribed = sum(len(model.compile().rows_of(d)) for d in drivers)
    if freedom > prescribed:
        return model
    if freedom == 1:
        return alone
    if driving := [d.name for d in model.drivers if _drives(model, d, name, t, pose)]:
        return model.without(driving[0])
    what = f"{model.name!r} has {len(drivers)} drivers, {', '.join(drivers)}, and none of them drives {name}"
    raise ModelError(f"{what}; say which one is let go: release={drivers[0]!r}")


def _drives(model: Model, driver: Prescribed, name: str, t: float, q: np.ndarray) -> bool:
    """Whether a driver moves this quantity: its row is parallel to that of the quantity."""
    if not isinstance(driver, Driver) or driver.measure.lowest:
        return False
    system = model.compile()
    pair = system.reader([driver.measure, model.quantity(name)[0]]).jacobian(t, q).toarray() / np.sqrt(system.weight)
    one, other = pair / np.linalg.norm(pair, axis=1, keepdims=True)
    return bool(1.0 - abs(one @ other) < PARALLEL)
