"""A rack moved by a pinion that turns to and fro. One degree of freedom.

The pinion, above the rack, rolls on it without slip: turned by φ it pushes the rack by x = r φ.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 1, 181)  # s: once to and fro at the default speed
STEEL = 7850.0 * 0.020  # kg/m²: a wheel 20 mm thick


def build(
    r=0.030,  # m: pitch radius of the pinion
    swing=np.pi,  # rad: how far the pinion turns to either side
    omega=2 * np.pi,  # rad/s: angular frequency of the swing
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("rack and pinion", gravity=(0.0, -9.81))
    r = model.parameter("r", r, unit="m")
    swing = model.parameter("swing", swing, unit="rad")
    omega = model.parameter("omega", omega, unit="rad/s")

    mass = STEEL * sp.pi * r**2
    ground = model.ground
    pinion = model.body("pinion", mass=mass, inertia=mass * r**2 / 2, position=(0, r))
    rack = model.body("rack", mass=0.8, inertia=6e-3)
    pinion.marker("tooth", 0, -r)
    rack.marker("tooth", 0, 0)
    model.add(
        mbs.Revolute("bearing", ground.at(0, r), pinion),
        mbs.Translational("guide", ground, rack),
        mbs.RackAndPinion("mesh", pinion, rack, radius=r),
        mbs.Driver("motor", mbs.angle(ground, pinion), swing * sp.sin(omega * mbs.t)),
    )
    return model


if __name__ == "__main__":
    from _show import show

    show(build(), TIMES, "rack.x", "pinion.angle", paths=("pinion.tooth", "rack.tooth"))
