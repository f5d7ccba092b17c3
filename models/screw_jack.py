"""A screw jack: a load on an upright screw that rubs.

A thread of pitch p on the radius r climbs at the angle λ, tan λ = p/2πr; μ = tan ρ is its friction. To lift the load W
takes the moment M = W r tan(λ + ρ), to lower it -M = W r tan(ρ - λ). So it stays up by itself as long as

    tan λ <= μ,

and then lifting wastes more than half of the work: of M 2π only W p is kept, tan λ/tan(λ + ρ) < 1/2.
"""

import numpy as np

import mbs_dae as mbs

TIMES = np.linspace(0, 1, 201)  # s
INITIAL = {"thread.omega": 0.0}


def build(
    W=5000.0,  # N: load
    r=0.015,  # m: radius of the thread
    p=0.006,  # m: pitch
    mu=0.12,  # friction
    J=0.02,  # kg m²: what turns
    M=16.0,  # N m: moment of the hand
) -> mbs.SpatialModel:
    model = mbs.SpatialModel("screw jack", gravity=(0.0, 0.0, -9.81))
    W = model.parameter("W", W, unit="N")
    r = model.parameter("r", r, unit="m")
    p = model.parameter("p", p, unit="m")
    mu = model.parameter("mu", mu)
    J = model.parameter("J", J, unit="kg m²")
    M = model.parameter("M", M, unit="N m")

    screw = model.body("screw", mass=W / 9.81, inertia=(J, J, J))
    thread = mbs.Screw("thread", model.ground.at(0, 0, 0), screw.at(0, 0, 0), pitch=p)
    model.add(thread, mbs.Friction("rub", thread, mu=mu, radius=r))
    model.add(mbs.Torque("hand", screw, M))
    return model


if __name__ == "__main__":
    from _show import show_motion

    run = show_motion(build(), TIMES, "screw.z", "thread.angle", initial=INITIAL)
    print(f"the thread {run.modes['rub'][-1]}")
