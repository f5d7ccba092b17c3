"""A call costs what its work costs: what belongs to the structure or to the design of a model is made once."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from threading import get_ident

import numpy as np
import pytest
from gallery import load

import mbs_dae as mbs
from mbs_dae.compiled.batch import BatchBuilder
from mbs_dae.kernels import blocks
from mbs_dae.linear import pattern
from mbs_dae.model import parameters

n_four_bar, slider_crank = load("n_four_bar"), load("slider_crank")
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
        Counted(monkeypatch, blocks.Image, "__init__"),
        Counted(monkeypatch, parameters.Evaluator, "_value"),
    ]
    second = simulated(system)
    assert [counted.calls for counted in made] == [0] * len(made)
    assert np.array_equal(first.q, second.q) and np.array_equal(first.multipliers, second.multipliers)


def test_another_design_fills_numbers_into_the_image(monkeypatch):
    model = slider_crank.build()
    mbs.kinematics(model, slider_crank.TIMES)
    built = Counted(monkeypatch, BatchBuilder, "__init__")
    images = Counted(monkeypatch, blocks.Image, "__init__")
    for r in (0.09, 0.11):
        run = mbs.kinematics(model.with_parameters(r=r), slider_crank.TIMES)
        fresh = mbs.kinematics(slider_crank.build(r=r), slider_crank.TIMES)
        assert np.abs(run.q - fresh.q).max() < 1e-12
    assert images.calls == 2  # of the two fresh models
    assert built.calls == 2 * 2  # their constraints, and what reads turning


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
    with pytest.raises(TypeError, match="at is to be a contiguous"):
        blocks.block(pattern.Structure(np.zeros(3), *[np.zeros(0)] * 1, 0, *[np.zeros(0)] * 4))


@pytest.mark.parametrize("chosen", SETS)
def test_a_system_travels_as_its_recipe(chosen):
    system = n_four_bar.build().with_parameters(m=2.0).compile(chosen)
    there = pickle.loads(pickle.dumps(system))
    assert there.rows == system.rows and there.coordinates.set == chosen
    assert np.array_equal(simulated(there).q, simulated(system).q)


def test_expressions_of_parameters_are_arithmetic():
    import sympy as sp

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
    results = mbs.kinematics(model, times), mbs.inverse_dynamics(model, times), mbs.simulate(
        model.without(*(d.name for d in model.drivers)).compile("natural"), times
    )
    for result in results:
        other = copied(result)
        assert all(np.array_equal(other[name], result[name]) for name in result.names)
        assert np.array_equal(other.violation.position, result.violation.position)
        if result.reactions is not None:
            assert all(np.array_equal(other.reaction(n), result.reaction(n)) for n in result.reactions.names())
