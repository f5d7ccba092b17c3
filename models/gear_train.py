"""A compound gear train with fixed axes: two meshes, the lay shaft carries a large and a small wheel.

    ω_out / ω_in = (z₁ / z₂) (z₃ / z₄),

both in the same sense, since each mesh turns it round once.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 0.6, 181)  # s: one turn of the output at the default speed
STEEL = 7850.0 * 0.020  # kg/m²: wheels 20 mm thick


def build(
    z1=20.0,  # teeth of the wheel on the input
    z2=60.0,  # teeth of the large wheel on the lay shaft
    z3=18.0,  # teeth of the small wheel on the lay shaft
    z4=54.0,  # teeth of the wheel on the output
    module=0.002,  # m: pitch diameter / teeth
    omega=30 * np.pi,  # rad/s: speed of the input
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("gear train", gravity=(0.0, -9.81))
    teeth = {"z1": z1, "z2": z2, "z3": z3, "z4": z4}
    z1, z2, z3, z4 = (model.parameter(name, value) for name, value in teeth.items())
    module = model.parameter("module", module, unit="m")
    omega = model.parameter("omega", omega, unit="rad/s")

    r1, r2, r3, r4 = (z * module / 2 for z in (z1, z2, z3, z4))
    first, second = (r1 + r2, 0), (r1 + r2 + r3 + r4, 0)  # the axes of the lay shaft and of the output
    ground = model.ground
    shafts = []
    for name, axis, radii in (("input", (0, 0), [r1]), ("lay", first, [r2, r3]), ("output", second, [r4])):
        masses = [STEEL * sp.pi * r**2 for r in radii]
        inertia = sum(m * r**2 / 2 for m, r in zip(masses, radii, strict=True))
        shaft = model.body(name, mass=sum(masses), inertia=inertia, position=axis)
        shaft.marker("tooth", radii[0], 0)
        model.add(mbs.Revolute(f"{name} bearing", ground.at(*axis), shaft))
        shafts.append(shaft)
    inlet, lay, outlet = shafts
    model.add(
        mbs.Gear("first mesh", inlet, lay, radii=(r1, r2)),
        mbs.Gear("second mesh", lay, outlet, radii=(r3, r4)),
        mbs.Driver("motor", mbs.angle(ground, inlet), omega * mbs.t),
    )
    return model


if __name__ == "__main__":
    from _show import show

    show(build(), TIMES, "input.angle", "lay.angle", "output.angle", paths=("lay.tooth",))
