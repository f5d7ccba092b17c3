"""A call costs what its work costs: what belongs to the structure or to the design of a model is made once."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from threading import get_ident

import numpy as np
import pytest
import sympy as sp
from gallery import load
from refusals import refused

import mbs_dae as mbs
from mbs_dae.compiled import System
from mbs_dae.compiled.batch import BatchBuilder
from mbs_dae.kernels import blocks, images
from mbs_dae.linear import ldl, pattern
from mbs_dae.model import parameters
from mbs_dae.poses import newton
from mbs_dae.poses.dependence import PoseRank
from mbs_dae.readings import motion as sketches

n_four_bar, slider_crank = load("n_four_bar"), load("slider_crank")
sweeping = import_module("mbs_dae.verbs.sweep")
TIMES = np.linspace(0.0, 2.0, 11)
SETS = ("cartesian", "natural", "joint")


class Counted:
    """How often a function was called."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, where: object, name: str):
        self.calls = 0
        inner = getattr(where, name)

        def counting(*args, **options):
            self.calls += 1
            return inner(*args, **options)

        monkeypatch.setattr(where, name, counting)


def simulated(model, omega=-1.0):
    how = {"method": "DP8", "stabilization": mbs.Projection(), "rtol": 1e-6}
    return mbs.simulate(model, TIMES, {"crank0.omega": omega}, **how)


@pytest.mark.parametrize("chosen", SETS)
def test_a_second_run_builds_nothing(chosen, monkeypatch):
    system = n_four_bar.build().compile(chosen)
    first = simulated(system)
    made = [
        Counted(monkeypatch, BatchBuilder, "__init__"),
        Counted(monkeypatch, pattern, "analyse"),
        Counted(monkeypatch, blocks.BlockType, "__init__"),
        Counted(monkeypatch, images.Image, "__init__"),
        Counted(monkeypatch, parameters.Evaluator, "_value"),
    ]
    second = simulated(system)
    assert [counted.calls for counted in made] == [0] * len(made)
    assert np.array_equal(first.q, second.q) and np.array_equal(first.multipliers, second.multipliers)


def test_another_design_fills_numbers_into_the_image(monkeypatch):
    model = slider_crank.build()
    mbs.kinematics(model, slider_crank.TIMES)
    built = Counted(monkeypatch, BatchBuilder, "__init__")
    laid_out = Counted(monkeypatch, images.Image, "__init__")
    for r in (0.09, 0.11):
        run = mbs.kinematics(model.with_parameters(r=r), slider_crank.TIMES)
        fresh = mbs.kinematics(slider_crank.build(r=r), slider_crank.TIMES)
        assert np.abs(run.q - fresh.q).max() < 1e-12
    assert laid_out.calls == 2  # of the two fresh models
    assert built.calls == 2 * 2  # their constraints, and what reads turning


def numbers_of(block):
    """All numbers in a block and in those within, by the path that leads there."""
    found = {}
    for name, member in block.kind.members.items():
        value = getattr(block, name)
        inner = numbers_of(value) if isinstance(member, blocks.BlockType) else {"": value}
        found |= {f"{name}.{path}": number for path, number in inner.items()}
    return found


@pytest.mark.parametrize("chosen", ["cartesian", "natural"])
def test_an_image_that_is_filled_equals_a_fresh_one(chosen):
    model = slider_crank.build()
    model.compile(chosen).machine()
    filled = numbers_of(model.with_parameters(r=0.11).compile(chosen).machine())
    fresh = numbers_of(slider_crank.build().with_parameters(r=0.11).compile(chosen).machine())
    before = numbers_of(model.compile(chosen).machine())
    assert any(not np.array_equal(before[name], fresh[name]) for name in fresh)
    for name in fresh.keys() | filled.keys():
        if not name.endswith("kernels."):  # addresses
            np.testing.assert_array_equal(filled[name], fresh[name], err_msg=name)


def test_a_fixed_value_is_a_number_like_any_other(monkeypatch):
    model = n_four_bar.build()
    mbs.assemble(model, fix={"crank0.angle": 1.4, "crank0.omega": 1.0})
    built = Counted(monkeypatch, BatchBuilder, "__init__")
    angles = (1.3, 1.2)
    states = [mbs.assemble(model, fix={"crank0.angle": angle, "crank0.omega": 2 * angle}) for angle in angles]
    assert built.calls == 0
    for angle, state in zip(angles, states, strict=True):
        assert abs(state["crank0.angle"] - angle) < 1e-12 and abs(state["crank0.omega"] - 2 * angle) < 1e-11


@pytest.mark.parametrize("chosen", SETS)
def test_threads_give_the_same_bits(chosen):
    system = n_four_bar.build().compile(chosen)
    speeds = [-1.0, -1.3, -1.7, -2.1, -2.4, -2.8]
    alone = [simulated(system, omega) for omega in speeds]
    with ThreadPoolExecutor(3) as threads:
        together = list(threads.map(lambda omega: simulated(system, omega), speeds))
    for one, other in zip(alone, together, strict=True):
        assert np.array_equal(one.q, other.q) and np.array_equal(one.multipliers, other.multipliers)


def test_what_a_python_force_raises_stays_in_its_thread():
    model = mbs.PlanarModel("falling", gravity=(0.0, -9.81))
    body = model.body("b", mass=1.0, inertia=1.0)
    failing: set[int] = set()

    def push(t, i):
        if get_ident() in failing:
            raise RuntimeError("no force here")
        return [(0.0, 1.0, 0.0)]

    model.add(mbs.PythonForce("push", body, function=push))

    def fall(fails: bool) -> str:
        if fails:
            failing.add(get_ident())
        try:
            mbs.simulate(model, [0.0, 0.01])
        except mbs.MbsError as error:
            return str(error)
        finally:
            failing.discard(get_ident())
        return ""

    with ThreadPoolExecutor(4) as threads:
        told = list(threads.map(fall, [True, False] * 4))
    assert all("no force here" in text for text in told[::2]) and not any(told[1::2])


def test_workspaces_share_what_is_fixed_and_nothing_that_is_written():
    system = n_four_bar.build().compile("joint")
    one, other = system.machine(), system.machine()
    assert one.pattern is other.pattern
    for record in ("factor", "transformation", "manifold"):
        a, b = getattr(one, record), getattr(other, record)
        for name in a.kind.copied:
            if isinstance(a.kind.members[name], blocks.types.Array):
                assert not np.shares_memory(getattr(a, name), getattr(b, name))


def test_a_record_refuses_what_its_class_does_not_say():
    with pytest.raises(TypeError, match="at: not a contiguous array"):
        blocks.block(ldl.LdlStructure(np.zeros(3), np.zeros(0), 0, *[np.zeros(0)] * 3))


@pytest.mark.parametrize("chosen", SETS)
def test_a_system_travels_as_its_recipe(chosen):
    system = n_four_bar.build().with_parameters(m=2.0).compile(chosen)
    there = pickle.loads(pickle.dumps(system))
    assert there.rows == system.rows and there.coordinates.set == chosen
    assert np.array_equal(simulated(there).q, simulated(system).q)


def test_expressions_of_parameters_are_arithmetic():
    r, l = parameters.Parameter("r"), parameters.Parameter("l")
    number = parameters.Evaluator({r: 0.1, l: 0.3})
    for expression in (r + l, 2 * r / l, sp.sqrt(l**2 - r**2), sp.cos(r) * sp.atan2(l, r), sp.Max(r, l), r**-2):
        exact = expression.xreplace({r: sp.Rational(1, 10), l: sp.Rational(3, 10)}).evalf(25)
        assert abs(number(expression) - exact) < 1e-15 * max(1, abs(exact))
    assert np.isnan([number(sp.sqrt(r - l)), number(1 / (l - 3 * r)), number(sp.log(-r))][0])
    assert number(sp.sqrt(r - l) ** 2) == pytest.approx(-0.2)  # real, though it is not on the way


@pytest.mark.parametrize("copied", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy])
def test_states_and_results_can_be_pickled_and_copied(copied):
    model, times = load("four_bar").build(), np.linspace(0.0, 0.1, 5)
    state = mbs.assemble(model)
    assert np.array_equal(copied(state).full_q, state.full_q)
    results = (
        mbs.kinematics(model, times),
        mbs.inverse_dynamics(model, times),
        mbs.simulate(model.without(*(d.name for d in model.drivers)).compile("natural"), times),
    )
    for result in results:
        other = copied(result)
        assert all(np.array_equal(other[name], result[name]) for name in result.names)
        assert np.array_equal(other.violation.position, result.violation.position)
        if result.reactions is not None:
            assert all(np.array_equal(other.reaction(n), result.reaction(n)) for n in result.reactions.names())


# --- how much is made for a call --------------------------------------------------------------------------------


def four_bar_run(model):
    return mbs.simulate(model, [0.0, 1.0], {"crank0.omega": -1.0}, method="DP8", stabilization=mbs.Projection())


CALLS = {
    "simulate": (n_four_bar.build, four_bar_run, 3),
    "kinematics": (slider_crank.build, lambda m: mbs.kinematics(m, slider_crank.TIMES), 2),
    "inverse_dynamics": (slider_crank.build, lambda m: mbs.inverse_dynamics(m, slider_crank.TIMES), 2),
    "assemble": (slider_crank.build, mbs.assemble, 1),
    "assemble(fix=)": (n_four_bar.build, lambda m: mbs.assemble(m, fix={"crank0.angle": 1.4}), 2),
    "sweep": (slider_crank.build, lambda m: mbs.sweep(m, "r", np.linspace(0.09, 0.12, 200)), 3),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_call_makes_few_workspaces_and_reads_nothing_that_is_not_asked_for(call, monkeypatch):
    build, run, most = CALLS[call]
    model = build()
    run(model)
    name = next(iter(model.parameters))
    other = model.with_parameters(**{name: 1.01 * model.parameters[name].value})
    machines = Counted(monkeypatch, System, "machine")
    made = [
        Counted(monkeypatch, BatchBuilder, "__init__"),
        Counted(monkeypatch, blocks.BlockType, "__init__"),
        Counted(monkeypatch, sketches, "sketch_of"),
    ]
    run(other)
    assert machines.calls <= most
    assert [counted.calls for counted in made] == [0, 0, 0]


def test_the_first_pose_of_a_run_is_asked_for_its_rank_once(monkeypatch):
    model = n_four_bar.build()
    four_bar_run(model)
    ranks = Counted(monkeypatch, PoseRank, "__init__")
    for omega, calls in ((-1.1, 1), (-1.1, 1), (-1.2, 2)):
        simulated(model, omega)
        assert ranks.calls == calls  # that of the same values is known


def test_a_smooth_sweep_is_one_compiled_call_and_builds_no_system_for_a_value(monkeypatch):
    model, lengths = slider_crank.build(), np.linspace(0.09, 0.12, 200)
    mbs.sweep(model, "r", lengths)
    steps = Counted(monkeypatch, sweeping, "follow_designs")
    designs = Counted(monkeypatch, type(model), "with_parameters")
    solved = [Counted(monkeypatch, newton, name) for name in ("close", "complete", "evaluate_and_factorise")]
    swept = mbs.sweep(model, "r", lengths)
    assert steps.calls == 1 and designs.calls <= 3
    assert sum(counted.calls for counted in solved) < 10  # the first pose
    assert swept["slider.x"] == pytest.approx(
        lengths * np.cos(0.6) + np.sqrt(0.3**2 - (lengths * np.sin(0.6)) ** 2), abs=1e-14
    )
    assert designs.calls <= 3


# --- what is remembered belongs to what it depends on -------------------------------------------------------------


def scotch(amplitude=0.2, pause=0.5):
    """A slide driven by a law that rests from a time on that is a parameter."""
    model = mbs.PlanarModel("slide")
    a, rest = model.parameter("a", amplitude, "m"), model.parameter("rest", pause, "s")
    x = mbs.t - rest
    body = model.body("body", mass=1.0, inertia=1.0)
    model.add(
        mbs.Translational("guide", model.ground, body),
        mbs.Driver("motor", mbs.displacement(model.ground, body), sp.Piecewise((a * x**3, mbs.t < rest), (0, True))),
    )
    return model


def test_times_initial_values_and_designs_change_what_follows_from_them():
    model = scotch()
    for times in (np.linspace(0.0, 1.0, 21), np.linspace(0.0, 0.4, 9)):
        for values in ({"a": 0.2, "rest": 0.5}, {"a": 0.4, "rest": 0.3}, {"a": 0.2, "rest": 0.8}):
            run = mbs.inverse_dynamics(model.with_parameters(**values), times)
            fresh = mbs.inverse_dynamics(scotch(values["a"], values["rest"]), times)
            assert run.stats.get("kinks") == fresh.stats.get("kinks")
            assert np.abs(run.effort("motor") - fresh.effort("motor")).max() < 1e-12
            x = values["a"] * np.minimum(times - values["rest"], 0.0) ** 3
            assert np.abs(run["body.x"] - x).max() < 1e-13
    bars = n_four_bar.build()
    for L in (1.0, 2.0, 0.5):
        for omega in (-1.0, 0.5):
            how = {"method": "DP8", "stabilization": mbs.Projection(), "rtol": 1e-6}
            run = mbs.simulate(bars.with_parameters(L=L), TIMES, {"crank0.omega": omega}, **how)
            fresh = mbs.simulate(n_four_bar.build(L=L), TIMES, {"crank0.omega": omega}, **how)
            assert np.array_equal(run.q, fresh.q) and np.array_equal(run.energy.kinetic, fresh.energy.kinetic)


def test_masses_are_looked_at_in_each_design():
    model = n_four_bar.build()
    four_bar_run(model)
    for _ in range(2):
        with refused("no-mass"):
            four_bar_run(model.with_parameters(m=0.0))


def test_a_table_is_held_against_the_times_and_parameters_of_each_call():
    model = mbs.PlanarModel("slide")
    pace = model.parameter("pace", 1.0)
    body = model.body("body", mass=1.0, inertia=1.0)
    law = mbs.Table([0.0, 0.5, 1.0, 1.5, 2.0], [0.0, 0.1, 0.3, 0.2, 0.0])(pace * mbs.t)
    model.add(mbs.Translational("guide", model.ground, body))
    model.add(mbs.Driver("motor", mbs.displacement(model.ground, body), law))
    assert mbs.kinematics(model, [0.0, 1.0, 2.0])["body.x"][1] == pytest.approx(0.3)
    for wrong, times in ((1.0, [0.0, 2.1]), (1.5, [0.0, 2.0]), (1.0, [-0.1, 1.0])):
        with refused("beyond-table", element="Driver 'motor'", first=0.0, last=2.0):
            mbs.kinematics(model.with_parameters(pace=wrong), times)
    assert len(mbs.kinematics(model.with_parameters(pace=0.5), [0.0, 4.0])) == 2


# --- sweeps -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lengths", [np.geomspace(1e-3, 1e3, 13), np.geomspace(1e3, 1e-3, 13)])
def test_a_sweep_through_many_orders_of_size_is_exact_at_each(lengths):
    """A crank and a rod of one length scale: the poses are similar."""
    model = mbs.PlanarModel("similar")
    size = model.parameter("size", 1.0, "m")
    place = size * sp.cos(0.6), size * sp.sin(0.6)
    crank = model.link("crank", (0, 0), place)
    rod = model.link("rod", place, (place[0] + 3 * size, 0))  # closed as it is placed
    model.add(
        mbs.Revolute("A", model.ground, crank.tail),
        mbs.Revolute("B", crank.head, rod.tail),
        mbs.PinInSlot("C", model.ground, rod.head),
        mbs.Driver("motor", mbs.angle(model.ground, crank), 0.6 + mbs.t),
    )
    swept = mbs.sweep(model, "size", lengths)
    assert swept["rod.head.x"] / lengths == pytest.approx(np.full(13, np.cos(0.6) + 3.0), abs=1e-12)
    assert (swept.violation.position / lengths).max() < 1e-12


def test_a_pose_of_a_sweep_is_one_of_its_own_design():
    model, lengths = slider_crank.build(), np.linspace(0.09, 0.12, 4)
    swept = mbs.sweep(model, "r", lengths, t=0.01)
    for k, r in enumerate(lengths):
        own, state = mbs.assemble(model.with_parameters(r=r), 0.01), swept.state(k)
        for name in ("slider.x", "slider.vx", "slider.ax", "crank.B.x"):
            assert swept[name][k] == pytest.approx(own[name], abs=1e-11)
            assert state[name] == pytest.approx(swept[name][k], abs=1e-14)
        assert swept.sketch.variants[k] == own.result.sketch
    table = swept.quantities.read_all()
    assert all(np.array_equal(table[name], swept[name]) for name in swept.names)
    assert swept.stats == {} and swept.axis == ("r", "m")


def test_a_sweep_refuses_values_that_make_no_model():
    model = mbs.PlanarModel("link")
    l = model.parameter("l", 1.0, "m")
    link = model.link("link", (0, 0), (1, 0), length=l)
    model.add(mbs.Revolute("A", model.ground, link.tail), mbs.Driver("d", mbs.angle(model.ground, link), 0.0))
    with refused("not-positive", argument="length of link 'link'"):
        mbs.sweep(model, "l", [1.0, 0.5, -0.5])


def test_a_result_reads_its_violation_and_its_sketch_when_asked(monkeypatch):
    model = slider_crank.build()
    run = mbs.kinematics(model, slider_crank.TIMES)
    read = Counted(monkeypatch, System, "read_constraints")
    assert run.violation.position.max() < 1e-12 and run.violation is run.violation
    assert read.calls == 1
    assert run.sketch is run.sketch and copy.deepcopy(run).sketch == run.sketch
