"""Shares of loads in runs with friction and contacts, at rest, and from results that cannot tell them."""

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs


def block_in_guide():
    model = mbs.PlanarModel("block", gravity=(0, -9.81))
    block = model.body("block", mass=2, inertia=0.1)
    guide = model.add(mbs.Translational("guide", model.ground, block))
    model.add(mbs.Friction("rub", guide, mu=0.3), mbs.Force("push", block, (20 * mbs.t, 0)))
    return model


def test_friction_that_sticks_takes_a_push_to_the_frame():
    """It sticks up to 0.3 · 2 kg · 9.81 m/s² = 5.886 N: at 4 N the guide carries the weight, and the frame both."""
    result = mbs.simulate(block_in_guide(), np.linspace(0, 1, 11))
    assert result.modes["rub"][2] == "sticks" and result.modes["rub"][-1] == "slips"
    shares, shaking = result.shares("guide"), result.shaking()
    assert shares["weight of block"] == pytest.approx(np.tile([0, 19.62, 0], (11, 1)), abs=1e-12)
    assert np.abs(shares["rub"]).max() < 1e-12
    assert shaking["rub"][2] == pytest.approx([4, 0, 0], abs=1e-9)
    assert shaking["rub"][-1] == pytest.approx([5.886, 0, 0], abs=1e-9)
    assert np.abs(sum(shaking.parts.values()) - shaking.total).max() < 1e-12 * np.abs(shaking.total).max()


def rod_on_a_stop():
    """A rod on a pin, whose end lies on a plane: so it carries half of the weight, as the pin does."""
    model = mbs.PlanarModel("rod on a stop", gravity=(0, -9.81))
    rod = model.link("rod", (0, 0), (1, 0), mass=2)
    model.add(mbs.Revolute("A", model.ground, rod.tail))
    model.add(mbs.Contact("rest", model.ground, rod.head, gap=lambda i, j: j.y - i.y, restitution=0))
    return model


def test_a_contact_is_a_source_of_what_a_pin_carries():
    """Of the weight the pin carries a quarter while the rod falls; what the stop pushes it takes back by a half:
    mg/4 + mg/4, since the stop pushes mg/2 at the end, of which the pin has -(1 - 3/2) N."""
    result = mbs.simulate(rod_on_a_stop(), np.linspace(0, 0.2, 5))
    shares = result.shares("A")
    assert shares["weight of rod"][-1] == pytest.approx([0, 19.62 / 4, 0], abs=1e-8)
    assert shares["rest"][-1] == pytest.approx([0, 19.62 / 4, 0], abs=1e-8)
    assert shares.total[-1] == pytest.approx([0, 19.62 / 2, 0], abs=1e-8)
    assert result.shaking()["rest"][-1] + result.shaking()["weight of rod"][-1] == pytest.approx(
        [0, -19.62, -9.81], abs=1e-7
    )
    with refused("not-a-joint", name="rest"):
        result.shares("rest")


def test_forces_that_are_means_over_steps_have_no_shares_and_it_is_told():
    """Time stepping gives contacts the mean force of a step; accelerations at its end are others."""
    model = mbs.PlanarModel("dropped", gravity=(0, -9.81))
    rod = model.link("rod", (0, 0), (1, 0.3), mass=2)
    model.add(mbs.Revolute("A", model.ground, rod.tail))
    model.add(mbs.Contact("floor", model.ground, rod.head, gap=lambda i, j: j.y - i.y, restitution=0.5))
    shares = mbs.simulate(model, np.linspace(0, 1, 101), method="Moreau", step=1e-3).shares("A")
    unknown = ~np.isfinite(shares["weight of rod"]).all(axis=1)
    assert unknown.any() and not unknown.all() and "means over steps" in shares.note
    known = ~unknown
    assert np.abs(sum(shares.parts.values()) - shares.total)[known].max() < 1e-7 * np.abs(shares.total).max()
    assert known[shares.index(None)]


def test_at_rest_loads_come_from_weights():
    model = mbs.PlanarModel("hung", gravity=(0, -9.81))
    rod = model.link("rod", (0, 0), (1, 0.1), mass=2)
    pin = model.add(mbs.Revolute("A", model.ground, rod.tail))
    model.add(mbs.TorsionSpring("coil", pin, stiffness=30.0, damping=1.0))
    shares = mbs.equilibrium(model).result.shares("A")
    assert shares.total[0] == pytest.approx([0, 19.62, 0], abs=1e-9)
    assert np.abs(shares["inertia of rod"]).max() < 1e-9
    assert sum(shares.parts.values()) == pytest.approx(shares.total, abs=1e-9)


def test_a_file_and_a_model_of_nothing_are_refused(tmp_path):
    result = mbs.simulate(block_in_guide(), [0, 0.1])
    with refused("result-from-file"):
        mbs.load(result.save(tmp_path / "run.npz")).shares("guide")
    light = mbs.PlanarModel("light")
    rod = light.link("rod", (0, 0), (1, 0))
    light.add(mbs.Revolute("A", light.ground, rod.tail), mbs.Driver("motor", mbs.angle(rod), mbs.t))
    with refused("nothing-to-share"):
        mbs.inverse_dynamics(light, [0, 1]).shares("A")
