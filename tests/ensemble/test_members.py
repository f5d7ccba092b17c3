"""A member of a study is the run that its verb makes of its design alone, to the last bit, whoever runs it and with
whatever neighbours."""

from __future__ import annotations

import numpy as np
import pytest
from gallery import NAMES, load
from refusals import refused

import mbs_dae as mbs
from mbs_dae.ensembles.runs import motions, starting
from mbs_dae.ensembles.runs.chunk import run_chunk
from mbs_dae.ensembles.runs.fast import MemberRecord, ordinary_members
from mbs_dae.ensembles.runs.recipe import VERBS, Recipe

TIMES = np.linspace(0.0, 0.4, 9)


def slider_crank(driven: bool = False) -> mbs.PlanarModel:
    model = load("slider_crank").build()
    return model if driven else model.without("motor")


def designs(count: int = 9) -> dict[str, np.ndarray]:
    random = np.random.default_rng(3)
    return {"r": random.uniform(0.08, 0.12, count), "l": random.uniform(0.25, 0.4, count)}


def table(**columns) -> mbs.Designs:
    return mbs.Designs(tuple(name.replace("__", ".") for name in columns), np.column_stack([*columns.values()]))


def assert_same(found: mbs.Result, wanted: mbs.Result) -> None:
    """All that a result tells."""
    for name in ("t", "q", "v", "a", "multipliers"):
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name))
    assert (found.success, found.message, found.stats) == (wanted.success, wanted.message, wanted.stats)
    assert (found.events, found.impacts, found.modes) == (wanted.events, wanted.impacts, wanted.modes)
    assert found.all_names == wanted.all_names
    for name in ("A.force", "slider.x", "slider.ax", "energy.total") if wanted.reactions else ("slider.x", "slider.ax"):
        np.testing.assert_array_equal(found[name], wanted[name])


def test_members_of_simulate_are_its_runs():
    model, over = slider_crank(), table(**designs(), rod__omega=np.linspace(-3.0, 3.0, 9))
    found = mbs.ensemble(model, TIMES, over=over, workers=1)
    assert not found.failures and found.done.all() and not found.message
    for k in (0, 4, 8):
        r, l, omega = over.values[k]
        alone = mbs.simulate(model.with_parameters(r=r, l=l), TIMES, {"rod.omega": omega})
        assert_same(found.member(k), alone)
        for name in ("slider.x", "crank.B.ay", "B.angle", "C.Fy", "energy.total"):
            np.testing.assert_array_equal(found.array(name)[k], alone[name])


def test_members_of_kinematics_are_its_walks():
    model, over = slider_crank(driven=True), table(**designs())
    found = mbs.ensemble(model, TIMES, over=over, verb="kinematics", workers=1)
    for k in (0, 8):
        r, l = over.values[k]
        assert_same(found.member(k), mbs.kinematics(model.with_parameters(r=r, l=l), TIMES))


@pytest.mark.parametrize(
    "options",
    [
        {"method": "DP8", "rtol": 1e-6},
        {"method": "RK4", "step": 2e-3},
        {"stabilization": mbs.Projection()},
        {"method": "Radau5", "rtol": 1e-5},
    ],
)
def test_options_are_those_of_the_verb(options):
    model, over = slider_crank(), table(**designs(2))
    found = mbs.ensemble(model, TIMES, over=over, initial={"crank.omega": 5.0}, workers=1, **options)
    for k, (r, l) in enumerate(over.values):
        alone = mbs.simulate(model.with_parameters(r=r, l=l), TIMES, {"crank.omega": 5.0}, **options)
        assert_same(found.member(k), alone)


@pytest.mark.parametrize("name", NAMES)
def test_numbers_of_many_designs_are_those_of_each(name):
    """Over the gallery, with every parameter varied a little: nothing that depends on a design is forgotten."""
    module = load(name)
    model, times = module.build(), np.asarray(module.TIMES)[:5]
    values = np.array([[p.value * (1 + 1e-4 * k) for p in model.parameters.values()] for k in range(2)])
    if not values.size:
        return
    for verb in ("kinematics", "simulate"):
        recipe = Recipe(model, times, tuple(model.parameters), verb)
        for k, kept in ordinary_members(recipe, values, lambda: False):
            if isinstance(kept, MemberRecord):
                alone = recipe.result(values[k])
                np.testing.assert_array_equal(kept.arrays["q"][:, : alone.q.shape[1]], alone.q)
                np.testing.assert_array_equal(kept.arrays["a"][:, : alone.a.shape[1]], alone.a)
                assert kept.facts is None or {**kept.facts} == {**alone.stats}


def test_neither_workers_nor_chunks_nor_neighbours_change_a_member():
    model, over = slider_crank(), table(**designs(40), crank__omega=np.linspace(1.0, 9.0, 40))
    one = mbs.ensemble(model, TIMES, over=over, workers=1).array("slider.vx")
    three = mbs.ensemble(model, TIMES, over=over, workers=3).array("slider.vx")
    np.testing.assert_array_equal(one, three)
    backwards = mbs.Designs(over.names, over.values[::-1].copy())
    np.testing.assert_array_equal(mbs.ensemble(model, TIMES, over=backwards).array("slider.vx")[::-1], one)


def test_members_that_are_under_way_together_are_as_alone(monkeypatch):
    model, over = slider_crank(), table(**designs(9), crank__omega=np.linspace(1.0, 9.0, 9))
    alone = mbs.ensemble(model, TIMES, over=over, workers=1).array("slider.vx")
    monkeypatch.setattr(motions, "SLOTS", 4)
    together = mbs.ensemble(model, TIMES, over=over, workers=1)
    assert len(together._store.facts) == 9
    np.testing.assert_array_equal(together.array("slider.vx"), alone)


def test_members_that_are_closed_from_afar(monkeypatch):
    """Plain Newton is not enough for some: they are closed as `assemble` does it, among others that it does for."""
    model = mbs.PlanarModel("dyad")
    a = model.parameter("a", 1.0)
    left, right = model.link("left", (0, 0), (1, 1), length=a), model.link("right", (2, 0), (1, 1))
    model.add(mbs.Revolute("A", model.ground, left.tail), mbs.Revolute("B", model.ground.at(2, 0), right.tail))
    model.add(mbs.Revolute("C", left.head, right.head))
    far, closed = [], starting.closed
    monkeypatch.setattr(starting, "closed", lambda system, *given: far.append(system) or closed(system, *given))
    lengths = np.linspace(1.0, 2.0, 6)
    found = mbs.ensemble(model, [0.0], over={"a": lengths}, verb="kinematics", workers=1)
    assert 0 < len(far) < 6
    for k, length in enumerate(lengths):
        alone = mbs.kinematics(model.with_parameters(a=length), [0.0])
        np.testing.assert_array_equal(found.member(k).q, alone.q)
        assert found.member(k).stats == alone.stats


def test_functions_and_outputs():
    model, over = slider_crank(), table(**designs(4))
    whole = mbs.ensemble(model, TIMES, over=over, initial={"crank.omega": 5.0})
    some = mbs.ensemble(model, TIMES, over=over, initial={"crank.omega": 5.0}, outputs=["slider.x", "A.force"])
    for name in some.names:
        np.testing.assert_array_equal(some.array(name), whole.array(name))
    assert some.array("A.force").shape == (4, TIMES.size, 2) and some.unit("A.force") == "N"
    made = mbs.ensemble(model, TIMES, over=over, initial={"crank.omega": 5.0}, verb=lambda run: run["slider.x"].max())
    np.testing.assert_array_equal(made.array("value"), whole.array("slider.x").max(axis=1))
    named = ("kinematics", lambda run: {"stroke": np.ptp(run["slider.x"])})
    turn = mbs.ensemble(slider_crank(driven=True), np.linspace(0, 0.7, 30), over={"r": [0.1, 0.05]}, verb=named)
    np.testing.assert_allclose(turn.array("stroke"), [0.2, 0.1], rtol=0.02)


def test_what_is_not_ordinary_goes_by_the_verb():
    """Contacts, events and states are runs of their own."""
    model = mbs.PlanarModel("ball", gravity=(0, -9.81))
    e = model.parameter("e", 0.5)
    ball = model.body("ball", mass=1.0, inertia=0.004, position=(0, 1.1))
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Disk(ball, 0.1), restitution=e))
    found = mbs.ensemble(model, [0.0, 0.5, 0.8], over={"e": [0.2, 0.7]})
    alone = mbs.simulate(model.with_parameters(e=0.7), [0.0, 0.5, 0.8])
    np.testing.assert_array_equal(found.array("ball.y")[1], alone["ball.y"])
    assert [one.t for one in found.member(1).impacts] == [one.t for one in alone.impacts] != []


@pytest.mark.parametrize("coordinates", ["natural", "joint"])
def test_other_coordinates(coordinates):
    """A system in the model's place says in which coordinates members move."""
    model = slider_crank()
    found = mbs.ensemble(model.compile(coordinates), TIMES, over={"r": [0.1, 0.11]}, initial={"crank.omega": 5.0})
    alone = mbs.simulate(model.with_parameters(r=0.11).compile(coordinates), TIMES, {"crank.omega": 5.0})
    np.testing.assert_array_equal(found.array("slider.vx")[1], alone["slider.vx"])
    assert found.member(1).own.name == coordinates and not found.failures


def test_positions_and_states_to_start_from():
    model, over = slider_crank(), {"crank.angle": [0.3, 0.9], "r": [0.09, 0.1]}
    found = mbs.ensemble(model, TIMES, over=over, initial={"crank.omega": 5.0})
    alone = mbs.simulate(model.with_parameters(r=0.1), TIMES, {"crank.omega": 5.0, "crank.angle": 0.9})
    np.testing.assert_array_equal(found.array("slider.ax")[3], alone["slider.ax"])
    start = mbs.assemble(model, fix={"crank.angle": 0.5})
    from_state = mbs.ensemble(model, TIMES, over={"l": [0.3, 0.31]}, initial=start)
    alone = mbs.simulate(model.with_parameters(l=0.31), TIMES, start)
    np.testing.assert_array_equal(from_state.array("slider.ax")[1], alone["slider.ax"])


def test_a_sweep_in_each_design():
    ladder = mbs.PlanarModel("ladder")
    h, s = ladder.parameter("h", 4.0, unit="m"), ladder.parameter("s", 5.0, unit="m")
    bar = ladder.link("ladder", (3, 0), (0, 4), length=s)
    ladder.add(mbs.PinInSlot("floor", ladder.ground, bar.tail), mbs.Revolute("wall", ladder.ground.at(0, h), bar.head))
    found = mbs.ensemble(ladder, [4.0, 3.0], over={"s": [5.0, 5.2]}, verb="sweep", parameter="h")
    np.testing.assert_allclose(found.array("ladder.tail.x"), [[3, 4], np.sqrt(5.2**2 - np.array([16.0, 9.0]))])
    assert found.axis == ("h", "m")


def test_a_chunk_depends_on_nothing_else():
    """It can be run again where it was lost."""
    recipe = Recipe(slider_crank(), TIMES, ("r", "l"))
    values = np.column_stack([*designs(3).values()])
    first, again = run_chunk(recipe, 0, values), run_chunk(recipe, 0, values)
    for name, array in first.arrays.items():
        np.testing.assert_array_equal(array, again.arrays[name])


@pytest.mark.parametrize("verb", ["simulate", "kinematics"])
def test_ordinary_members_cost_no_call_of_the_verb(verb, monkeypatch):
    model = slider_crank(driven=verb == "kinematics")

    def called(*given, **named):
        raise AssertionError("the verb was called")

    monkeypatch.setitem(VERBS, verb, called)
    found = mbs.ensemble(model, TIMES, over=table(**designs(4)), verb=verb, outputs=["slider.x"], workers=2)
    assert found.done.all()


def test_components_of_a_kept_vector_are_read_by_name():
    model = mbs.PlanarModel("pendulum", gravity=(0, -9.81))
    length = model.parameter("l", 1.0, unit="m")
    rod = model.link("rod", (0, 0), (1, 0), length=length, mass=1.0)
    model.add(mbs.Revolute("A", model.ground, rod.tail))
    found = mbs.ensemble(model, [0, 0.1, 0.2], over={"l": [0.5, 1.0]}, outputs=["A.force", "rod.angle"])
    assert np.array_equal(found["A.Fy"], found["A.force"][..., 1])
    with refused("is-varied", name="l", names=["l"]):
        found["l"]
