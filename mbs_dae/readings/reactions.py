"""What joints, drivers and forces do to bodies, from the multipliers.

The equations of a joint act on its markers by -(∂ψ/∂ṁ)ᵀ λ, whatever the rows of Φ look like. A reaction is that force
and moment on the body of the second marker, about that marker.

Where constraints are redundant, Φ_vᵀ λ is determined but λ is not: it may change by any z with Φ_vᵀ z = 0. The λ kept
is the least one, and a component of a reaction is unique where no such z changes it.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..compiled import System
from ..compiled.reading import Trajectory
from ..errors import unknown_name
from ..model.bodies.body import Marker
from ..model.drivers import Driver
from ..model.element import Element
from ..model.forces.base import EffortElement, ForceElement
from ..model.joints.base import Condition
from ..symbolic.loads import Load, joint_wrenches
from ..symbolic.markers import MARKERS
from .motion import body_rotation
from .rank import null_vectors, smallest_singular_values

SHARE = 1e-6
"""A component is indeterminate if a null vector of unit length moves it by more than this, relative to what unit
multipliers of the joint move it. (Where constraints have drifted by 1e-10 or so, null vectors are off by that over the
sine of the nearest singular pose; a determined component must not be taken for one that is not.)"""


@dataclass(frozen=True, eq=False)
class ComputedReactions:
    """Read from a system along a motion when asked for."""

    _system: System
    _motion: Trajectory
    _multipliers: np.ndarray
    _redundant: int

    @property
    def _width(self) -> int:
        """Components of force and moment."""
        return len(MARKERS[self._system.model.dimension].rate_names)

    def _read(self, form: Any, slots: Any, element: Element) -> np.ndarray:
        return self._system.read_values(form, slots, element.markers, *self._motion[:3])

    def names(self) -> list[str]:
        model = self._system.model
        return [*(e.name for e in model.conditions), *(e.name for e in model.forces)]

    def world(self, name: str) -> np.ndarray:
        element = self._element(name)
        if isinstance(element, ForceElement):
            return self._load_wrench(element)
        return np.einsum("tr,trc->tc", self._multipliers[:, self._system.rows_of(name)], self._partials(element))

    def turned(self, name: str) -> np.ndarray:
        element = self._element(name)
        bodies = (element.markers[0].body, second_marker(element).body)
        return np.stack([body_rotation(self._system, self._motion.q, body) for body in bodies], axis=1)

    def unique(self, name: str) -> np.ndarray:
        element = self._element(name)
        rows = self._system.rows_of(name)
        out = np.ones((len(self._motion.t), self._width), dtype=bool)
        if isinstance(element, ForceElement) or not self._redundant:
            return out
        partials = self._partials(element)
        for k, null in enumerate(self._null_vectors):
            if null.shape[1]:
                moved = np.abs(partials[k].T @ null[rows]).max(axis=1)
                out[k] = moved <= SHARE * self._largest(np.abs(partials[k]).max(axis=0, initial=0.0))
        return out

    def _largest(self, components: np.ndarray) -> np.ndarray:
        """For each component of force and of moment, the largest one of its kind."""
        size = self._system.model.dimension
        parts = components[:size], components[size:]
        return np.concatenate([np.full(part.size, part.max(initial=0.0)) for part in parts])

    def effort(self, name: str) -> np.ndarray | None:
        element = self._element(name)
        if isinstance(element, EffortElement):
            _, slots = element.form()
            return self._read(element.effort_reading, slots, element)[:, 0]
        return -self._multipliers[:, self._system.rows_of(name)[0]] if isinstance(element, Driver) else None

    @cached_property
    def smallest_singular_value(self) -> np.ndarray:
        return smallest_singular_values(self._system, self._motion, self._redundant)

    @cached_property
    def _null_vectors(self) -> list[np.ndarray]:
        poses = zip(self._motion.t, self._motion.q, strict=True)
        return [null_vectors(self._system, *pose, self._redundant) for pose in poses]

    def _element(self, name: str) -> Element:
        if name not in self.names():
            raise unknown_name("joint, driver or force", name, self.names(), "the result")
        return self._system.model.elements[name]

    def _partials(self, element: Element) -> np.ndarray:
        """(times, rows, 3): the reaction for unit multipliers."""
        assert isinstance(element, Condition)
        relation, slots = element.form()
        values = self._read(joint_wrenches(relation), slots, element)
        shape = (len(values), relation.size, len(element.markers), self._width)
        return values.reshape(shape)[:, :, _place_of_second_marker(element)]

    def _load_wrench(self, element: Any) -> np.ndarray:
        form, slots = element.form()
        if isinstance(form, Load):
            values = self._read(form.wrenches, slots, element)
        else:  # a Python force: its form is what the function sees
            seen = zip(self._motion.t, self._read(form, slots, element), strict=True)
            values = np.array([element.wrenches(t, state) for t, state in seen])
        return values.reshape(len(values), len(element.markers), self._width)[:, _place_of_second_marker(element)]


def _place_of_second_marker(element: Element) -> int:
    """Of the markers that the element acts on, the second; the only one where there is one."""
    acting = element.acting if isinstance(element, ForceElement) else len(element.markers)
    return min(1, acting - 1)


def second_marker(element: Element) -> Marker:
    return element.markers[_place_of_second_marker(element)]
