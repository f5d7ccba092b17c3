"""Search for designs of a model whose quantities come nearest to targets.

Unknowns are the parameters, as parts of their ranges, and the values of the driver at the targets. Each start keeps the
pose at its least sum of squares so far: the next walk begins from there, and stays on its branch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.stats import qmc

from ...tolerances import TARGET_SQUARES, TURN_CLOSURE
from ..marquardt import Box, least_squares, with_angles
from ..paths.atlas import spread
from .tracing import Meeting, meet_anywhere, meet_at, meet_in_order
from .walking import Walker

PLACES = 49
"""The number of poses of a walk that is searched for targets."""
DRAWN, FEWEST = 8, 64
"""The number of designs drawn for each start, and the least number drawn in all."""
ROUNDS = ((15, 1.0), (60, 0.25), (200, 0.1))
"""For each round, the number of steps and the part of the starts that goes on, the best ones."""
LEAST = 3
"""The least number of starts that go on."""


@dataclass(frozen=True, eq=False)
class Targets:
    """The target values of quantities, a row for each target, with scales in which they are about 1 apart."""

    rows: np.ndarray
    scale: np.ndarray
    """The scale of each quantity."""
    ordered: bool
    timing: np.ndarray | None


class DesignFit(NamedTuple):
    """A design with the driver's values at the targets (`x`), the pose with the driver's least value, and the cost."""

    x: np.ndarray
    pose: np.ndarray
    cost: float


@dataclass(frozen=True, eq=False)
class DesignSearch:
    walker: Walker
    targets: Targets
    over: Mapping[str, tuple[float, float]]
    reach: tuple[float, float]
    """The range of the driver's values."""
    turns: bool
    """Whether the range is a full turn, which may begin anywhere."""

    @property
    def low(self) -> np.ndarray:
        return np.array([low for low, _ in self.over.values()])

    @property
    def span(self) -> np.ndarray:
        return np.array([high - low for low, high in self.over.values()])

    def design(self, x: np.ndarray) -> dict[str, float]:
        return dict(zip(self.over, (float(value) for value in self.low + x[: len(self.over)] * self.span), strict=True))

    def driver(self, x: np.ndarray) -> np.ndarray:
        angles = x[len(self.over) :]
        timing = self.targets.timing
        driver: np.ndarray = angles if timing is None else angles[0] + timing - timing[0]
        return driver

    @property
    def box(self) -> Box:
        count = len(self.targets.rows) if self.targets.timing is None else 1
        low, high = (-np.inf, np.inf) if self.turns else self.reach
        if self.targets.timing is not None and not self.turns:
            offset = self.targets.timing - self.targets.timing[0]
            low, high = low - offset.min(), high - offset.max()
        zeros = np.zeros(len(self.over))
        return np.concatenate([zeros, np.full(count, low)]), np.concatenate([zeros + 1, np.full(count, high)])

    def run(self, count: int, seed: int, fates: Counter) -> list[DesignFit]:
        """Return the best designs, the nearest first; count in `fates` the fates of the drawn designs."""
        drawn = [*self._meetings(count, seed, fates)]
        drawn.sort(key=lambda one: one.cost)
        fits = [drawn[k] for k in spread(count, len(drawn))]
        for steps, part in ROUNDS:
            fits = self.descend(fits[: max(LEAST, int(np.ceil(part * count)))], steps)
        return fits

    def descend(self, starts: Sequence[DesignFit], steps: int) -> list[DesignFit]:
        if not starts:
            return []
        poses, costs = [one.pose for one in starts], np.full(len(starts), np.inf)

        def residuals(x: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            value = np.full((len(x), self.targets.rows.size), np.nan)
            slope = np.zeros((*value.shape, x.shape[1]))
            for k, row in enumerate(rows):
                if (deviation := self._off(x[k], poses[row])) is not None:
                    value[k], slope[k], pose = deviation
                    if (cost := float(value[k] @ value[k])) < costs[row]:
                        poses[row], costs[row] = pose, cost
            return value, slope

        ends = least_squares(residuals, np.array([one.x for one in starts]), steps, TARGET_SQUARES, self.box)
        fits = [DesignFit(x, pose, float(cost)) for x, pose, cost in zip(ends.x, poses, ends.cost, strict=True)]
        return sorted((one for one in fits if np.isfinite(one.cost)), key=lambda one: one.cost)

    def _off(self, x: np.ndarray, pose: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """Return the scaled deviations of a design from the targets, quantity by quantity, their derivatives, and the
        first pose; None if the design does not reach all targets."""
        walk = self.walker.values_at(self.design(x), self.driver(x), pose)
        if walk is None:
            return None
        off = (walk.values - self.targets.rows) / self.targets.scale
        by_parameter = np.moveaxis(walk.by_parameter * self.span / self.targets.scale[:, None], 1, 0)
        by_driver = (walk.by_driver / self.targets.scale).T
        slope = with_angles(by_parameter, by_driver, self.targets.timing is not None)
        return off.T.ravel(), slope.reshape(off.size, -1), walk.first

    # --- starts ---

    def _meetings(self, count: int, seed: int, fates: Counter) -> Iterator[DesignFit]:
        """Yield designs that reach all targets, nearly or not; the model's own is the first if within the ranges."""
        size = len(self.over)
        draws = qmc.Sobol(size + 1, seed=seed).random_base2(int(np.ceil(np.log2(max(FEWEST, DRAWN * count)))))
        model_values = [self.walker.model.parameters[name].value for name in self.over]
        x = (np.array(model_values) - self.low) / self.span
        if ((x >= 0) & (x <= 1)).all():
            draws[0] = [*x, 0.0]
        for draw in draws:
            one = self._meeting(draw[:size], float(draw[size]))
            fates[one if isinstance(one, str) else "begun"] += 1
            if not isinstance(one, str):
                yield one

    def _meeting(self, x: np.ndarray, part: float) -> DesignFit | str:
        """Return a design that reaches all targets, nearly or not, or the reason why it is dropped."""
        system = self.walker.system(self.design(x))
        if system is None:
            return "refused by an element"
        low, high = self.reach
        begin = low + part * (high - low)
        forth = begin + np.linspace(0, high - low, PLACES) if self.turns else _steps(begin, high, (high - low) / PLACES)
        path = self.walker.path(system, forth)
        if path is None:
            return "not assembled"
        closes = self.turns and len(path.t) == PLACES
        places, poses, values = path.t, path.q, self.walker.read(system, path)
        if closes:
            closes = bool((np.abs(values[-1] - values[0]) < TURN_CLOSURE * self.targets.scale).all())
        if closes:
            places, poses, values = places[:-1], poses[:-1], values[:-1]
        else:
            back = (
                begin - np.linspace(0, high - low, PLACES) if self.turns else _steps(begin, low, (high - low) / PLACES)
            )
            other = self.walker.path(system, back, path.q[0])
            if other is not None and len(other.t) > 1:
                places, poses = np.append(other.t[:0:-1], places), np.concatenate([other.q[:0:-1], poses])
                values = np.concatenate([self.walker.read(system, other)[:0:-1], values])
        meeting = self._meet(places, values, closes)
        if not np.isfinite(meeting.cost):
            return "at a dead point before all targets"
        driver = meeting.driver
        if closes:
            driver = driver - 2 * np.pi * np.floor((driver.min() - places[0]) / (2 * np.pi) + 1e-12)
        pose = poses[np.abs(places - driver.min()).argmin()]
        return DesignFit(np.concatenate([x, driver if self.targets.timing is None else driver[:1]]), pose, meeting.cost)

    def _meet(self, places: np.ndarray, values: np.ndarray, closes: bool) -> Meeting:
        values, targets = values / self.targets.scale, self.targets.rows / self.targets.scale
        if self.targets.timing is not None:
            return meet_at(places, values, targets, self.targets.timing, closes)
        if self.targets.ordered:
            return meet_in_order(places, values, targets, closes)
        return meet_anywhere(places, values, targets)


def _steps(begin: float, end: float, step: float) -> np.ndarray:
    return np.linspace(begin, end, max(2, int(abs(end - begin) / step) + 1)) if begin != end else np.array([begin])
