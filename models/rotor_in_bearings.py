"""A rigid rotor in two elastic bearings, which whirls forward and backward.

Mass m, moments of inertia I_t across and I_p about its axis; bearings of stiffness k_a and k_b, the same in all
directions across the axis, at the distances a and b below and above the centre of mass. For small motions of the axis
that go round with s at the speed Ω of the rotor (s > 0 with it, s < 0 against it),

    (k_t - m s²) (k_r + I_p Ω s - I_t s²) = k_c²,
    k_t = k_a + k_b,        k_r = k_a a² + k_b b²,        k_c = k_b b - k_a a.

In the middle between equal bearings k_c = 0: two motions to the side with s = ±√(k_t / m), which do not feel the speed,
and conical ones, whose backward whirl gets slower and whose forward whirl gets faster as the speed grows. An unbalance
excites s = Ω: the conical one has such a speed only if I_p < I_t; a disk is too flat.

    mbs.linearize(build(), over=("rotor.wz", np.linspace(0, 1000, 41))).plot_campbell()
"""

import numpy as np

import mbs_dae as mbs

TIMES = np.linspace(0, 0.1, 201)  # s
INITIAL = {
    "rotor.wz": 300.0, "rotor.wx": 10.0, "rotor.wy": 0.0,  # rad/s: as it spins it is tilted by a blow
    "rotor.vx": 0.0, "rotor.vy": 1.0, "rotor.vz": 0.0,  # m/s: and pushed aside
}  # fmt: skip


def build(
    m=12.0,  # kg
    I_t=0.15,  # kg m²: across its axis
    I_p=0.22,  # kg m²: about it
    k_a=4e5,  # N/m: the lower bearing
    k_b=4e5,  # N/m: the upper one
    a=0.25,  # m: how far below the centre of mass
    b=0.25,  # m: how far above it
    c=0.0,  # N s/m: damping in each bearing
) -> mbs.SpatialModel:
    model = mbs.SpatialModel("rotor in bearings")
    m = model.parameter("m", m, unit="kg")
    I_t, I_p = model.parameter("I_t", I_t, unit="kg m²"), model.parameter("I_p", I_p, unit="kg m²")
    k_a, k_b = model.parameter("k_a", k_a, unit="N/m"), model.parameter("k_b", k_b, unit="N/m")
    a, b = model.parameter("a", a, unit="m"), model.parameter("b", b, unit="m")
    c = model.parameter("c", c, unit="N s/m")

    rotor = model.body("rotor", mass=m, inertia=(I_t, I_t, I_p))
    for name, z, k in (("a", -a, k_a), ("b", b, k_b)):
        end = rotor.marker(name, 0, 0, z)
        push = [-k * model[f"rotor.{name}.{x}"] - c * model[f"rotor.{name}.v{x}"] for x in "xy"]
        model.add(mbs.Force(f"bearing {name}", end, (*push, 0)))
    return model


if __name__ == "__main__":
    from _show import show_motion

    names = "rotor.a.x", "rotor.a.y", "rotor.b.x"
    show_motion(build(), TIMES, *names, initial=INITIAL, paths=("rotor.a", "rotor.b"))
