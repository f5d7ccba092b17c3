"""Compliant contacts that cannot be: told by name, with what to do about it."""

from __future__ import annotations

import pytest
from refusals import refused

import mbs_dae as mbs
from mbs_dae.errors import ModelError


def contact(**said):
    model = mbs.PlanarModel("yard", gravity=(0, -9.81))
    body = model.body("ball", mass=1.0, inertia=0.004, position=(0, 1))
    said = {"stiffness": 1e5, **said}
    return model.add(mbs.CompliantContact("floor", mbs.Line(model.ground), mbs.Disk(body, 0.1), **said))


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"stiffness": 0.0}, "stiffness of CompliantContact 'floor' is 0; it must be positive"),
        ({"exponent": 0.5}, "exponent of CompliantContact 'floor' is 0.5.*give 1 or more"),
        ({"damping": -1.0}, "damping of CompliantContact 'floor' is -1"),
        ({"restitution": 0.5}, "by damping=, or by restitution= at an approach with speed="),
        ({"restitution": 0.5, "speed": 1.0, "damping": 0.1}, "by damping=, or by restitution="),
        ({"restitution": 0.0, "speed": 1.0}, "restitution 0 at speed 1; give a part of the speed, more than 0"),
        ({"restitution": 0.5, "speed": -1.0}, "speed -1"),
        ({"friction": 0.3}, "cannot stick; give smooth=.* or take a Contact"),
        ({"friction": 0.3, "smooth": 0.0}, "smooth of CompliantContact 'floor' is 0"),
        ({"friction": -0.3, "smooth": 0.1}, "friction of CompliantContact 'floor' is -0.3"),
        ({"gap": lambda i, j: j.y}, "is of two shapes, or of markers and a gap"),
    ],
)
def test_what_is_no_law_is_refused(said, words):
    with pytest.raises(ModelError, match=words):
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
