"""What runs of one model share: an image for all designs, and the start from the same values. None of it may show."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from random import Random

import numpy as np
import pytest
from gallery import load
from refusals import refused

import mbs_dae as mbs
from mbs_dae.kernels import images
from mbs_dae.verbs.simulate import prepare

n_four_bar, slider_crank = load("n_four_bar"), load("slider_crank")
SHORT, LONG = np.array([0.0, 1.0]), np.linspace(0.5, 2.0, 7)


def same(one, other):
    arrays = ("t", "q", "v", "a", "multipliers")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays) and (
        one.stats == other.stats and np.array_equal(one.violation.position, other.violation.position)
    )


def calls():
    """Of the four-bar: design, times, initial values and options, everything that a run is made of."""
    for m, times, omega in ((1.0, SHORT, -1.0), (2.0, LONG, 0.5)):
        yield m, times, omega, {"method": "DP8", "rtol": 1e-6, "stabilization": mbs.Projection()}
        yield m, times, omega, {"method": "DP8", "rtol": 1e-4, "stabilization": mbs.Baumgarte(alpha=5.0)}
        yield m, times, omega, {"method": "RK4", "step": 0.01}
        yield m, times, omega, {"method": "Radau5", "rtol": 1e-5}


def run(model, m, times, omega, options):
    return mbs.simulate(model.with_parameters(m=m), times, {"crank0.omega": omega}, **options)


def test_runs_in_any_order_are_those_of_fresh_models():
    asked = list(calls())
    fresh = [run(n_four_bar.build(), *one) for one in asked]
    model, order = n_four_bar.build(), [*range(len(asked))] * 2
    model.compile()
    Random(4).shuffle(order)
    assert all(same(run(model, *asked[k]), fresh[k]) for k in order)


def test_threads_with_designs_of_their_own_give_the_same_bits():
    model, masses = n_four_bar.build(), np.linspace(1.0, 3.0, 6)
    model.compile()
    options = {"method": "DP8", "rtol": 1e-6}
    alone = [run(model, m, LONG, -m, options) for m in masses]
    with ThreadPoolExecutor(3) as threads:
        together = list(threads.map(lambda m: run(model, m, LONG, -m, options), masses))
    assert all(map(same, alone, together))


def test_another_design_and_other_values_lay_out_nothing(monkeypatch):
    model = n_four_bar.build()
    model.compile()
    run(model, 1.0, SHORT, -1.0, {})

    def refuse(self, *given, **more):
        raise AssertionError("an image is laid out")

    monkeypatch.setattr(images.Image, "__init__", refuse)
    run(model, 2.0, LONG, 0.7, {})


def bead(m=0.0):
    """Two bodies on one slide, and what the light one has of mass is a parameter."""
    model = mbs.PlanarModel("beads", gravity=(-1.0, 0.0))
    m = model.parameter("m", m, "kg")
    heavy, light = model.body("heavy", mass=1.0, inertia=1.0), model.body("light", mass=m, inertia=m)
    model.add(mbs.Translational("guide", model.ground, heavy), mbs.Fixed("glue", heavy, light))
    model.add(mbs.Spring("spring", model.ground.at(-1, 0), heavy, stiffness=10.0, length=0.5))
    return model


def test_bodies_without_mass_and_light_ones_are_told_apart_in_each_design():
    """Without mass, light beside the others, and heavy: what they are given for the elimination differs."""
    model, fresh = bead(), {m: mbs.simulate(bead(m), SHORT) for m in (0.0, 1e-14, 1.0)}
    model.compile()
    for m in (0.0, 1e-14, 1.0, 0.0, 1e-14):
        assert same(mbs.simulate(model.with_parameters(m=m), SHORT), fresh[m]), m


def test_what_is_given_is_checked_each_time():
    model = n_four_bar.build()
    mbs.simulate(model, SHORT, {"crank0.omega": 1.0})
    with refused("not-a-number", argument="initial['crank0.omega']", value=True):
        mbs.simulate(model, SHORT, {"crank0.omega": True})
    with refused("not-finite", argument="initial['crank0.omega']"):
        mbs.simulate(model, SHORT, {"crank0.omega": np.nan})
    with refused("acceleration-given", argument="initial", name="crank0.alpha"):
        mbs.simulate(model, SHORT, {"crank0.alpha": 1.0})


def test_nobody_writes_into_the_start_that_is_remembered():
    model = n_four_bar.build()
    prepared = prepare(model, SHORT, {"crank0.omega": -1.0})
    first = prepared.q.copy()
    prepared.q[:] = prepared.v[:] = 7.0
    again = prepare(model, SHORT, {"crank0.omega": -1.0})
    assert np.array_equal(again.q, first) and not (again.v == 7.0).all()


def test_a_workspace_knows_its_own_course_and_record():
    system = n_four_bar.build().compile()
    prepared = [prepare(system, times, {"crank0.omega": -1.0}) for times in (SHORT, LONG)]
    for one, times in zip(prepared, (SHORT, LONG), strict=True):
        march = one.march
        assert march.stages.course is march.course and march.search.stages.course is march.course
        assert march.record.q.shape[0] == times.size and march.course.ends[-1] == times[-1]
        assert march.search.whole == times[-1] - times[0]
    assert not np.shares_memory(prepared[0].march.words, prepared[1].march.words)


def test_a_parameter_that_another_set_cannot_take_is_refused_where_that_set_is_asked_for():
    """Natural coordinates describe a body by two points, which must not coincide."""
    model = n_four_bar.build()
    model.compile("natural")
    flat = model.with_parameters(L=1e-300)
    with pytest.raises(mbs.ModelError):
        flat.compile("natural")
