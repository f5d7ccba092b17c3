"""A platform on three legs in the plane (3-RPR): each leg has a pin at either end, and a motor that sets its length.

From the pin A of a leg on the base to its pin B on the platform (platform axes) the length is l = |r + R B - A|: from
the pose (r, R) to the legs in closed form. The other way round two legs alone make a four-bar with the platform as its
coupler, and the third pin is where the coupler curve meets the circle about the third base: twelve points, of which six
are always at infinity. Six poses at most, the roots of a polynomial of degree six. With these lengths all six are real.

A mode is lost where two of them meet: the lines of the three legs then go through one point (or are parallel), and the
platform may turn about it a little though all motors hold.

    modes = mbs.assembly_modes(build())
    modes.plot()

How the number of modes changes with a length: `mbs.assembly_modes(build().with_parameters(l1=1.0))`.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 2 * np.pi, 121)  # s: one period at the default speed

BASE = ((0.0, 0.0), (2.0, 0.0), (0.9, 1.6))  # m: the pins on the ground
PINS = ((-0.45, -0.6), (0.45, -0.6), (0.05, 1.2))  # m: on the platform, in its axes; its mass centre is their origin


def build(
    l1=1.48,  # m: the legs at t = 0
    l2=1.86,  # m
    l3=1.69,  # m
    swing=0.05,  # m: to both sides
    omega=1.0,  # rad/s
    mass=4.0,  # kg: platform
    inertia=0.8,  # kg m²
    base=BASE,
    pins=PINS,
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("3-RPR platform", gravity=(0.0, -9.81))
    lengths = {"l1": l1, "l2": l2, "l3": l3, "swing": swing}
    *legs, swing = (model.parameter(name, value, unit="m") for name, value in lengths.items())
    omega, mass = model.parameter("omega", omega, unit="rad/s"), model.parameter("mass", mass, unit="kg")
    inertia = model.parameter("inertia", inertia, unit="kg m²")

    platform = model.body("platform", mass, inertia, position=(0.4, 2.0))  # near the first of the six
    for k, (A, B, length) in enumerate(zip(base, pins, legs, strict=True), start=1):
        leg = mbs.distance(model.ground.marker(f"A{k}", *A), platform.marker(f"B{k}", *B))
        model.add(mbs.Driver(f"leg{k}", leg, length + swing * sp.sin(k * omega * mbs.t)))
    return model


if __name__ == "__main__":
    from _show import show_efforts

    efforts = ("leg1", "leg2", "leg3")
    show_efforts(build(), TIMES, "platform.x", "platform.angle", efforts=efforts, paths=("platform.B3",))
