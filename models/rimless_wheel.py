"""A wheel without a rim walks down a slope: the simplest thing that walks (McGeer 1990).

n spokes of length l stand at angles 2α = 2π/n. The wheel falls over the spoke that stands until the next one strikes.
About that one's foot the angular momentum is kept, so that with the inertia J = β m l² about its hub

    η = ω⁺/ω⁻ = (cos 2α + β)/(1 + β),

cos 2α for a wheel whose mass is all in the hub. The slope γ gives 2 m g l sin α sin γ in each step. So the wheel comes
to a steady walk, ω⁻² = 4 g sin α sin γ/((1 + β) l (1 - η²)), if it gets over its spokes at all: if with ω⁺ it can rise
by l (1 - cos(α - γ)).
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 6, 601)  # s
INITIAL = {"wheel.vx": 0.5, "wheel.vy": 0.0, "wheel.omega": -1.0}  # m/s, rad/s: it falls over the spoke it stands on


def build(
    l=0.5,  # m: spokes
    m=2.0,  # kg
    beta=0.1,  # inertia over m l²
    gamma=0.15,  # rad: slope
    mu=0.8,  # friction: enough not to slip
    spokes=8,
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("rimless wheel")
    l = model.parameter("l", l, unit="m")
    m = model.parameter("m", m, unit="kg")
    beta = model.parameter("beta", beta)
    gamma = model.parameter("gamma", gamma, unit="rad")
    mu = model.parameter("mu", mu)

    model.gravity = 9.81 * sp.sin(gamma), -9.81 * sp.cos(gamma)  # the x axis goes down the slope
    wheel = model.body("wheel", mass=m, inertia=beta * m * l**2, position=(0, l))
    angles = 2 * np.pi * np.arange(spokes) / spokes - np.pi / 2
    feet = [(l * np.cos(angle), l * np.sin(angle)) for angle in angles]
    for k, foot in enumerate(feet):
        wheel.marker(f"foot{k}", *foot)
    model.add(mbs.Contact("slope", mbs.Line(model.ground), mbs.Polygon(wheel, feet), friction=mu))
    return model


if __name__ == "__main__":
    from _show import show_motion

    run = show_motion(build(), TIMES, "wheel.x", "wheel.angle", initial=INITIAL, paths=("wheel",))
    steps = np.diff([impact.t for impact in run.impacts])
    print(f"{len(run.impacts)} steps, the last two of {steps[-2]:.6f} s and {steps[-1]:.6f} s")
