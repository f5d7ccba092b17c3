"""An RSSR linkage: two cranks on skew axes, joined by a coupler with a ball at either end. A four-bar in space.

The input turns about z: B = r1 (cos θ, sin θ, 0). The output turns about an axis along x through O = (ox, oy, oz):
D = O + r2 (0, cos ψ, sin ψ). The coupler keeps |B - D| = l: Freudenstein's equation in space,

    P cos ψ + Q sin ψ = K,   ψ = atan2(Q, P) ± acos(K/√(P² + Q²)),

    P = 2 r2 (B - O)·y,   Q = 2 r2 (B - O)·z,   K = |B - O|² + r2² - l².

A coupler with two balls could spin about itself, an idle second degree of freedom. As a body it has a universal joint
at one end instead; where its mass does not matter, it is no body at all but one equation (`coupler="distance"`).
"""

import numpy as np

import mbs_dae as mbs

TIMES = np.linspace(0, 2 * np.pi / 5, 121)  # s: one turn at the default speed


def output_angle(r2, l, w, branch=1):
    """ψ for w = B - O."""
    P, Q, K = 2 * r2 * w[1], 2 * r2 * w[2], w @ w + r2**2 - l**2
    return np.arctan2(Q, P) + branch * np.arccos(K / np.hypot(P, Q))


def build(
    r1=0.10,  # m: input crank
    r2=0.25,  # m: output rocker
    l=0.40,  # m: coupler
    ox=0.15,  # m: where the balls' plane of the output meets its axis
    oy=0.30,  # m
    oz=0.05,  # m
    omega=5.0,  # rad/s: speed of the input
    coupler="body",  # or "distance", one equation
) -> mbs.SpatialModel:
    O, B = np.array([ox, oy, oz]), np.array([r1, 0, 0])  # the linkage at θ = 0
    psi = output_angle(r2, l, B - O)
    D = O + r2 * np.array([0, np.cos(psi), np.sin(psi)])

    model = mbs.SpatialModel("RSSR linkage", gravity=(0, 0, -9.81))
    lengths = {"r1": r1, "r2": r2, "l": l, "ox": ox, "oy": oy, "oz": oz}
    r1, r2, l, *O = (model.parameter(name, value, unit="m") for name, value in lengths.items())
    omega = model.parameter("omega", omega, unit="rad/s")

    ground = model.ground
    crank = model.link("crank", (0, 0, 0), B, mass=0.5, length=r1, radius=0.01, z_axis=(0, 0, 1))
    rocker = model.link("rocker", (ox, oy, oz), D, mass=1.0, length=r2, radius=0.01, z_axis=(1, 0, 0))
    input_ = mbs.Revolute("input", ground.at(0, 0, 0), crank.tail)  # its angle is θ
    model.add(
        input_,
        mbs.Revolute("output", ground.at(*O, axis=(1, 0, 0), x_axis=(0, 1, 0)), rocker.tail),  # its angle is ψ
        mbs.Driver("motor", mbs.angle(input_), omega * mbs.t),
    )
    if coupler == "distance":
        model.add(mbs.Distance("coupler", crank.head, rocker.head, length=l))
    else:
        rod = model.link("rod", B, D, mass=0.8, length=l, z_axis=(0, 0, 1))
        model.add(
            mbs.Universal("B", crank.at(r1 / 2, 0, 0, axis=(1, 0, 0), x_axis=(0, 0, 1)), rod.tail),
            mbs.Spherical("D", rod.head, rocker.head),
        )
    return model


if __name__ == "__main__":
    from _show import show_efforts

    show_efforts(build(), TIMES, "output.angle", "rod.z", efforts=("motor",))
