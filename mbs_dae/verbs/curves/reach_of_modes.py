"""Circuits and branches of assembly modes: curves are followed from each mode, with one driver at a time let go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...errors import MbsError
from ...model.drivers import Driver
from ...model.model import Model
from ...modes.reached import Reached, joined
from ...modes.result import AssemblyModes
from ...poses.arcs.curve import Curve
from ...poses.assembly import assembled, holding
from ...poses.freedom import free_motions
from .follow import follow
from .released import named_as

SAME = 1e-6
"""Poses that differ by less, in lengths of the model and radians, are one."""
NEAR = 0.2
"""How far from a curve, by the poses on it, a mode may be that is looked at more closely."""


def reached(modes: AssemblyModes) -> Reached:
    """Modes on one curve are of one circuit; those between which what was let go does not turn back, of one branch."""
    count = len(modes)
    whole: list[tuple[int, int]] = []
    pieces: list[tuple[int, int]] = []
    if count > 1:
        for quantity, measure, driver in _led(modes):
            seen: set[int] = set()
            for k in range(count):
                if k in seen:
                    continue
                curve = _curve_from(modes, k, quantity, driver)
                if curve is None:
                    continue
                places = {k: curve.beginning} | dict(_modes_on(modes, curve, k))
                seen |= {*places}
                whole += [(k, other) for other in places]
                numbers = _pieces(curve, measure)
                pieces += [(k, i) for k in places for i in places if numbers[places[k]] == numbers[places[i]]]
    return Reached(joined(count, whole), joined(count, pieces))


def _led(modes: AssemblyModes) -> Iterator[tuple[str, Any, Driver | None]]:
    """What can be let go: (its name if it is fixed, its measure, the driver of it)."""
    model = modes[0].system.model
    for name in modes.fix:
        yield name, model.quantity(name)[0], None
    for driver in model.drivers:
        if isinstance(driver, Driver) and not driver.measure.lowest:
            yield "", driver.measure, driver


def _curve_from(modes: AssemblyModes, k: int, name: str, driver: Driver | None) -> Curve | None:
    """None where a mode cannot be left that way."""
    model: Model = modes[0].system.model
    others = {key: value for key, value in modes.fix.items() if driver is not None or key != name}
    if driver is not None:
        q = modes[k].full_q
        left = free_motions(holding(model.without(driver.name).compile(), 0, others), modes.t, q)
        if left.shape[1] != 1:
            return None
        name = named_as(model, driver, modes.t, q, left[:, 0]) or ""
    try:
        return follow(model, name, start=modes[k], fix=others, t=modes.t, release=driver.name if driver else None)
    except MbsError:
        return None


def _modes_on(modes: AssemblyModes, curve: Curve, start: int) -> Iterator[tuple[int, int]]:
    """The other modes on a curve, and the numbers of the poses next to them: from that pose Newton leads to the mode,
    with everything led again."""
    system = modes[0].system
    poses = curve.traced.path.q
    for k, mode in enumerate(modes):
        if k == start:
            continue
        far = np.array([_apart(system, mode.full_q, q[: mode.full_q.size]) for q in poses])
        for at in _nearest(far):
            try:
                state = assembled(system.model, modes.t, modes.fix, curve.state(int(at)))
            except MbsError:
                continue
            if _apart(system, mode.full_q, state.full_q) < SAME:
                yield k, int(at)
                break


def _nearest(far: np.ndarray) -> Sequence[int]:
    """The poses that are nearer than those beside them, and near."""
    before, after = np.append(np.inf, far[:-1]), np.append(far[1:], np.inf)
    found = np.flatnonzero((far <= before) & (far <= after) & (far < NEAR))
    return found[np.argsort(far[found])][:3].tolist()


def _apart(system: Any, one: np.ndarray, other: np.ndarray) -> float:
    """How far two poses are apart, whole turns aside."""
    step = system.between(one, other) * np.sqrt(system.weight) / system.length
    if system.model.dimension == 2:
        angles = system.layout.plain[:, 1].reshape(-1, 3)[:, 2]
        step[angles] -= 2 * np.pi * np.round(step[angles] / (2 * np.pi))
    return float(np.abs(step).max(initial=0.0))


def _pieces(curve: Curve, measure: Any) -> np.ndarray:
    """The number of the piece of each pose, between those where the measure turns back."""
    system, path = curve.track.system, curve.traced.path
    values = system.reader([measure])(path.t, path.q, path.v, path.a)[0][:, 0]
    change = np.sign(np.diff(values))
    turns = np.flatnonzero(change[1:] * change[:-1] < 0) + 1
    number = np.searchsorted(turns, np.arange(values.size), side="left")
    if curve.closed and turns.size and change[0] * change[-1] > 0:
        number %= turns.size
    return number
