"""A gyroscope in gimbals: the outer gimbal turns about the vertical, the inner one about a level axis, and the rotor
about the inner one's axis e₃. Three degrees of freedom.

A weight on the inner gimbal pulls e₃ down with the moment μ sin θ, θ from the vertical. The rotor keeps its momentum
H = I (spin + ψ̇ cos θ), and the axis, instead of falling, goes round by ψ. With e₃ level (θ = 90°) it does so steadily
at ψ̇ = μ/H exactly, whatever the gimbals weigh. Let go at rest it nods below where it was by about

    2 μ B / H² sin θ,    at λ = H sin θ / √(A B),

A the inertia of inner gimbal and rotor about the level axis, B of all about the vertical.
"""

import numpy as np

import mbs_dae as mbs

TIMES = np.linspace(0, 2, 401)  # s
INITIAL = {"azimuth.omega": 0.0, "tilt.omega": 0.0, "spin.omega": 200.0}  # rad/s


def build(
    across=0.006,  # kg m²: rotor, across its axis
    along=0.010,  # kg m²: and along
    outer_z=0.020,  # kg m²: outer gimbal, about the vertical
    inner_x=0.010,  # kg m²: inner gimbal, about the level axis
    inner_y=0.012,  # kg m²: across both
    inner_z=0.015,  # kg m²: about e₃
    weight=1.0,  # kg: on the inner gimbal
    l=0.3,  # m: above the centre
    theta=1.2,  # rad: e₃ from the vertical at t = 0
) -> mbs.SpatialModel:
    model = mbs.SpatialModel("gyroscope", gravity=(0.0, 0.0, -9.81))
    given = {"across": across, "along": along, "outer_z": outer_z}
    given |= {"inner_x": inner_x, "inner_y": inner_y, "inner_z": inner_z}
    across, along, outer_z, *inner_moments = (model.parameter(n, value, unit="kg m²") for n, value in given.items())
    weight = model.parameter("weight", weight, unit="kg")
    l = model.parameter("l", l, unit="m")
    theta = model.parameter("theta", theta, unit="rad")

    tilted = mbs.rotations.about_x(theta)
    outer = model.body("outer", inertia=(outer_z, outer_z, outer_z))
    inner = model.body("inner", weight, inner_moments, com=(0, 0, l), rotation=tilted)
    rotor = model.body("rotor", inertia=(across, across, along), rotation=tilted)
    inner.marker("weight", 0, 0, l)
    x = {"axis": (1, 0, 0), "x_axis": (0, 1, 0)}
    model.add(
        mbs.Revolute("azimuth", model.ground, outer),
        mbs.Revolute("tilt", outer.at(0, 0, 0, **x), inner.at(0, 0, 0, **x)),
        mbs.Revolute("spin", inner, rotor),
    )
    return model


if __name__ == "__main__":
    from _show import show_motion

    show_motion(build(), TIMES, "azimuth.angle", "tilt.angle", initial=INITIAL, paths=("inner.weight",), method="DP8")
