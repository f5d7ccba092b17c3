"""Inverse kinematics: joint coordinates for which markers have given poses.

`poses.reach.solutions` describes the search.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, overload

import numpy as np

from ..arguments import without_derivatives
from ..compiled import System
from ..errors import ModelError, check_dict, counted
from ..model.checks import warn_of_angles
from ..model.model import Model
from ..poses.reach.joint_space import JointSpace, label
from ..poses.reach.solutions import SolutionSearch
from ..poses.reach.targets import read_targets
from ..results.result import State
from ..tolerances import REPORTED_DISTANCE
from ..unit_system import equation, heading, shown
from .forward_kinematics import transform_of


@dataclass(frozen=True, eq=False, repr=False)
class Solution:
    """One pose: ``solution["axis1.angle"]`` is a number in rad or m; other runs may start from ``solution.state``."""

    joints: Mapping[str, float]
    """Coordinates of all joints of the tree, by name."""
    residual: float
    """Error of the targets and gaps of loops together, in m: angles are multiplied by the model's length. `misses` has
    them separately."""
    distance: float
    """Distance from the start, in rad: root of the summed squares of changes; slides are divided by the model's
    length."""
    misses: Mapping[str, tuple[float, float]]
    """Distance, in m, and rotation, in rad, of each marker from its target; 0 where a target leaves one of them
    free."""
    _space: JointSpace = field(repr=False)
    _q: np.ndarray = field(repr=False)

    @cached_property
    def state(self) -> State:
        """The pose as a state, from which other runs may start."""
        return self._space.state(self._q, self._space.note)

    def point(self, marker: Any) -> np.ndarray:
        """Return the position of a marker in this pose, in m, in world axes."""
        return transform_of(self.state, self._space.marker(marker))[:-1, -1]

    def __getitem__(self, name: str) -> float:
        return self.joints[name] if name in self.joints else self.state[name]

    def __repr__(self) -> str:
        return f"<Solution: {', '.join(equation(name, x, self.unit(name)) for name, x in self.joints.items())}>"

    def unit(self, name: str) -> str:
        """Return the SI unit of a joint coordinate; "" if the coordinate is no named quantity of the model."""
        if name not in self._space.model.quantity_names():
            return ""
        measure, level = self._space.model.quantity(name)
        return measure.units[level]


@dataclass(frozen=True, eq=False, repr=False)
class Nearest(Solution):
    """The pose nearest to targets that cannot be reached."""

    @property
    def gap(self) -> float:
        """The distance from the targets, in m: for one point its distance. Angles are multiplied by the model's length;
        `misses` has metres and radians separately."""
        return self.residual


@dataclass(frozen=True, eq=False, repr=False)
class Solutions(Sequence):
    """The solutions of `inverse_kinematics`, nearest to the start first; ``for solution in found``, ``found[0]``."""

    solutions: tuple[Solution, ...]
    nearest: Nearest | None
    """The pose nearest to the targets if there is no solution; else None."""
    excluded_by: tuple[str, ...]
    """The joints whose limits exclude all solutions; empty if there are solutions, or none even without limits."""
    tries: int
    """Number of starts that were tried."""
    hits: int
    """Number of starts that led to a solution."""
    message: str

    @property
    def reachable(self) -> bool:
        """True if there is a solution."""
        return bool(self.solutions)

    @overload
    def __getitem__(self, k: int) -> Solution: ...
    @overload
    def __getitem__(self, k: slice) -> tuple[Solution, ...]: ...
    def __getitem__(self, k: Any) -> Any:
        if not self.solutions:
            raise ModelError(
                f"there is no solution: {self.message}; read .nearest, or ask .reachable first",
                code="no-solution", reason=self.message,
            )  # fmt: skip
        if isinstance(k, str):
            raise ModelError(
                f"solutions are numbered, and each has joints by name; write found[0][{k!r}]",
                code="wrong-type", argument="k", value=k,
            )  # fmt: skip
        try:
            return self.solutions[k]
        except IndexError as exc:
            count = counted(len(self), "solution")
            raise ModelError(
                f"there is no solution {k}, only {count}, numbered from 0; write found[0]",
                code="out-of-bounds", argument="k", value=k, count=len(self),
            ) from exc  # fmt: skip

    def __len__(self) -> int:
        return len(self.solutions)

    def __iter__(self) -> Iterator[Solution]:
        return iter(self.solutions)

    def __repr__(self) -> str:
        return f"<Solutions: {self.message}>"

    def __str__(self) -> str:
        if not self.solutions:
            return self.message
        first = self.solutions[0]
        units = {name: first.unit(name) for name in first.joints}
        titles = [heading(name, unit) for name, unit in {**units, "distance": "rad", "residual": "m"}.items()]
        width = max([12, *map(len, titles)]) + 2
        lines = [self.message, "", "".join(f"{title:>{width}}" for title in titles)]
        for s in self.solutions:
            values_shown = [shown(value, units[name], name)[0] for name, value in s.joints.items()]
            numbers = "".join(f"{value:{width}.6f}" for value in [*values_shown, shown(s.distance, "rad")[0]])
            lines.append(f"{numbers}{shown(s.residual, 'm')[0]:{width}.1e}")
        return "\n".join(lines)


@without_derivatives
def inverse_kinematics(
    model: Model | System, targets: Mapping[Any, Any],
    limits: Mapping[str, tuple[float | None, float | None]] | None = None,
    start: State | Mapping[str, float] | None = None, all: bool = True, seed: int = 0, tries: int | None = None,
) -> Solutions:  # fmt: skip
    """Return the joint coordinates for which markers are at their targets, as `Solutions`.

    `targets` maps markers or their names to targets: ``{"link6.tool": T}``. A target is a point in m, a homogeneous
    matrix, or a pair (point, rotation), of which one may be None. `limits` maps joint coordinates to bounds,
    ``{"axis2.angle": (-1.0, 2.0)}``, None for a free side; all solutions obey them. An angle without limits is the one
    nearest to the start's angle.

    With ``all=True`` all solutions are searched, from `tries` random starts (equal for equal `seed`); otherwise the
    search ends with the first one, tried from `start` first: a pose, or joint values (default: the reference
    placement). If targets leave joints free, a solution is a local minimum of the change from the start.

    Solutions miss their targets by at most 1e-12 of the model's length. Targets that cannot be reached raise no error:
    `reachable` is then False, and `nearest` is the nearest pose. Drivers of the model are ignored.

    An arm of two links of 1 m reaches (1, 1) with its elbow on either side:

    >>> arm = mbs.PlanarModel.from_points({"A": (0, 0), "B": (1, 0), "C": (2, 0)}, rods=["AB", "BC"], fixed="A")
    >>> found = mbs.inverse_kinematics(arm, {"BC.C": (1, 1)}, tries=20)
    >>> sorted(round(solution["B.angle"], 6) for solution in found)
    [-1.570796, 1.570796]
    >>> mbs.inverse_kinematics(arm, {"BC.C": (3, 0)}, tries=20).reachable
    False
    """
    space = JointSpace.of(model)
    read = read_targets(space, targets)
    low, high = _limits(space, limits or {})
    for what, values in (("limits", limits), ("start", start)):
        warn_of_angles(space.model, values, what)
    if tries is not None and (isinstance(tries, bool) or not isinstance(tries, int) or tries < 1):
        raise ModelError(
            f"tries must be a number of starts, 1 or more, not {tries!r}",
            code="not-an-integer", argument="tries", value=tries, least=1,
        )  # fmt: skip
    search = SolutionSearch(space, read, space.start(start), low, high)
    poses, tried, hits, ends = search.solve(all, seed, tries)
    note = f" ({space.note})" if space.note else ""
    nearest = None
    if not poses and (pose := search.nearest(ends)) is not None:
        nearest = _solution(search, pose, Nearest)
        if nearest.residual <= search.tolerance:  # the nearest pose is a solution that no search found
            poses, nearest = [pose], None
    solutions = tuple(sorted((_solution(search, q) for q in poses), key=lambda s: s.distance))
    if solutions:
        message = f"{counted(len(solutions), 'solution')}, found from {hits} of {tried} starts"
        return Solutions(solutions, None, (), tried, hits, message + note)
    message = "not reachable" + (f": the nearest pose misses {_missed(search, nearest)}" if nearest else "")
    excluded, why = _excluded(search, seed, tries) if np.isfinite([low, high]).any() else ((), "")
    return Solutions((), nearest, excluded, tried, hits, (why or message) + note)


def _solution(search: SolutionSearch, q: np.ndarray, kind: type = Solution) -> Any:
    residual, misses = search.residual(q), {}
    ends = np.cumsum([target.rows for target in search.targets])
    for target, errors in zip(search.targets, np.split(search.task.e, ends), strict=False):
        width = 0 if target.point is None else target.point.size
        point, rotation = np.linalg.norm(errors[:width]), np.linalg.norm(errors[width:]) / search.length
        misses[label(target.marker)] = float(point), float(rotation)
    values = MappingProxyType(search.space.values(q))
    return kind(values, residual, search.distance(q), MappingProxyType(misses), search.space, q)


def _missed(search: SolutionSearch, pose: Solution) -> str:
    """Return a text of the markers that miss their targets, in metres, radians, or both. Roundoff is left out if
    another error is larger."""
    parts = []
    for target in search.targets:
        who, (point, rotation) = label(target.marker), pose.misses[label(target.marker)]
        parts += [] if target.point is None else [(who, f"{point:.6g} m", point)]
        parts += [] if target.rotation is None else [(who, f"{rotation:.6g} rad", rotation * search.length)]
    large = [part for part in parts if part[2] > REPORTED_DISTANCE * search.length] or parts
    by = {who: " and ".join(amount for owner, amount, _ in large if owner == who) for who, _, _ in large}
    return ", ".join(f"{who} by {amounts}" for who, amounts in by.items())


def _limits(space: JointSpace, limits: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.full(space.size, -np.inf), np.full(space.size, np.inf)
    check_dict("limits", limits, "pairs", '{"axis1.angle": (-1.0, 1.0)}')
    for name, pair in limits.items():
        k = space.index(name)
        if k not in space.coordinate_of:
            raise ModelError(
                f"{name!r} is one of four numbers of a ball, which have no limits; leave it out",
                code="limits-of-ball", argument="limits", name=name,
            )  # fmt: skip
        try:
            lo, hi = pair
        except (TypeError, ValueError) as exc:
            raise ModelError(
                f"limits[{name!r}] must be a pair (low, high), not {pair!r}",
                code="wrong-length", argument="limits", name=name, value=pair, length=2,
            ) from exc  # fmt: skip
        for side, value, free in ((low, lo, -np.inf), (high, hi, np.inf)):
            if value is not None and not (isinstance(value, float) and value == free):
                side[k] = space.number(value, f"limits[{name!r}]")
        if low[k] > high[k]:
            raise ModelError(
                f"limits[{name!r}] are upside down: {low[k]:g} is above {high[k]:g}; swap them",
                code="bounds-upside-down", argument="limits", name=name, value=(float(low[k]), float(high[k])),
            )  # fmt: skip
    return low, high


def _excluded(search: SolutionSearch, seed: int, tries: int | None) -> tuple[tuple[str, ...], str]:
    """Return the joints whose limits exclude every solution, and a text about the solution that violates limits
    least."""
    space, names, none = search.space, np.array(search.space.names), np.full(search.space.size, np.inf)
    poses = replace(search, low=-none, high=none).solve(True, seed, tries).poses
    if not poses:
        return (), ""
    nearest_turns = np.array([search.without_turns(q)[: space.size] for q in poses])
    over = np.maximum(search.low - nearest_turns, nearest_turns - search.high)
    best = min(range(len(poses)), key=lambda k: ((over[k] > 0).sum(), over[k].max()))
    broken = [
        f"{names[k]} would be {nearest_turns[best, k]:.6g}, limits {search.low[k]:g} to {search.high[k]:g}"
        for k in np.flatnonzero(over[best] > 0)
    ]
    excluded = tuple(names[(over > 0).any(axis=0)].tolist())
    there = "is 1 solution" if len(poses) == 1 else f"are {len(poses)} solutions, of which the nearest to them"
    what = f"not reachable within the limits of {', '.join(excluded)}"
    return excluded, f"{what}; without limits there {there}: {'; '.join(broken)}"
