"""A planetary gear: the sun drives, the ring stands still, the planet carries its arm round.

Seen from the carrier all axes stand still, so (Willis)

    (ω_sun - ω_carrier) / (ω_ring - ω_carrier) = -z_ring / z_sun,       z_ring = z_sun + 2 z_planet,

and with ω_ring = 0:  ω_carrier = ω_sun z_sun / (z_sun + z_ring),  ω_planet = ω_carrier (1 - z_ring / z_planet).

A point on the planet's pitch circle draws a hypocycloid with z_ring / z_planet cusps.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 0.8, 361)  # s: one turn of the carrier at the default speed
STEEL = 7850.0 * 0.020  # kg/m²: wheels 20 mm thick


def build(
    z_sun=20.0,  # teeth of the sun
    z_planet=20.0,  # teeth of the planet
    module=0.002,  # m: pitch diameter / teeth
    omega=10 * np.pi,  # rad/s: speed of the sun
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("planetary gear", gravity=(0.0, -9.81))
    z_sun = model.parameter("z_sun", z_sun)
    z_planet = model.parameter("z_planet", z_planet)
    module = model.parameter("module", module, unit="m")
    omega = model.parameter("omega", omega, unit="rad/s")

    r_sun, r_planet = z_sun * module / 2, z_planet * module / 2
    r_ring, r_arm = r_sun + 2 * r_planet, r_sun + r_planet
    m_sun, m_planet = (STEEL * sp.pi * r**2 for r in (r_sun, r_planet))
    ground = model.ground
    sun = model.body("sun", mass=m_sun, inertia=m_sun * r_sun**2 / 2)
    carrier = model.body("carrier", mass=0.3, inertia=0.3 * r_arm**2 / 12, com=(r_arm / 2, 0))
    planet = model.body("planet", mass=m_planet, inertia=m_planet * r_planet**2 / 2, position=(r_arm, 0))
    planet.marker("tooth", r_planet, 0)
    model.add(
        mbs.Revolute("sun bearing", ground, sun),
        mbs.Revolute("carrier bearing", ground, carrier),
        mbs.Revolute("planet pin", carrier.at(r_arm, 0), planet),
        mbs.Gear("sun mesh", sun, planet, carrier=carrier, radii=(r_sun, r_planet)),
        mbs.Gear("ring mesh", planet, ground, carrier=carrier, radii=(r_planet, r_ring), mesh="internal"),
        mbs.Driver("motor", mbs.angle(ground, sun), omega * mbs.t),
    )
    return model


if __name__ == "__main__":
    from _show import show

    show(build(), TIMES, "sun.angle", "carrier.angle", "planet.angle", paths=("planet", "planet.tooth"))
