"""Compliant contacts that cannot be: told by name, with what to do about it."""

from __future__ import annotations

import pytest
from refusals import refused

import mbs_dae as mbs


def contact(**said):
    model = mbs.PlanarModel("yard", gravity=(0, -9.81))
    body = model.body("ball", mass=1.0, inertia=0.004, position=(0, 1))
    said = {"stiffness": 1e5, **said}
    return model.add(mbs.CompliantContact("floor", mbs.Line(model.ground), mbs.Disk(body, 0.1), **said))


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"stiffness": 0.0}, ("not-positive", "floor", "0", "CompliantContact")),
        ({"exponent": 0.5}, ("out-of-bounds", "floor", "0.5", "1", "CompliantContact", "exponent")),
        ({"damping": -1.0}, ("negative", "floor", "-1", "CompliantContact")),
        ({"restitution": 0.5}, ("contradictory-arguments", "damping=", "restitution=", "speed=")),
        ({"restitution": 0.5, "speed": 1.0, "damping": 0.1}, ("contradictory-arguments", "damping=", "restitution=")),
        ({"restitution": 0.0, "speed": 1.0}, ("out-of-bounds", "0", "1")),
        ({"restitution": 0.5, "speed": -1.0}, ("out-of-bounds", "-1")),
        ({"friction": 0.3}, ("law-cannot-stick", "smooth=", "Contact")),
        ({"friction": 0.3, "smooth": 0.0}, ("not-positive", "floor", "0", "CompliantContact")),
        ({"friction": -0.3, "smooth": 0.1}, ("negative", "floor", "-0.3", "CompliantContact")),
        ({"gap": lambda i, j: j.y}, ("contradictory-arguments",)),
    ],
)
def test_what_is_no_law_is_refused(said, words):
    with refused(words[0], mentions=words[1:]):
        contact(**said)


def test_friction_that_drives_is_refused():
    model = mbs.PlanarModel("yard", gravity=(0, -9.81))
    body, fall = model.body("ball", mass=1.0, inertia=0.004, position=(0, 1)), model.parameter("fall", 2.0)
    rubs = {"friction": 0.3 - fall * mbs.speed, "smooth": 0.1}
    model.add(mbs.CompliantContact("floor", mbs.Line(model.ground), mbs.Disk(body, 0.1), stiffness=1e5, **rubs))
    with refused("negative", value=-1.7, mentions="floor"):
        mbs.simulate(model, [0, 1])


def test_a_gap_that_moves_by_itself_is_refused():
    model = mbs.PlanarModel("yard")
    body = model.body("ball", mass=1.0, inertia=1.0, position=(0, 1))
    with refused("contact-moves", subject="CompliantContact 'floor'"):
        mbs.CompliantContact("floor", model.ground, body, gap=lambda i, j: j.y - mbs.t, stiffness=1e5)
