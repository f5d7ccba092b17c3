"""A member that comes to no end is told with what its verb says, and harms no other."""

from __future__ import annotations

import signal
import sys
import time
import weakref
from threading import Timer

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs
from mbs_dae.ensembles.reports.members import per_member
from mbs_dae.ensembles.runs import fast

TIMES = np.linspace(0.0, 0.4, 9)


def pendulum() -> mbs.PlanarModel:
    """A rod on a spring at its end, of mass m and stiffness k."""
    model = mbs.PlanarModel("pendulum", gravity=(0, -9.81))
    m, k, w = (model.parameter(name, value) for name, value in (("m", 1.0), ("k", 50.0), ("w", 0.0)))
    rod = model.link("rod", (0, 0), (1, 0), mass=m)
    model.add(mbs.Revolute("A", model.ground, rod.tail))
    model.add(mbs.SpringDamper("spring", model.ground.at(1, 1), rod.head, stiffness=k, damping=0.01 * k, length=1.0))
    model.add(mbs.Torque("shaker", rod, sp.sin(w * model["rod.angle"])))
    return model


def table(**columns) -> mbs.Designs:
    return mbs.Designs(tuple(columns), np.array([*columns.values()], dtype=float).T.copy())


@pytest.fixture(scope="module")
def good() -> np.ndarray:
    over = table(m=np.linspace(1.0, 2.0, 12), k=[50.0] * 12)
    return mbs.ensemble(pendulum(), TIMES, over=over, workers=1).array("rod.omega")


@pytest.mark.parametrize(("m", "k"), [(np.nan, 50.0), (-1.0, 50.0), (1.0, np.inf), (0.0, 50.0)])
def test_a_poisoned_member_is_told_and_its_neighbours_are_untouched(good, m, k):
    masses = np.linspace(1.0, 2.0, 12)
    masses[5] = m
    found = mbs.ensemble(pendulum(), TIMES, over=table(m=masses, k=[50.0] * 5 + [k] + [50.0] * 6), workers=2)
    (failure,) = found.failures
    with pytest.raises(mbs.MbsError) as alone:
        mbs.simulate(pendulum().with_parameters(m=m, k=k), TIMES)
    assert (failure.member, failure.message) == (5, str(alone.value)) and failure.kind == type(alone.value).__name__
    assert failure.design["m"] == m or np.isnan(m)
    array = found.array("rod.omega")
    assert np.isnan(array[5]).all() and not found.done[5]
    np.testing.assert_array_equal(np.delete(array, 5, axis=0), np.delete(good, 5, axis=0))
    with refused("member-not-done", member=5):
        found.member(5)


def test_what_does_not_assemble_says_which_joint():
    model = mbs.PlanarModel("dyad")
    a = model.parameter("a", 1.0)
    left, right = model.link("left", (0, 0), (1, 1), length=a), model.link("right", (2, 0), (1, 1))
    model.add(mbs.Revolute("A", model.ground, left.tail), mbs.Revolute("B", model.ground.at(2, 0), right.tail))
    model.add(mbs.Revolute("C", left.head, right.head))
    found = mbs.ensemble(model, [0.0], over={"a": [1.0, 5.0, 1.2]}, verb="kinematics")
    assert [failure.member for failure in found.failures] == [1] and found.failures[0].kind == "AssemblyError"


def test_steps_and_seconds_bound_a_member(good):
    """A spring so stiff that its member would take far longer than all others."""
    over = table(m=np.linspace(1.0, 2.0, 12), k=[50.0] * 7 + [1e14] + [50.0] * 4)
    few = mbs.ensemble(pendulum(), TIMES, over=over, max_steps=2000)
    with pytest.raises(mbs.IntegrationError) as alone:
        mbs.simulate(pendulum().with_parameters(m=over["m"][7], k=1e14), TIMES, max_steps=2000)
    assert [failure.message for failure in few.failures] == [str(alone.value)]
    begun = time.monotonic()
    brief = mbs.ensemble(pendulum(), TIMES, over=over, max_steps=10**9, max_seconds=0.3)
    assert time.monotonic() - begun < 30.0
    assert [(one.member, one.kind) for one in brief.failures] == [(7, "OutOfTime")]
    assert "longer than 0.3 s" in brief.failures[0].message
    for found in (few, brief):
        np.testing.assert_array_equal(np.delete(found.array("rod.omega"), 7, axis=0), np.delete(good, 7, axis=0))


def test_seconds_bound_a_walk():
    """It is looked at the clock between its pieces, and the walks of others go on."""
    model, times = pendulum(), np.linspace(0.0, 1.0, 20_000)
    model.add(mbs.Driver("motor", mbs.angle(model.elements["A"]), mbs.t))
    named = {"verb": "kinematics", "outputs": ["rod.omega"]}
    found = mbs.ensemble(model, times, over={"m": [1.0, 2.0]}, max_seconds=1e-4, **named)
    assert [(one.member, one.kind) for one in found.failures] == [(0, "OutOfTime"), (1, "OutOfTime")]
    assert all("longer than 0.0001 s, at t = " in one.message for one in found.failures)


def test_an_error_in_a_function_is_of_its_member():
    def strange(run: mbs.Result) -> float:
        return 1.0 / (run["rod.omega"][0] - 2.0) if run["rod.omega"][0] != 2.0 else float("oops")

    found = mbs.ensemble(pendulum(), TIMES, over={"rod.omega": [1.0, 2.0, 3.0]}, verb=strange)
    assert [(one.member, one.kind) for one in found.failures] == [(1, "ValueError")]
    np.testing.assert_allclose(found.array("value")[[0, 2]], [-1.0, 1.0])


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_keeps_what_is_done(workers, good, monkeypatch):
    """It comes between two members here; and while workers are at work."""
    over = table(m=np.linspace(1.0, 2.0, 12), k=[50.0] * 12)
    seen = []

    def stop(done: int, total: int) -> None:
        seen.append(done)
        if done >= 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(fast, "SLICE", 2)
    found = mbs.ensemble(pendulum(), TIMES, over=over, workers=workers, progress=stop)
    done = int(found.done.sum())
    assert 2 <= done < 12 or workers == 2
    assert not found.failures and (done == 12 or f"{done} of 12 members were run" in found.message)
    np.testing.assert_array_equal(found.array("rod.omega")[found.done], good[found.done])


@pytest.fixture
def interruptible():
    """Whoever started the tests may have said that Ctrl-C is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_long_member_is_interrupted(interruptible):
    """Within a member, too: between two pieces of its run."""
    from _thread import interrupt_main

    over = table(m=[1.0, 1.1], k=[50.0, 1e14])
    mbs.ensemble(pendulum(), TIMES, over=over, max_steps=100)
    timer = Timer(0.5, interrupt_main)
    timer.start()
    begun = time.monotonic()
    found = mbs.ensemble(pendulum(), TIMES, over=over, max_steps=10**9, workers=2, max_seconds=60.0)
    timer.cancel()
    assert time.monotonic() - begun < 30.0
    assert found.done.tolist() == [True, False] and "interrupted: 1 of 2 members were run" in found.message


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupt_that_python_ignores_ends_a_study_all_the_same(interruptible, workers, monkeypatch):
    """An exception in the callback of a weak reference is told on stderr and goes no further."""
    from _thread import interrupt_main

    class Thing:
        pass

    def ignored(done: int, total: int) -> None:
        thing = Thing()
        watch = weakref.ref(thing, lambda ref: (interrupt_main(), sum(range(100_000))))
        del thing
        assert watch() is None

    lost: list = []
    monkeypatch.setattr(sys, "unraisablehook", lambda told: lost.append(told.exc_type))
    over, limits = table(m=[1.0, 1.1], k=[50.0, 1e14]), {"max_steps": 10**9, "max_seconds": 60.0}
    found = mbs.ensemble(pendulum(), TIMES, over=over, workers=workers, progress=ignored, **limits)
    assert set(lost) == {KeyboardInterrupt} and "interrupted" in found.message
    assert not found.done.all()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def falling(h: float = 1.0) -> mbs.PlanarModel:
    """A ball that falls from the height h until it comes to the ground."""
    model = mbs.PlanarModel("ball", gravity=(0, -9.81))
    model.body("ball", mass=1.0, inertia=0.1, position=(0, model.parameter("h", h, unit="m")))
    model.add(mbs.Event("down", when=model["ball.y"], direction=-1, action="stop"))
    return model


def last_of(rows: np.ndarray) -> list[float]:
    return [row[~np.isnan(row)][-1] for row in rows]


def test_runs_that_an_event_stops_are_told_by_the_numbers_that_they_have():
    times = np.linspace(0.0, 1.0, 11)
    found = mbs.ensemble(falling(), times, over={"h": [1.0, 2.0, 9.0]}, outputs=["ball.y", "ball.vy"])
    assert found.done.all() and np.isnan(found.array("ball.y")[:2, -1]).all()
    fallen = 9.0 - 9.81 / 2 * times**2
    worst = found.worst("ball.vy", "abs")
    assert (worst.member, worst.t) == (2, 1.0) and worst.value == pytest.approx(-9.81)
    for name in ("ball.y", "ball.vy"):  # its last pose stands at the time of the event, which is none of these
        stopped = found.member(0)
        assert 0.4 < stopped.t[-1] < 0.5 and np.isnan(found.array(name)[0, 5:]).all()
        np.testing.assert_array_equal(found.array(name)[0, :5], stopped[name][:5])
    whole = mbs.ensemble(falling(), times, over={"h": [1.0]})
    np.testing.assert_array_equal(whole.array("ball.y")[0], found.array("ball.y")[0])
    found_at = found.percentiles("ball.y", (50,))[50]
    np.testing.assert_allclose(found_at[-1], fallen[-1])  # the others are down
    np.testing.assert_allclose(found_at[5], 2.0 - 9.81 / 2 * times[5] ** 2 + 3.5)  # two are under way
    lines = {row[0]: row[2] for row in found.summary().rows}
    assert lines["min ball.y"][-1] == pytest.approx(fallen[-1]) and np.isfinite(lines["max ball.y"]).all()
    table = found.to_dataframe("ball.y")
    np.testing.assert_allclose(table["ball.y max"], [1.0, 2.0, 9.0])
    np.testing.assert_allclose(table["ball.y min"], [np.nanmin(row) for row in found.array("ball.y")])
    np.testing.assert_array_equal(last_of(found.array("ball.y")), per_member(found, "ball.y", "last"))
    found.plot_histogram("ball.y", "last"), found.plot_band("ball.y")
    last = mbs.ensemble(falling(), times, over={"h": [1.0]}, verb=lambda run: {"none": np.nan})
    for ask in (lambda: last.worst("none"), lambda: last.plot_histogram("none")):
        with refused("nan-in-all-members", name="none"):
            ask()


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("save", [False, True])
def test_what_a_function_gives_in_another_shape_is_a_failure_of_its_member(tmp_path, workers, save):
    over = {"h": [9.0] * 30 + [1.0] + [9.0] * 30}
    where = str(tmp_path / "study") if save else None
    found = mbs.ensemble(
        falling(), [0.0, 0.5, 1.0], over=over, verb=lambda run: run["ball.y"], workers=workers, save=where
    )
    assert found.done.sum() + len(found.failures) == 61 and 30 in [one.member for one in found.failures]
    assert all("has the shape" in one.message for one in found.failures) and len(found.failures) <= 8
    np.testing.assert_allclose(found.array("value")[found.done, -1], 9.0 - 9.81 / 2)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (None, "gives None as 'value'"),
        ("fast", "gives 'fast' as 'value'"),
        ({}, "gives nothing"),
        ({"": 1.0}, "without a name"),
        ({"a": [1, [2, 3]]}, "as 'a'"),
        (1 + 2j, "as 'value'"),
        ([], "as 'value'"),
    ],
)
def test_what_a_function_gives_must_be_numbers(given, words):
    (failure,) = mbs.ensemble(falling(), [0.0, 0.1], over={"h": [1.0]}, verb=lambda run: given).failures
    assert words in failure.message and "it must return a number" in failure.message


def test_members_give_the_same_names():
    over = {"h": [9.0, 9.5, 9.0]}
    found = mbs.ensemble(falling(), [0, 0.1], over=over, workers=1, verb=lambda run: {f"{run['ball.y'][0]:.1f}": 1.0})
    assert found.done.sum() >= 1 and all("others have not" in one.message for one in found.failures)
    assert found.names == ["9.0"] and [one.member for one in found.failures] == [1]
