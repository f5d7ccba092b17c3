"""Build a linkage as a model, in the words of the textbook."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from ..errors import ModelError
from ..model.bodies.body import Marker
from ..model.drivers import Driver
from ..model.joints import Revolute, Translational
from ..model.measures import angle
from ..model.mechanisms import PlanarModel
from ..model.parameters import finite_number
from ..symbolic.markers import t
from .linkages import Circle


def build(candidate: Any, omega: float, density: float) -> PlanarModel:
    """Return a model of crank, coupler, and rocker or slider, placed in the first position."""
    omega, density = finite_number(omega, "omega"), finite_number(density, "density")
    if density < 0 or not omega > 0:
        raise ModelError(
            f"omega={omega:g} and density={density:g}: give a positive speed, and a density of 0 or more",
            code="out-of-bounds", omega=omega, density=density,
        )  # fmt: skip
    linkage, start = candidate.linkage, candidate.angles[0]
    model = PlanarModel(linkage.kind, gravity=(0.0, -9.81))
    O, pose = complex(linkage.O), candidate.pose(start)
    a, b = (model.parameter(name, float(getattr(linkage, name)), unit="m") for name in "ab")
    along, across = (
        model.parameter(name, float(value), unit="m")
        for name, value in (("along", np.real(linkage.p)), ("across", np.imag(linkage.p)))
    )
    crank = model.link("crank", _pair(O), _pair(pose.A), mass=density * a, length=a)
    coupler = model.link("coupler", _pair(pose.A), _pair(pose.B), mass=density * b, length=b)
    coupler.marker("P", along - b / 2, across)
    model.add(
        Revolute("O", model.ground.at(*_pair(O)), crank.tail),
        Revolute("A", crank.head, coupler.tail),
        Revolute("B", coupler.head, _follower(model, candidate, pose.B, density)),
        Driver("motor", angle(model.ground, crank), law_of(candidate, model.parameter("omega", omega, unit="rad/s"))),
    )
    return model


def _follower(model: PlanarModel, candidate: Any, B: complex, density: float) -> Marker:
    """Add the rocker or the slider to the model; return the marker of this body to which the coupler is pinned."""
    guide = candidate.linkage.guide
    if isinstance(guide, Circle):
        c = model.parameter("c", float(guide.c), unit="m")
        rocker = model.link("rocker", _pair(guide.D), _pair(B), mass=density * c, length=c)
        model.add(Revolute("D", model.ground.at(*_pair(guide.D)), rocker.tail))
        return rocker.head
    slider = model.body("slider", position=_pair(B), angle=float(guide.angle))
    foot = complex(guide.h * guide.normal(0j))
    model.add(Translational("guide", model.ground.at(*_pair(foot), float(guide.angle)), slider))
    return slider.at(0, 0)


def law_of(candidate: Any, speed: Any) -> Any:
    """Return the angle of the crank (the value of the driver) over time t: a steady rotation, or an oscillation."""
    first, last = (float(theta) for theta in (candidate.angles[0], candidate.motion[-1]))
    direction = 1 if last > first else -1
    if candidate.turns:
        return first + direction * speed * t
    begin = float(candidate.motion[0])
    middle, half = (begin + last) / 2, (last - begin) / 2
    phase = float(np.arccos(np.clip((middle - first) / half, -1, 1))) if half else 0.0
    return middle - half * sp.cos(speed * t + phase)


def _pair(point: complex) -> tuple[float, float]:
    return float(np.real(point)), float(np.imag(point))
