"""A direct-current motor with a speed controller drives a crank-rocker.

The current i of the motor lags behind its voltage u, for its winding has an inductance; the controller adds up the
error e of the speed (proportional and integral):

    L di/dt = u - R i - k ω,        u = k_p e + k_i s,        ds/dt = e = ω₀ - ω,        M = k i.

Both i and s are states of the model: numbers with a differential equation of their own, which forces read like any
quantity. A rotor sits on the crank. The controller brings the mean speed to ω₀, while within a turn the speed swings as
the weights of the bars go up and down.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 5, 1001)  # s
INITIAL = {"crank.omega": 0.0}  # where it is placed, at rest


def build(
    a=0.2,  # m: crank
    b=0.6,  # m: coupler
    c=0.5,  # m: rocker
    d=0.7,  # m: ground
    theta0=0.5,  # rad: the crank at t = 0
    m_crank=1.0,  # kg: uniform bars
    m_coupler=2.0,
    m_rocker=1.5,
    rotor=0.05,  # kg m²: inertia on the shaft of the crank
    friction=0.02,  # N m s/rad: in its bearing
    R=1.0,  # Ω: resistance of the winding
    L=0.01,  # H: its inductance
    k=0.8,  # N m/A, V s/rad: torque and voltage of the motor
    k_p=5.0,  # V s/rad: proportional gain
    k_i=8.0,  # V/rad: integral gain
    omega0=8.0,  # rad/s: the speed to be held
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("crank-rocker with speed control", gravity=(0.0, -9.81))
    a, b, c, d = (model.parameter(name, value, unit="m") for name, value in zip("abcd", (a, b, c, d), strict=True))
    theta0 = model.parameter("theta0", theta0, unit="rad")
    m_crank, m_coupler, m_rocker = (
        model.parameter(name, value, unit="kg")
        for name, value in (("m_crank", m_crank), ("m_coupler", m_coupler), ("m_rocker", m_rocker))
    )
    rotor, friction = model.parameter("rotor", rotor, unit="kg m²"), model.parameter("friction", friction, "N m s/rad")
    R, L, k = model.parameter("R", R, "Ω"), model.parameter("L", L, "H"), model.parameter("k", k, "N m/A")
    k_p, k_i = model.parameter("k_p", k_p, "V s/rad"), model.parameter("k_i", k_i, "V/rad")
    omega0 = model.parameter("omega0", omega0, unit="rad/s")

    A = sp.Matrix([a * sp.cos(theta0), a * sp.sin(theta0)])
    e = sp.Matrix([d, 0]) - A  # the triangle of A, the rocker's pivot D, and B above them
    theta3 = sp.atan2(e[1], e[0]) + sp.acos((e.dot(e) + b**2 - c**2) / (2 * b * e.norm()))
    B = A + b * sp.Matrix([sp.cos(theta3), sp.sin(theta3)])
    crank = model.body("crank", mass=m_crank, inertia=m_crank * a**2 / 12 + rotor, position=A / 2, angle=theta0)
    coupler = model.link("coupler", A, B, mass=m_coupler, length=b)
    rocker = model.link("rocker", (d, 0), B, mass=m_rocker, length=c)
    shaft = model.add(mbs.Revolute("O", model.ground.at(0, 0), crank.at(-a / 2, 0)))
    model.add(mbs.Revolute("A", crank.at(a / 2, 0), coupler.tail), mbs.Revolute("B", coupler.head, rocker.head))
    model.add(mbs.Revolute("D", model.ground.at(d, 0), rocker.tail))
    model.add(mbs.ViscousFriction("bearing", shaft, coefficient=friction))

    omega = model["crank.omega"]
    error = model.input("target", omega0, unit="rad/s") - omega
    s = model.state("s", rate=error, unit="rad")
    u = k_p * error + k_i * s
    i = model.state("i", rate=lambda i: (u - R * i - k * omega) / L, unit="A")
    model.add(mbs.Torque("motor", shaft, k * i))
    return model


if __name__ == "__main__":
    from _show import show_motion

    show_motion(build(), TIMES, "crank.omega", "rocker.angle", initial=INITIAL, paths=("coupler",))
