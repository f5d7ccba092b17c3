"""A slender block that rocks from corner to corner on rough ground, by the closed forms of Housner."""

from itertools import pairwise
from math import atan2, cos, hypot, sin, sqrt

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

import mbs_dae as mbs

g, b, h, mass, tilt = 9.81, 0.1, 0.4, 2.0, 0.15
R, alpha = hypot(b, h), atan2(b, h)
p = sqrt(3 * g / (4 * R))  # m g R over the inertia about a corner, 4/3 m R²


def rocking_block():
    """Twice b wide and h high, tilted about its left corner."""
    com = (cos(tilt) * b - sin(tilt) * h, sin(tilt) * b + cos(tilt) * h)
    model = mbs.PlanarModel("rocking block", gravity=(0, -g))
    block = model.body("block", mass, mass * R**2 / 3, position=com, angle=tilt)
    for name, x in (("left", -b), ("right", b)):
        corner = mbs.Point(block.at(x, -h))
        model.add(mbs.Contact(name, mbs.Line(model.ground), corner, friction=2.0))
    return model


def quarter(highest):
    """The time from the upright pose to the highest tilt: ω² = 2 p² (cos(α - θₘ) - cos(α - θ)), with θ = θₘ - u²."""
    return quad(
        lambda u: 2 * u / (p * sqrt(2 * (cos(alpha - highest) - cos(alpha - highest + u * u)))), 0, sqrt(highest)
    )[0]


def rocking(count):
    """The times of the first impacts, and how fast the block turns before each and behind it."""
    highest, t, found = tilt, quarter(tilt), []
    for _ in range(count):
        before = p * sqrt(2 * (cos(alpha - highest) - cos(alpha)))
        after = before * (1 - 1.5 * sin(alpha) ** 2)
        found.append((t, before, after))
        highest = brentq(lambda th, w=after: 2 * p**2 * (cos(alpha - th) - cos(alpha)) - w**2, 0, alpha)
        t += 2 * quarter(highest)
    return found


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
def test_impacts_alternate_between_the_corners(coordinates):
    wanted = rocking(5)
    model = rocking_block()
    model.add(
        mbs.Event("on left", model["left.gap"]), mbs.Event("on right", model["right.gap"]),
        mbs.Event("lands", model.elements["right"].touches),
    )  # fmt: skip
    end = wanted[-1][0] + 1e-3
    run = mbs.simulate(model.compile(coordinates), [0, end], {"block.omega": 0.0}, rtol=1e-11)
    assert len(run.impacts) == 5
    for impact, (t, before, after), name, sign in zip(run.impacts, wanted, "rlrlr", (-1, 1) * 3, strict=False):
        assert impact.t == pytest.approx(t, abs=1e-8)
        assert impact.contacts == ({"r": "right", "l": "left"}[name],)
        assert impact.before["block.omega"] == pytest.approx(sign * before, abs=1e-8)
        assert impact.after["block.omega"] == pytest.approx(sign * after, abs=1e-8)
    for one, two in pairwise(run.impacts):
        assert two.before["block.omega"] == pytest.approx(-one.after["block.omega"], abs=1e-8)  # energy in between
    changes = [(c.t, c.contact, c.before, c.after) for c in run.transitions]
    lands = ("right", "left")
    assert changes == [
        change
        for k, impact in enumerate(run.impacts)
        for change in sorted(
            [(impact.t, lands[k % 2], "open", "sticks"), (impact.t, lands[1 - k % 2], "sticks", "open")],
            key=lambda c: ("left", "right").index(c[1]),
        )
    ]
    assert [e.t for e in run.events if e.name == "lands"] == [i.t for i in run.impacts[::2]]
    assert [e.t for e in run.events if e.name == "on right"] == [i.t for i in run.impacts[::2]]
    assert [e.t for e in run.events if e.name == "on left"] == [i.t for i in run.impacts[1::2]]
    assert np.ptp([*run["block.x"], b]) < 0.1  # it does not walk
