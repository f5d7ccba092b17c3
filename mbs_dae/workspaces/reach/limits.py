"""Limits of joints, given or from stops, and a check that poses keep them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import Any

import numpy as np

from ...compiled import System
from ...errors import ModelError, check_dict
from ...model.checks import warn_of_angles
from ...model.contacts import Stop
from ...model.model import Model
from ...poses.reach.joint_space import JointSpace
from ...tolerances import PROPORTIONAL_ROWS

MOST = 400
"""Greatest number of sets of joints at their limits."""


@dataclass(frozen=True, eq=False)
class JointLimits:
    """Limits of joint coordinates, by name: (low, high), infinite where there is none."""

    model: Model
    pairs: Mapping[str, tuple[float, float]]

    @cached_property
    def names(self) -> list[str]:
        return [*self.pairs]

    @cached_property
    def _system(self) -> System:
        return self.model.compile()

    @cached_property
    def _reader(self) -> Any:
        return self._system.reader([self.model.quantity(name)[0] for name in self.names])

    @cached_property
    def _turns(self) -> np.ndarray:
        return np.array([2.0 * np.pi * (self.model.quantity(n)[0].units[0] == "rad") for n in self.names])

    @property
    def notes(self) -> list[str]:
        """Notes on angles whose limits may be degrees: limits a whole turn apart or more, which limit nothing, and
        limits farther than a whole turn from zero, since whole turns of an angle do not count."""
        turn, notes = 2.0 * np.pi, []
        for name in (name for name, own in zip(self.names, self._turns, strict=True) if own > 0.0):
            low, high = self.pairs[name]
            far = max((abs(limit) for limit in (low, high) if np.isfinite(limit)), default=0.0)
            apart = turn <= high - low < np.inf
            if apart or far > turn:
                why = "a whole turn apart: every pose keeps them" if apart else "more than a whole turn from zero"
                what = f"limits of {name!r}, {low:g} and {high:g} rad, are {why}"
                notes.append(f"{what}; if degrees are meant, write np.radians")
        return notes

    def margin(self, q: np.ndarray, but: Mapping[str, float]) -> float:
        """Return the distance of the joints from the nearest of their limits, in radians or lengths of the model,
        negative beyond a limit; joints in `but` are not counted."""
        if not self.names:
            return np.inf
        still = self._system.still[None]
        values = self._reader(np.zeros(1), q[None, : self._system.placement.size], still, still)[0, 0]
        low, high = np.array([self.pairs[name] for name in self.names]).T
        finite = np.isfinite(low) & np.isfinite(high)
        turn = np.where(self._turns > 0.0, self._turns, 1.0)
        middle = np.where(finite, 0.5 * (np.where(finite, low, 0.0) + np.where(finite, high, 0.0)), values)
        values = np.where(self._turns > 0.0, values - turn * np.rint((values - middle) / turn), values)
        scale = np.where(self._turns > 0.0, 1.0, self._system.length)
        rooms = np.minimum(values - low, high - values) / scale
        kept = [name not in but for name in self.names]
        return float(rooms[kept].min(initial=np.inf))

    def beyond(self, q: np.ndarray, name: str, limit: float) -> float:
        """Return by how much a joint is beyond a value; an angle from -π to π."""
        k, still = self.names.index(name), self._system.still[None]
        off = self._reader(np.zeros(1), q[None, : self._system.placement.size], still, still)[0, 0, k] - limit
        turn = self._turns[k]
        return float(off - turn * np.rint(off / turn) if turn > 0.0 else off)

    def sets(self, most: int) -> Iterator[dict[str, float]]:
        """Yield the sets of joints that may be at their limits at once, with these limits: none, one, ... up to
        `most`."""
        sides = [[(n, x) for x in self.pairs[n] if np.isfinite(x)] for n in self.names]
        count = 0
        for size in range(most + 1):
            for some in combinations(sides, size):
                for chosen in product(*some):
                    count += 1
                    if count > MOST:
                        what = f"the joints of {self.model.name!r} have more than {MOST} sets of limits to be at"
                        raise ModelError(
                            f"{what}; leave limits away that do not matter, or hold joints by fix=",
                            code="too-many-limits", model=self.model.name, most=MOST,
                        )  # fmt: skip
                    yield dict(chosen)


def limits_of(space: JointSpace, model: Model, given: Mapping[str, Any] | None) -> JointLimits:
    """Return the given limits, combined with those of the stops of the model."""
    check_dict("limits", {} if given is None else given, "pairs", '{"axis1.angle": (-1.0, 1.0)}')
    pairs: dict[str, tuple[float, float]] = {}
    for name, pair in (given or {}).items():
        space.index(name)
        try:
            low, high = (
                free if x is None else space.number(x, f"limits[{name!r}]") for x, free in zip(pair, ENDS, strict=True)
            )
        except (TypeError, ValueError) as exc:
            raise ModelError(
                f"limits[{name!r}] must be a pair (low, high), not {pair!r}",
                code="wrong-length", argument="limits", name=name, value=pair, length=2,
            ) from exc  # fmt: skip
        if low >= high:
            raise ModelError(
                f"limits[{name!r}] are upside down: {low:g} is not below {high:g}; swap them",
                code="bounds-upside-down", argument="limits", name=name, value=(float(low), float(high)),
            )  # fmt: skip
        pairs[name] = float(low), float(high)
    warn_of_angles(model, given, "limits")
    for stop in model.contacts:
        if isinstance(stop, Stop):
            name, low, high = _of_stop(space, model, stop)
            old = pairs.get(name, ENDS)
            pairs[name] = max(low, old[0]), min(high, old[1])
    return JointLimits(model, {name: pairs[name] for name in space.names if name in pairs})


ENDS = (-np.inf, np.inf)


def _of_stop(space: JointSpace, model: Model, stop: Stop) -> tuple[str, float, float]:
    """Return the joint that a stop limits, and its limits: the measure must be that coordinate or its negative, up to a
    constant."""
    system = model.compile()
    names = [name for name in space.names if model.quantity_or_none(name)]
    reader = system.reader([stop.measure, *(model.quantity(name)[0] for name in names)])
    q, still = system.placement, system.still[None]
    rows = reader.jacobian(0.0, q).toarray() / np.sqrt(system.weight)
    values = reader(np.zeros(1), q[None], still, still)[0, 0]
    number = model.value
    low, high = (
        number(stop.limits[n]) if n in stop.limits else end for n, end in zip(("lower", "upper"), ENDS, strict=True)
    )
    for k, name in enumerate(names, 1):
        for sense in (1.0, -1.0):
            if np.abs(rows[0] - sense * rows[k]).max() < PROPORTIONAL_ROWS * max(np.abs(rows[0]).max(), 1e-300):
                shift = values[0] - sense * values[k]
                ends = sorted(sense * (x - shift) for x in (low, high))
                return name, ends[0], ends[1]
    what = f"{stop.who} stops {stop.measure.label}, which is not a joint coordinate of {model.name!r}"
    raise ModelError(
        f"{what} ({', '.join(names)}); leave it out: model.without({stop.name!r}), and give limits=",
        code="not-a-joint-coordinate", stop=stop.name, measure=stop.measure.label, model=model.name,
        choices=tuple(names),
    )  # fmt: skip
