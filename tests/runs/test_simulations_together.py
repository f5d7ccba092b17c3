"""Runs that are held together go as each alone, bit for bit, in lanes or out of them."""

import numpy as np
import pytest
from refusals import refused
from test_simulations import ball, controlled, four_bar

import mbs_dae as mbs

COUNT = 11


@pytest.mark.parametrize("build", [four_bar, ball, controlled], ids=lambda build: build.__name__)
@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
def test_each_member_has_the_digits_of_a_run_alone(build, coordinates):
    model, initial = build()
    ((name, value),) = initial.items()
    speeds, system = value * np.linspace(0.5, 1.5, COUNT), model.compile(coordinates)
    runs = mbs.start(system, {name: speeds}, count=COUNT)
    alone = [mbs.start(system, {name: float(speed)}) for speed in speeds]
    random = np.random.default_rng(1)
    assert (runs._lanes is not None) == (coordinates != "joint")
    for k in range(12):
        if k % 4 == 1:
            given = {name: random.uniform(0.5, 1.0, COUNT)}
            runs.set(given)
            for one, own in zip(alone, given[name], strict=True):
                one.set({name: float(own)})
        if k % 4 == 2 and build is four_bar:
            runs.set(torque=random.uniform(-2, 2, COUNT))
            for j, one in enumerate(alone):
                one.set(torque=runs["torque"][j])
        dt = random.uniform(0.01, 0.15)
        runs.step(dt)
        for one in alone:
            one.step(dt)
    for member, one in zip(runs.result(), (one.result() for one in alone), strict=True):
        np.testing.assert_array_equal(member.q, one.q)
        np.testing.assert_array_equal(member.v, one.v)
        assert [(x.t, x.name) for x in member.events] == [(x.t, x.name) for x in one.events]
        assert [x.t for x in member.impacts] == [x.t for x in one.impacts]
    for read in (name, "energy.error", "energy.kinetic"):
        np.testing.assert_allclose(runs[read], [one[read] for one in alone], rtol=1e-12, atol=1e-12)
    assert runs[name.split(".")[0] + ".a"].shape == (COUNT, 2)


def test_some_members_begin_again():
    model, initial = four_bar()
    runs = mbs.start(model, initial, count=4).step(0.3)
    first = runs["crank.omega"]
    runs.reset(members=np.array([True, False, False, True]))
    assert runs.t.tolist() == [0.0, 0.3, 0.3, 0.0]
    runs.reset({"crank.omega": np.array([1.0, 2.0])}, t=1.0, members=[0, 2])
    assert runs.t.tolist() == [1.0, 0.3, 1.0, 0.0] and runs["crank.omega"][[0, 2]] == pytest.approx([1.0, 2.0])
    runs.step(np.array([0.1, 0.2, 0.1, 0.3]))
    assert runs["crank.omega"][3] == first[3] and runs.t.tolist() == [1.1, 0.5, 1.1, 0.3]
    assert runs[1]["crank.omega"] == mbs.start(model, initial).until(0.3).until(0.5)["crank.omega"]
    assert [one.t.size for one in runs.result()] == [2, 3, 2, 2] and len(runs.state) == len(runs) == 4


def test_a_member_that_fails_does_not_stop_others():
    """A force sqrt(0.5 - x) has no value behind x = 0.5, where only the second member comes."""
    model = mbs.PlanarModel("track")
    body = model.body("body", mass=1.0, inertia=1.0)
    model.add(mbs.Force("pull", body, ((0.5 - model["body.x"]) ** 0.5, 0)))
    runs = mbs.start(model, {"body.vx": np.array([-1.0, 1.0, -2.0])}, count=3)
    with refused("law-without-value", mbs.MbsError):
        runs.until(0.6)
    assert runs.t.tolist() == [0.6, 0.0, 0.6]
    with refused("run-has-ended", model="track"):
        runs.step(0.1)
    assert runs.reset({"body.vx": -1.0}, members=[1]).step(0.1).t == pytest.approx([0.7, 0.1, 0.7])


def test_what_members_are_given_is_checked():
    model, initial = four_bar()
    runs = mbs.start(model, initial, count=3)
    for call, told in (
        (lambda: runs.set(torque=[1.0, 2.0]), ("wrong-length", "3")),
        (lambda: runs.set(torque=[1.0, np.nan, 2.0]), ("not-finite", "1")),
        (lambda: runs.set({"torqe": 1.0}), ("unknown-name", "torque")),
        (lambda: runs.step([0.1, -0.1, 0.1]), ("back-in-time", "1")),
        (lambda: runs.reset(members=[3]), ("out-of-bounds", "0", "2")),
        (lambda: runs.reset({"crank.omega": [1.0, 2.0]}), ("wrong-length", "3")),
        (lambda: runs.reset({"crank.omega": [1.0, np.inf, 2.0]}), ("not-finite", "1")),
        (lambda: mbs.start(model, initial, count=0), ("not-an-integer",)),
    ):
        with refused(told[0], mentions=told[1:]):
            call()
    assert runs.t.tolist() == [0.0, 0.0, 0.0] and runs["torque"].tolist() == [0.0, 0.0, 0.0]


def test_ctrl_c_ends_the_members_that_lanes_move(monkeypatch):
    model, initial = four_bar()
    runs = mbs.start(model, initial, count=3).step(0.2)
    runs[1].step(0.3)

    def interrupt(rounds):
        raise KeyboardInterrupt

    monkeypatch.setattr(runs._lanes, "go_on", interrupt)
    with pytest.raises(KeyboardInterrupt):
        runs.until(np.array([0.4, 0.5, 0.4]))  # the second one stands there already
    monkeypatch.undo()
    for k in (0, 2):
        with refused("run-has-ended", time=0.2):
            runs[k].step(0.1)
    assert runs[1].step(0.1)["crank.omega"] == mbs.start(model, initial).until(0.6)["crank.omega"]
    runs.reset(members=[0, 2]).step(0.1)
    assert runs["crank.omega"][0] == mbs.start(model, initial).step(0.1)["crank.omega"]
