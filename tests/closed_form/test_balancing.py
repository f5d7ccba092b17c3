"""Counterweights against closed forms: the slider-crank's first harmonic, and Berkof and Lowen's full force balance."""

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs

OMEGA = 30.0
PERIOD = np.linspace(0, 2 * np.pi / OMEGA, 129)


def slider_crank():
    """The centre of the rod lies on its line, so that it is two masses: a part at the pin, a part at the slider."""
    model = mbs.PlanarModel("slider-crank")
    crank = model.body("crank", mass=1.5, inertia=0.01, com=(0.03, 0.0))
    rod = model.body("rod", mass=0.8, inertia=0.02, com=(0.12, 0.0), position=(0.1, 0))
    slider = model.body("slider", mass=2.1, inertia=0.01, position=(0.5, 0))
    model.add(
        mbs.Revolute("A", model.ground, crank),
        mbs.Revolute("B", crank.at(0.1, 0), rod),
        mbs.Revolute("C", rod.at(0.4, 0), slider),
        mbs.Translational("guide", model.ground, slider),
        mbs.Driver("motor", mbs.angle(crank), 0.4 + OMEGA * mbs.t),
    )
    return model


def four_bar(*weights):
    """A crank-rocker, the centre of its coupler off the line; weights are (body, mass, place)."""
    model = mbs.PlanarModel("four-bar")
    crank = model.body("crank", mass=0.7, inertia=0.002, com=(0.04, 0.01))
    coupler = model.body("coupler", mass=1.1, inertia=0.02, com=(0.15, 0.06), position=(0.1, 0), angle=0.9)
    rocker = model.body("rocker", mass=0.9, inertia=0.01, com=(0.12, -0.02), position=(0.4, 0), angle=1.6)
    model.add(
        mbs.Revolute("A", model.ground, crank),
        mbs.Revolute("B", crank.at(0.1, 0), coupler),
        mbs.Revolute("C", coupler.at(0.35, 0), rocker.at(0.25, 0)),
        mbs.Revolute("D", model.ground.at(0.4, 0), rocker),
        mbs.Driver("motor", mbs.angle(crank), OMEGA * mbs.t),
    )
    for name, mass, place in weights:
        body = model.bodies[name]
        weight = model.body(f"weight of {name}", mass=mass, inertia=0.0, position=(0, 0))
        model.add(mbs.Fixed(f"bolt of {name}", body.at(*place), weight))
    return model


def test_the_first_harmonic_of_a_slider_crank():
    """What turns is balanced whole, of what goes to and fro a half: m e = r (m_rot + m_rec / 2); what is left has the
    size ½ m_rec r ω² all round."""
    found = mbs.balance(slider_crank(), PERIOD, bodies=("crank",), order=1)
    at_pin, at_slider = 0.8 * (1 - 0.12 / 0.4), 0.8 * 0.12 / 0.4
    going = 2.1 + at_slider
    moment = 1.5 * 0.03 + 0.1 * (at_pin + going / 2)
    assert found.moments["crank"] == pytest.approx([-moment, 0.0], abs=1e-12)
    assert found.pivots["crank"] == pytest.approx([0, 0], abs=1e-12)
    assert found.mass("crank", 0.06) == pytest.approx(moment / 0.06, rel=1e-12)
    assert found.place("crank", 0.06) == pytest.approx([-0.06, 0.0], abs=1e-12)
    waves = np.exp(-1j * OMEGA * found.t[:-1]) @ found.after[:-1] * 2 / 128
    assert np.abs(waves) == pytest.approx(np.full(2, going / 2 * 0.1 * OMEGA**2), rel=1e-10)


def test_the_first_harmonic_does_not_see_the_others():
    """In the third harmonic the slider of a slider-crank has no part that a crank could: nothing to be done there."""
    one = mbs.balance(slider_crank(), PERIOD, bodies=["crank"], order=1)
    both = mbs.balance(slider_crank(), PERIOD, bodies=["crank"], order=(1, 2))
    assert both.moments["crank"] == pytest.approx(one.moments["crank"], abs=1e-12)  # the crank has no second harmonic


def test_full_force_balance_of_a_four_bar():
    """Berkof and Lowen 1969: with z the complex place of the coupler's centre over its length, the counterweight of the
    crank takes m₂ a (1 - z) besides its own moment, that of the rocker m₂ c z; then the shaking force is nothing."""
    found = mbs.balance(four_bar(), PERIOD, bodies=("crank", "rocker"))
    z = (0.15 + 0.06j) / 0.35
    crank, rocker = 0.7 * (0.04 + 0.01j) + 1.1 * 0.1 * (1 - z), 0.9 * (0.12 - 0.02j) + 1.1 * 0.25 * z
    assert found.moments["crank"] @ [1, 1j] == pytest.approx(-crank, abs=1e-12)
    assert found.moments["rocker"] @ [1, 1j] == pytest.approx(-rocker, abs=1e-12)
    assert found.left < 1e-12


def test_a_balanced_model_shakes_no_more():
    """The counterweights bolted on, the run made again."""
    found = mbs.balance(four_bar(), PERIOD, bodies=("crank", "rocker"))
    weights = [(name, found.mass(name, 0.1), found.place(name, 0.1)) for name in found.moments]
    after = mbs.inverse_dynamics(four_bar(*weights), PERIOD).shaking().only("inertia").total[:, :2]
    assert np.abs(after).max() < 1e-10 * np.abs(found.before).max()
    assert np.abs(after - found.after).max() < 1e-10 * np.abs(found.before).max()


def test_in_space_a_rotor_on_a_slanted_axis():
    model = mbs.SpatialModel("rotor")
    rotor = model.body("rotor", mass=2.0, inertia=np.diag([0.02, 0.03, 0.04]).tolist(), com=(0.05, 0.02, 0.3))
    pin = model.add(mbs.Revolute("A", model.ground, rotor.at(0.1, 0, 0.2)))
    model.add(mbs.Driver("motor", mbs.angle(pin), OMEGA * mbs.t))
    found = mbs.balance(model, PERIOD, bodies=["rotor"])
    assert found.moments["rotor"] == pytest.approx([-2 * (0.05 - 0.1), -2 * 0.02, 0.0], abs=1e-12)
    assert found.pivots["rotor"][:2] == pytest.approx([0.1, 0.0], abs=1e-12)
    assert found.left < 1e-12


def test_what_is_balanced_needs_no_counterweight():
    model = mbs.PlanarModel("rotor")
    rotor = model.body("rotor", mass=2, inertia=0.01)
    model.add(mbs.Revolute("A", model.ground, rotor), mbs.Driver("motor", mbs.angle(rotor), 100 * mbs.t))
    found = mbs.balance(model, np.linspace(0, 2 * np.pi / 100, 13), bodies=["rotor"])
    assert not found.moments["rotor"].any() and "rotor: none" in str(found)
    with refused("needs-no-counterweight", body="rotor"):
        found.place("rotor", 0.1)


def test_what_cannot_be_balanced_so_is_refused():
    with refused("no-fixed-point", body="rod"):
        mbs.balance(slider_crank(), PERIOD, bodies=["rod"])
    with refused("body-does-not-turn", body="slider"):
        mbs.balance(slider_crank(), PERIOD, bodies=["slider"])
    with refused("not-periodic", argument="times"):
        mbs.balance(slider_crank(), PERIOD[:60], bodies=["crank"], order=1)
    with refused("times-not-even", argument="times", count=129):
        mbs.balance(slider_crank(), PERIOD**2, bodies=["crank"], order=1)
    with refused("too-few-times", order=64):
        mbs.balance(slider_crank(), PERIOD, bodies=["crank"], order=64)
    with refused("not-a-list", argument="bodies"):
        mbs.balance(slider_crank(), PERIOD, bodies="crank")


@pytest.mark.parametrize("order", [2, 3, (2, 4)])
def test_a_harmonic_that_counterweights_do_not_have_is_refused(order):
    """On a crank that turns steadily they have the first one alone."""
    model = mbs.PlanarModel("slider-crank")
    crank, rod = model.link("crank", (0, 0), (0.1, 0)), model.link("rod", (0.1, 0), (0.5, 0))
    slider = model.body("slider", mass=2, position=(0.5, 0))
    model.add(
        mbs.Revolute("A", model.ground, crank.tail),
        mbs.Revolute("B", crank.head, rod.tail),
        mbs.Revolute("C", rod.head, slider),
        mbs.Translational("guide", model.ground, slider),
        mbs.Driver("motor", mbs.angle(crank), 20 * mbs.t),
    )
    times = np.linspace(0, 2 * np.pi / 20, 65)
    with refused("no-force-of-order", argument="order"):
        mbs.balance(model, times, bodies=["crank"], order=order)
    for other in (1.5, True, 0, ()):
        with refused("not-an-integer", argument="order", least=1):
            mbs.balance(model, times, bodies=["crank"], order=other)
