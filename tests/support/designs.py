"""Small mechanisms whose dimensions are sought."""

from __future__ import annotations

from typing import Any

import sympy as sp

import mbs_dae as mbs


def slider_crank(offset: bool = False) -> mbs.PlanarModel:
    """With a spring at the slider; r and l are parameters, and where `offset` says so the guide's height e, too."""
    model = mbs.PlanarModel("slider-crank", gravity=(0, -9.81))
    r, l = model.parameter("r", 0.1, unit="m"), model.parameter("l", 0.3, unit="m")
    e = model.parameter("e", 0.0, unit="m") if offset else 0.0
    crank = model.link("crank", (0, 0), (0.1, 0), length=r, mass=1.0)
    rod = model.link("rod", (0.1, 0), (0.4, 0), length=l, mass=2.0)
    slider = model.body("slider", position=(0.4, 0), mass=3.0)
    model.add(
        mbs.Revolute("A", model.ground, crank.tail),
        mbs.Revolute("B", crank.head, rod.tail),
        mbs.Revolute("C", rod.head, slider),
        mbs.Translational("guide", model.ground.at(0, e), slider),
        mbs.Driver("motor", mbs.angle(model.ground, crank), 10 * mbs.t),
        mbs.SpringDamper("spring", model.ground.at(1, 0), slider, stiffness=100, length=0.6),
    )
    return model


def slider_crank_in_slot() -> mbs.PlanarModel:
    """Without masses: the head of the rod slides along x. The lengths r and l are parameters."""
    model = mbs.PlanarModel("slider-crank")
    r, l = model.parameter("r", 0.1, unit="m"), model.parameter("l", 0.3, unit="m")
    crank = model.link("crank", (0, 0), (0.1, 0), length=r)
    rod = model.link("rod", (0.1, 0), (0.4, 0), length=l)
    pins = mbs.Revolute("A", model.ground, crank.tail), mbs.Revolute("B", crank.head, rod.tail)
    model.add(*pins, mbs.PinInSlot("C", model.ground, rod.head))
    return model


def oscillator() -> mbs.PlanarModel:
    """k, c and m are parameters."""
    model = mbs.PlanarModel("oscillator")
    k, c = model.parameter("k", 100.0, unit="N/m"), model.parameter("c", 0.8, unit="N s/m")
    body = model.body("body", mass=model.parameter("m", 1.5, unit="kg"), inertia=1.0)
    spring = mbs.SpringDamper("spring", model.ground.at(-1, 0), body, stiffness=k, damping=c, length=1.0)
    model.add(mbs.Translational("guide", model.ground, body), spring)
    return model


def cranks(count: int) -> mbs.PlanarModel:
    """Side by side, each with a length of its own."""
    model = mbs.PlanarModel(f"{count} cranks")
    for k in range(count):
        r = model.parameter(f"r{k}", 0.1, unit="m")
        crank = model.link(f"crank{k}", (k, 0), (k + 0.1, 0), length=r)
        model.add(
            mbs.Revolute(f"A{k}", model.ground.at(k, 0), crank.tail),
            mbs.Driver(f"motor{k}", mbs.angle(model.ground, crank), (1 + 0.1 * k) * mbs.t),
        )
    return model


def moved_arm(count: int) -> tuple[mbs.PlanarModel, Any, dict[str, tuple[float, float]]]:
    """A hanging arm that a torque, a sum of so many waves over 1 s, shall lift by 1 rad and leave at rest: the model,
    how far from that it ends and what it takes, and bounds."""
    model = mbs.PlanarModel(f"arm with {count} waves", gravity=(0, -9.81))
    waves = [model.parameter(f"c{k}", 0.0, unit="N m") for k in range(1, count + 1)]
    arm = model.link("arm", (0, 0), (0, -0.5), mass=1.0)
    torque = sum(c * sp.sin(k * sp.pi * mbs.t) for k, c in enumerate(waves, 1))
    model.add(mbs.Revolute("A", model.ground, arm.tail), mbs.Torque("motor", arm, torque))
    off = (mbs.at_end("arm.angle") - mbs.at_start("arm.angle") - 1) ** 2 + 0.1 * mbs.at_end("arm.omega") ** 2
    return model, 30 * off + 0.1 * sum(c**2 for c in waves), {f"c{k}": (-5.0, 5.0) for k in range(1, count + 1)}
