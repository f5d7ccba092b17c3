"""Runs that are held in the hand go as `simulate` does, bit for bit, until something is set."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from refusals import refused

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
    whole = mbs.simulate(model, [0.0, *HELD], initial, **options)
    for name in whole.names:
        assert run[name] == pytest.approx(whole[name][-1], rel=1e-6, abs=1e-6), name
    middle = held(model, initial, HELD[:6], **options)
    for here in (result, middle.result()):
        last = mbs.simulate(model, [0.0, here.t[-1]], initial, **options)
        np.testing.assert_array_equal(here.q[-1, : last.q.shape[1]], last.q[-1])
        np.testing.assert_array_equal(here.v[-1], last.v[-1])
    assert [one.name for one in result.events] == [one.name for one in whole.events]
    assert [one.t for one in result.events] == pytest.approx([one.t for one in whole.events], rel=1e-7)
    assert [one.t for one in result.impacts] == pytest.approx([one.t for one in whole.impacts], rel=1e-9)
    changes = [[(one.contact, one.before, one.after) for one in r.transitions] for r in (result, whole)]
    assert changes[0] == changes[1]
    assert [one.t for one in result.transitions] == pytest.approx([one.t for one in whole.transitions], rel=1e-7)


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


def test_runs_in_two_threads_have_the_digits_of_one():
    model, initial = ball()

    def bounce(speed):
        run = mbs.start(model, initial)
        for k in range(100):
            run.set({"ball.vx": speed * np.sin(k)}).step(0.01)
        return run.result()

    with ThreadPoolExecutor(2) as threads:
        found = list(threads.map(bounce, (1.0, -3.0, 1.0, -3.0)))
    for result, alone in zip(found, 2 * [bounce(1.0), bounce(-3.0)], strict=True):
        np.testing.assert_array_equal(result.q, alone.q)
        assert [one.t for one in result.impacts] == [one.t for one in alone.impacts]


def test_what_cannot_be_done_is_told():
    model, initial = four_bar()
    run = mbs.start(model, initial).step(0.1)
    with refused("back-in-time", argument="t"):
        run.until(0.05)
    with refused("unknown-name", name="torqe"):
        run.set(torqe=1.0)
    with refused("not-a-number", argument="set(torque)", value="much"):
        run.set(torque="much")
    with refused("given-by-law", argument="values", name="torque"):
        mbs.start(model.with_inputs(torque=mbs.t), initial).set(torque=1.0)
    with refused("not-supported", argument="method", value="Moreau"):
        mbs.start(model, initial, method="Moreau", step=1e-3)
    with refused("unknown-name", near=["torque"]):
        mbs.start(model, initial, inputs={"torqe": 1.0})
    with refused("unknown-name", near=["rocker.angle"]):
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
    with refused("law-without-value", mbs.MbsError):
        run.until(2.0)
    with refused("run-has-ended", model="track"):
        run.until(0.2)
    with refused("run-has-ended", model="track"):
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
    with refused("friction-undefined-or-negative", mbs.IntegrationError, joints=["force of DryFriction 'rub'"]):
        run.until(1.0)


# --- what is set acts where the run stands ------------------------------------------------------------------------


def sampled(every=0.01):
    """A state that follows the input of a controller, which counts its samples too."""
    model = mbs.PlanarModel("follower")
    model.body("b", mass=1.0, inertia=1.0)
    u, follows, samples = model.input("u", 0.0), model.state("follows"), model.state("samples")
    model.add(mbs.Sampled("law", every=every, update={follows: u, samples: samples + 1}))
    return model


def test_a_controller_sees_what_is_set_at_its_sampling_time():
    """The run held and set in steps is the run under a law in steps, which switches at sampling times."""
    model, times = sampled(), [0.0, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03]
    law = sp.Piecewise((1.0, mbs.t < 0.01), (2.0, mbs.t < 0.02), (3.0, True))
    whole = mbs.simulate(model.with_inputs(u=law), times)
    run = mbs.start(model)
    for k in range(3):
        run.set(u=k + 1.0).until(times[2 * k + 1]).until(times[2 * k + 2])
    for name in ("follows", "samples"):
        assert run.result()[name].tolist() == whole[name].tolist() == [*map(float, [1, 1, 2, 2, 3, 3, 3])], name


def test_a_function_of_a_controller_is_called_once_a_sample():
    called = []

    def update(t, read):
        called.append((t, read("u")))
        return {"follows": read("u")}

    model = sampled().without("law")
    run = mbs.start(model.plus(mbs.Sampled("law", every=0.5, update=update)))
    for k in range(6):
        run.set(u=float(k)).set(u=k + 10.0).step(0.25).set({"b.vx": 1.0})
    assert [t for t, _ in called] == [0.0, 0.5, 1.0] and [u for _, u in called] == [10.0, 12.0, 14.0]
    assert run["follows"] == 14.0 and run.until(2.1)["follows"] == 15.0 and len(called) == 5


def test_a_state_that_is_set_is_sampled_from_there():
    run = mbs.start(sampled(every=0.1)).until(0.25).set(samples=10.0)
    assert run["samples"] == 10.0 and run.until(0.35)["samples"] == 11.0
    run.until(0.5).set(samples=0.0)  # a sampling time: the controller samples when the run goes on
    assert run["samples"] == 0.0 and run.step(0.01)["samples"] == 1.0


def test_a_run_held_beside_its_impacts_lists_each_once():
    model, initial = ball()
    whole = mbs.simulate(model, [0.0, 2.0], initial)
    times = [one.t for one in whole.impacts]
    for ahead in (0.0, 1e-15, 1e-13, 1e-12, 1e-10):
        run = mbs.start(model, initial)
        for t in times:
            run.until(t - ahead)
            assert run.result().energy.dissipated[-1] == pytest.approx(
                sum(one.energy_lost for one in run.result().impacts), rel=1e-9, abs=1e-12
            )
        result = run.until(2.0).result()
        assert [one.t for one in result.impacts] == pytest.approx(times, rel=1e-9), ahead
        assert [one.t for one in result.events] == pytest.approx([one.t for one in whole.events], rel=1e-7), ahead
        assert [one.after for one in result.transitions] == [one.after for one in whole.transitions], ahead


def test_holding_leaves_no_trace_in_what_is_listed():
    model, initial = ball()
    whole = mbs.simulate(model, [0.0, 2.0], initial)
    result = held(model, initial, np.sort(np.random.default_rng(4).uniform(0, 2, 30)).tolist() + [2.0]).result()
    assert [one.t for one in result.impacts] == [one.t for one in whole.impacts]
    assert [one.t for one in result.events] == [one.t for one in whole.events]
    assert [one.t for one in result.transitions] == [one.t for one in whole.transitions]


def oscillator():
    """x'' = u - x, with an event where x passes 0."""
    model = mbs.PlanarModel("oscillator")
    body = model.body("b", mass=1.0, inertia=1.0)
    model.add(mbs.Translational("guide", model.ground, body))
    model.add(mbs.Force("spring", body, (model.input("u", 0.0, unit="N") - model["b.x"], 0)))
    model.add(mbs.Event("middle", when=model["b.x"]))
    return model, {"b.x": 1.0, "b.vx": 0.0}


@pytest.mark.parametrize("change", [{"b.vx": 1.0}, {"b.vx": -2.0}, {"u": 0.5}], ids=str)
def test_an_event_at_a_held_time_is_listed_once_when_something_is_set(change):
    model, initial = oscillator()
    first = mbs.simulate(model, [0.0, 2.0], initial).events[0].t
    run = mbs.start(model, initial).until(first)
    assert len(run.set(change).result().events) == 1
    speed = change.get("b.vx", -1.0)
    after = mbs.simulate(model.with_inputs(u=change.get("u", 0.0)), [first + 0.1, 6.0], run.step(0.1).state)
    later = [one.t for one in after.events]
    assert [one.t for one in run.until(6.0).result().events] == pytest.approx([first, *later], rel=1e-7)
    assert np.sign(run.result()["b.vx"][1]) == np.sign(speed)


def test_an_event_that_is_jumped_over_by_what_is_set_is_listed():
    model, initial = oscillator()
    run = mbs.start(model, initial).until(1.0).set({"b.x": -0.5})
    assert [one.t for one in run.result().events] == [1.0]


def test_an_impact_that_is_set_is_listed():
    """A ball of 1 kg that rests is pushed down at 1 m/s: it bounces with e = 0.8, and loses (1 - e²)/2 J."""
    model, initial = ball()
    events = model.plus(mbs.Event("hit", when=model.elements["floor"].touches))
    run = mbs.start(events, {**initial, "ball.y": 0.1}).step(0.1).set({"ball.vy": -1.0}).step(0.05)
    (impact,) = run.result().impacts
    assert (
        impact.t == 0.1
        and impact.after["ball.vy"] == pytest.approx(0.8)
        and run["ball.vy"] == pytest.approx(0.8 - 0.05 * G)
    )
    assert impact.impulses["floor"][1] == pytest.approx(1.8)
    assert run.until(0.1 + 1.5 * 0.8 * 2 / G).result().impacts[1].t == pytest.approx(0.1 + 1.6 / G)


def test_a_change_of_friction_that_is_set_is_an_event():
    model = mbs.PlanarModel("block", gravity=(0, -G))
    body = model.body("b", mass=1.0, inertia=1.0)
    guide = model.add(mbs.Translational("guide", model.ground, body))
    rub = model.add(mbs.Friction("rub", guide, mu=0.1))
    model.add(mbs.Force("rope", body, (model.input("pull", 0.0, unit="N"), 0)))
    model.add(mbs.Event("slips", when=rub.slips), mbs.Event("sticks", when=rub.sticks))
    run = mbs.start(model, mbs.at_rest(model)).step(0.5).set({"b.vx": 1.0}).step(3.0)
    stops = 0.5 + 1.0 / (0.1 * G)
    told = [(one.name, one.t) for one in run.result().events]
    assert told == [("slips", 0.5), ("sticks", pytest.approx(stops))]
    run.set(pull=2.0).set(pull=2.5).step(0.1)
    assert [(one.name, one.t) for one in run.result().events][2:] == [("slips", 3.5)]


def test_bodies_that_overlap_are_not_set():
    model, initial = ball()
    run, free = mbs.start(model, initial).step(0.1), mbs.start(model, initial).step(0.1)
    for given in ({"ball.y": 0.05}, {"floor.gap": -0.02}):
        with refused("contact-overlaps", mentions="is set", time=0.1, contacts=["floor"]):
            run.set(given)
    assert run.step(0.5)["ball.y"] == free.step(0.5)["ball.y"]
    assert run.set({"floor.gap": 0.0})["ball.y"] == pytest.approx(0.1)


def test_the_energy_that_a_run_tells_is_that_of_its_result():
    model, initial = four_bar()
    run = mbs.start(model, initial, method="RK4", step=0.02).step(0.5).set(torque=3.0).step(1.0)
    assert abs(run["energy.error"]) > 1e-9
    for name in ("energy.error", "energy.total", "energy.supplied", "energy.kinetic"):
        assert run[name] == run.result()[name][-1], name


def test_a_refused_reset_leaves_the_run_as_it_was():
    model, initial = four_bar()
    run, free = (mbs.start(model, initial).step(0.2).set(torque=2.0) for _ in range(2))
    for bad in ({"rocker.angle": 40.0}, {"nope": 1.0}):
        with pytest.raises(mbs.MbsError):
            run.reset(bad)
    with refused("not-finite", argument="t"):
        run.reset(t=np.nan)
    assert run.t == 0.2 and run["torque"] == 2.0 and run.result().t.size == 2
    assert run.step(0.3)["crank.omega"] == free.step(0.3)["crank.omega"]
    assert run.reset()["crank.omega"] == pytest.approx(5.0)


def test_a_run_begins_at_the_time_of_its_state():
    model, initial = four_bar()
    pushed = model.with_inputs(torque=sp.Piecewise((0.0, mbs.t < 1.0), (5.0, True)))
    first = mbs.start(pushed, initial).until(1.2)
    second = mbs.start(pushed, first.state)
    assert second.t == 1.2 and second["torque"] == 5.0
    assert second.until(1.5)["crank.omega"] == pytest.approx(first.until(1.5)["crank.omega"], rel=1e-7)
    assert mbs.start(pushed, first.state, t=0.0).t == 0.0
    assert second.reset(first.state).t == 1.5 and second.reset().t == 1.5 and second.reset(initial).t == 1.5


def test_names_that_are_not_set_are_told():
    model, initial = four_bar()
    run = mbs.start(model, initial)
    for name, code, facts in (
        ("torqe", "unknown-name", {"near": ["torque"]}),
        ("crank.omga", "unknown-name", {"near": ["crank.omega"]}),
        ("crank.v", "is-a-vector", {"components": ["crank.vx", "crank.vy"]}),
        ("A.force", "read-only", {}),
        ("energy.kinetic", "read-only", {}),
        ("crank.alpha", "read-only", {}),
    ):
        with refused(code, name=name, **facts):
            run.set({name: 1.0})
    with refused("not-a-dict", argument="values"):
        run.set(3.0)


# --- what lies behind the time that is asked for ------------------------------------------------------------------


def led(law):
    """A cart that moves as a law of time says."""
    model = mbs.PlanarModel("cart")
    body = model.body("cart", mass=2.0, inertia=1.0)
    guide = model.add(mbs.Translational("guide", model.ground, body))
    model.add(mbs.Driver("motor", mbs.displacement(guide), law))
    return model


@pytest.mark.parametrize("count", [None, 2])
@pytest.mark.parametrize("end", [0.8, 10.0])
def test_a_table_is_read_up_to_the_time_that_is_asked_for(end, count):
    """A force of 1 N beyond which its table ends acts on a cart of 2 kg."""
    model = mbs.PlanarModel("cart")
    body = model.body("cart", mass=2.0, inertia=1.0)
    table = mbs.Table([0.0, end / 2, end], [1.0, 1.0, 1.0])
    model.add(mbs.Force("push", body, (table(mbs.t), 0)))
    run = mbs.start(model, mbs.at_rest(model), count=count)
    for part in (0.3, 0.8, 1.0):
        run.until(part * end)
        assert run["cart.vx"] == pytest.approx(part * end / 2.0)
    with refused("beyond-table", element="Force 'push'", first=0.0):
        run.step(0.1)
    assert run["cart.vx"] == pytest.approx(end / 2.0)
    with refused("back-in-time", argument="t"):  # it has not failed
        run.until(0.0)


@pytest.mark.parametrize("jump", [1.0, 1.5, 7.3])
def test_a_driver_that_jumps_is_refused_where_the_run_is_to_pass_the_jump(jump):
    model = led(sp.Piecewise((mbs.t, mbs.t < jump), (jump, True)))
    run = mbs.start(model)
    for t in (0.4 * jump, jump / 2, jump):
        assert run.until(t)["cart.x"] == pytest.approx(t)
    for _ in range(2):
        with refused("jump", mentions=[f"t = {jump:g}", "motor"]):
            run.step(0.01)
    assert run.t == jump
    with refused("jump", joints=["motor"]):
        mbs.start(model).until(jump + 0.01)


def test_times_at_which_accelerations_jump_are_those_of_simulate():
    law = sum(sp.Piecewise((0.0, mbs.t < at), ((mbs.t - at) ** 2, True)) for at in (0.3, 0.9, 1.7, 5.0))
    model, run = led(law), mbs.start(led(law))
    assert "kinks" not in run.until(0.2).result().stats
    for end in (0.5, 1.0, 3.0, 4.9):
        assert run.until(end).result().stats["kinks"] == mbs.simulate(model, [0.0, end]).stats["kinks"]


def test_the_earliest_jump_is_told():
    model = led(sp.Piecewise((mbs.t, mbs.t < 1.2), (1.2, True)))
    other = model.body("other", mass=1.0, inertia=1.0)
    line = model.add(mbs.Translational("line", model.ground, other))
    model.add(mbs.Driver("first", mbs.displacement(line), sp.Piecewise((0.0, mbs.t < 0.7), (mbs.t - 0.7, True))))
    for move in (lambda: mbs.simulate(model, [0.0, 2.0]), lambda: mbs.start(model).until(2.0)):
        with refused("jump", time=0.7, joints=["first"]):
            move()
    assert mbs.start(model).until(0.7)["cart.x"] == pytest.approx(0.7)


def test_an_acceleration_without_a_value_has_none_in_a_held_run():
    model, initial = four_bar()
    run = mbs.start(model, initial).step(0.1)
    run._rows[-1]["a"][:] = np.nan  # as at a pose where the motion has no unique acceleration
    assert np.isnan(run["crank.alpha"]) and np.isnan(run.state["crank.alpha"])
    assert np.isnan(run.result()["crank.alpha"][-1]) and np.isfinite(run["crank.omega"])


def test_a_run_begins_at_the_time_of_its_equilibrium():
    model = mbs.PlanarModel("pendulum", gravity=(0, -G))
    rod = model.link("rod", (0, 0), (0, -1), mass=1.0)
    model.add(mbs.Revolute("pin", model.ground, rod.tail))
    rest = mbs.equilibrium(model, replace(mbs.assemble(model), t=0.7))
    assert rest.state.t == 0.7
    run = mbs.start(model, rest)
    assert run.t == mbs.start(model, rest.state).t == 0.7
    assert run.reset(t=0.1).t == 0.1 and run.reset(rest).t == 0.7


def test_steps_are_counted_in_each_call():
    """A run of 300 calls, each of which may make 20 steps."""
    model, initial = four_bar()
    run, whole = mbs.start(model, initial, max_steps=20), mbs.simulate(model, [0.0, 3.0], initial)
    for k in range(1, 301):
        run.until(k * 0.01)
    np.testing.assert_array_equal(run.result().v[-1], whole.v[-1])
    told = run.result().stats
    assert whole.stats["accepted"] > 40 and told["accepted"] == whole.stats["accepted"]
    assert told["rejected"] == whole.stats["rejected"]
    with refused("too-many-steps", mbs.IntegrationError):
        run.step(3.0)


def test_a_run_that_cannot_begin_tells_why():
    model = mbs.PlanarModel("cart")
    body = model.body("cart", mass=1.0, inertia=1.0)
    model.add(mbs.Force("push", body, (1 / model.state("u", 0.0), 0)))
    with refused("law-without-value", time=0.0, mentions="push"):
        mbs.start(model, mbs.at_rest(model))


def test_ctrl_c_ends_a_run_and_all_members_that_are_under_way():
    def push(t, body):
        if stops and t > 0.55:
            raise KeyboardInterrupt
        return [(1.0, 0.0)]

    model, stops = mbs.PlanarModel("cart"), True
    body = model.body("cart", mass=1.0, inertia=1.0)
    model.add(mbs.PythonForce("push", body, function=push))
    for run in (mbs.start(model, mbs.at_rest(model)), mbs.start(model, mbs.at_rest(model), count=3)):
        stops = True
        run.until(0.5)
        with pytest.raises(KeyboardInterrupt):
            run.until(1.0)
        for one in [run] if isinstance(run, mbs.Simulation) else [run[k] for k in range(3)]:
            assert one.t == 0.5
            with refused("run-has-ended", time=0.5):
                one.step(0.1)
        stops = False
        assert run.reset().until(1.0)["cart.vx"] == pytest.approx(1.0)
