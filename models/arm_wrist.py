"""A serial arm of six revolutes from a table of Denavit and Hartenberg: three that reach, three that meet in the wrist.

Frame {0} is the world. Row i of the table leads from frame {i-1} to frame {i}, which is fixed on link i:

    ⁱ⁻¹T = Rot(z, θ) Trans(z, d) Trans(x, a) Rot(x, α),        θ = qᵢ,

so joint i turns about the z axis of frame {i-1}, and ⁰₆T = ⁰₁T ¹₂T ... ⁵₆T. The arm is placed with all q zero.

The axes 4, 5, 6 meet in one point, the wrist w, at the distance d₆ before the flange. So the inverse splits: the place
of w = p - d₆ z asks for q₁, q₂, q₃ alone (four ways: shoulder left or right, elbow up or down), and what is left of the
rotation for q₄, q₅, q₆ (two ways: the wrist as it is, or flipped, q₄ + π, -q₅, q₆ + π). That makes eight. The sizes are
like those of a Puma 560.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 2, 201)  # s: once there and back
MOTORS = tuple(f"motor{k}" for k in range(1, 7))
REACH = (1.2, -0.7, 0.9, 0.8, 1.0, -1.5)  # rad: how far each joint turns

TABLE = (  # a [m], alpha [rad], d [m]
    (0.0, np.pi / 2, 0.67),
    (0.4318, 0.0, 0.15),
    (0.0203, -np.pi / 2, 0.0),
    (0.0, np.pi / 2, 0.4318),
    (0.0, -np.pi / 2, 0.0),
    (0.0, 0.0, 0.10),
)
MASSES = (10.0, 17.4, 4.8, 0.8, 0.3, 0.1)  # kg
INERTIAS = (0.3, 0.5, 0.1, 2e-3, 5e-4, 1e-4)  # kg m²: the same about all axes
CENTRES = (  # m: centres of mass, in the frames of the links
    (0.0, -0.2, 0.0), (-0.25, 0.0, 0.05), (-0.02, 0.0, 0.05), (0.0, -0.1, 0.0), (0.0, 0.0, 0.02), (0.0, 0.0, -0.03),
)  # fmt: skip


def transform(theta, a, alpha, d) -> np.ndarray:
    """One row of the table, with the joint at theta, as a homogeneous matrix."""
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return np.array(
        [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0.0, sa, ca, d], [0.0, 0.0, 0.0, 1.0]]
    )


def build(
    table=TABLE,
    cycle=2.0,  # s: there and back
    driven=True,
) -> mbs.SpatialModel:
    model = mbs.SpatialModel("wrist arm", gravity=(0.0, 0.0, -9.81))
    T, before = np.eye(4), model.ground
    for k, (a, alpha, d) in enumerate(table):
        at, axis = tuple(T[:3, 3]), tuple(T[:3, 2])
        T = T @ transform(0.0, a, alpha, d)
        link = model.body(
            f"link{k + 1}", MASSES[k], INERTIAS[k], CENTRES[k], position=tuple(T[:3, 3]), rotation=T[:3, :3]
        )
        model.add(mbs.Revolute(f"joint{k + 1}", before, link, at=at, axis=axis))
        before = link
    before.marker("flange", 0, 0, 0)
    if driven:
        cycle = model.parameter("cycle", cycle, unit="s")
        way = (1 - sp.cos(2 * sp.pi * mbs.t / cycle)) / 2  # from 0 to 1 and back
        for k, motor in enumerate(MOTORS):
            model.add(mbs.Driver(motor, mbs.angle(model.elements[f"joint{k + 1}"]), REACH[k] * way))
    return model


if __name__ == "__main__":
    from _show import show_efforts

    names = "link6.flange.x", "link6.flange.y", "link6.flange.z"
    show_efforts(build(), TIMES, *names, efforts=MOTORS, paths=("link6.flange",))
