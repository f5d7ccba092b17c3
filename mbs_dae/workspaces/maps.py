"""Numbers on a grid over the two values: each point is reached from a neighbour along a curve of poses.

The pose at a point is reached from the initial pose, in steps along the lines of the grid, in which both values are
driven; a step that meets a singular pose is not made. So the map shows one branch of poses (over inputs an assembly
mode, over outputs a working mode), up to the singularities that bound it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError, unknown_name
from ..poses.local import free_motions
from ..provided import provided
from ..results.quantities import frozen
from ..results.result import State
from ..tolerances import JACOBIAN_FLOOR
from ..unit_system import UnitsLike, shown_in
from .following.equations import PlaneEquations, PosePoint
from .following.modes import drive
from .plane.faces import distance_to
from .request import InitialPose, ValuePlane, equations_system, state_at

if TYPE_CHECKING:
    from matplotlib.figure import Figure

QUANTITIES = {
    "dexterity": "1 / condition number of the Jacobian",
    "condition": "condition number of the Jacobian",
    "manipulability": "|det J|, without unit",
    "parallel": "least motion of the inputs for a unit motion",
    "serial": "least motion of the outputs for a unit motion",
    "distance": "distance to the nearest singular curve",
}

FIRST = 16
"""Number of grid points that are tried from the initial pose."""


@dataclass(frozen=True, eq=False, repr=False)
class Map:
    """Numbers on a grid: ``map["dexterity"][i, j]`` at x[i] and y[j]; nan where no pose was reached.

    With J the Jacobian of outputs by inputs, made dimensionless by the model's length: "dexterity" is 1 / cond J,
    "condition" is cond J, "manipulability" the size of det J. "parallel" and "serial" are the least motions of inputs
    and outputs for a motion of unit length (in the norm of the model): 0 in a singular pose of the kind. "distance" is
    the distance in the plane from the nearest singular curve.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    x: np.ndarray
    y: np.ndarray
    numbers: dict[str, np.ndarray] = field(repr=False)
    reached: np.ndarray = field(repr=False)
    """Whether a pose was reached at each point."""
    poses: np.ndarray = field(repr=False)
    initial: InitialPose = field(repr=False)
    workspace: Any = field(repr=False)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.numbers:
            raise unknown_name("quantity", name, self.numbers, "the map")
        return self.numbers[name]

    def __repr__(self) -> str:
        return (
            f"<Map over {self.names[0]} and {self.names[1]}: {int(self.reached.sum())} of {self.reached.size} points>"
        )

    def meaning(self, name: str) -> str:
        """Return the meaning of a quantity as text."""
        self[name]  # raises an error for unknown names
        return QUANTITIES[name]

    def state(self, i: int, j: int) -> State:
        """Return the pose at a point, at rest."""
        for k, count in zip((i, j), self.reached.shape, strict=True):
            if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 0 <= k < count:
                raise ModelError(
                    f"points of the map are counted by whole numbers from 0 to {count - 1}, not by {k!r}",
                    code="out-of-bounds", argument="i, j", value=k, least=0, most=count - 1,
                )  # fmt: skip
        if not self.reached[i, j]:
            raise ModelError(
                f"no pose was reached at point ({i}, {j}) of the map; ask .reached first", code="no-pose", index=(i, j)
            )
        return state_at(self.initial, self.poses[i, j], self.names, (self.x[i], self.y[j]))

    def plot(self, name: str = "dexterity", degrees: bool = False, units: UnitsLike = None) -> Figure:
        """Plot a quantity in colours, with the boundaries. `degrees` and `units` are those of ``Result.plot``."""
        with shown_in(units, degrees):
            return provided("Map.plot")(self, name)


@dataclass(frozen=True, eq=False)
class Jacobians:
    """The rates of inputs and outputs of a mechanism for its free motions.

    N are the motions that all other equations leave free, of unit length in the norm of the model. Inputs move by A =
    Φ_in N, outputs by B = Φ_out N, without units. Where A loses rank the mechanism moves with its inputs held (a
    parallel, or direct, singularity); where B loses rank, outputs lose a direction (a serial, or inverse, singularity).
    Outputs follow inputs by B A⁻¹.
    """

    initial: InitialPose
    fix: dict[str, float]
    inputs: ValuePlane | None
    """The plane of inputs; at least one of inputs and outputs is given."""
    outputs: ValuePlane | None

    @cached_property
    def system(self) -> Any:
        return equations_system(self.initial.model, self.fix)

    @cached_property
    def _readers(self) -> list[Any]:
        model = self.initial.model
        planes = [plane for plane in (self.inputs, self.outputs) if plane is not None]
        return [self.system.reader([model.quantity(name)[0] for name in plane.names]) for plane in planes]

    def at(self, q: np.ndarray) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Return A and B at a pose; None for the one whose plane is not given."""
        system, t = self.system, self.initial.t
        N = free_motions(system, t, q) / np.sqrt(system.weight[: system.nv])[:, None] * system.length
        readers = iter(self._readers)
        A, B = (
            None if plane is None else next(readers).jacobian(t, q).toarray()[:, : system.nv] @ N / plane.scale[:, None]
            for plane in (self.inputs, self.outputs)
        )
        return A, B


def map_of(workspace: Any, count: Any) -> Map:
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 2:
        raise ModelError(
            f"map(count) takes how many points a side there are, 2 or more, not {count!r}",
            code="not-an-integer", argument="count", value=count, least=2,
        )  # fmt: skip
    search, region, jacobians = workspace.search, workspace.region, workspace.jacobians
    if search.freedom > 0:
        raise ModelError(
            "a map needs one pose at each point, and a freedom is left here; hold it by fix=",
            code="too-many-freedoms", freedoms=search.freedom,
        )  # fmt: skip
    equations = search.equations
    x, y = (np.linspace(region.low[k], region.high[k], count) for k in range(2))
    start = workspace.start
    turned = start.p - region.nearest(start.p)
    points = poses_on_grid(equations, start, x + turned[0], y + turned[1], search.step)
    reached = np.array([[points[i][j] is not None for j in range(count)] for i in range(count)])
    poses = np.full((count, count, workspace.start.q.size), np.nan)
    numbers = {name: np.full((count, count), np.nan) for name in QUANTITIES}
    for i, j in zip(*np.nonzero(reached), strict=True):
        point = points[i][j]
        poses[i, j] = point.q
        for name, value in _numbers(jacobians, point).items():
            numbers[name][i, j] = value
    numbers["distance"] = np.where(reached, _distances(workspace, x, y), np.nan)
    kept = {name: frozen(values) for name, values in numbers.items() if np.isfinite(values).any()}
    own = workspace.initial
    return Map(workspace.names, workspace.units, frozen(x), frozen(y), kept, frozen(reached), poses, own, workspace)


def _numbers(jacobians: Any, point: PosePoint) -> dict[str, float]:
    if jacobians is None:
        return {}
    A, B = jacobians.at(point.q)
    rates = {"parallel": A, "serial": B}
    out = {name: float(np.linalg.svd(J, compute_uv=False)[-1]) for name, J in rates.items() if J is not None}
    if A is None or B is None:
        return out
    if A.shape[0] == A.shape[1] and out["parallel"] > JACOBIAN_FLOOR:
        sizes = np.linalg.svd(B @ np.linalg.inv(A), compute_uv=False)
        out["condition"] = float(sizes[0] / sizes[-1]) if sizes[-1] > 0.0 else np.inf
        out["dexterity"] = float(sizes[-1] / sizes[0])
        out["manipulability"] = float(sizes.prod())
    return out


def _distances(workspace: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the distance from the nearest singular curve in the units of the plane; for values with different units,
    in the model's lengths and radians."""
    units, scale = workspace.units, workspace.search.equations.scale
    grid = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2) / scale
    best = np.full(len(grid), np.inf)
    for curve in workspace.curves:
        for shift in workspace.region.shifts(curve.values):
            best = np.minimum(best, distance_to((curve.values + shift) / scale, grid, closed=False))
    size = scale[0] if units[0] == units[1] else 1.0
    return np.where(np.isfinite(best), best * size, np.nan).reshape(len(x), len(y))


def poses_on_grid(
    equations: PlaneEquations, start: PosePoint, x: np.ndarray, y: np.ndarray, step: float
) -> list[list[PosePoint | None]]:
    """Return the pose at each point of a grid, reached from neighbour to neighbour; None where none was reached."""
    out: list[list[PosePoint | None]] = [[None] * len(y) for _ in x]
    off = np.hypot(*np.meshgrid(x - start.p[0], y - start.p[1], indexing="ij"))
    front: list[tuple[int, int]] = []
    for i, j in zip(*np.unravel_index(off.ravel().argsort()[:FIRST], off.shape), strict=True):
        if not front:
            (out[i][j],) = drive(equations, [start], np.array([[x[i], y[j]]]), step)
            front = [(int(i), int(j))] if out[i][j] is not None else []
    while front:
        pairs = [
            (here, a, b)
            for i, j in front
            for a, b in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1))
            if (here := out[i][j]) is not None and 0 <= a < len(x) and 0 <= b < len(y) and out[a][b] is None
        ]
        targets = np.array([(x[a], y[b]) for _, a, b in pairs]).reshape(-1, 2)
        front = []
        for (_, a, b), there in zip(
            pairs, drive(equations, [here for here, _, _ in pairs], targets, step), strict=True
        ):
            if there is not None and out[a][b] is None:
                out[a][b] = there
                front.append((a, b))
    return out
