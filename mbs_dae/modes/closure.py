"""The algebraic equations of a model for many poses side by side, with all their numbers as variables; the family of
mechanisms that share these equations, and homotopies from one member of it to another.

Poses are arrays (coordinates, poses), real or complex, in Cartesian coordinates: in space with a quaternion of unit
length, e · e = 1, also a complex one. A small motion is given like a velocity, so there are as many unknowns as
velocities, and each pose is one point, up to the sign of e.

Numbers are an array (numbers, poses) or (numbers, 1): the numbers in the slots of kernels, then one number for each
row, which is added to the row and is 0 in every real member of the family.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..compiled import System
from ..coordinates import body_coordinates
from ..model.joints.base import Condition
from ..symbolic.markers import LABELS, marker_symbols
from .algebraic import Algebraic, AlgebraicKernel, algebraic, kernel_of, stacked
from .paths import along

PLACES = {2: ("sx", "sy"), 3: ("sx", "sy", "sz")}
"""The slots of a marker for its place on its body."""
SPREAD = 0.5
"""Distance of random members of a family from a given one, relative to the sizes of its numbers."""


@dataclass(frozen=True, eq=False)
class KernelInstances:
    """All instances of one kernel."""

    kernel: AlgebraicKernel
    index: np.ndarray
    """Local coordinates: their places in q, (local coordinates, instances)."""
    numbers: np.ndarray
    """Places in the array of numbers, (slots, instances)."""
    phi_to: np.ndarray
    """Numbers of the rows, (rows of the kernel, instances)."""
    entry: np.ndarray
    """Outputs that are entries of the Jacobian by moving coordinates: pairs (entry, instance), flat."""
    entry_to: np.ndarray
    """The place of each of these outputs in the Jacobian, row by row."""


@dataclass(frozen=True, eq=False)
class ClosureSystem:
    """The equations of one structure; `values` are the numbers of one design at one time."""

    system: System
    time: float
    elements: tuple[Condition, ...]
    groups: tuple[KernelInstances, ...]
    values: np.ndarray
    places: dict[tuple, list[int]]
    """The places, among the numbers, of each quantity that may be varied."""
    owners: tuple[str, ...]
    """The element of each row."""
    metric: np.ndarray
    """A mask of the rows that contain places."""
    equations: np.ndarray
    """A mask of the rows that are equations. The others check whether a solution is valid; they vanish there, and so do
    their slopes."""

    @property
    def rows(self) -> int:
        return len(self.owners)

    @property
    def unknowns(self) -> int:
        return self.system.nv

    @property
    def count(self) -> int:
        """The number of numbers."""
        return self.values.size

    def evaluate(self, q: np.ndarray, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return Φ (poses, rows) and its Jacobian (poses, rows, unknowns)."""
        poses = max(q.shape[1], numbers.shape[1])
        dtype = np.result_type(q, numbers)
        phi = np.empty((self.rows, poses), dtype)
        jacobian = np.zeros((self.rows * self.unknowns, poses), dtype)
        nothing = np.zeros(0)
        for group in self.groups:
            out = np.empty((group.kernel.outputs, group.index.shape[1], poses), dtype)
            group.kernel.function(1, 0.0, q, q, group.index, numbers[group.numbers], nothing, out)
            phi[group.phi_to] = out[: group.kernel.phi]
            jacobian[group.entry_to] = out[group.kernel.phi :].reshape(-1, poses)[group.entry]
        phi += numbers[-self.rows :]
        return phi.T, jacobian.T.reshape(poses, self.rows, self.unknowns)

    # --- poses --------------------------------------------------------------------------------------------------

    @cached_property
    def _plain(self) -> tuple[np.ndarray, np.ndarray]:
        return tuple(self.system.layout.plain.T)

    @cached_property
    def _attitudes(self) -> tuple[np.ndarray, np.ndarray]:
        """The places of quaternions and of angular velocities, (4, bodies) and (3, bodies)."""
        pairs = self.system.layout.quaternions
        return pairs[:, 0] + np.arange(4)[:, None], pairs[:, 1] + np.arange(3)[:, None]

    def rates(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return q̇ from velocities (unknowns, poses)."""
        out = np.zeros(q.shape, np.result_type(q, v))
        at, by = self._plain
        out[at] = v[by]
        if self.system.layout.quaternions.size:
            at, by = self._attitudes
            (e0, e1, e2, e3), (x, y, z) = q[at], v[by]
            turned = -e1 * x - e2 * y - e3 * z, e0 * x + e2 * z - e3 * y, e0 * y + e3 * x - e1 * z
            out[at] = np.stack([*turned, e0 * z + e1 * y - e2 * x]) / 2
        return out

    def normalised(self, q: np.ndarray) -> np.ndarray:
        """Scale quaternions to unit length, in place, and return q."""
        if self.system.layout.quaternions.size:
            e = q[self._attitudes[0]]
            q[self._attitudes[0]] = e / np.sqrt((e * e).sum(axis=0))
        return q

    def moved(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        return self.normalised(q + self.rates(q, step))

    def signature(self, q: np.ndarray) -> np.ndarray:
        return signature(self.system, q)

    def slope(self, q: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return the derivative of weights · signature by the unknowns, (unknowns, poses); weights are (numbers,
        poses)."""
        layout, dimension = self.system.layout, self.system.model.dimension
        out = np.zeros((self.unknowns, q.shape[1]), complex)
        at, by = self._plain
        if dimension == 2:
            at, by, bodies = at.reshape(-1, 3), by.reshape(-1, 3), len(at) // 3
            places, cosines, sines = np.split(weights, [2 * bodies, 3 * bodies])
            out[by[:, :2].ravel()] = places / self.system.length
            out[by[:, 2]] = sines * np.cos(q[at[:, 2]]) - cosines * np.sin(q[at[:, 2]])
            return out
        out[by] = weights[: len(at)] / self.system.length
        at, by = self._attitudes
        e, products = q[at], iter(np.split(weights[len(layout.plain) :], 10))
        grad = np.zeros_like(e)
        for i in range(4):
            for j in range(i + 1):
                weight = next(products)
                grad[i] += weight * e[j]
                grad[j] += weight * e[i]
        (g0, g1, g2, g3), (e0, e1, e2, e3) = grad, e
        out[by[0]] = (-e1 * g0 + e0 * g1 + e3 * g2 - e2 * g3) / 2
        out[by[1]] = (-e2 * g0 - e3 * g1 + e0 * g2 + e1 * g3) / 2
        out[by[2]] = (-e3 * g0 + e2 * g1 - e1 * g2 + e0 * g3) / 2
        return out

    @cached_property
    def scale(self) -> np.ndarray:
        """Unit of each unknown: the model's length, or 1 rad."""
        return self.system.length / np.sqrt(self.system.weight)


def signature(system: System, q: np.ndarray) -> np.ndarray:
    """Return numbers that differ for different poses, (numbers, poses): places in lengths of the model, and
    attitudes."""
    layout = system.layout
    at = layout.plain[:, 0]
    if system.model.dimension == 2:
        places, angles = q[at.reshape(-1, 3)[:, :2].ravel()], q[at.reshape(-1, 3)[:, 2]]
        return np.concatenate([places / system.length, np.cos(angles), np.sin(angles)])
    e = q[layout.quaternions[:, 0] + np.arange(4)[:, None]]
    products = [e[i] * e[j] for i in range(4) for j in range(i + 1)]
    return np.concatenate([q[at] / system.length, *products])


def closure_of(system: System, time: float) -> ClosureSystem:
    """Return the closure of a compiled model in Cartesian coordinates."""
    elements = [(e, a) for e in system.model.conditions if (a := algebraic(e, time, system.evaluator)) is not None]
    kernels = body_coordinates(system.model.dimension)
    grouped: dict[str, list[int]] = {}
    for k, (_, form) in enumerate(elements):
        grouped.setdefault(form.relation.meaning, []).append(k)
    first = np.cumsum([0, *(form.relation.size for _, form in elements)])
    groups: list[KernelInstances] = []
    values: list[float] = []
    places: dict[tuple, list[int]] = {}
    for instances in grouped.values():
        kernel = kernel_of(elements[instances[0]][1].relation, kernels)
        at = len(values) + np.arange(len(kernel.slots) * len(instances)).reshape(len(kernel.slots), -1)
        rows = np.array([first[k] + np.arange(kernel.phi) for k in instances]).T
        for s, name in enumerate(kernel.slots):
            for k, member in enumerate(instances):
                value, key = _number(system, *elements[member], name, kernels)
                values.append(value)
                if key is not None:
                    places.setdefault(key, []).append(int(at[s, k]))
        groups.append(KernelInstances(kernel, *_indices(system, kernel, [elements[k][0] for k in instances], rows, at)))
    owners = tuple(e.name for e, form in elements for _ in range(form.relation.size))
    metric = []  # rows that contain places of markers
    for _, form in elements:
        marker = marker_symbols(1, form.relation.markers[0].dimension)[0]
        point = {s.name.rpartition("_")[0] for s in marker.m[: marker.dimension]}
        for row in form.relation.phi:
            metric.append(bool({s.name.rpartition("_")[0] for s in row.free_symbols} & point))
    numbers = np.array([*values, *np.zeros(len(owners))])
    sizes = [(form.relation.size, form.relation.size - form.checks) for _, form in elements]
    true = np.array([k < equations for size, equations in sizes for k in range(size)], dtype=bool)
    conditions = tuple(e for e, _ in elements)
    return ClosureSystem(
        system, time, conditions, tuple(groups), numbers, places, owners, np.array(metric, dtype=bool) & true, true
    )


def _number(
    system: System, element: Condition, form: Algebraic, name: str, kernels: object
) -> tuple[float, tuple | None]:
    """Return the number in a slot, and its key if it may be varied: markers at one point of a body share a key."""
    if name in form.values:
        return form.values[name], (element.name, name) if name in form.free else None
    label = name.rpartition("_")[2]
    marker = element.markers[LABELS.index(label)]
    symbols = kernels.marker_map(label).slots  # type: ignore[attr-defined]
    numbers = dict(zip(map(str, symbols), kernels.marker_slots(marker), strict=True))  # type: ignore[attr-defined]
    value = system.evaluator(numbers[name])
    kind = name.rpartition("_")[0]
    if kind not in PLACES[system.model.dimension]:
        return value, None
    point = tuple(round(system.evaluator(n) / system.length, 9) + 0.0 for n in marker.point)
    return value, (marker.body.name, point, kind)


def _indices(
    system: System, kernel: AlgebraicKernel, elements: Sequence[Condition], rows: np.ndarray, at: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Return the coordinates and numbers that a group reads, its rows, and the entries of the Jacobian with their
    places."""
    layout = system.layout
    q = [[p for m in e.markers for p in layout.q[m.body]] for e in elements]
    v = np.array([[p for m in e.markers for p in layout.v[m.body]] for e in elements], dtype=int)
    width = len(q[0]) + v.shape[1]
    index = stacked([[*places, *np.zeros(width - len(places), dtype=int)] for places in q], width)
    entry, to = [], []
    for k, (row, column) in enumerate(kernel.jacobian):
        for i in range(len(elements)):
            if v[i, column] < system.nv:
                entry.append(k * len(elements) + i)
                to.append(rows[row, i] * system.nv + v[i, column])
    return index, at, rows, np.array(entry, dtype=int), np.array(to, dtype=int)


# --- families of mechanisms -------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class MechanismFamily:
    """The family of mechanisms to which a model belongs.

    Its variables are all places of joints on bodies, all constants of joints, and the values of drivers; directions
    stay, and markers at one point of a body stay together. Members are points of this space, real ones and complex
    ones; where members are generic, all have the same number of solutions, and the solutions of special members are
    limits of generic ones. The system is square if there are as many independent `rows` as unknowns.
    """

    closure: ClosureSystem
    rows: np.ndarray

    def random_member(self, random: np.random.Generator, near: np.ndarray) -> np.ndarray:
        """Return a generic complex member. Angles change by a radian at most, however many turns they count, because
        their imaginary parts go into exponentials."""
        out = near.astype(complex)
        length = self.closure.system.length
        kinds = PLACES[self.closure.system.model.dimension]
        metric = {self.closure.owners[r] for r in np.flatnonzero(self.closure.metric)}
        for key, at in self.closure.places.items():
            value = abs(complex(near[at[0]]))
            scale = value if value > 1e-6 else length
            if key[-1] in kinds:
                change = length
            elif key[0] in metric:
                change = scale
            else:
                change = min(scale, 1.0) if value > 1e-6 else 1.0
            x, y = random.normal(size=2)
            out[at] += SPREAD * change * (x + 1j * y)
        return out

    def signature(self, x: np.ndarray) -> np.ndarray:
        return self.closure.signature(x)

    def between(self, first: np.ndarray, second: np.ndarray, start: np.ndarray, bend: np.ndarray) -> Homotopy:
        return Homotopy(self, first, second, start, bend)


@dataclass(frozen=True, eq=False)
class Homotopy:
    """Paths from one member to another in the complex line through both: numbers = first + (second - first) c; each
    path of solutions has a c(s) of its own, see `paths.along`."""

    family: MechanismFamily
    first: np.ndarray
    second: np.ndarray
    start: np.ndarray
    bend: np.ndarray

    def evaluate(self, x: np.ndarray, s: np.ndarray, paths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        c = along(s, self.start, self.bend, paths)
        F, J = self.family.closure.evaluate(x, self.first[:, None] + (self.second - self.first)[:, None] * c)
        return F[:, self.family.rows], J[:, self.family.rows]

    def moved(self, x: np.ndarray, step: np.ndarray) -> np.ndarray:
        return self.family.closure.moved(x, step)

    def rates(self, x: np.ndarray, v: np.ndarray) -> np.ndarray:
        return self.family.closure.rates(x, v)

    def normalised(self, x: np.ndarray) -> np.ndarray:
        return self.family.closure.normalised(x)

    def size(self, x: np.ndarray) -> np.ndarray:
        """Return the size of each solution: the largest of places in lengths of the model and of attitudes, at least
        1."""
        return np.maximum(1.0, np.abs(self.family.closure.signature(x)).max(axis=0))

    def length(self, step: np.ndarray) -> np.ndarray:
        return np.abs(step / self.family.closure.scale[:, None]).max(axis=0)
