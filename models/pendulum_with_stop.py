"""A pendulum that swings against a stop.

A point mass on a massless rod, its angle φ from where it hangs, kept at φ >= φ_s. Between impacts the energy is kept,

    φ̇² = φ̇_s² + 2 g/L (cos φ - cos φ_s),

so it arrives each time with e times the speed of the time before: φ̇_s² = 2 g/L (cos φ_s - cos φ₀) e^(2n). A stop before
the lowest point (φ_s > 0) is leant on at last, after infinitely many impacts, with m g L sin φ_s. At one behind it the
impacts never end: the pendulum swings there and back with less and less each time, below the stop in the end.
"""

import numpy as np

import mbs_dae as mbs

TIMES = np.linspace(0, 4, 401)  # s
INITIAL = {"pin.omega": 0.0}


def build(
    L=1.0,  # m
    m=1.0,  # kg
    phi0=1.2,  # rad: where it is let go
    phi_s=0.2,  # rad: the stop
    e=0.5,  # restitution
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("pendulum with a stop", gravity=(0.0, -9.81))
    L = model.parameter("L", L, unit="m")
    m = model.parameter("m", m, unit="kg")
    phi0 = model.parameter("phi0", phi0, unit="rad")
    phi_s = model.parameter("phi_s", phi_s, unit="rad")
    e = model.parameter("e", e)

    rod = model.body("rod", mass=m, inertia=0, com=(0, -L), angle=phi0)
    rod.marker("bob", 0, -L)
    pin = model.add(mbs.Revolute("pin", model.ground, rod))
    model.add(mbs.Stop("stop", mbs.angle(pin), lower=phi_s, restitution=e))
    return model


if __name__ == "__main__":
    from _show import show_motion

    run = show_motion(build(), TIMES, "pin.angle", initial=INITIAL, paths=("rod.bob",))
    print(f"{len(run.impacts)} impacts; it leans on the stop with {run.reaction('stop')[-1, 2]:.4f} N m")
