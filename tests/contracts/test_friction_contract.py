"""What slips in joints and on measures, against velocities of bodies; bounds; what is refused."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from refusals import refused
from touching import SLIP, Read, place

import mbs_dae as mbs
from mbs_dae.model.contacts import DryFriction, Friction


def bodies(d):
    model = (mbs.PlanarModel if d == 2 else mbs.SpatialModel)("bench")
    inertia = 1.0 if d == 2 else (1.0, 1.0, 1.0)
    return model, *(model.body(name, mass=1.0, inertia=inertia) for name in "ab")


def turning(frame, rates, axes):
    return [0.2 * frame[1][:, axis] @ (rates[1][3:] - rates[0][3:]) for axis in axes]


def sliding(frame, other, rates, axis):
    d = len(frame[0])
    arm = other[0] - frame[0]
    spun = np.cross(rates[0][d:], arm) if d == 3 else rates[0][2] * np.array([-arm[1], arm[0]])
    return [frame[1][:, axis] @ (rates[1][:d] - rates[0][:d] - spun)]


LEAD = 0.1 / (2 * np.pi * 0.2)
"""Of a screw: its slope, along which it slips."""
SLIPS = {
    ("Revolute", 2): lambda f, o, r: [0.2 * (r[1][2] - r[0][2])],
    ("Revolute", 3): lambda f, o, r: turning(f, r, [2]),
    ("Translational", 2): lambda f, o, r: sliding(f, o, r, 0),
    ("Translational", 3): lambda f, o, r: sliding(f, o, r, 2),
    ("Cylindrical", 3): lambda f, o, r: turning(f, r, [2]) + sliding(f, o, r, 2),
    ("Screw", 3): lambda f, o, r: [(turning(f, r, [2])[0] + LEAD * sliding(f, o, r, 2)[0]) / np.hypot(1, LEAD)],
    ("Spherical", 3): lambda f, o, r: turning(f, r, [0, 1, 2]),
}
NORMAL = {
    ("Revolute", 2): "xy", ("Revolute", 3): "xyz", ("Translational", 2): "y", ("Translational", 3): "xy",
    ("Cylindrical", 3): "xy", ("Screw", 3): "xyz", ("Spherical", 3): "xyz",
}  # fmt: skip


NUMBERS = {"Screw": {"pitch": 0.1}, "Distance": {"length": 1.0}}


def joint_of(name, d):
    model, a, b = bodies(d)
    return model, model.add(getattr(mbs, name)("J", a, b, **NUMBERS.get(name, {})))


@pytest.mark.parametrize(("name", "d"), SLIPS)
def test_what_slips_in_a_joint_is_what_it_leaves_free(name, d):
    model, joint = joint_of(name, d)
    radius = {} if name == "Translational" else {"radius": 0.2}
    rub = model.add(Friction("rub", joint, mu=0.3, **radius))
    assert (rub.joint, rub.friction, rub.static_friction) == ("J", 0.3, 0.3)
    random = np.random.default_rng(2)
    frames = place(d, random, 1.0), place(d, random, 1.0)
    rates = [random.normal(size=3 * d - 3) for _ in frames]
    expected = SLIPS[name, d](*frames, rates)
    assert rub.units == ("m/s",) * len(expected) and not rub.form()[0].phi
    np.testing.assert_allclose(Read(rub)(SLIP, frames, rates), expected, atol=1e-14)
    i, j = rub.form()[0].markers
    lead = sp.Symbol("p_pitch", real=True) / (2 * sp.pi * sp.Symbol("p_radius", real=True))
    lean = {"z": sp.sqrt(1 + lead**2)} if name == "Screw" else {}  # the face of a thread
    assert rub.normal(i, j) == [lean.get(axis, 1) * getattr(i, f"{axis}_axis") for axis in NORMAL[name, d]]


@pytest.mark.parametrize("d", [2, 3])
def test_what_slips_on_a_measure_is_its_rate(d):
    model, a, b = bodies(d)
    frames = (np.zeros(d), np.eye(d)), (np.eye(d)[0] * 2, np.eye(d))
    rates = np.zeros(3 * d - 3), np.arange(1.0, 3 * d - 2)
    for measure, rate, unit in ((mbs.distance(a, b), 1.0, "m/s"), (mbs.angle(a, b), 3.0 * d - 3, "rad/s")):
        rub = DryFriction("rub", measure, force=2.0)
        assert rub.units == (unit,)
        np.testing.assert_allclose(Read(rub)(SLIP, frames, rates), [rate], atol=1e-14)


def test_the_bound_of_dry_friction_is_an_expression():
    """Of quantities, states, parameters and time; its markers join those of the measure, and feel nothing."""
    model, a, b = bodies(2)
    heat, F = model.state("heat", rate=lambda x: -x), model.parameter("F", 4.0)
    speed = model["b.vx"]
    stribeck = F * (1 + sp.exp(-sp.Abs(speed) / 0.01)) * (1 + heat + sp.cos(mbs.t) / 9)
    rub = model.add(DryFriction("rub", mbs.angle(a), force=stribeck, static_force=2 * stribeck))
    assert [m.body.name for m in rub.markers] == ["a", "b"] and [m.body.name for m in rub.feeling] == ["a"]
    values = dict(rub._bound_slots) | {rub.bound.markers[1].rates[0]: 0.01, mbs.t: 0.0}
    sliding, rest = (float(e.xreplace(values).xreplace({F: 4.0, heat: 0.5})) for e in rub.bound.values)
    assert sliding == pytest.approx(4 * (1 + np.exp(-1)) * (1.5 + 1 / 9)) and rest == pytest.approx(2 * sliding)
    assert model.frictions == (rub,) and not model.forces


PIN, GUIDE = joint_of("Revolute", 2)[1], joint_of("Translational", 2)[1]
REFUSED = {
    ("joint-without-friction", "f", "J", "Friction", "Distance", "Revolute"): lambda: Friction(
        "f", joint_of("Distance", 2)[1], mu=0.1
    ),
    ("missing-argument", "f", "J", "radius=", "Friction", "Revolute"): lambda: Friction("f", PIN, 0.1),
    ("radius-of-slide", "radius="): lambda: Friction("f", GUIDE, 0.1, radius=1),
    ("negative", "f", "-1", "Friction"): lambda: Friction("f", GUIDE, mu=-1),
    ("static-below-sliding", "f", "mu_static", "0.1", "0.2", "Friction"): lambda: Friction(
        "f", GUIDE, mu=0.2, mu_static=0.1
    ),
    ("not-positive", "f", "0", "Friction"): lambda: Friction(
        "f", joint_of("Revolute", 3)[1], mu=0.1, radius=0
    ),
    ("not-a-measure", "f", "DryFriction"): lambda: DryFriction("f", bodies(2)[1], force=1),
    ("negative", "f", "-1", "DryFriction"): lambda: DryFriction("f", mbs.x(bodies(2)[1]), force=-1),
    ("static-below-sliding", "f", "static_force", "1", "2", "DryFriction"): lambda: DryFriction(
        "f", mbs.x(bodies(2)[1]), force=2, static_force=1
    ),
    ("negative", "f", "10", "DryFriction"): lambda: DryFriction(
        "f", mbs.x(bodies(2)[1]), force=lambda s: 0.3 - s / 20
    ),
    ("negative", "f", "-1", "DryFriction", "force"): lambda: DryFriction(
        "f", mbs.x(bodies(2)[1]), force=-1, smooth=0.1
    ),
    ("not-positive", "f", "0", "SmoothFriction"): lambda: DryFriction("f", mbs.x(bodies(2)[1]), force=1, smooth=0),
    ("contradictory-arguments", "f", "smooth=", "static_force="): lambda: DryFriction(
        "f", mbs.x(bodies(2)[1]), force=1, static_force=2, smooth=0.1
    ),
    ("not-a-measure", "f"): lambda: DryFriction("f", bodies(2)[1], force=1, smooth=0.1),
    ("negative", "f", "10 m", "Friction"): lambda: Friction("f", GUIDE, mu=lambda s: 0.3 - s / 20),
}  # fmt: skip


@pytest.mark.parametrize("words", REFUSED)
def test_what_cannot_rub_is_refused_with_the_remedy(words):
    with refused(words[0], mentions=words[1:]):
        REFUSED[words]()


def test_bounds_of_parameters_are_looked_at_when_these_have_values():
    model, a, _b = bodies(2)
    F, rest = model.parameter("F", 2.0), model.parameter("rest", 3.0)
    model.add(DryFriction("f", mbs.x(a), force=F, static_force=rest))
    model.compile()
    for values, words in (({"F": -1.0}, ("negative", "-1")), ({"F": 4.0}, ("static-below-sliding", "4"))):
        with refused(words[0], mentions=words[1:]):
            model.with_parameters(**values).compile()


def test_symbols_of_no_model_are_refused_at_the_door():
    model, a, _b = bodies(2)
    with refused("unknown-symbols", names=["nu"]):
        model.add(DryFriction("f", mbs.x(a), force=sp.Symbol("nu")))
