"""Loads of joints, drivers and forces on bodies, from the multipliers.

The equations of a joint act on its markers by -(∂ψ/∂ṁ)ᵀ λ, whatever the rows of Φ look like. A reaction is that force
and moment on the body of the second marker, about that marker.

Where constraints are redundant, Φ_vᵀ λ is determined but λ is not: it may change by any z with Φ_vᵀ z = 0. The λ kept
is the least one, and a component of a reaction is unique where no such z changes it.

Rank is asked of rows of Φ_v of unit length, in the norm in which a turn counts as the way of a point at the model's
length. Multipliers times the units of their rows over this length are forces: λ of an angle is a moment, λ of a squared
length a force a length. Small systems by singular values; large ones (where only the ends of the spectrum can be
afforded) by sparse solves.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np
import scipy.sparse as sps
from scipy.linalg import qr
from scipy.sparse.linalg import eigsh, lsqr

from ..compiled import System
from ..compiled.reading import Trajectory
from ..errors import check_name
from ..model.contacts import Contact
from ..model.contacts.friction import FrictionElement
from ..model.drivers import Driver
from ..model.element import Element
from ..model.forces.base import EffortElement, ForceElement
from ..model.joints import Gear
from ..results.own import Lazy
from ..results.quantities import frozen
from ..symbolic.derive import Relation
from ..symbolic.loads import Load, joint_wrenches
from ..symbolic.markers import MARKERS
from ..tolerances import RANK
from .teeth import apart, coupled, open_rows, separating_wrench
from .varying import called, check_read

TOUCHING = Contact, FrictionElement
NOTHING_PUSHES = np.zeros(0, dtype=int)
LARGE = 200  # rows from which on a system is large
ROUNDOFF = 1e-13
"""Entries of null vectors are off by less than this, relative to the largest."""
SHARE = 1e-6
"""A component is indeterminate if a null vector of unit length moves it by more than this, relative to what unit
multipliers of the joint move it. (Where constraints have drifted by 1e-10 or so, null vectors are off by that over the
sine of the nearest singular pose; a determined component must not be taken for one that is not.)"""


class Loads(NamedTuple):
    """The loads that joints carry along a motion."""

    multipliers: np.ndarray
    """(times, rows)."""
    redundant: int
    """How many rows are redundant."""
    undetermined: np.ndarray
    """(times, rows): which multipliers the equations of their own pose do not give."""


@dataclass(frozen=True, eq=False)
class ComputedReactions:
    """Read from a system along a motion when asked for."""

    _system: System
    _motion: Trajectory
    _contacts: np.ndarray
    """The forces along all rows of contacts, (times, rows)."""
    _sticking: np.ndarray
    """(times, rows of contacts): which slips are held by friction."""
    loads: Loads = cast(Any, Lazy())

    def multipliers(self) -> np.ndarray:
        return frozen(self.loads.multipliers)

    @property
    def dimension(self) -> int:
        return self._system.model.dimension

    @property
    def system(self) -> System:
        """The source of the loads: a system, its motion, and the forces along all rows of contacts."""
        return self._system

    @property
    def motion(self) -> Trajectory:
        return self._motion

    @property
    def contacts(self) -> np.ndarray:
        return self._contacts

    @property
    def _width(self) -> int:
        """Components of force and moment."""
        return len(MARKERS[self.dimension].rate_names)

    def _read(self, form: Any, slots: Any, element: Element) -> np.ndarray:
        check_read(form, self._motion.q, element.who)
        return self._system.read_values(form, slots, element.markers, *self._motion[:3])

    def names(self) -> list[str]:
        model = self._system.model
        return [e.name for e in (*model.conditions, *model.contacts, *model.frictions, *model.forces)]

    def efforts(self) -> list[str]:
        elements = self._system.model.elements
        return [name for name in self.names() if isinstance(elements[name], EffortElement | Driver)]

    def world(self, name: str) -> np.ndarray:
        element = self._element(name)
        if isinstance(element, ForceElement):
            return self._load_wrench(element)
        rows, partials = self._rows(element), self._partials(element)
        multipliers = (-self._contacts if isinstance(element, TOUCHING) else self.loads.multipliers)[:, rows, None]
        unfelt = np.isnan(multipliers) & (partials == 0.0)  # nan where it is felt only
        found = np.where(unfelt, 0.0, partials * multipliers).sum(axis=1)
        return found + self.separating(element) if element in apart(self._system) else found

    def separating(self, gear: Gear) -> np.ndarray:
        """The wrench that drives off the second wheel of a gear, (times, components), about its marker."""
        return separating_wrench(self._system, self._motion, gear, self.loads.multipliers)

    def _rows(self, element: Element) -> np.ndarray:
        structure = self._system.structure
        return (structure.contacts if isinstance(element, TOUCHING) else structure).rows_of[element.name]

    def unique(self, name: str) -> np.ndarray:
        element = self._element(name)
        out = np.ones((len(self._motion.t), self._width), dtype=bool)
        several = bool(self.loads.redundant or self._holding.any() or coupled(self._system))
        known = not (several or self.loads.undetermined.any())
        if known or isinstance(element, ForceElement):
            return out
        rows, partials = self._rows(element), self._partials(element)
        if isinstance(element, TOUCHING):
            rows = rows + len(self._system.rows)
        else:
            out &= ~((partials != 0.0) & self.loads.undetermined[:, rows, None]).any(axis=1)
        if not several:
            return out
        for k, null in enumerate(self._null_vectors):
            if null.shape[1]:
                if element in coupled(self._system):  # how its wheels press on each other is what nothing tells
                    out[k, : self.dimension] = False
                moved = np.abs(partials[k].T @ null[rows]).max(axis=1)
                out[k] &= moved <= SHARE * self._largest(np.abs(partials[k]).max(axis=0, initial=0.0))
        return out

    def _largest(self, components: np.ndarray) -> np.ndarray:
        """For each component of force and of moment, the largest one of its kind."""
        size = self.dimension
        parts = components[:size], components[size:]
        return np.concatenate([np.full(part.size, part.max(initial=0.0)) for part in parts])

    def effort(self, name: str) -> np.ndarray | None:
        element = self._element(name)
        if isinstance(element, EffortElement):
            _, slots = element.form()
            return self._read(element.effort_reading, slots, element)[:, 0]
        return -self.loads.multipliers[:, self._system.rows_of(name)[0]] if isinstance(element, Driver) else None

    @property
    def _poses(self) -> Iterator[tuple[float, np.ndarray]]:
        return zip(self._motion.t, self._motion.q, strict=True)

    @cached_property
    def smallest_singular_value(self) -> np.ndarray:
        """At each time, but for the redundant rows."""
        if not self._system.rows:
            return np.ones(len(self._motion.t))
        return np.array(
            [_smallest(scaled_jacobian(self._system, *pose)[0], self.loads.redundant) for pose in self._poses]
        )

    @cached_property
    def _holding(self) -> np.ndarray:
        """(times, rows of contacts): which gaps are closed, by what pushes or by joints, and what friction holds."""
        gaps, found = self._system.structure.contacts.gap, self._sticking.copy()
        found[:, gaps[gaps >= 0]] |= self._contacts[:, gaps[gaps >= 0]] > 0.0
        return found

    @cached_property
    def _null_vectors(self) -> list[np.ndarray]:
        """Over the rows of joints, then those of contacts."""
        found, rows = [], len(self._system.rows)
        for pose, holding in zip(self._poses, self._holding, strict=True):
            beside = open_rows(self._system, *pose) if coupled(self._system) else None
            own = null_vectors(self._system, *pose, self.loads.redundant, np.flatnonzero(holding), beside)
            whole = np.zeros((rows + holding.size, own.shape[1]))
            whole[np.append(np.ones(rows, dtype=bool), holding)] = own[: rows + np.count_nonzero(holding)]
            found.append(whole)
        return found

    def _element(self, name: str) -> Element:
        check_name("joint, driver or force", name, self.names(), "the result")
        return self._system.model.elements[name]

    def _partials(self, element: Element) -> np.ndarray:
        """(times, rows, 3): the reaction for unit multipliers."""
        return self.wrenches_of_rows(element)[:, :, element.second]

    def wrenches_of_rows(self, element: Element) -> np.ndarray:
        """(times, rows, markers, 3): what unit multipliers do to the bodies of all its markers, about these."""
        relation, slots = element.form()
        assert isinstance(relation, Relation)
        values = self._read(joint_wrenches(relation), slots, element)
        return values.reshape(len(values), relation.size, len(element.markers), self._width)

    def _load_wrench(self, element: Any) -> np.ndarray:
        return self.wrenches_of_force(element)[:, element.second]

    def wrenches_of_force(self, element: Any) -> np.ndarray:
        """(times, markers, 3): what a force does to the bodies of all its markers, about these."""
        form, slots = element.form()
        if isinstance(form, Load):
            values = self._read(form.wrenches, slots, element)
        else:  # a Python force: its form is what the function sees
            values = called(element.wrenches, self._motion.t, self._read(form, slots, element))
        return values.reshape(len(values), len(element.markers), self._width)


@dataclass(frozen=True, eq=False)
class SweptReactions:
    """The reactions and efforts along a sweep, from the reactions of each pose, which belong to different designs."""

    poses: tuple[ComputedReactions, ...]

    @property
    def dimension(self) -> int:
        return self.poses[0].dimension

    def names(self) -> list[str]:
        return self.poses[0].names()

    def efforts(self) -> list[str]:
        return self.poses[0].efforts()

    def world(self, name: str) -> np.ndarray:
        return np.concatenate([one.world(name) for one in self.poses])

    def unique(self, name: str) -> np.ndarray:
        return np.concatenate([one.unique(name) for one in self.poses])

    def effort(self, name: str) -> np.ndarray | None:
        found = [one.effort(name) for one in self.poses]
        return None if found[0] is None else np.concatenate(cast(Any, found))

    @cached_property
    def smallest_singular_value(self) -> np.ndarray:
        return np.concatenate([one.smallest_singular_value for one in self.poses])


# --- rank along a motion --------------------------------------------------------------------------------------------


def scaled_jacobian(system: System, t: float, q: np.ndarray) -> tuple[sps.csr_matrix, np.ndarray]:
    """Φ_v with rows of unit length, and their lengths."""
    jacobian = system.jacobian(t, q) @ sps.diags(1.0 / np.sqrt(system.weight))
    lengths = np.sqrt(np.asarray(jacobian.multiply(jacobian).sum(axis=1)).ravel())
    lengths[lengths == 0.0] = 1.0
    return (sps.diags(1.0 / lengths) @ jacobian).tocsr(), lengths


def _smallest(matrix: sps.csr_matrix, redundant: int) -> float:
    """The smallest singular value but for so many."""
    rows = matrix.shape[0]
    if rows <= LARGE:
        sines = np.linalg.svd(matrix.toarray(), compute_uv=False)
        return float(sines[rows - 1 - redundant]) if rows - redundant <= sines.size else 0.0
    gram = (matrix @ matrix.T).tocsc()
    start = np.random.default_rng(0).standard_normal(rows)
    squares = eigsh(gram, k=redundant + 1, sigma=-1e-8, return_eigenvectors=False, v0=start)
    return float(np.sqrt(max(squares.max(), 0.0)))


def null_vectors(
    system: System, t: float, q: np.ndarray, redundant: int, pushing: np.ndarray = NOTHING_PUSHES,
    beside: sps.csr_matrix | None = None,
) -> np.ndarray:  # fmt: skip
    """All z with Φ_vᵀ z = 0 at a pose, as columns: orthonormal when a moment counts over the model's length. With
    `pushing`, rows of contacts, these stand behind those of joints; and behind them other rows, `beside`.

    There are at least as many as rows are redundant, even where drift hides that."""
    matrix, lengths = scaled_jacobian(system, t, q)
    units = (system.row_units / system.length)[:, None]
    further = [system.reader_by(system.structure.contacts.program).jacobian(t, q)[pushing]] if pushing.size else []
    further += [] if beside is None else [beside]
    for rows in further:
        normals = rows @ sps.diags(1.0 / np.sqrt(system.weight))
        own = np.maximum(sps.linalg.norm(normals, axis=1), 1e-300)
        matrix, lengths = sps.vstack([matrix, sps.diags(1.0 / own) @ normals]), np.append(lengths, own)
        units = np.concatenate([units, np.ones((rows.shape[0], 1))])
    u, sines, _ = np.linalg.svd(matrix.toarray(), full_matrices=True)
    rank = min(int((sines > RANK * sines.max(initial=0.0)).sum()), matrix.shape[0] - redundant)
    null = u[:, rank:] / lengths[:, None] * units
    return (np.linalg.qr(null)[0] if null.shape[1] else null) / units


def _apart(basis: np.ndarray) -> np.ndarray:
    """A basis of the same vectors, each the only one with a part along some row: so joints that share no redundancy are
    in different ones, and what is left of roundoff, by which large loads would be felt in small ones, is 0."""
    count = basis.shape[1]
    rows = qr(basis.T, pivoting=True, mode="r")[1][:count]
    found = basis @ np.linalg.inv(basis[rows])
    return np.where(np.abs(found) <= ROUNDOFF * np.abs(found).max(axis=0, initial=0.0), 0.0, found)


def least(system: System, motion: Trajectory, multipliers: np.ndarray, redundant: int) -> np.ndarray:
    """The multipliers without what redundant constraints leave open: of all that do the same, the least."""
    units = system.row_units / system.length
    out = multipliers.copy()
    for k, pose in enumerate(zip(motion.t, motion.q, strict=True)):
        if len(units) <= LARGE:
            null = _apart(null_vectors(system, *pose, redundant) * units[:, None])
            out[k] -= (null @ np.linalg.solve(null.T @ null, null.T @ (units * multipliers[k]))) / units
        else:
            does = system.jacobian(*pose).T @ sps.diags(1.0 / units)
            out[k] = lsqr(does, does @ (units * multipliers[k]), atol=1e-14, btol=1e-14)[0] / units
    return out
