"""Which equations depend on each other, where, and how that is found: small and large, plane and space."""

import numpy as np
import pytest
from helpers import row_of_four_bars

import mbs_dae as mbs
from mbs_dae.poses.dependence import PoseRank


@pytest.mark.parametrize("length", [1.0, 0.7, 1.4])
@pytest.mark.parametrize("loops", [1, 2, 5, 13, 40, 100])
def test_flat_loops_are_singular_each_by_itself_and_only_there(loops, length):
    found = mbs.diagnose(row_of_four_bars(loops, length))
    assert [group.kind for group in found.redundant] == ["momentary"] * loops
    assert (found.degrees_of_freedom, found.generic_degrees_of_freedom) == (1 + loops, 1)


@pytest.mark.parametrize("angle", [0.0, 1.0])
def test_cranks_too_many_stay_too_many_where_all_lie_flat(angle):
    """A third crank on every coupler repeats one equation at every pose; flatness adds one for each loop."""
    model, x, y = row_of_four_bars(3, 0.8, angle), 0.8 * np.cos(angle), 0.8 * np.sin(angle)
    for k in range(3):
        extra = model.link(f"extra {k}", (k + 0.3, 0), (k + 0.3 + x, y))
        model.add(
            mbs.Revolute(f"E{k}", model.ground.at(k + 0.3, 0), extra.tail),
            mbs.Revolute(f"F{k}", extra.head, model.bodies[f"bar {k}"].at(-0.2, 0)),
        )
    found = mbs.diagnose(model)
    kinds = {kind: sum(g.equations for g in found.redundant if g.kind == kind) for kind in ("generic", "momentary")}
    assert kinds == {"generic": 3, "momentary": 3 if angle == 0.0 else 0}
    assert found.generic_degrees_of_freedom == 1


def test_the_work_of_a_diagnosis_grows_with_the_size_only():
    """Nothing is compiled to see what redundant joints might be replaced by."""
    from mbs_dae.kernels.cache import counts

    model = row_of_four_bars(12, angle=1.0)
    for k in range(12):
        extra = model.link(f"extra {k}", (k + 0.3, 0), (k + 0.3 + np.cos(1), np.sin(1)))
        ends = model.ground.at(k + 0.3, 0), model.bodies[f"bar {k}"].at(-0.2, 0)
        model.add(mbs.Revolute(f"E{k}", ends[0], extra.tail), mbs.Revolute(f"F{k}", extra.head, ends[1]))
    mbs.diagnose(row_of_four_bars(1, angle=1.0).plus())
    before = counts.derived + counts.compiled
    found = mbs.diagnose(model)
    assert counts.derived + counts.compiled <= before + 1  # one kind of joint that asks less
    assert len(found.redundant) == 12 and all("replace " in group.advice for group in found.redundant)


def chain_of_ratios(length, ratio):
    """Sliders, each `ratio` times as far as the one before it: no row is near the span of those before it, but all of
    them together come within ratio⁻ⁿ of determining the first."""
    model = mbs.PlanarModel("ratios")
    bodies = [model.body(f"b{k}") for k in range(length)]
    model.add(mbs.Constraint("c0", bodies[0], phi=lambda i: [i.x, i.y, i.angle]))
    for k in range(1, length):
        model.add(
            mbs.Constraint(
                f"c{k}", bodies[k - 1], bodies[k], phi=lambda i, j: [j.x + ratio * i.x, j.y, j.angle], unit="m"
            )
        )
    return model.compile()


@pytest.mark.parametrize("length", [40, 400])
def test_a_dependence_that_no_pivot_shows_is_found_at_any_size(length):
    """The smallest pivot is a squared sine of 1/(1 + ratio²); the smallest singular value is ratio⁻ⁿ."""
    system = chain_of_ratios(length, 3.0)
    pose = PoseRank(system, 0.0, system.placement)
    assert pose.machine.factor.independence.min() > 0.05
    assert len(pose.dependent(range(len(system.rows)))) == 1
    plain = chain_of_ratios(length, 1.0)
    assert PoseRank(plain, 0.0, plain.placement).dependent(range(len(plain.rows))) == []
