"""Laws that have no value where a run needs one, or are read beyond the ends of their tables: an answer tells it, or is
refused by name."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs

SHORT = mbs.Table([0, 0.05], [0.1, 0.2], kind="linear")


def sliding_block():
    model = mbs.PlanarModel("block", gravity=(0, -10))
    block = model.body("block", mass=1.0, inertia=1.0)
    return model, block, model.add(mbs.Translational("guide", model.ground, block))


# --- events ---


@pytest.mark.parametrize("action", ["record", "stop"])
@pytest.mark.parametrize("place", ["block.x", "t"])
@pytest.mark.parametrize("law", [lambda x: sp.sqrt(x - 0.5) - 0.5, lambda x: sp.log(x - 0.5) + 1])
def test_an_event_without_a_value_at_the_start_is_refused(law, place, action):
    model, _, _ = sliding_block()
    model.add(mbs.Event("late", law(mbs.t if place == "t" else model[place]), action=action))
    with refused("not-finite", time=0.0, mentions="late"):
        mbs.simulate(model, [0, 1], {"block.vx": 1.0})
    with refused("not-finite", time=0.0, mentions="late"):
        mbs.start(model, {"block.vx": 1.0})


def test_an_event_with_a_value_everywhere_happens():
    """√(x - 1/2) = 1/2 at x = 3/4."""
    model, _, _ = sliding_block()
    model.add(mbs.Event("late", model["block.x"] - 0.75))
    run = mbs.simulate(model, [0, 1], {"block.vx": 1.0})
    assert [event.t for event in run.events] == pytest.approx([0.75], abs=1e-9)


def test_an_event_that_a_reset_leaves_without_a_value_is_refused():
    model, _, _ = sliding_block()
    model.add(mbs.Event("back", mbs.t - 0.5, action=mbs.Reset({"block.x": -1.0})))
    model.add(mbs.Event("late", sp.sqrt(model["block.x"] + 0.1) - 2))
    with refused("not-finite", mbs.MbsError, time=0.5, mentions="late"):
        mbs.simulate(model, [0, 1], {"block.vx": 1.0})


# --- tables in resets ---


def test_a_reset_reads_a_table():
    model, _, _ = sliding_block()
    speeds = mbs.Table([0, 2], [1, 5], kind="linear")
    model.add(mbs.Event("kick", mbs.t - 0.5, action=mbs.Reset({"block.vx": speeds(model["block.x"])})))
    run = mbs.simulate(model, [0, 1], {"block.vx": 1.0})
    assert run["block.vx"][-1] == pytest.approx(2.0, abs=1e-9)  # 1 + 2 x at x = 1/2


@pytest.mark.parametrize("place", ["block.x", "t"])
def test_a_reset_beyond_the_end_of_its_table_is_refused(place):
    model, _, _ = sliding_block()
    new = SHORT(mbs.t if place == "t" else model[place])
    model.add(mbs.Event("kick", mbs.t - 0.5, action=mbs.Reset({"block.vx": new})))
    with refused("beyond-table", event="kick", quantity="block.vx", ends=[0.0, 0.05], time=0.5):
        mbs.simulate(model, [0, 1], {"block.vx": 1.0})


# --- tables in signals ---


def with_signal(kind, place):
    """A block with 1 m/s, and a state, a digital controller or an input that reads a table of its place, or of time."""
    model, block, _ = sliding_block()
    law = SHORT(mbs.t if place == "t" else model[place])
    if kind == "input":
        model.add(mbs.Force("push", block, (model.input("u", law, unit="N"), 0)))
    else:
        z = model.state("u", **{"rate": law} if kind == "rate" else {})
        model.add(mbs.Force("push", block, (1e-3 * z, 0)))
        if kind == "sampled":
            model.add(mbs.Sampled("digital", 0.01, {z: law}))
    return model


@pytest.mark.parametrize("kind", ["rate", "sampled", "input"])
def test_a_signal_over_a_table_of_time_that_ends_is_refused(kind):
    with refused("beyond-table", first=0.0, last=0.05):
        mbs.simulate(with_signal(kind, "t"), [0, 1], {"block.vx": 1.0})


@pytest.mark.parametrize("kind", ["rate", "sampled"])
def test_a_signal_tells_that_its_table_is_read_beyond_its_ends(kind):
    run = mbs.simulate(with_signal(kind, "block.x"), [0, 0.2, 0.4], {"block.vx": 1.0})
    assert "has a table from 0 to 0.05, but it is read at 0.4" in run.stats["note"]
    assert "note" not in mbs.simulate(with_signal(kind, "block.x"), [0, 0.02], {"block.vx": 1.0}).stats


# --- tables in friction ---

FRICTIONS = {
    "joint": lambda model, block, guide, law: mbs.Friction("rub", guide, mu=law),
    "dry": lambda model, block, guide, law: mbs.DryFriction("rub", mbs.x(block), force=law),
    "smooth": lambda model, block, guide, law: mbs.DryFriction("rub", mbs.x(block), force=law, smooth=0.01),
    "contact": lambda model, block, guide, law: mbs.Contact(
        "rub", mbs.Line(model.ground), mbs.Point(block), friction=law
    ),
}


def rubbing_block(kind, law):
    model, block, guide = sliding_block()
    if kind == "contact":
        model = model.without("guide")
    return model.plus(FRICTIONS[kind](model, model.bodies["block"], guide, law(model)))


@pytest.mark.parametrize("kind", FRICTIONS)
def test_friction_tells_that_its_table_is_read_beyond_its_ends(kind):
    run = mbs.simulate(rubbing_block(kind, lambda model: SHORT(model["block.x"])), [0, 0.2, 0.4], {"block.vx": 1.0})
    assert "'rub' has a table from 0 to 0.05" in run.stats["note"] and "it is a straight line" in run.stats["note"]
    near = mbs.simulate(rubbing_block(kind, lambda model: SHORT(model["block.x"])), [0, 0.01], {"block.vx": 1.0})
    assert "note" not in near.stats


def oscillator_with_a_table() -> mbs.PlanarModel:
    """A mass on a spring leaves a table that ends at x = 0.05 at 0.05 s and comes back to it at 0.27 s."""
    model = mbs.PlanarModel("block", gravity=(0, -10))
    block, table = model.body("block", mass=1.0, inertia=1.0), mbs.Table([0, 0.05], [0.1, 0.2], kind="linear")
    guide = model.add(mbs.Translational("guide", model.ground, block))
    model.add(mbs.Spring("spring", guide, stiffness=100.0, length=0.0))
    model.add(mbs.Force("rub", block, (table(model["block.x"]), 0)))
    return model


@pytest.mark.parametrize("method", ["DP5", "DP8", "Radau5", "GA", "Moreau"])
@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
def test_a_table_that_is_left_and_entered_again_between_two_times_is_told(coordinates, method):
    steps = {"step": 1e-3} if method == "Moreau" else {}
    model = oscillator_with_a_table().compile(coordinates)
    run = mbs.simulate(model, [0, 0.3], {"block.vx": 1.0}, method=method, **steps)
    assert run["block.x"].max() < 0.05
    assert "'rub' has a table from 0 to 0.05, but it is read at 0.10" in run.stats["note"]
    within = mbs.simulate(model, [0, 0.3], {"block.vx": 0.4}, method=method, **steps)
    assert "note" not in within.stats


def test_a_table_left_between_times_is_told_in_long_runs_runs_by_hand_and_runs_with_derivatives():
    model = oscillator_with_a_table()
    assert "read at -0.0999" in mbs.simulate(model, [0, 3.0], {"block.vx": 1.0}, rtol=1e-12).stats["note"]
    by_hand = mbs.start(model, {"block.vx": 1.0})
    by_hand.step(0.3)
    assert "'rub' has a table" in by_hand.result().stats["note"]
    k = model.parameter("k", 0.0)
    model.add(mbs.Force("more", model.bodies["block"], (k, 0)))
    run = mbs.simulate(model, [0, 0.3], {"block.vx": 1.0}, derivatives=["k"])
    assert "'rub' has a table" in run.stats["note"] and np.isfinite(run.d("block.x", "k")).all()
    table = mbs.Table([0, 0.05], [0.1, 0.2], kind="linear")
    model.add(mbs.Friction("dry", model.elements["guide"], mu=table(model["block.x"])))
    run = mbs.simulate(model, [0, 0.3], {"block.vx": 1.0}, derivatives=["k"])
    assert "'dry' has a table" in run.stats["note"] and np.isfinite(run.d("block.x", "k")).all()



@pytest.mark.parametrize("kind", ["joint", "dry", "contact"])
def test_friction_tells_that_it_slips_faster_than_its_table(kind):
    law = mbs.Table([0, 0.5], [0.2, 0.1], kind="linear")
    run = mbs.simulate(rubbing_block(kind, lambda model: lambda speed: law(speed)), [0, 0.1], {"block.vx": 0.6})
    assert "'rub' has a table from 0 to 0.5, but it is read at 0.6 (t = 0)" in run.stats["note"]


@pytest.mark.parametrize("kind", FRICTIONS)
def test_friction_over_a_table_of_time_that_ends_is_refused(kind):
    with refused("beyond-table", first=0.0, last=0.05, mentions="rub"):
        mbs.simulate(rubbing_block(kind, lambda model: SHORT(mbs.t)), [0, 1], {"block.vx": 1.0})


def test_what_no_contact_reads_is_not_told():
    model = mbs.PlanarModel("ball", gravity=(0, 0))
    ball = model.body("ball", mass=1.0, inertia=1.0, position=(0, 1))
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Point(ball), friction=SHORT(model["ball.x"])))
    assert "note" not in mbs.simulate(model, [0, 1], {"ball.vx": 1.0}).stats


# --- laws without a value on a short way ---

NO_ROOT = 0.25e-8
"""A square, in m² or m²/s²: the root of ((x - a)² - NO_ROOT) has no real value on a way of 1e-4 about a."""
SHORT_WAYS = {
    "a root of a place": lambda model: 0.1 + sp.sqrt((model["block.x"] - 0.1) ** 2 - NO_ROOT),
    "a root of a speed": lambda model: 0.1 + sp.sqrt((model["block.vx"] - 0.9) ** 2 - NO_ROOT),
    "a power": lambda model: 0.1 + ((model["block.x"] - 0.1) ** 2 - NO_ROOT) ** sp.Rational(1, 4),
    "a logarithm": lambda model: 0.2 + 1e-3 * sp.log((model["block.x"] - 0.1) ** 2 - NO_ROOT),
    "an arc cosine": lambda model: 0.1 + 0.1 * sp.acos(1 + NO_ROOT - (model["block.x"] - 0.1) ** 2),
    "a piece of places": lambda model: sp.Piecewise(
        (0.1, model["block.x"] < 0.1), (sp.sqrt(-1 - model["block.x"]), model["block.x"] < 0.1001), (0.1, True)
    ),
    "a piece of speeds": lambda model: sp.Piecewise(
        (0.1, model["block.vx"] > 0.9), (sp.sqrt(-1 - model["block.vx"]), model["block.vx"] > 0.8999), (0.1, True)
    ),
    "a root of time": lambda model: 0.1 + sp.sqrt((mbs.t - 0.1) ** 2 - NO_ROOT),
}
LAWS = FRICTIONS | {"force": lambda model, block, guide, law: mbs.Force("rub", block, (-law, 0))}


@pytest.mark.parametrize("coordinates", ["cartesian", "natural", "joint"])
@pytest.mark.parametrize("way", SHORT_WAYS)
@pytest.mark.parametrize("kind", LAWS)
def test_a_law_without_a_value_on_a_short_way_is_refused(kind, way, coordinates):
    model, block, guide = sliding_block()
    if kind == "contact":
        model = model.without("guide")
    law, start = SHORT_WAYS[way](model), {"block.vx": 1.0} | ({"block.vy": 0.0} if kind == "contact" else {})
    model = model.plus(LAWS[kind](model, model.bodies["block"], guide, law))
    with refused(("friction-undefined-or-negative", "law-without-value"), mbs.MbsError, mentions="rub"):
        mbs.simulate(model.compile(coordinates), [0, 3], start)


@pytest.mark.parametrize("kind", ["joint", "contact"])
def test_friction_without_a_value_at_some_slips_is_refused(kind):
    model = rubbing_block(kind, lambda model: lambda speed: 0.1 + sp.sqrt((speed - 0.9) ** 2 - NO_ROOT))
    with refused("friction-undefined-or-negative", mbs.MbsError, mentions="rub"):
        mbs.simulate(model, [0, 1], {"block.vx": 1.0} | ({"block.vy": 0.0} if kind == "contact" else {}))


def test_a_root_that_touches_zero_has_a_value():
    """μ = 0.1 + |x - 0.1|, and the energy v²/2 falls by its integral, times 10."""
    model = rubbing_block("joint", lambda model: 0.1 + sp.sqrt(model["block.x"] ** 2 - model["block.x"] / 5 + 0.01))
    run = mbs.simulate(model, [0, 0.2], {"block.vx": 1.0})
    x = run["block.x"][-1]
    assert x > 0.1 and run["block.vx"][-1] ** 2 == pytest.approx(
        1 - 20 * (0.1 * x + 0.005 + (x - 0.1) ** 2 / 2), abs=1e-5
    )


def test_the_range_of_a_piece_that_is_not_chosen_ends_nothing():
    """The force is √x - 1 for x > 0, and -1 before it."""
    model, block, _ = sliding_block()
    x = model["block.x"]
    model.add(mbs.Force("pull", block, (sp.Piecewise((sp.sqrt(x), x > 0), (0, True)) - 1, 0)))
    run = mbs.simulate(model, [0, 2.5], {"block.vx": 1.0, "block.x": -0.2})
    x = run["block.x"][-1]
    root = 2 / 3 * max(x, 0.0) ** 1.5
    assert run["block.vx"][-1] ** 2 == pytest.approx(1 + 2 * (root - (x + 0.2)), abs=1e-5)


# --- sweeps ---


def swept(element):
    model, block, guide = sliding_block()
    place = model.parameter("p", 0.0, unit="m")
    model.add(mbs.Driver("d", mbs.x(block), place), element(model, block, guide))
    return mbs.sweep(model, "p", [0, 0.3, 0.7], forces=True)


@pytest.mark.parametrize(
    "element",
    [
        lambda model, block, guide: mbs.Force("F", block, (SHORT(model["block.x"]), 0)),
        lambda model, block, guide: mbs.Friction("F", guide, mu=SHORT(model["block.x"])),
        lambda model, block, guide: mbs.DryFriction("F", mbs.x(block), force=SHORT(model["block.x"])),
    ],
)
def test_a_sweep_tells_that_a_table_is_read_beyond_its_ends(element):
    note = swept(element).stats["note"]
    assert "'F' has a table from 0 to 0.05, but it is read at 0.7 (p = 0.7): beyond its ends" in note


@pytest.mark.parametrize(
    "element",
    [
        lambda model, block, guide: mbs.Friction("F", guide, mu=0.5 - model["block.x"]),
        lambda model, block, guide: mbs.DryFriction("F", mbs.x(block), force=0.5 - model["block.x"]),
        lambda model, block, guide: mbs.DryFriction("F", mbs.x(block), force=0.5 - model["block.x"], smooth=0.1),
        lambda model, block, guide: mbs.Friction("F", guide, mu=sp.sqrt(0.5 - model["block.x"])),
    ],
)
def test_a_sweep_refuses_friction_that_is_negative_or_has_no_value(element):
    with refused("friction-undefined-or-negative", name="p", place=0.7, mentions="F"):
        swept(element)


# --- laws of speed ---


@pytest.mark.parametrize("law", [lambda s: sp.sqrt(s - 0.5), lambda s: 1 / s, lambda s: sp.log(s)])
@pytest.mark.parametrize("kind", ["joint", "dry", "contact"])
def test_friction_without_a_real_value_at_some_speed_is_refused(kind, law):
    with refused("not-finite", mentions="rub"):
        rubbing_block(kind, lambda model: law)


def test_a_table_that_falls_below_zero_only_beyond_its_end_is_no_error():
    """μ = 1 - 1.6 s up to s = 1/2, where it is 0.2; continued, it is negative from s = 5/8 on."""
    law = mbs.Table([0, 0.5], [1, 0.2], kind="linear")
    model = rubbing_block("joint", lambda model: lambda speed: law(speed))
    assert mbs.simulate(model, [0, 1], {"block.vx": 0.5})["block.vx"][-1] == pytest.approx(0.0, abs=1e-9)
    with refused("friction-undefined-or-negative", mbs.IntegrationError, joints=["mu of Friction 'rub'"]):
        mbs.simulate(model, [0, 1], {"block.vx": 0.8})


WITHOUT = {"Force": "force", "DryFriction": "friction", "a state": "rate"}
STEPS = [("GA", {}), ("GA", {"step": 1e-3}), ("Moreau", {"step": 1e-3}), ("HalfExplicit", {"step": 1e-3})]


@pytest.mark.parametrize(("method", "how"), STEPS, ids=["GA", "GA, fixed", "Moreau", "HalfExplicit"])
@pytest.mark.parametrize("width", [1e-3, 1e-6])
@pytest.mark.parametrize("kind", WITHOUT)
def test_methods_without_stages_in_a_step_name_a_law_of_time_that_has_no_value(kind, width, method, how):
    """The law has no value for a time of this width about t = 0.4123; friction stopped the block there, or nothing was
    said."""
    model, block, _ = sliding_block()
    law = 0.1 + sp.sqrt((mbs.t - 0.4123) ** 2 - width**2 / 4) / 100
    if kind == "Force":
        model.add(mbs.Force("E", block, (-law, 0)))
    elif kind == "DryFriction":
        model.add(mbs.DryFriction("E", mbs.x(block), force=law))
    else:
        model.state("E", rate=law)
    with refused(("friction-undefined-or-negative", "law-without-value"), mbs.MbsError, mentions="E") as caught:
        mbs.simulate(model, [0, 0.39, 0.41, 0.5, 1.5], {"block.vx": 1.0}, method=method, **how)
    assert caught.value.time == pytest.approx(0.4123, abs=width)
