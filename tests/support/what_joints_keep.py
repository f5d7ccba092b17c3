"""Models with contacts that joints alone keep closed, or whose slips they keep still."""

from typing import Any

import numpy as np

import mbs_dae as mbs

G = 9.81


def wheels() -> tuple[mbs.PlanarModel, dict[str, float]]:
    """Two wheels turn on pins of a pendulum, and touch."""
    model = mbs.PlanarModel("wheels", gravity=(0, -G))
    arm = model.link("arm", (0, 0), (0.8, 0.6), mass=1.0)
    big = model.body("big", mass=0.5, inertia=0.01, position=(0.8, 0.6))
    small = model.body("small", mass=0.3, inertia=0.01, position=(0.56, 0.42))
    model.add(mbs.Revolute("O", model.ground, arm.tail))
    model.add(mbs.Revolute("A", arm.head, big), mbs.Revolute("B", arm.at(0.2, 0), small))
    model.add(mbs.Contact("touch", mbs.Disk(big, 0.2), mbs.Disk(small, 0.1), friction=0.3))
    return model, {}


def slider() -> tuple[mbs.PlanarModel, dict[str, float]]:
    """The corners of a slider on a line along its guide; a pendulum hangs on it."""
    model, slope = mbs.PlanarModel("slider", gravity=(0, -G)), -0.4
    along, up = np.array([np.cos(slope), np.sin(slope)]), np.array([-np.sin(slope), np.cos(slope)])
    at = np.array([0.1, 0.2]) + 0.3 * along
    body = model.body("slider", mass=1.0, inertia=0.1, position=tuple(at), angle=slope)
    bob = model.link("bob", tuple(at), (at[0], at[1] - 0.5), mass=0.5)
    model.add(mbs.Translational("guide", model.ground.at(0.1, 0.2, angle=slope), body))
    model.add(mbs.Revolute("pin", body, bob.tail))
    table = mbs.Line(model.ground.at(*(at - 0.05 * up), angle=slope))
    model.add(mbs.Contact("touch", table, mbs.Box(body, (0.2, 0.1)), friction=0.3))
    return model, {}


def wheel() -> tuple[mbs.SpatialModel, dict[str, float]]:
    """In space; its axle is guided along a floor."""
    model = mbs.SpatialModel("wheel", gravity=(0, 0, -G))
    inertia, at = (0.03, 0.03, 0.03), (0, 0, 0.25)
    frame, ball = (model.body(name, mass=1.0, inertia=inertia, position=at) for name in ("frame", "ball"))
    along = {"axis": (1, 0, 0)}
    model.add(mbs.Translational("guide", model.ground.at(*at, **along), frame.at(0, 0, 0, **along)))
    model.add(mbs.Spherical("axle", frame, ball))
    model.add(mbs.Contact("touch", mbs.Plane(model.ground), mbs.Sphere(ball, 0.25), friction=0.3))
    return model, {"frame.vx": 1.0, "ball.wx": 0.0, "ball.wy": 2.0, "ball.wz": 0.5}


MODELS: dict[str, Any] = {"wheels": wheels, "slider": slider, "wheel": wheel}


def guided(friction: float = 0.4, restitution: float = 0.0) -> mbs.PlanarModel:
    """A body in an upright guide, which is pushed aside and falls on a floor."""
    model = mbs.PlanarModel("guided", gravity=(0, -G))
    body = model.body("b", mass=2.0, inertia=0.1, position=(0, 0.1))
    upright = {"angle": np.pi / 2}
    guide = mbs.Translational("guide", model.ground.at(0, 0, **upright), body.at(0, 0, **upright))
    model.add(guide, mbs.Force("push", body, (3.0, 0)))
    laws = {"friction": friction, "restitution": restitution}
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Point(body), **laws))
    return model


def dead_point() -> mbs.PlanarModel:
    """A slider-crank at its outer dead point, with a stop there."""
    r, l = 0.1, 0.3
    model = mbs.PlanarModel("dead point", gravity=(0, -G))
    crank, rod = model.link("crank", (0, 0), (r, 0), mass=0.5), model.link("rod", (r, 0), (r + l, 0), mass=0.5)
    slider = model.body("slider", mass=1.0, inertia=0.01, position=(r + l, 0))
    model.add(mbs.Revolute("O", model.ground, crank.tail), mbs.Revolute("A", crank.head, rod.tail))
    model.add(mbs.Revolute("B", rod.head, slider), mbs.Translational("guide", model.ground, slider))
    model.add(mbs.Stop("stop", mbs.x(slider), upper=r + l))
    return model
