"""Forces of gears that the multipliers do not contain: the separating force of wheels with a pressure angle, and the
bearing forces that a gear with a ratio does not determine.

The loaded flank is inclined by the pressure angle α, so teeth with the tangential force F_t push their wheels apart by
|F_t| tan α, on either flank. On parallel axes this force is along the line of centres. On axes that meet it acts in the
pitch point P along the common normal n of both pitch cones: with δ the angle of a cone it has the component |F_t| tan α
cos δ towards the axis of its wheel, and |F_t| tan α sin δ along this axis, away from the apex. Joints hold the distance
of the axes, and the position of the cones, so this force does no work: it does not change accelerations and F_t, and
bearings carry it. With J_d the row of the rate at which teeth separate, ± n · (v_j(P) - v_i(P)),

    Φ_vᵀ Δλ = -J_dᵀ μ,        μ = -|F_t| tan α,

gives its change of the multipliers, the least one if joints are redundant. Friction in joints depends on it: then it is
a force along a row of contacts (`model.contacts.Separation`), and the multipliers of a run contain it.

A ratio determines the moments, but not the forces between wheels and their carriers: any force on a wheel along the
constraints of its bearing, with the opposite one on its carrier, is possible.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from math import tan
from typing import Any

import numpy as np
import scipy.sparse as sps
from scipy.sparse.linalg import lsqr

from ..compiled import System
from ..compiled.reading import Trajectory
from ..errors import ModelError
from ..model.bodies.body import Body, Marker
from ..model.joints import Gear
from ..model.joints.gears import on_one_axis
from ..symbolic.derive import Relation
from ..symbolic.loads import joint_wrenches
from ..symbolic.markers import marker_symbols
from ..tolerances import TOOTH_RESIDUAL


def apart(system: System) -> list[Gear]:
    """Return the gears of a model with a separating force."""
    return [e for e in system.model.conditions if isinstance(e, Gear) and e.pressure_angle != 0]


def separation(system: System, gear: Gear, multipliers: Any) -> Any:
    """Return the multiplier μ over time, shape (times,), from those of all rows."""
    (row,) = system.rows_of(gear.name)
    return -tan(system.evaluator(gear.pressure_angle)) * np.abs(multipliers[:, row])


def distance_rows(system: System, motion: Trajectory, gear: Gear) -> np.ndarray:
    """Return J_d of a gear, shape (times, columns)."""
    relation, slots = gear.separation
    reader = system.reader_of(relation, gear.markers[:2], slots)
    rows = [reader.jacobian(t, q).toarray()[0] for t, q in zip(motion.t, motion.q, strict=True)]
    return np.array(rows).reshape(len(motion.t), system.structure.columns)


def separating_wrench(system: System, motion: Trajectory, gear: Gear, multipliers: np.ndarray) -> np.ndarray:
    """Return the separating wrench on the second wheel about its marker, shape (times, components)."""
    relation, slots = gear.separation
    values = system.read_values(joint_wrenches(relation), slots, gear.markers[:2], *motion[:3])
    return values.reshape(len(values), 2, -1)[:, 1] * separation(system, gear, multipliers)[:, None]


def with_separation(system: System, motion: Trajectory, multipliers: np.ndarray) -> np.ndarray:
    """Return the multipliers including the bearing loads of separating forces, shape (times, rows)."""
    if system.structure.contacts.separations:
        return multipliers  # the multipliers contain the separating forces already
    out, units = multipliers.copy(), system.row_units / system.length
    for gear in apart(system):
        others = np.arange(units.size) != system.rows_of(gear.name)[0]
        pushes = -separation(system, gear, multipliers)[:, None] * distance_rows(system, motion, gear)
        for k in np.flatnonzero(np.isfinite(pushes).all(axis=1) & pushes.any(axis=1)):
            jacobian = system.jacobian(motion.t[k], motion.q[k])[others]
            does = (jacobian.T @ sps.diags(1.0 / units[others])).tocsr()
            added = lsqr(does, pushes[k], atol=1e-14, btol=1e-14)[0]
            if np.linalg.norm(does @ added - pushes[k]) > TOOTH_RESIDUAL * np.linalg.norm(pushes[k]):
                what = f"{gear.who} has a pressure_angle, and no joints keep its axes apart at t = {motion.t[k]:.6g}"
                raise ModelError(
                    f"{what}; hold both wheels in bearings on one body, or leave pressure_angle= out",
                    code="axes-not-held-apart", gear=gear.name, time=float(motion.t[k]),
                )  # fmt: skip
            out[k, others] += added / units[others]
    return out


# --- bearing forces that a ratio leaves undetermined ---


@cache
def _bearing(dimension: int, markers: int) -> Relation:
    """Return the velocities of a wheel that a bearing prevents, relative to its carrier, or to the world."""
    symbols = marker_symbols(markers, dimension)
    i = symbols[0]
    velocity, omega = i.velocity, i.omega
    if markers == 2:
        velocity, omega = velocity - symbols[1].velocity_at(i.point), omega - symbols[1].omega
    tilts = [] if dimension == 2 else [i.x_axis.dot(omega), i.y_axis.dot(omega)]
    return Relation(symbols, (), (*velocity, *tilts))


def coupled(system: System) -> list[Gear]:
    """Return the gears of a model that couple angles, without teeth."""
    return [e for e in system.model.conditions if isinstance(e, Gear) and e.radii is None]


def open_rows(system: System, t: float, q: np.ndarray, gears: Sequence[Gear] = ()) -> sps.csr_matrix:
    """Return the rows along which these gears with a ratio (all of them, by default) may press on bearings, at a
    pose."""
    rows = [system.reader_of(*given).jacobian(t, q) for given in _open(system, gears or coupled(system))]
    return sps.vstack(rows).tocsr() if rows else sps.csr_matrix((0, system.structure.columns))


def _open(system: System, gears: Sequence[Gear]) -> Iterator[tuple[Relation, tuple[Any, ...]]]:
    for gear in gears:
        wheels, carriers = gear.markers[:2], gear.markers[2:]
        for k, wheel in enumerate(wheels):
            if not wheel.body.fixed:
                carrier = carriers[min(k, len(carriers) - 1) :][:1]
                places = (_axle(system, wheel, carrier[0].body if carrier else None), *carrier)
                yield _bearing(system.model.dimension, len(places)), places


def _axle(system: System, wheel: Marker, carrier: Body | None) -> Marker:
    """Return the marker on a wheel of the pin that carries it, on this carrier or (None) on a body at rest: the marker
    of a gear with a ratio tells an angle, and may lie off the axis. Return this marker where no such pin is, or where
    it is on the axis of one."""
    pins = [marks for e in system.model.conditions if e.sketch == "pin" for marks in (e.feeling[:2], e.feeling[1::-1])]
    own = [
        one
        for one, other in pins
        if one.body is wheel.body and (other.body.fixed if carrier is None else other.body is carrier)
    ]
    return wheel if not own or any(on_one_axis(one, wheel) for one in own) else own[0]
