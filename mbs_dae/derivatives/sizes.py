"""Derivatives by parameters of a model's own length, of the norm with this length, and of the reference placement."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot
from typing import Any

import numpy as np
import sympy as sp

from ..compiled import System
from ..compiled.structure import Lengths
from ..model.bodies.body import Body
from ..model.bodies.planar_body import PlanarBody
from ..model.bodies.spatial_body import SpatialBody
from ..model.parameters import Parameter, slope_of
from ..tolerances import LENGTH_SHARE
from .constants import constants_of


def placement_slopes(system: System, symbols: Sequence[sp.Symbol]) -> tuple[np.ndarray, np.ndarray]:
    """Return how the placement in Cartesian coordinates changes: small motions, and initial values of states (in their
    places of q), a row for each parameter."""
    moved, signals = np.zeros((len(symbols), system.nv)), np.zeros((len(symbols), system.layout.q_size))
    for state in system.model.states:
        signals[:, system.layout.signals[state.symbol]] = _slopes(system, state.initial, symbols)
    for body in system.bodies:
        moved[:, list(system.layout.v[body])] = _body_slopes(system, body, symbols)
    return moved, signals


def _body_slopes(system: System, body: Body, symbols: Sequence[sp.Symbol]) -> np.ndarray:
    place = [_slopes(system, n, symbols) for n in body.position]
    if isinstance(body, PlanarBody):
        return np.array([*place, _slopes(system, body.angle, symbols)]).T
    assert isinstance(body, SpatialBody)
    R = np.array([[system.evaluator(n) for n in row] for row in body.rotation])
    dR = np.array([[_slopes(system, n, symbols) for n in row] for row in body.rotation])
    spin = np.einsum("ki,kjp->pij", R, dR)  # Rᵀ dR, of a small turn in body axes
    return np.concatenate([np.array(place).T, spin[:, [2, 0, 1], [1, 2, 0]]], axis=1)


def _slopes(system: System, number: Any, symbols: Sequence[sp.Symbol]) -> np.ndarray:
    """Return the derivatives of one number by these symbols, (symbols,)."""
    found = np.zeros(len(symbols))
    for k, symbol in enumerate(symbols):
        if isinstance(number, sp.Basic) and symbol in number.free_symbols:
            found[k] = system.evaluator(slope_of(number, symbol))
    return found




def size_of(system: System, parameter: Parameter, value: float) -> float:
    """Return the scale on which a parameter changes a design: its own value; a part of the model's length, where places
    or lengths depend on a parameter that is 0 or tiny; 1 where there is no scale."""
    number, model = system.evaluator, system.model
    lengths = [constant.value for constant in constants_of(model).values() if constant.unit == "m"]
    for body in [model.ground, *model.bodies.values()]:
        lengths += [n for marker in body.markers.values() for n in marker.point]
    lengths += [n for element in model.elements.values() for marker in element.markers for n in marker.point]
    made = [n for n in lengths if isinstance(n, sp.Basic) and parameter in n.free_symbols]
    slope = max((abs(number(slope_of(n, parameter))) for n in made), default=0.0)
    if not slope or not np.isfinite(slope):
        return abs(value) or 1.0
    scale = system.length / slope
    return max(abs(value), LENGTH_SHARE * scale) if value else scale


def weight_slopes(system: System, symbols: Sequence[sp.Symbol]) -> np.ndarray:
    """Return the slopes of the weights of velocities, which are constant or go with the square of the length."""
    of_square = system.coordinates.weights(1.0) - system.coordinates.weights(0.0)
    return 2.0 * system.length * np.outer(length_slopes(system, symbols), of_square)


def length_slopes(system: System, symbols: Sequence[sp.Symbol]) -> np.ndarray:
    """Return the slopes of `System.length`, which is the longest of some lengths, (symbols,)."""
    for lengths in (system.structure.lengths, None, system.structure.lengths_around):
        longest, slopes = _of_places(system, symbols) if lengths is None else _longest(system, lengths, symbols)
        if longest:
            return slopes
    return np.zeros(len(symbols))


def _longest(system: System, lengths: Lengths, symbols: Sequence[sp.Symbol]) -> tuple[float, np.ndarray]:
    known, asked = lengths
    best, slopes = known, np.zeros(len(symbols))
    for parts in asked:
        values = [*map(system.evaluator, parts)]
        if (size := hypot(*values)) > best:
            pairs = zip(values, parts, strict=True)
            best, slopes = (
                size,
                sum((x / size * _slopes(system, part, symbols) for x, part in pairs), start=0.0 * slopes),
            )
    return best, slopes


def _of_places(system: System, symbols: Sequence[sp.Symbol]) -> tuple[float, np.ndarray]:
    """Return the size of the largest coordinate of a body in the reference placement, and its slopes."""
    numbers = [(abs(x), x, n) for body in system.bodies for n in body.position for x in [system.evaluator(n)]]
    size, value, number = max(numbers, key=lambda one: one[0])
    return size, np.sign(value) * _slopes(system, number, symbols)
