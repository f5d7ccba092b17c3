"""Watt's governor: two arms with balls hang on a turning shaft, and lift a sleeve as it turns faster.

The arms (length l, hinged e off the axis) stand at α from the downward vertical; rods of length a from their middle to
the sleeve make a rhombus, so the sleeve hangs 2 a cos α under the hinges. Turning of the shaft and of the arms: two
degrees of freedom. With J(α) the inertia about the shaft and V(α) the potential energy the arms stand where

    ω² = 2 V'/J'.

Let go aside of it, the arms swing; with the shaft free, J(α) ω is kept, so it turns slower as they rise. With A(α) α̇²/2
the energy of the swinging, and primes for d/dα, small oscillations about the steady turn have

    A λ² = V'' - J'' ω²/2 + J'² ω²/J,        without the last term where a drive holds the speed,

    A = 2 (m + m_arm/3) l² + M (2 a sin α)².

With k and c the rods are stiff springs with dampers: one degree of freedom more, the sleeve's, and a stiff system.

Nothing is redundant, since the two rods are massless: a `Distance` each. Rods between hinges would close two plane
loops, and every plane loop of hinges has three equations too many in space.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 4, 401)  # s
INITIAL = {"bearing.omega": 5.0, "hinge1.omega": 0.0}  # rad/s


def build(
    l=1.0,  # m: arms
    e=0.05,  # m: their hinges from the axis
    a=0.5,  # m: rods, and where they take hold of the arms
    m=5.0,  # kg: each ball
    m_arm=0.3,  # kg: each arm, a slender rod
    M=3.0,  # kg: the sleeve
    shaft_z=0.01,  # kg m²: shaft and sleeve about the axis
    alpha=0.8,  # rad: the arms at t = 0
    k=None,  # N/m: of rods that are springs, where given
    c=None,  # N s/m: of their dampers, with k
) -> mbs.SpatialModel:
    model = mbs.SpatialModel("flyball governor", gravity=(0.0, 0.0, -9.81))
    l, e, a = (model.parameter(n, value, unit="m") for n, value in zip("lea", (l, e, a), strict=True))
    m, m_arm, M = (model.parameter(n, value, unit="kg") for n, value in {"m": m, "m_arm": m_arm, "M": M}.items())
    shaft_z = model.parameter("shaft_z", shaft_z, unit="kg m²")
    alpha = model.parameter("alpha", alpha, unit="rad")
    if k is not None:
        k, c = model.parameter("k", k, unit="N/m"), model.parameter("c", c, unit="N s/m")

    shaft = model.body("shaft", inertia=shaft_z)
    sleeve = model.body("sleeve", mass=M, position=(0, 0, -2 * a * sp.cos(alpha)))
    model.add(mbs.Revolute("bearing", model.ground, shaft), mbs.Prismatic("slide", shaft, sleeve))
    for n, side in ((1, 1), (2, -1)):
        hinge = e * side, 0, 0
        end = (e + l * sp.sin(alpha)) * side, 0, -l * sp.cos(alpha)
        arm = model.link(f"arm{n}", hinge, end, mass=m_arm, length=l, z_axis=(0, 1, 0))
        ball = model.body(f"ball{n}", mass=m, position=end)
        model.add(
            mbs.Revolute(f"hinge{n}", shaft, arm, at=hinge, axis=(0, -side, 0)),  # positive outwards
            mbs.Fixed(f"weld{n}", arm, ball, at=end),
        )
        rod = f"rod{n}", arm.at(a - l / 2, 0, 0), sleeve.at(e * side, 0, 0)
        if k is None:
            model.add(mbs.Distance(*rod, length=a))
        else:
            model.add(mbs.SpringDamper(*rod, stiffness=k, damping=c, length=a))
    return model


if __name__ == "__main__":
    from _show import show_motion

    names = "sleeve.z", "bearing.angle", "hinge1.angle"
    show_motion(build(), TIMES, *names, initial=INITIAL, paths=("ball1", "sleeve"))
