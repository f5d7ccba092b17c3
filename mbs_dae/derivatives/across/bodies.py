"""Derivatives of the motion of bodies, read from a run in other coordinates.

At each requested time the run has found how its coordinates, velocities and accelerations change. Places of bodies, and
the multipliers of all their joints, are smooth functions of these and of the design: the same differences as those of
steps (`beside`) are taken of the reading, of all times at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...compiled import System
from ...compiled.reading import Trajectory
from ...motion.outcome import forces_along
from ...readings.ranks import least
from .beside import NEAR, OTHER, SIDES, SMALL, Beside, Way
from .following import Following

NEITHER = 2
"""Neighbours stand behind a passage of the ends of a force on both sides."""
Placed = tuple[Beside, np.ndarray, np.ndarray]
"""A neighbouring run, and its coordinates and velocities at each time."""
Rows = dict[str, np.ndarray]
"""Arrays of q, v, a and multipliers, (times, ...), or their slopes, (parameters, times, ...)."""


def rows_of_bodies(following: Following, motion: Trajectory) -> Rows:
    """Return the changes of q, v, a and multipliers of bodies with each parameter, (parameters, times, ...)."""
    record, done = following.run.record, motion.t.size
    own = Trajectory(motion.t, record.q[:done], record.v[:done], record.a[:done])
    slopes = [following.rows[name][:, :done] for name in ("q", "v", "a")]
    later = np.zeros((len(slopes[0]), done))
    return slopes_of_bodies(following, own, record.modes[:done].copy(), slopes, later, motion.q)


def slopes_of_bodies(
    following: Following, own: Trajectory, modes: np.ndarray, own_slopes: Sequence[np.ndarray], later: np.ndarray,
    like: np.ndarray,
) -> Rows:  # fmt: skip
    """Return the slopes of q, v, a and multipliers of bodies at moments of a run in other coordinates, from the slopes
    of its own q, v and a, and from how much `later` each moment is with each parameter, (parameters, times).
    Attitudes have the signs of those in `like`."""
    system, units, found = following.own.system, _units(following, own), list[Rows]()
    for k in range(len(following.ways)):
        slopes = [x[k] for x in own_slopes]
        ended = ~np.all([np.isfinite(x).all(axis=1) for x in slopes], axis=0)  # no derivatives from there on
        slopes = [np.where(ended[:, None], 0.0, x) for x in slopes]
        reach = np.max([_largest(np.abs(x) / unit) for x, unit in zip(slopes, units, strict=True)], axis=0)
        small = SMALL / np.where(reach > 0.0, reach, 1.0)
        total = {name: np.zeros_like(x) for name, x in _read(system, own, modes, like).items()}

        def aside(c: float, slopes: list[np.ndarray] = slopes, small: np.ndarray = small) -> list[np.ndarray]:
            return [x + (c * small)[:, None] * dx for x, dx in zip(own[1:], slopes, strict=True)]

        def states(side: int, aside: Callable[[float], list[np.ndarray]] = aside) -> list[Placed]:
            moved = (aside(c) for c in SIDES[side].offsets)
            return [(following.own, q, v) for q, v, _ in moved]

        sides = _sides(following.own, own, states)
        for side in {*sides.tolist()} & {0, 1, -1}:
            here = sides == side
            for c, weight in zip(SIDES[side].offsets, SIDES[side].weights, strict=True):
                t = own.t + np.where(ended, 0.0, c * small * later[k])
                beside = Trajectory(*(x[here] for x in (t, *aside(c))))
                _add(total, weight / small[here], _read(system, beside, modes[here], like[here]), here)
        ended |= sides == NEITHER
        _add_designs(total, following, k, own, modes, like)
        for rows in total.values():
            rows[ended] = np.nan
        found.append(total)
    return {name: np.array([one[name] for one in found]) for name in ("q", "v", "a", "multipliers")}


def _sides(run: Beside, own: Trajectory, beside: Callable[[int], list[Placed]]) -> np.ndarray:
    """Return the side on which neighbours may stand at each time, (times,): both (0) or one (1, -1), so that they are
    on the run's side of a passage of the ends of a force; or `NEITHER`. `beside` returns the neighbours of a side."""
    found = np.zeros(own.t.size, dtype=int)
    if not run.reversals.names or not own.t.size:
        return found
    apart = run.distances(own.t, own.q, own.v)[:, 0]
    near = np.linalg.norm(apart, axis=2).min(axis=0) <= NEAR * run.system.length
    for side, following in (*OTHER.items(), (-1, NEITHER)):
        if (near & (found == side)).any():
            rows = [(one.distances(own.t, q, v)[:, 0] * apart).sum(axis=2).min(axis=0) for one, q, v in beside(side)]
            behind = np.min(rows, axis=0, initial=np.inf) < 0.0
            found[near & (found == side) & behind] = following
    return found


def _add_designs(total: Rows, following: Following, k: int, own: Trajectory, modes: np.ndarray, q: np.ndarray) -> None:
    """Add the derivatives of bodies by the design, where its coordinates stay the same. Next to a break that moves, or
    to a passage of the ends of a force, only designs on one side are read."""
    ways = [following.way_at(k, float(t)) for t in own.t]
    for way in {id(one): one for one in ways if one is not None and one.runs}.values():

        def designs(side: int, way: Way = way) -> list[Placed]:
            return [(run, own.q, own.v) for run in way.beside(side).runs]

        sides = _sides(following.own, own, designs)
        for n in np.flatnonzero(sides):
            if ways[n] is way:
                ways[n] = None if sides[n] == NEITHER else way.beside(int(sides[n]))
    for way in {id(one): one for one in ways if one is not None}.values():
        here = np.array([one is way for one in ways])
        for run, weight in zip(way.runs, way.stencil.weights if way.runs else (), strict=True):
            beside = _read(run.system, Trajectory(*(x[here] for x in own)), modes[here], q[here])
            _add(total, np.full(here.sum(), weight / way.small), beside, here)
    for rows in total.values():
        rows[[one is None for one in ways]] = np.nan


def _add(total: Rows, factor: np.ndarray, rows: Rows, here: Any) -> None:
    for name, own in rows.items():
        total[name][here] += factor[:, None] * own


def _read(system: System, own: Trajectory, modes: np.ndarray, like: np.ndarray) -> Rows:
    """Return the motion of bodies, with attitudes of the same sign as those in `like`, and their multipliers."""
    bodies, motion = system.cartesian, system.of_bodies(own)
    for place, _ in bodies.layout.quaternions:
        attitude = motion.q[:, place : place + 4]
        attitude *= np.copysign(1.0, (attitude * like[:, place : place + 4]).sum(axis=1, keepdims=True))
    _, multipliers, _, _, redundant = forces_along(bodies, motion, modes)
    multipliers = least(bodies, motion, multipliers, redundant) if redundant else multipliers
    return {"q": motion.q, "v": motion.v, "a": motion.a, "multipliers": multipliers}


def _units(following: Following, own: Trajectory) -> list[np.ndarray]:
    """Return the units of q, v and a at each time (see `Beside.units_of`); the unit of an acceleration is that of the
    velocity times the pace of the motion."""
    march = following.run
    state, y, dy = march.mechanism.state, march.stages.y0.copy(), march.stages.k[0].copy()
    rows = []
    for _, q, v, a in zip(*own, strict=True):
        y[: state.q_end], y[state.v_at : state.v_end], dy[state.v_at : state.v_end] = q, v, a
        rows.append(following.own.units_of(march, y, dy))
    unit = np.array(rows).reshape(-1, y.size)
    places, rates = unit[:, : state.q_end], unit[:, state.v_at : state.v_end]
    own_rates = march.control.unit[state.v_at : state.v_end]
    with np.errstate(invalid="ignore", divide="ignore"):
        bends = np.where(np.isfinite(rates), rates**2 / own_rates, np.inf)
    return [places, rates, bends]


def _largest(parts: np.ndarray) -> np.ndarray:
    return parts.max(axis=1, initial=0.0)
