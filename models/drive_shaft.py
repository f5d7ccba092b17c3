"""A stiff drive shaft: a motor, n disks on an elastic shaft, a load.

The shaft is n + 1 pieces of torsional stiffness k between n + 2 inertias, and a little damped. The motor's torque falls
with its speed, M = M₀ - D ω; the load's grows, B ω. In steady motion all turn with Ω = M₀ / (D + B), and each piece is
twisted by B Ω / k. About that the shaft vibrates. With two inertias alone, n = 0, and without D and B,

    ω² = k (1/J_motor + 1/J_load);

with N equal inertias J at equal distances ω_j = 2 √(k/J) sin(π j / 2N), j = 1 … N - 1, besides the free turning of the
whole. The shaft is stiff: its vibrations take some hundredth of the time in which the drive runs up. An explicit method
follows each of them, an implicit one need not.
"""

import numpy as np

import mbs_dae as mbs

TIMES = np.linspace(0, 1, 201)  # s


def build(
    n=2,
    J_motor=0.02,  # kg m²
    J_disk=0.01,  # kg m²: each disk
    J_load=0.05,  # kg m²
    k=2e4,  # N m/rad: each piece of the shaft
    c=0.5,  # N m s/rad
    M0=20.0,  # N m: of the motor at rest
    D=0.1,  # N m s/rad: how its torque falls
    B=0.1,  # N m s/rad: of the load
    distance=0.1,  # m: from one inertia to the next
) -> mbs.SpatialModel:
    model = mbs.SpatialModel("drive shaft")
    names = ["motor", *(f"disk{j + 1}" for j in range(n)), "load"]
    inertias = {"motor": J_motor, "disk": J_disk, "load": J_load}
    J = {name: model.parameter(f"J_{name}", J, unit="kg m²") for name, J in inertias.items()}
    k, c = model.parameter("k", k, unit="N m/rad"), model.parameter("c", c, unit="N m s/rad")
    M0 = model.parameter("M0", M0, unit="N m")
    D, B = model.parameter("D", D, unit="N m s/rad"), model.parameter("B", B, unit="N m s/rad")
    distance = model.parameter("distance", distance, unit="m")

    along, before = (1, 0, 0), model.ground
    for j, name in enumerate(names):
        own = J[name.rstrip("0123456789")]
        body = model.body(name, mass=1.0, inertia=(own, own, own), position=(j * distance, 0, 0))
        body.marker("rim", 0, distance / 2, 0)  # a flag that shows how it turns
        joint = mbs.Revolute(f"shaft{j}" if j else "bearing", before, body, at=(j * distance, 0, 0), axis=along)
        model.add(joint)
        if j:
            model.add(mbs.TorsionSpring(f"piece{j}", joint, stiffness=k, damping=c, angle=0))
        before = body
    model.add(mbs.Torque("drive", model.bodies["motor"].at(0, 0, 0, axis=along), M0 - D * model["motor.wx"]))
    model.add(mbs.Torque("brake", model.bodies["load"].at(0, 0, 0, axis=along), -B * model["load.wx"]))
    return model


INITIAL = {"bearing.omega": 0.0, "shaft1.omega": 0.0, "shaft2.omega": 0.0, "shaft3.omega": 0.0}  # rad/s: a run-up


if __name__ == "__main__":
    from _show import show_motion

    show_motion(build(), TIMES, "bearing.angle", "shaft1.angle", "shaft3.angle", initial=INITIAL)
