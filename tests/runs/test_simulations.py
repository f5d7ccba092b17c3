"""Runs that are held in the hand go as `simulate` does, bit for bit, until something is set."""

import numpy as np
import pytest
import sympy as sp

import mbs_dae as mbs

G = 9.81
HELD = np.linspace(0.0, 1.0, 12)[1:]


def four_bar():
    points = {"A": (0, 0), "B": (0, 0.2), "C": (0.5, 0.6), "D": (0.7, 0)}
    rods = {"crank": "AB", "coupler": "BC", "rocker": "CD"}
    model = mbs.PlanarModel.from_points(points, rods=rods, fixed="AD", mass=2.0, gravity=(0, -G))
    model.add(mbs.Torque("drive", model.bodies["crank"], model.input("torque", 0.0, unit="N m")))
    return model, {"crank.omega": 5.0}


def ball():
    """A ball that bounces, with an event at each top."""
    model = mbs.PlanarModel("ball", gravity=(0, -G))
    body = model.body("ball", mass=1.0, inertia=0.1, position=(0, 0.5))
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(body, 0.1), restitution=0.8, friction=0.2))
    model.add(mbs.Event("top", when=model["ball.vy"], direction=-1))
    return model, {"ball.vx": 1.0}


def block():
    """A block that friction holds is pulled to and fro."""
    model = mbs.PlanarModel("block")
    block = model.body("block", mass=1.0, inertia=1.0)
    guide = model.add(mbs.Translational("guide", model.ground, block))
    model.add(mbs.Force("pull", block, (3.0 * sp.sin(7 * mbs.t), 0)))
    model.add(mbs.DryFriction("rub", mbs.displacement(guide), force=1.0))
    return model, {"block.vx": 0.3}


def reset():
    """A ball that an event throws up again."""
    model = mbs.PlanarModel("thrown", gravity=(0, -G))
    body = model.body("ball", mass=1.0, inertia=1.0, position=(0, 0.3))
    bounce = mbs.Reset({"ball.vy": -0.9 * model["ball.vy"]})
    model.add(mbs.CoordinateFix("upright", body, "angle"), mbs.CoordinateFix("line", body, "x"))
    model.add(mbs.Event("floor", when=model["ball.y"], direction=-1, action=bounce))
    return model, {}


def controlled():
    """A cart with a digital controller, under a force that switches in time."""
    model = mbs.PlanarModel("cart")
    cart = model.body("cart", mass=2.0, inertia=1.0)
    u = model.state("u", unit="N")
    model.add(mbs.CoordinateFix("upright", cart, "angle"), mbs.CoordinateFix("level", cart, "y"))
    model.add(mbs.Force("push", cart, (u + sp.Piecewise((1.0, mbs.t < 0.37), (-2.0, True)), 0)))
    model.add(mbs.Sampled("regulator", every=0.1, update={u: -3.0 * model["cart.vx"]}))
    return model, {"cart.vx": 1.0}


MODELS = [four_bar, ball, block, reset, controlled]


def held(model, initial, times, **options):
    run = mbs.start(model, initial, **options)
    for t in times:
        run.until(t)
    return run


@pytest.mark.parametrize("build", MODELS, ids=lambda build: build.__name__)
@pytest.mark.parametrize("options", [{}, {"method": "Radau5"}, {"method": "RK4", "step": 0.01}], ids=str)
def test_a_held_run_has_the_digits_of_simulate(build, options):
    model, initial = build()
    run = held(model, initial, HELD, **options)
    result = run.result()
    whole = mbs.simulate(model, [0.0, 1.0], initial, **options)
    for name in whole.names:
        assert run[name] == pytest.approx(whole[name][-1], rel=1e-6, abs=1e-6), name
    last = mbs.simulate(model, [0.0, HELD[-1]], initial, **options)
    np.testing.assert_array_equal(result.q[-1, : last.q.shape[1]], last.q[-1])
    np.testing.assert_array_equal(result.v[-1], last.v[-1])
    assert [one.name for one in result.events] == [one.name for one in whole.events]
    assert [one.t for one in result.events] == pytest.approx([one.t for one in whole.events], rel=1e-7)
    assert [one.t for one in result.impacts] == pytest.approx([one.t for one in whole.impacts], rel=1e-9)
    changes = [[(one.contact, one.before, one.after) for one in r.transitions] for r in (result, whole)]
    assert changes[0] == changes[1]


def test_a_run_goes_on_past_the_times_that_it_looks_ahead():
    model, initial = four_bar()
    run = held(model, initial, np.geomspace(0.2, 30.0, 9))
    whole = mbs.simulate(model, [0.0, 30.0], initial)
    np.testing.assert_array_equal(run.result().v[-1], whole.v[-1])
    assert abs(run.result().energy.error[-1]) < 1e-5


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
def test_inputs_that_are_set_are_a_law_in_steps(coordinates):
    model, initial = four_bar()
    steps = [(0.3, 2.0), (0.55, -1.0), (0.7, 4.0), (1.4, 0.0)]
    run = mbs.start(model.compile(coordinates), initial, rtol=1e-10)
    for t, value in steps:
        run.until(t).set(torque=value)
    run.until(2.0)
    pieces = [(0.0, mbs.t < 0.3), (2.0, mbs.t < 0.55), (-1.0, mbs.t < 0.7), (4.0, mbs.t < 1.4), (0.0, True)]
    law = model.with_inputs(torque=sp.Piecewise(*pieces)).compile(coordinates)
    whole = mbs.simulate(law, run.result().t, initial, rtol=1e-10)
    for name in ("rocker.angle", "crank.omega", "coupler.alpha", "A.Fx"):
        np.testing.assert_allclose(run.result()[name], whole[name], rtol=0, atol=1e-6 * np.abs(whole[name]).max())
    assert run["torque"] == 0.0 and run.result()["torque"].tolist() == [0.0, 2.0, -1.0, 4.0, 0.0, 0.0]


def test_friction_that_holds_stays_so_where_an_input_changes():
    """A block of 1 kg under a friction of 1 N moves when the pull passes 1 N, and stops when it ends."""
    model = mbs.PlanarModel("block")
    block = model.body("block", mass=1.0, inertia=1.0)
    guide = model.add(mbs.Translational("guide", model.ground, block))
    model.add(mbs.DryFriction("rub", mbs.displacement(guide), force=1.0))
    model.add(mbs.Force("rope", block, (model.input("pull", 0.5, unit="N"), 0)))
    run = mbs.start(model, mbs.at_rest(model)).step(0.5)
    assert run["block.x"] == 0.0 and run.result().modes["rub"][-1] == "sticks"
    run.set(pull=0.9).step(0.5)
    assert run["block.x"] == 0.0
    run.set(pull=3.0).step(1.0)
    assert run["block.vx"] == pytest.approx(2.0) and run["block.x"] == pytest.approx(1.0)
    run.set(pull=0.0).step(5.0)
    assert run["block.x"] == pytest.approx(1.0 + 2.0)  # v²/2 at 1 m/s²
    assert [(one.t, one.after) for one in run.result().transitions][-1] == (pytest.approx(4.0), "sticks")


def test_positions_and_velocities_are_set():
    model, initial = four_bar()
    run = mbs.start(model, initial).step(0.2)
    run.set({"crank.omega": -3.0})
    assert run["crank.omega"] == pytest.approx(-3.0)
    back = mbs.simulate(model, [0.2, 0.5], run.state)
    run.until(0.5)
    for name in ("rocker.angle", "crank.omega"):
        assert run[name] == pytest.approx(back[name][-1], rel=1e-6)


def test_a_run_begins_again():
    model, initial = four_bar()
    run = mbs.start(model, initial)
    first = run.step(0.4)["rocker.angle"]
    assert run.reset().t == 0.0 and run.result().t.size == 1
    assert run.step(0.4)["rocker.angle"] == first
    assert run.reset({"crank.omega": 0.0}, t=2.0).t == 2.0 and run["crank.omega"] == pytest.approx(0.0, abs=1e-12)


def test_an_event_stops_a_run_and_the_run_goes_on():
    model, initial = reset()
    high = model.plus(mbs.Event("high", when=model["ball.vy"], direction=-1, action="stop"))
    run = mbs.start(high, initial).until(1.0)
    assert "high" in run.message and run.t < 1.0
    assert run["ball.vy"] == pytest.approx(0.0, abs=1e-9)
    first, speed = run.t, np.sqrt(2 * G * 0.3)
    assert first == pytest.approx((1.0 + 0.9) * speed / G)  # down, and up with 0.9 of the speed
    assert run.until(2.0).t == pytest.approx(first + (0.9 + 0.81) * speed / G)
    assert run.until(run.t + 0.01).message == ""


def test_two_runs_know_nothing_of_each_other():
    model, initial = ball()
    alone = held(model, initial, HELD).result()
    one, other = mbs.start(model, initial), mbs.start(model, {"ball.vx": -2.0})
    for t in HELD:
        one.until(t), other.until(t)
    np.testing.assert_array_equal(one.result().q, alone.q)


def test_what_cannot_be_done_is_told():
    model, initial = four_bar()
    run = mbs.start(model, initial).step(0.1)
    with pytest.raises(mbs.ModelError, match="does not go back"):
        run.until(0.05)
    with pytest.raises(mbs.ModelError, match="torqe"):
        run.set(torqe=1.0)
    with pytest.raises(mbs.ModelError, match="number"):
        run.set(torque="much")
    with pytest.raises(mbs.ModelError, match="given by a law"):
        mbs.start(model.with_inputs(torque=mbs.t), initial).set(torque=1.0)
    with pytest.raises(mbs.ModelError, match="DP5"):
        mbs.start(model, initial, method="Moreau", step=1e-3)
    with pytest.raises(mbs.ModelError, match="did you mean"):
        mbs.start(model, initial, inputs={"torqe": 1.0})
    with pytest.raises(mbs.ModelError, match="did you mean"):
        run["rocker.angl"]
    with pytest.raises(mbs.MbsError):
        run.set({"torque": 50.0, "rocker.angle": 40.0})
    assert run["torque"] == 0.0 and run.t == 0.1
    run.until(0.5)  # goes on as if nothing had been asked
    np.testing.assert_array_equal(run.result().v[-1], mbs.simulate(model, [0.0, 0.5], initial).v[-1])


def test_a_run_that_has_failed_does_not_go_on():
    """A force sqrt(0.5 - x) has no value behind x = 0.5."""
    model = mbs.PlanarModel("track")
    body = model.body("body", mass=1.0, inertia=1.0)
    model.add(mbs.Force("pull", body, (sp.sqrt(0.5 - model["body.x"]), 0)))
    run = mbs.start(model, {"body.vx": 1.0}).step(0.1)
    with pytest.raises(mbs.MbsError, match="no finite force"):
        run.until(2.0)
    with pytest.raises(mbs.ModelError, match="begin again"):
        run.until(0.2)
    with pytest.raises(mbs.ModelError, match="begin again"):
        run.set({"body.vx": 0.0})
    assert run.result().t.tolist() == [0.0, 0.1]
    assert run.reset().until(0.2)["body.x"] == pytest.approx(
        mbs.simulate(model, [0, 0.2], {"body.vx": 1.0})["body.x"][-1]
    )


def test_friction_that_drives_is_refused_in_a_held_run():
    model = mbs.PlanarModel("sled")
    body = model.body("body", mass=1.0, inertia=1.0)
    guide = model.add(mbs.Translational("guide", model.ground, body))
    model.add(mbs.DryFriction("rub", mbs.displacement(guide), force=0.2 - 0.5 * mbs.t))
    run = mbs.start(model, {"body.vx": 2.0}).until(0.3)
    with pytest.raises(mbs.IntegrationError, match="negative"):
        run.until(1.0)
