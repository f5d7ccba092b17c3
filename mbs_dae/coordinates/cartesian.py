"""Cartesian coordinates: every body owns its own, the ground too (see `planar` and `spatial`)."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..model.model import Model
from ..model.parameters import Evaluator
from .base import BodyCoordinates, CoordinateSet, Motion
from .layout import Layout


class Cartesian(CoordinateSet):
    set = "cartesian"
    sharing = False

    def __init__(self, model: Model, of_body: BodyCoordinates):
        self.model = model
        self.of_body = of_body
        self.name = of_body.name
        self.marker_map, self.marker_slots = of_body.marker_map, of_body.marker_slots
        self.inertia, self.inertia_form = of_body.inertia, of_body.inertia_form
        self.inertia_slots = of_body.inertia_slots

    @property
    def kernels(self) -> Cartesian:
        return self

    @cached_property
    def layout(self) -> Layout:
        return self.of_body.layout([*self.model.bodies.values()], self.model.ground)

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        return tuple(f"{name}.{n}" for name in self.model.bodies for n in self.of_body.q_names)

    def weights(self, length: float) -> np.ndarray:
        return np.tile(self.of_body.weights(length), len(self.model.bodies))

    def all_weights(self, length: float) -> np.ndarray:
        return np.tile(self.of_body.weights(length), len(self.model.bodies) + 1)

    def masses(self, number: Evaluator) -> np.ndarray:
        return np.concatenate([self.of_body.masses(body, number) for body in self.model.bodies.values()])

    def from_bodies(self, cartesian: Layout, motion: Motion, number: Evaluator) -> Motion:
        return motion

    to_bodies = from_bodies
