"""The choice of the drivers that are released, so that a mechanism with one degree of freedom can be followed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...arguments import drivers_named
from ...compiled import System
from ...errors import ModelError
from ...model.drivers import Driver, DriverCoordinate
from ...model.model import Model
from ...poses.arcs.start import neighbouring_poses
from ...poses.local import free_motions
from ...tolerances import PARALLEL_ROWS


def drivers_to_release(
    model: Model, system: System, t: float, q: np.ndarray, name: str, release: Any
) -> tuple[str, ...]:
    """Return the drivers to release: those that `release` names; none if the mechanism can move with all drivers and
    the equations of `system`; otherwise the only driver, or the only one that drives the quantity `name`."""
    drivers = [d.name for d in model.drivers]
    if release is not None:
        return drivers_named(model, release)
    if not drivers or _freedom(model.without(*drivers).compile(), system, t, q):
        return ()
    driving = drivers if len(drivers) == 1 else drivers_of(model, name, t, q)
    if len(driving) == 1:
        return tuple(driving)
    which = f"none of them drives {name}" if not driving else f"{' and '.join(driving)} drive {name}"
    what = f"{model.name!r} has {len(drivers)} drivers, {', '.join(drivers)}, and {which}"
    each = f"release={driving[0] if driving else drivers[0]!r}"
    raise ModelError(
        f"{what}; say which one is let go: {each}; or several: release={tuple(driving or drivers)!r}",
        code="driver-not-chosen", argument="release", model=model.name, name=name, drivers=tuple(drivers),
        choices=tuple(driving or drivers),
    )  # fmt: skip


def without_drivers(model: Model, names: Sequence[str]) -> Model:
    """Return the model without these drivers; the quantity of each can still be read and followed by the same name."""
    if not names:
        return model
    driven = [model.elements[name] for name in names]
    return model.without(*names).plus(*(DriverCoordinate(one) for one in driven if isinstance(one, Driver)))


def _freedom(bare: System, system: System, t: float, q: np.ndarray) -> int:
    """Return the number of motions of a held mechanism in general position. A single pose may have more, such as a dead
    point of its driver, so poses beside it, which the mechanism without drivers can reach, are examined too."""
    here = free_motions(system, t, q).shape[1]
    if here:
        nearby = neighbouring_poses(bare, t, q, free_motions(bare, t, q))
        here = min([here, *(free_motions(system, t, there).shape[1] for there in nearby)])
    return here


def drivers_of(model: Model, name: str, t: float, q: np.ndarray) -> list[str]:
    """Return the drivers whose rows are parallel to the row of the quantity `name`."""
    system, quantity = model.compile(), model.quantity(name)[0]
    names = []
    for driver in model.drivers:
        if not isinstance(driver, Driver) or driver.measure.lowest:
            continue
        pair = system.reader([driver.measure, quantity]).jacobian(t, q).toarray() / np.sqrt(system.weight)
        one, other = pair / np.maximum(np.linalg.norm(pair, axis=1, keepdims=True), np.finfo(float).tiny)
        if 1.0 - abs(one @ other) < PARALLEL_ROWS:
            names.append(driver.name)
    return names


def name_without_driver(model: Model, driver: Driver, t: float, q: np.ndarray) -> str | None:
    """Return a quantity of a joint or body that changes at the same rate as the driven quantity when the driver is
    released."""
    rest, system = model.without(driver.name), model.compile()
    owners = [*rest.elements, *rest.bodies]
    measures = {f"{o}.{m.levels[0]}": m for o in owners for m in rest.measures_of(o) if m.levels[0] and not m.lowest}
    rows = system.reader([driver.measure, *measures.values()]).jacobian(t, q).toarray() / np.sqrt(system.weight)
    driven_row, *others = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.finfo(float).tiny)
    changes = dict(zip(measures, others, strict=True))
    best = max(changes, key=lambda name: changes[name] @ driven_row)
    return best if changes[best] @ driven_row > 1.0 - PARALLEL_ROWS else None
