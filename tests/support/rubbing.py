"""Slider-cranks whose joints rub: crank 0.1 m, rod 0.3 m and slider of 1 kg each, with hinges A, B, C and guide G."""

import numpy as np

import mbs_dae as mbs

R, L, G = 0.1, 0.3, 9.81


def rubbing_slider_crank(angle: float, mu: float = 0.1) -> mbs.PlanarModel:
    """At rest at this angle of the crank, with friction "rub" in the guide."""
    model = mbs.PlanarModel("slider-crank", gravity=(0, -G))
    pin = (R * np.cos(angle), R * np.sin(angle))
    end = (pin[0] + np.sqrt(L**2 - pin[1] ** 2), 0)
    crank, rod = model.link("crank", (0, 0), pin, mass=1), model.link("rod", pin, end, mass=1)
    slider = model.body("slider", mass=1, position=end)
    guide = mbs.Translational("G", model.ground, slider)
    model.add(
        mbs.Revolute("A", model.ground, crank.tail),
        mbs.Revolute("B", crank.head, rod.tail),
        mbs.Revolute("C", rod.head, slider),
        guide,
        mbs.Friction("rub", guide, mu=mu),
    )
    return model


def loaded_slider_crank(law=0.4 + 5 * mbs.t + 2 * mbs.t**2) -> mbs.PlanarModel:
    """A motor gives the angle of the crank from 0.4 on, against 30 N at the slider and friction in all joints."""
    model = rubbing_slider_crank(0.4, mu=0.15)
    model.add(mbs.Force("load", model.bodies["slider"], (-30, 0)))
    model.add(*(mbs.Friction(f"rub{name}", model.elements[name], mu=0.1, radius=0.01) for name in "ABC"))
    model.add(mbs.Driver("motor", mbs.angle(model.elements["A"]), law))
    return model
