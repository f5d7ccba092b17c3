"""A book thrown into the air, turning about its middle axis: it does not go on turning so. Six degrees of freedom.

Gravity attacks the centre of mass, which flies on a parabola, and turns nothing. About the centre Euler's equations

    I_x ω̇_x = (I_y - I_z) ω_y ω_z    (and round, in the axes of the book)

keep the momentum, a vector in world axes, and the energy. With the sides a > b > c, I_x < I_y < I_z: turning about the
longest side (x) and about the shortest (z) is stable; about the middle one a small disturbance grows as exp(κ t),

    κ = ω_y √((I_z - I_y)(I_y - I_x)/(I_x I_z)),

until the book turns over, again and again: ω_y(t) is an elliptic function sn.
"""

import numpy as np

import mbs_dae as mbs

TIMES = np.linspace(0, 2, 401)  # s
INITIAL = {
    "book.vx": 1.0,
    "book.vy": 0.0,
    "book.vz": 9.81,  # m/s: it is back after two seconds
    "book.wx": 0.3,
    "book.wy": 15.0,  # rad/s: about the middle axis, nearly
    "book.wz": 0.0,
}


def build(
    m=1.0,  # kg
    a=0.24,  # m: along x
    b=0.16,  # m: along y
    c=0.04,  # m: along z
) -> mbs.SpatialModel:
    model = mbs.SpatialModel("free body", gravity=(0.0, 0.0, -9.81))
    m = model.parameter("m", m, unit="kg")
    a, b, c = (model.parameter(name, value, unit="m") for name, value in zip("abc", (a, b, c), strict=True))
    moments = m / 12 * (b**2 + c**2), m / 12 * (c**2 + a**2), m / 12 * (a**2 + b**2)
    book = model.body("book", mass=m, inertia=moments)
    book.marker("corner", a / 2, b / 2, c / 2)
    return model


if __name__ == "__main__":
    from _show import show_motion

    result = show_motion(build(), TIMES, "book.z", initial=INITIAL, paths=("book.corner",), method="DP8")
    spin = result.v[:, 4]  # about the middle axis of the book
    print(f"\nthe book turns over {np.sum(np.diff(np.sign(spin)) != 0)} times")
