"""Loads of joints, drivers and forces on bodies, from the multipliers.

The equations of a joint act on its markers by -(∂ψ/∂ṁ)ᵀ λ, for any form of the rows of Φ. A reaction is this force and
moment on the body of the second marker, about that marker.

If constraints are redundant, Φ_vᵀ λ is determined but λ is not: it may change by any z with Φ_vᵀ z = 0. The stored λ is
the least one, and a component of a reaction is unique if no such z changes it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np
import scipy.sparse as sps

from ..compiled import System
from ..compiled.reading import Trajectory
from ..errors import check_name
from ..model.contacts import Contact
from ..model.contacts.friction import FrictionElement
from ..model.drivers import Driver
from ..model.element import Element
from ..model.forces.base import EffortElement, ForceElement
from ..model.joints import Gear
from ..results.quantities import Lazy, frozen
from ..symbolic.derive import Relation
from ..symbolic.loads import Load, joint_wrenches
from ..symbolic.markers import MARKERS
from ..tolerances import REACTION_UNIQUENESS
from .motion import check_read, function_values
from .ranks import null_vectors, scaled_jacobian, smallest_sine
from .teeth import apart, coupled, open_rows, separating_wrench

TOUCHING = Contact, FrictionElement


class Loads(NamedTuple):
    """The loads of joints along a motion."""

    multipliers: np.ndarray
    """Shape (times, rows)."""
    redundant: int
    """The number of redundant rows."""
    undetermined: np.ndarray
    """Shape (times, rows): the multipliers that the equations at their own pose do not determine."""
    nonunique: np.ndarray
    """Shape (times, rows and rows of contacts): the multipliers and the forces of contacts and friction that have
    several values, since other forces of friction satisfy the equations, too."""


@dataclass(frozen=True, eq=False)
class ComputedReactions:
    """Reactions that are read from a system along a motion on demand."""

    _system: System
    _motion: Trajectory
    _contacts: np.ndarray
    """The forces along all rows of contacts, (times, rows)."""
    _sticking: np.ndarray
    """Shape (times, rows of contacts): the slips that friction holds."""
    loads: Loads = cast(Any, Lazy())

    def multipliers(self) -> np.ndarray:
        return frozen(self.loads.multipliers)

    @property
    def dimension(self) -> int:
        return self._system.model.dimension

    @property
    def system(self) -> System:
        """The system whose loads are read."""
        return self._system

    @property
    def motion(self) -> Trajectory:
        return self._motion

    @property
    def contacts(self) -> np.ndarray:
        return self._contacts

    @property
    def _width(self) -> int:
        """The number of components of force and moment."""
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
            return self.wrenches_of_force(element)[:, element.second]
        rows, partials = self._rows(element), self._partials(element)
        multipliers = (-self._contacts if isinstance(element, TOUCHING) else self.loads.multipliers)[:, rows, None]
        irrelevant = np.isnan(multipliers) & (partials == 0.0)  # nan only where the multiplier matters
        load = np.where(irrelevant, 0.0, partials * multipliers).sum(axis=1)
        return load + self.separating(element) if element in apart(self._system) else load

    def separating(self, gear: Gear) -> np.ndarray:
        """Return the wrench of the separating force on the second wheel of a gear, (times, components), about its
        marker."""
        return separating_wrench(self._system, self._motion, gear, self.loads.multipliers)

    def _rows(self, element: Element) -> np.ndarray:
        structure = self._system.structure
        return (structure.contacts if isinstance(element, TOUCHING) else structure).rows_of[element.name]

    def unique(self, name: str) -> np.ndarray:
        element = self._element(name)
        out = np.ones((len(self._motion.t), self._width), dtype=bool)
        determined = not (self._is_shared or self.loads.undetermined.any() or self.loads.nonunique.any())
        if determined or isinstance(element, ForceElement):
            return out
        rows, partials = self._rows(element), self._partials(element)
        if isinstance(element, TOUCHING):
            rows = rows + len(self._system.rows)
        else:
            out &= ~((partials != 0.0) & self.loads.undetermined[:, rows, None]).any(axis=1)
        out &= ~((partials != 0.0) & self.loads.nonunique[:, rows, None]).any(axis=1)
        if not self._is_shared:
            return out
        for k, null in enumerate(self._null_vectors):
            if null.shape[1]:
                if element in coupled(self._system):  # nothing determines the force between its wheels
                    out[k, : self.dimension] = False
                moved = np.abs(partials[k].T @ null[rows]).max(axis=1)
                force, moment = np.split(np.abs(partials[k]).max(axis=0, initial=0.0), [self.dimension])
                sizes = [np.full(part.size, part.max(initial=0.0)) for part in (force, moment)]
                out[k] &= moved <= REACTION_UNIQUENESS * np.concatenate(sizes)
        return out

    def unique_loads(self, name: str) -> dict[str, np.ndarray]:
        """Return whether the effort of a driver, or each force along a row of a contact or a friction, is determined
        over time, shape (times,), by its word: "effort", "force", "friction"."""
        element = self._element(name)
        if not isinstance(element, Driver | Contact | FrictionElement):
            return {}
        rows = self._rows(element)
        words = ("effort",) if isinstance(element, Driver) else element.loads
        open_loads = np.zeros((len(self._motion.t), len(words)), dtype=bool)
        if isinstance(element, Driver):
            open_loads |= self.loads.undetermined[:, rows[:1]]
        else:
            rows = rows + len(self._system.rows)
        open_loads |= self.loads.nonunique[:, rows[: len(words)]]
        if self._is_shared:
            moved = [
                np.abs(null[rows[: len(words)]]).max(axis=1, initial=0.0) > REACTION_UNIQUENESS
                for null in self._null_vectors
            ]
            open_loads |= np.array(moved).reshape(open_loads.shape)
        return dict(zip(words, ~open_loads.T, strict=True))

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
        """The smallest singular value of Φ_v without the redundant rows, at each time."""
        if not self._system.rows:
            return np.ones(len(self._motion.t))
        return np.array(
            [smallest_sine(scaled_jacobian(self._system, *pose)[0], self.loads.redundant) for pose in self._poses]
        )

    @cached_property
    def _is_shared(self) -> bool:
        """Whether rows may share loads: those of redundant joints, of contacts and of gears with a ratio."""
        return bool(self.loads.redundant or self._holding.any() or coupled(self._system))

    @cached_property
    def _holding(self) -> np.ndarray:
        """Shape (times, rows of contacts): gaps that forces or joints keep closed, and slips that friction holds."""
        gaps, holding = self._system.structure.contacts.gap, self._sticking.copy()
        holding[:, gaps[gaps >= 0]] |= self._contacts[:, gaps[gaps >= 0]] > 0.0
        return holding

    @cached_property
    def _null_vectors(self) -> list[np.ndarray]:
        """The null vectors over the rows of joints, then those of contacts, at each time."""
        basis, rows = [], len(self._system.rows)
        for k, pose in enumerate(self._poses):
            bearings, acting = open_rows(self._system, *pose) if coupled(self._system) else None, self._acting(k)
            null = null_vectors(self._system, *pose, self.loads.redundant, acting, bearings)
            basis.append(np.concatenate([null[:rows], acting.T @ null[rows : rows + acting.shape[0]]]))
        return basis

    def _acting(self, k: int) -> sps.csr_matrix:
        """Return the directions along which contacts act at time k, as combinations of their rows, shape (directions,
        rows): one for each force that holds. Friction that slips is in proportion to the normal force of its point."""
        contacts, held = self._system.structure.contacts, np.flatnonzero(self._holding[k])
        acting = sps.lil_matrix((held.size, self._holding.shape[1]))
        acting[np.arange(held.size), held] = 1.0
        for gap, slip, slips in zip(contacts.gap, contacts.slip, contacts.slips, strict=True):
            if gap >= 0 and self._holding[k, gap] and self._contacts[k, gap] != 0.0:
                along = [row for row in range(slip, slip + slips) if not self._holding[k, row]]
                acting[np.searchsorted(held, gap), along] = self._contacts[k, along] / self._contacts[k, gap]
        return acting.tocsr()

    def _element(self, name: str) -> Element:
        check_name("joint, driver or force", name, self.names(), "the result")
        return self._system.model.elements[name]

    def _partials(self, element: Element) -> np.ndarray:
        """Return the reaction for unit multipliers, (times, rows, components)."""
        return self.wrenches_of_rows(element)[:, :, element.second]

    def wrenches_of_rows(self, element: Element) -> np.ndarray:
        """Return the wrenches for unit multipliers on the bodies of all markers, about these, (times, rows, markers,
        components)."""
        relation, slots = element.form()
        assert isinstance(relation, Relation)
        values = self._read(joint_wrenches(relation), slots, element)
        return values.reshape(len(values), relation.size, len(element.markers), self._width)

    def wrenches_of_force(self, element: Any) -> np.ndarray:
        """Return the wrenches of a force on the bodies of all its markers, about these, (times, markers,
        components)."""
        form, slots = element.form()
        if isinstance(form, Load):
            values = self._read(form.wrenches, slots, element)
        else:  # a Python force: its form is the input of its function
            values = function_values(element.wrenches, self._motion.t, self._read(form, slots, element))
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
        return np.concatenate([pose.world(name) for pose in self.poses])

    def unique(self, name: str) -> np.ndarray:
        return np.concatenate([pose.unique(name) for pose in self.poses])

    def unique_loads(self, name: str) -> dict[str, np.ndarray]:
        loads = [pose.unique_loads(name) for pose in self.poses]
        return {word: np.concatenate([pose[word] for pose in loads]) for word in loads[0]}

    def effort(self, name: str) -> np.ndarray | None:
        efforts = [pose.effort(name) for pose in self.poses]
        return None if efforts[0] is None else np.concatenate(cast(Any, efforts))

    @cached_property
    def smallest_singular_value(self) -> np.ndarray:
        return np.concatenate([pose.smallest_singular_value for pose in self.poses])
