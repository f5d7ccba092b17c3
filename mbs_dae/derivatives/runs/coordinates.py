"""Changes of bodies from changes of a run in other coordinates, and back.

Bodies follow from coordinates, q_b = f(q, p) and v_b = ḟ. Along a motion that varies with parameters each array carries
its derivatives (`duals`). Where each number of a state varies by itself, they are the matrices of derivatives: weights
of bodies times these are weights of coordinates.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np

from ...compiled import System
from ...compiled.reading import Trajectory
from ...compiled.slopes import changes_of_places, motions_of_places, places_moved, small_motions
from ...coordinates import JointCoordinates
from ...coordinates.natural.natural import Natural
from ...duals import Dual
from ...kernels.blocks import block
from ...model.parameters import Parameter
from ...motion.record import IntegratorState
from ...results.result import State
from .linear import Weights
from .tree import joints_of_bodies, new_tree, tree_numbers, vary_bodies_along

SEEDED = 2_000_000
"""The largest number of slopes in an array; fewer times are read at once where there would be more."""


class CoordinateMotion(NamedTuple):
    """The motion of a run at its requested times, in its own coordinates."""

    set: str
    """The name of the coordinates, an argument of `Model.compile`."""
    tree: Any
    """The options of the tree, keyword arguments of `Model.compile`."""
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray


def equations_of(system: System) -> System:
    """Return the system whose equations are linearised at the steps of a run: in joint coordinates that of bodies."""
    return system.cartesian if isinstance(system.coordinates, JointCoordinates) else system


def own_motion_of(march: IntegratorState, system: System) -> CoordinateMotion | None:
    """Return the motion that a run has recorded; none where its coordinates are those of bodies."""
    if system.is_cartesian:
        return None
    motion = (x.copy() for x in (march.record.q, march.record.v, march.record.a))
    return CoordinateMotion(system.coordinates.set, dict(system.structure.tree), *motion)


def ground_slopes(system: System, by: tuple[Any, ...]) -> np.ndarray:
    """Return how the places of what stands still change with each parameter, (parameters, places): of basic points and
    vectors on the ground in natural coordinates. Other coordinates have none."""
    coordinates = system.coordinates
    if not isinstance(coordinates, Natural):
        return np.zeros((len(by), 0))
    q, size = system.cartesian.placement[None], system.cartesian.layout.v_size
    still = Dual(np.zeros((1, size)), np.zeros((len(by), 1, size)), by)
    found, _ = coordinates.vary_from_bodies(system.evaluator, q, still.slope, still)
    return np.asarray(found[:, 0, ground_places(system)])


def ground_places(system: System) -> np.ndarray:
    """Return the places in q, and in v, of what stands still, in the order of `ground_slopes`."""
    return np.arange(system.nv, system.layout.v_size if isinstance(system.coordinates, Natural) else system.nv)


def places_varied(system: System, q: np.ndarray, x: np.ndarray, signals: np.ndarray, by: tuple[Any, ...]) -> Dual:
    """Return coordinates with their changes, from small motions x and changes of signals, (parameters, times, ...)."""
    wide = np.zeros((len(by), len(q), system.layout.v_size))
    wide[..., : x.shape[2]] = x
    slope = changes_of_places(system.layout, q, wide)
    slope[..., ground_places(system)] = ground_slopes(system, by)[:, None]
    slope[..., slope.shape[2] - signals.shape[2] :] = signals
    return Dual(q, slope, by)


def bodies_along(system: System, motion: Any, at: Trajectory) -> tuple[Dual, Dual, Dual]:
    """Return the motion of bodies `at` some times, with its derivatives, from a motion (q, v, a) in the coordinates of
    a run that carries them."""
    coordinates = system.coordinates
    if isinstance(coordinates, JointCoordinates):
        x, *rates = _bodies_of_joints(system, motion, at)
    else:
        x, *rates = cast(Any, coordinates).vary_bodies(system.evaluator, motion)
    by, count = motion[0].by, len(system.layout.signals)
    slope = places_moved(system.cartesian.structure, at.q, x)
    slope[..., slope.shape[2] - count :] = motion[0].slope[..., motion[0].slope.shape[2] - count :]
    v, a = (Dual(value, part, by) for value, part in zip((at.v, at.a), rates, strict=True))
    return Dual(at.q, slope, by), v, a


def _bodies_of_joints(system: System, motion: Any, at: Trajectory) -> list[np.ndarray]:
    """Return the small motions and the changes of velocities and accelerations of bodies in joint coordinates."""
    q, v, a = motion
    tree, count = new_tree(system, tree_numbers(system, q.by)), len(q.by)
    changes = motions_of_places(system.layout, q), v.slope, a.slope
    rows = (np.moveaxis(part, 0, 1).reshape(at.t.size * count, -1).copy() for part in changes)
    found = [np.zeros((at.t.size * count, system.cartesian.layout.v_size)) for _ in range(3)]
    vary_bodies_along(tree, block(at), *rows, *found)
    return [np.moveaxis(part.reshape(at.t.size, count, -1), 1, 0) for part in found]


def rows_of_bodies(system: System, motion: Any, at: Trajectory) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return small motions and changes of velocities and accelerations of bodies (`bodies_along`), each of shape
    (parameters, times, velocities)."""
    q, v, a = bodies_along(system, motion, at)
    return small_motions(system.cartesian.structure, q), v.slope, a.slope


def coordinate_changes(
    system: System, by: tuple[Any, ...], at: State, own: np.ndarray, q: np.ndarray, x: np.ndarray, v: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Return how q and v of a run change at a state of its bodies, `at`, whose q is `own` in the coordinates of the
    run. Bodies have the changes q, the small motions x and the changes v of velocities, (parameters, ...); in other
    coordinates than those of bodies q tells the changes of states and inputs alone."""
    size, coordinates, signals = system.cartesian.layout.v_size, system.coordinates, len(system.layout.signals)
    if system.is_cartesian:
        return q, v
    signals_moved = q[:, q.shape[1] - signals :]
    if isinstance(coordinates, JointCoordinates):
        moved, rates = joints_of_bodies(system, by, at, x, v)
        return places_varied(system, own[None], moved[:, None], signals_moved[:, None], by).slope[:, 0], rates
    moved, rates = (np.zeros((len(by), 1, size)) for _ in range(2))
    moved[:, 0, : x.shape[1]], rates[:, 0, : v.shape[1]] = x, v
    bodies = Dual(at.full_v[None], rates, by)
    places, velocities = cast(Any, coordinates).vary_from_bodies(system.evaluator, at.full_q[None], moved, bodies)
    places[:, 0, places.shape[2] - signals :] = signals_moved
    return places[:, 0], velocities[:, 0]


def first_weights(
    system: System, symbols: tuple[Any, ...], first: State, own: np.ndarray, of_q: np.ndarray, of_v: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """Return the transposed of `coordinate_changes` by these parameters at the first state: from weights of q and v, in
    rows, those of q and v of bodies, and of parameters."""
    layout, structure = system.cartesian.layout, system.cartesian.structure
    n, count = layout.v_size, len(symbols)
    by = (*symbols, *(Parameter(f"seed {k}") for k in range(2 * n)))
    seeds, held = np.eye(len(by))[:, count:], np.zeros((len(by), layout.q_size))
    q, v = coordinate_changes(system, by, first, own, held, seeds[:, :n], seeds[:, n:])
    found = of_q @ q.T + of_v[:, : v.shape[1]] @ v.T
    of_x, signals = found[:, count : count + n], len(system.layout.signals)
    every = Dual(first.full_q[None], np.eye(layout.q_size)[:, None], tuple(range(layout.q_size)))
    bodies = of_x @ small_motions(structure, every)[:, 0].T
    bodies[:, layout.q_size - signals :] = of_q[:, of_q.shape[1] - signals :]
    return bodies, found[:, count + n :], found[:, :count]


def weights_of_coordinates(
    system: System, symbols: tuple[Any, ...], own: CoordinateMotion, at: Trajectory, weights: Weights, count: int
) -> tuple[Weights, np.ndarray]:
    """Return the weights of coordinates from those of bodies `at` the times of a run, rows for each time, and for each
    of `count` numbers in it; and what parameters do to bodies directly, (numbers, parameters)."""
    n, first = system.nv, len(symbols)
    found = [np.zeros((len(weights.x), n)) for _ in range(3)]
    direct, seeds = np.zeros((count, first)), 3 * n
    at_once = max(1, SEEDED // ((first + seeds) * max(system.cartesian.layout.q_size, 1)))
    by = (*symbols, *(Parameter(f"seed {k}") for k in range(seeds)))
    for begin in range(0, at.t.size, at_once):
        some = slice(begin, min(begin + at_once, at.t.size))
        bodies, size = Trajectory(*(part[some] for part in at)), some.stop - begin
        seeded = np.zeros((3, len(by), size, system.layout.v_size))
        for part in range(3):
            for k in range(n):
                seeded[part, first + n * part + k, :, k] = 1.0
        none = np.zeros((len(by), size, len(system.layout.signals)))
        q = places_varied(system, own.q[some], seeded[0], none, by)
        motion = q, Dual(own.v[some], seeded[1], by), Dual(own.a[some], seeded[2], by)
        total = np.zeros((size, count, len(by)))
        for rows, slope in zip(weights, rows_of_bodies(system, motion, bodies), strict=False):
            here = rows.reshape(at.t.size, count, -1)[some]
            total += np.einsum("trc,ptc->trp", here, slope[..., : here.shape[2]])
        direct += total[..., :first].sum(axis=0)
        for part in range(3):
            columns = total[..., first + n * part : first + n * (part + 1)]
            found[part][count * begin : count * some.stop] = columns.reshape(-1, n)
    loads = np.zeros((len(weights.x), len(equations_of(system).rows)))  # they follow from the motion of bodies
    return weights._replace(x=found[0], v=found[1], a=found[2], multipliers=loads), direct
