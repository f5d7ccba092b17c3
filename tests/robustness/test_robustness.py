"""What must not depend on how a question is put: late starts, coarse grids, small and large mechanisms, changes."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import sympy as sp
from helpers import four_bar, parallelogram, slider_crank
from refusals import refused

import mbs_dae as mbs

R, L = 0.1, 0.3


def driven(function) -> mbs.PlanarModel:
    """A slider-crank of 0.1 m and 0.3 m."""
    model = mbs.PlanarModel("slider-crank")
    crank = model.link("crank", (0, 0), (R * np.cos(0.6), R * np.sin(0.6)), length=R)
    rod = model.link("rod", (R * np.cos(0.6), R * np.sin(0.6)), (0.37, 0), length=L)
    slider = model.body("slider", position=(0.37, 0))
    model.add(
        mbs.Revolute("A", model.ground, crank.tail),
        mbs.Revolute("B", crank.head, rod.tail),
        mbs.Revolute("C", rod.head, slider),
        mbs.Translational("guide", model.ground, slider),
        mbs.Driver("motor", mbs.angle(model.ground, crank), function),
    )
    return model


def slider_at(theta):
    return R * np.cos(theta) + np.sqrt(L**2 - (R * np.sin(theta)) ** 2)


@pytest.mark.parametrize("start", [0, 11, 1000, 1e6])
def test_a_late_start_is_on_the_branch_of_the_placement(start):
    res = mbs.kinematics(driven(0.6 + 10 * mbs.t), start + np.linspace(0, 0.6, 7))
    assert res["slider.x"] == pytest.approx(slider_at(0.6 + 10 * res.t), abs=1e-9)
    assert res["crank.angle"] == pytest.approx(0.6 + 10 * res.t, rel=1e-12)


@pytest.mark.parametrize("eps", [1e-4, 1e-6, 1e-7])
def test_every_grid_gives_the_same_branch(eps):
    """Two separate branches that come very near to each other where the linkage is stretched out."""
    middles = []
    for poses in (7, 31, 101, 361):
        model = four_bar((1.0, 2.0, 2.0 + eps / 2, 3.0 - eps), angle=0.5)
        res = mbs.kinematics(model, np.linspace(0, 4.5, 2 * poses + 1))
        middles.append([res["coupler.angle"][poses], res["coupler.angle"][-1], res["rocker.angle"][-1]])
    assert np.ptp(middles, axis=0) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    ("function", "times", "words"),
    [
        (0.6 + 10 * mbs.t, np.linspace(0, 1e6, 11), ("too-many-steps",)),
        (sp.exp(20 * mbs.t), np.linspace(0, 1, 11), ("too-many-steps",)),
        (sp.Piecewise((0.6, mbs.t < 0.3), (1.0, True)), np.linspace(0, 0.6, 61), ("jump", "motor", "Driver")),
    ],
)
def test_a_motion_that_is_too_fast_to_follow_is_told_soon(function, times, words):
    with refused(words[0], mentions=words[1:]) as told:
        mbs.kinematics(driven(function), times)
    assert np.isfinite(told.value.result.q).all()
    assert told.value.result.stats.get("evaluations", 0) < 2e5 and not told.value.result.success


def test_a_dead_point_at_a_late_time_is_found():
    """Where a step of the last digit of t is all that is left, the search must end."""
    model = slider_crank(motor=False)
    slider = model.bodies["slider"]
    model.add(mbs.Driver("pull", mbs.x(slider), 3.7 + 0.5 * (mbs.t - 3600)))
    with refused("dead-point", mbs.SingularConfigurationError) as told:
        mbs.kinematics(model, 3600 + np.arange(0, 2, 1e-3))
    assert told.value.time == pytest.approx(3600.6, abs=1e-6)


def test_euler_s_number_and_whole_numbers_mean_what_they_are():
    model = mbs.PlanarModel("three")
    for k, name in enumerate("abc"):
        body = model.body(name)
        model.add(
            mbs.CoordinateFix(f"x{name}", body, "x", k),
            mbs.CoordinateFix(f"y{name}", body, "y", 0),
            mbs.Driver(f"m{name}", mbs.angle(body), sp.E * sp.sin(3 * mbs.t) + k * sp.pi),
        )
    res = mbs.kinematics(model, [0.0, 0.2, 0.4])
    for k, name in enumerate("abc"):
        assert res[f"{name}.angle"] == pytest.approx(np.e * np.sin(3 * res.t) + k * np.pi, rel=1e-14)
        assert res[f"{name}.x"] == pytest.approx(k)


@pytest.mark.parametrize("size", [1e-8, 1e-6, 1.0, 1e6])
def test_rank_does_not_depend_on_the_size_of_the_mechanism(size):
    model = mbs.PlanarModel("two cranks and a rod")
    left = model.link("left", (0, 0), (0.3 * size, 0.4 * size))
    right = model.link("right", (2 * size, 0), (2 * size, size))
    model.add(
        mbs.Revolute("A", model.ground, left.tail),
        mbs.Revolute("B", model.ground.at(2 * size, 0), right.tail),
        mbs.Distance("rod", left.head, right.head),
        mbs.Driver("motor", mbs.angle(model.ground, left), np.arctan2(4, 3) + mbs.t),
    )
    found = mbs.diagnose(model)
    assert (found.rank, found.degrees_of_freedom, found.redundant, found.conflicts) == (6, 0, (), ())


def test_a_result_does_not_change_with_the_model_or_through_its_arrays(tmp_path):
    model = driven(0.6 + 10 * mbs.t)
    res = mbs.kinematics(model, np.linspace(0, 0.1, 5))
    names = list(res.names)
    model.body("another")
    assert res.names == names
    assert len(mbs.load(res.save(tmp_path / "kept"))) == 5
    with pytest.raises(ValueError, match="read-only"):
        res["slider.x"][0] = 0.0
    with pytest.raises(ValueError, match="read-only"):
        res.q[0] = 0.0


def test_a_model_can_be_copied():
    model = driven(0.6 + 10 * mbs.t)
    model.parameter("spare", 2.0)
    assert mbs.diagnose(copy.deepcopy(model)).degrees_of_freedom == 0


def test_a_function_of_a_function_is_derived_through():
    """A cam on a cam: profile(profile(angle)) needs the chain rule twice."""

    class Twice(mbs.Joint):
        profile = mbs.function("m")

        @staticmethod
        def phi(i, j, profile):
            return [j.x - profile(profile(i.angle))]

    model = mbs.PlanarModel("twice")
    a, b = model.body("a"), model.body("b")
    for name, body, fixed in (("a", a, "xy"), ("b", b, ("y", "angle"))):
        model.add(*(mbs.CoordinateFix(f"{name}{what}", body, what, 0) for what in fixed))
    model.add(
        Twice("cam", a, b, profile=1 + sp.sin(mbs.theta) / 2),
        mbs.Driver("turn", mbs.angle(a), 2 * mbs.t),
    )
    res = mbs.kinematics(model, np.linspace(0, 3, 61))

    def profile(x):
        return 1 + sp.sin(x) / 2

    y = profile(profile(2 * mbs.t))
    for name, expected in (("b.x", y), ("b.vx", y.diff(mbs.t)), ("b.ax", y.diff(mbs.t, 2))):
        assert res[name] == pytest.approx(sp.lambdify(mbs.t, expected)(res.t), abs=1e-12)


@pytest.mark.parametrize("poses", [1001, 4001])
def test_a_fine_sweep_takes_two_factorisations_a_pose(poses):
    """One at the forecast, one at the closed pose: v and a use that one again."""
    res = mbs.kinematics(driven(0.6 + 10 * mbs.t), np.linspace(0, 0.628, poses))
    assert res.stats["factorisations"] <= 2.05 * poses
    assert res.stats["evaluations"] <= 3.05 * poses
    assert res.stats["halvings"] == 0


def test_a_pose_on_a_change_point_says_what_it_does_not_know():
    assert "change point" in mbs.assemble(parallelogram(1, 0.0)).message
    assert mbs.assemble(parallelogram(1, 0.7)).message == ""


def test_a_diagnosis_of_a_structure_says_that_it_saw_one_pose():
    """Two bars in line between two walls: singular, and there is nowhere else to look."""
    model = mbs.PlanarModel("truss")
    left, right = model.link("left", (0, 0), (1, 0)), model.link("right", (1, 0), (2, 0))
    model.add(
        mbs.Revolute("A", model.ground, left.tail),
        mbs.Revolute("B", left.head, right.tail),
        mbs.Revolute("C", right.head, model.ground.at(2, 0)),
    )
    found = mbs.diagnose(model)
    assert found.poses_tested == 1 and found.rank == 5
    assert "no other pose was found" in str(found)
