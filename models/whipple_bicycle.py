"""The Whipple bicycle: a frame with its rider, a front fork, two wheels with thin rims that roll without slipping.

Upright and straight ahead at the speed v, leaning φ and steering δ go by

    M q̈ + v C₁ q̇ + (g K₀ + v² K₂) q = 0,        q = (φ, δ),

and from 4.292 to 6.024 m/s the bicycle rights itself: below, it weaves, above, it falls over slowly. Numbers and axes
(x ahead, y to the right, z down, from where the rear wheel touches the ground) are those of Meijaard, Papadopoulos,
Ruina and Schwab, Proc. R. Soc. A 463 (2007) 1955.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 5, 501)  # s
INITIAL = {"frame.vx": 5.0, "frame.wx": 0.2, "steer.omega": 0.0}  # m/s, rad/s: a push to the side


def build(
    w=1.02,  # m, the wheelbase
    c=0.08,  # m, the trail
    tilt=np.pi / 10,  # rad: of the steering axis against the vertical
    rear_radius=0.3,  # m
    front_radius=0.35,
) -> mbs.SpatialModel:
    model = mbs.SpatialModel("Whipple bicycle", gravity=(0.0, 0.0, 9.81))
    w, c = model.parameter("w", w, unit="m"), model.parameter("c", c, unit="m")
    tilt = model.parameter("tilt", tilt, unit="rad")
    rear_radius = model.parameter("rear_radius", rear_radius, unit="m")
    front_radius = model.parameter("front_radius", front_radius, unit="m")

    def with_product(xx, yy, zz, xz):
        return [[xx, 0, xz], [0, yy, 0], [xz, 0, zz]]

    rear = model.body("rear", 2.0, (0.0603, 0.12, 0.0603), position=(0, 0, -rear_radius))
    frame = model.body("frame", 85.0, with_product(9.2, 11.0, 2.8, 2.4), position=(0.3, 0, -0.9))
    fork = model.body("fork", 4.0, with_product(0.05892, 0.06, 0.00708, -0.00756), position=(0.9, 0, -0.7))
    front = model.body("front", 3.0, (0.1405, 0.28, 0.1405), position=(w, 0, -front_radius))

    side, up, steering = (0, 1, 0), (0, 0, -1), (sp.sin(tilt), 0, sp.cos(tilt))
    road = model.ground.at(0, 0, 0, axis=up)
    model.add(
        mbs.RollingDisk("rear tyre", road, rear.at(0, 0, 0, axis=side), radius=rear_radius),
        mbs.RollingDisk("front tyre", road, front.at(0, 0, 0, axis=side), radius=front_radius),
        mbs.Revolute("rear hub", frame, rear, at=(0, 0, -rear_radius), axis=side),
        mbs.Revolute("steer", frame, fork, at=(w + c, 0, 0), axis=steering),
        mbs.Revolute("front hub", fork, front, at=(w, 0, -front_radius), axis=side),
    )
    return model


if __name__ == "__main__":
    from _show import show_motion

    show_motion(build(), TIMES, "steer.angle", "frame.x", "frame.y", initial=INITIAL, paths=("rear", "front"))
