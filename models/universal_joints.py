"""A drive line with one or two universal (Cardan) joints. One degree of freedom.

One joint between shafts that enclose the angle β turns the output by b where the input turns by a, counted from the
pose in which the input's pin stands across the plane of the shafts:

    tan b = cos β tan a,     ratio b' = cos β / (cos² a + cos² β sin² a):

twice a turn it runs ahead and falls behind, between cos β and 1/cos β. A second joint with the same bend undoes it, if
all three shafts are in one plane and the pins of the middle shaft are parallel (`phase` = 0). A phase of 90° makes it
worse: tan b = cos β1 cos β2 tan a.

The load brakes the output with a constant torque: the input's torque is the load times the ratio.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 2 * np.pi / 10, 121)  # s: one turn at the default speed


def build(
    bend1=0.5,  # rad: the middle shaft against the input, in the x-y plane
    bend2=-0.5,  # rad: the output against the middle shaft: parallel to the input if bend2 = -bend1
    phase=0.0,  # rad: the second pin of the middle shaft against its first
    l=0.4,  # m: each of the shafts
    omega=10.0,  # rad/s: speed of the input
    load=20.0,  # N m
    joints=2,  # or 1: then the middle shaft is the output
) -> mbs.SpatialModel:
    model = mbs.SpatialModel(f"{joints} universal joint{'s' if joints > 1 else ''}")
    values = {"bend1": (bend1, "rad"), "bend2": (bend2, "rad"), "phase": (phase, "rad"), "l": (l, "m")}
    bend1, bend2, phase, l = (model.parameter(name, x, unit=unit) for name, (x, unit) in values.items())
    omega, load = model.parameter("omega", omega, unit="rad/s"), model.parameter("load", load, unit="N m")

    def shaft(name, start, angle):
        """A body whose z axis is along the shaft, and whose x axis is across the plane of the shafts; and its end."""
        c, s = sp.cos(angle), sp.sin(angle)
        body = model.body(
            name,
            mass=1.0,
            inertia=(0.02, 0.02, 0.001),
            com=(0, 0, l / 2),
            position=start,
            rotation=sp.Matrix([[0, s, c], [0, -c, s], [1, 0, 0]]),
        )
        return body, (start[0] + l * c, start[1] + l * s, 0), (c, s, 0)

    ground = model.ground
    first, centre, along = shaft("input", (-l, 0, 0), 0)
    bearing = mbs.Revolute("input bearing", ground, first, at=(-l, 0, 0), axis=along)
    last, end, along = shaft("shaft", centre, bend1)
    model.add(
        bearing,
        mbs.Driver("motor", mbs.angle(bearing), omega * mbs.t),
        mbs.Universal("joint1", first.at(0, 0, l), last.at(0, 0, 0)),  # pins: x axis of the input, y axis of the shaft
    )
    if joints == 2:
        middle, centre = last, end
        last, end, along = shaft("output", centre, bend1 + bend2)
        pin = (-sp.sin(phase), sp.cos(phase), 0)  # the y axis of the middle shaft, turned by the phase
        across = (-sp.sin(phase), sp.cos(phase) * sp.cos(bend2), 0)  # and the output's pin stands at right angles to it
        model.add(mbs.Universal("joint2", middle.at(0, 0, l, x_axis=pin), last.at(0, 0, 0, x_axis=across)))
    # The first joint holds its end of the shaft behind it, so that the bearing there may let it tilt; the shaft behind
    # the second joint hangs on a middle one that holds nothing, and needs a bearing that guides it.
    guide = mbs.PointOnLine if joints == 1 else mbs.Cylindrical
    support = ground.at(*end, axis=along, x_axis=(0, 0, 1))
    model.add(
        guide("output bearing", support, last.at(0, 0, l)),
        mbs.Torque("load", support, last.at(0, 0, l), -load),
    )
    return model


if __name__ == "__main__":
    from _show import show_efforts

    show_efforts(build(joints=1), TIMES, "input bearing.angle", "load.angle", efforts=("motor",))
