"""Derivatives of rest and of small motions of a slider-crank on a spring, with a damper, against a minimal model with
one angle, in 40 digits: V'(θ) = 0, J ω² = V'', with J from the kinetic energy."""

import mpmath as mp
import numpy as np
import pytest

import mbs_dae as mbs

DESIGN = {"r": 0.2, "l": 0.5, "c": 0.21, "m1": 1.3, "m2": 0.7, "m3": 2.1, "i1": 0.03, "i2": 0.014, "k": 900.0,
          "n": 0.6, "d": 7.0, "g": 9.81}  # fmt: skip
START, NEAR, DIGITS = 0.7, 1.8, 40
CLOSE = 1e-9


def model():
    made = mbs.PlanarModel("slider-crank on a spring")
    p = {name: made.parameter(name, value) for name, value in DESIGN.items()}
    made.gravity = (0, -p["g"])
    x, y = DESIGN["r"] * np.cos(START), DESIGN["r"] * np.sin(START)
    phi = -np.arcsin(y / DESIGN["l"])
    crank = made.body("crank", mass=p["m1"], inertia=p["i1"], com=(p["r"] / 2, 0), angle=START)
    rod = made.body("rod", mass=p["m2"], inertia=p["i2"], com=(p["c"], 0), position=(x, y), angle=phi)
    slider = made.body("slider", mass=p["m3"], inertia=1.0, position=(x + DESIGN["l"] * np.cos(phi), 0))
    made.add(
        mbs.Revolute("A", made.ground, crank),
        mbs.Revolute("B", crank.at(p["r"], 0), rod),
        mbs.Revolute("C", rod.at(p["l"], 0), slider),
        mbs.Translational("guide", made.ground, slider),
        mbs.Spring("spring", made.ground.at(-0.1, 0.3), slider, stiffness=p["k"], length=p["n"]),
        mbs.Damper("damper", made.ground.at(0.9, -0.2), slider, damping=p["d"]),
    )
    return made


def minimal(design):
    """θ and the slider's place at rest, the spring's tension, frequency and decay."""
    d = dict(zip(DESIGN, design, strict=True))

    def slider(angle):
        return d["r"] * mp.cos(angle) + mp.sqrt(d["l"] ** 2 - (d["r"] * mp.sin(angle)) ** 2)

    def rod(angle):
        return -mp.asin(d["r"] * mp.sin(angle) / d["l"])

    def centre(angle):
        x = d["r"] * mp.cos(angle) + d["c"] * mp.cos(rod(angle))
        return x, d["r"] * mp.sin(angle) + d["c"] * mp.sin(rod(angle))

    def stretch(angle):
        return mp.hypot(slider(angle) + mp.mpf("0.1"), mp.mpf("0.3")) - d["n"]

    def potential(angle):
        lifted = d["m1"] * d["r"] / 2 * mp.sin(angle) + d["m2"] * centre(angle)[1]
        return d["k"] * stretch(angle) ** 2 / 2 + d["g"] * lifted

    theta = mp.findroot(lambda angle: mp.diff(potential, angle), NEAR)
    vx, vy = (mp.diff(lambda angle, k=k: centre(angle)[k], theta) for k in (0, 1))
    inertia = d["i1"] + d["m1"] * d["r"] ** 2 / 4 + d["i2"] * mp.diff(rod, theta) ** 2
    inertia += d["m2"] * (vx**2 + vy**2) + d["m3"] * mp.diff(slider, theta) ** 2
    damping = d["d"] * mp.diff(lambda angle: mp.hypot(slider(angle) - mp.mpf("0.9"), mp.mpf("0.2")), theta) ** 2
    square = mp.diff(potential, theta, 2) / inertia
    return [theta, slider(theta), d["k"] * stretch(theta), mp.sqrt(square), damping / (2 * inertia * mp.sqrt(square))]


@pytest.fixture(scope="module")
def known():
    with mp.workdps(DIGITS):
        base = [mp.mpf(value) for value in DESIGN.values()]
        slopes = {}
        for k, name in enumerate(DESIGN):
            h = base[k] * mp.mpf(10) ** -9
            up, down = (minimal([*base[:k], base[k] + s * h, *base[k + 1 :]]) for s in (1, -1))
            slopes[name] = np.array([float((x - y) / (2 * h)) for x, y in zip(up, down, strict=True)])
        return np.array([float(x) for x in minimal(base)]), slopes


def test_rest_follows_dimensions_and_forces(known):
    rest, (values, slopes) = mbs.equilibrium(model(), derivatives=[*DESIGN]), known
    for k, name in enumerate(("crank.angle", "slider.x")):
        assert abs(rest[name] - values[k]) < CLOSE * abs(values[k])
        for parameter, value in DESIGN.items():
            wanted = slopes[parameter][k]
            assert abs(rest.d(name, parameter) - wanted) < CLOSE * max(abs(wanted), abs(values[k]) / value), parameter


def test_frequency_and_damping_follow_dimensions_and_forces(known):
    law, (values, slopes) = mbs.linearize(model(), derivatives=[*DESIGN]), known
    assert law.frequencies.size == 1
    for k, name in ((3, "frequencies"), (4, "damping")):
        assert abs(getattr(law, name)[0] - values[k]) < CLOSE * values[k]
        for parameter, value in DESIGN.items():
            wanted = slopes[parameter][k]
            found = law.d(name, parameter)[0]
            assert abs(found - wanted) < CLOSE * max(abs(wanted), abs(values[k]) / value), (name, parameter)
