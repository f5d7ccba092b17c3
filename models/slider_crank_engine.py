"""A four-stroke engine: gas pushes a slider-crank, a brake on the crank holds its speed.

Two turns of the crank make a cycle: intake (crank angle θ from 0), compression (from π), expansion (from 2π), exhaust
(from 3π). While the valves are shut the gas follows polytropes, and burning raises its pressure,

    p = p₀ + σ(θ) p₀ [(V_π/V)ⁿ (1 + h β(θ)) - 1],    V = A (x_top - x) + V_c,

where σ goes from 0 to 1 and back as the valves shut and open, β from 0 to 1 as the fuel burns, and h is what full
burning adds to the pressure. The piston's pin stands at x; at its outer dead point, x_top = r + l, the volume V_c is
left. σ and β are tables of the crank angle, periodic in 4π. Behind the piston the pressure is p₀.

Over a cycle at a held speed no energy is left in the moving parts, so that the brake takes what the gas gives: the mean
of its torque times the speed is the mean power of the gas. Without the brake (``model.without("brake")``, and a `load`
in its place) the speed swings within a cycle by about ΔE/(J ω²): the larger the flywheel J, the less.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 4 * np.pi / 200, 361)  # s: one cycle at the default speed


def between(begin: float, end: float, x: np.ndarray) -> np.ndarray:
    """From 0 to 1 between two angles, with continuous curvature."""
    u = np.clip((x - begin) / (end - begin), 0, 1)
    return u**3 * (10 - 15 * u + 6 * u**2)


ANGLES = np.linspace(0, 4 * np.pi, 721)
SHUT = between(np.pi - 0.3, np.pi + 0.3, ANGLES) - between(3 * np.pi - 0.7, 3 * np.pi + 0.1, ANGLES)
BURNT = between(2 * np.pi - 0.35, 2 * np.pi + 0.75, ANGLES) - between(3.2 * np.pi, 3.8 * np.pi, ANGLES)


def build(
    r=0.040,  # m: crank
    l=0.130,  # m: connecting rod
    bore=0.080,  # m: diameter of the piston
    compression=9.0,  # largest volume over smallest
    heat=2.2,  # what burning adds to the pressure, as a multiple of it
    polytropic=1.3,  # exponent
    p0=1.0e5,  # Pa: outside
    flywheel=0.05,  # kg m²
    omega=200.0,  # rad/s: speed of the crank
    load=0.0,  # N m: taken off the crank besides the brake
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("slider-crank engine", gravity=(0.0, -9.81))
    r = model.parameter("r", r, unit="m")
    l = model.parameter("l", l, unit="m")
    bore = model.parameter("bore", bore, unit="m")
    compression = model.parameter("compression", compression)
    heat = model.parameter("heat", heat)
    polytropic = model.parameter("polytropic", polytropic)
    p0 = model.parameter("p0", p0, unit="Pa")
    flywheel = model.parameter("flywheel", flywheel, unit="kg m²")
    omega = model.parameter("omega", omega, unit="rad/s")
    load = model.parameter("load", load, unit="N m")

    ground = model.ground
    crank = model.body("crank", mass=4.0, inertia=flywheel)  # balanced about the shaft
    rod = model.link("rod", (r, 0), (r + l, 0), mass=0.6, length=l)
    piston = model.body("piston", mass=0.5, inertia=5e-4, position=(r + l, 0))
    cylinder = mbs.Translational("cylinder", ground, piston)
    model.add(
        mbs.Revolute("shaft", ground, crank),
        mbs.Revolute("crank_pin", crank.at(r, 0), rod.tail),
        mbs.Revolute("piston_pin", rod.head, piston),
        cylinder,
    )

    theta = model["crank.angle"]
    area = sp.pi * bore**2 / 4
    displaced = 2 * r * area
    smallest = displaced / (compression - 1)
    volume = area * (r + l - model["piston.x"]) + smallest
    shut, burnt = (mbs.Table(ANGLES, values, periodic=True)(theta) for values in (SHUT, BURNT))
    ratio = ((displaced + smallest) / volume) ** polytropic * (1 + heat * burnt)
    pressure = p0 * shut * (ratio - 1)  # over the one outside
    model.add(
        mbs.Actuator("gas", cylinder, -area * pressure),  # on the piston, and as hard on the head of the cylinder
        mbs.Torque("load", crank, -load),
        mbs.Driver("brake", mbs.angle(ground, crank), omega * mbs.t),
    )
    return model


if __name__ == "__main__":
    from _show import show_efforts

    result = show_efforts(build(), TIMES, "piston.x", efforts=("brake",), reactions=("gas", "crank_pin", "cylinder"))
    mean = -np.trapezoid(result.effort("brake"), result.t) / np.ptp(result.t)
    print(f"\nmean torque on the brake {mean:.2f} N m, mean power {mean * 200 / 1000:.2f} kW")
