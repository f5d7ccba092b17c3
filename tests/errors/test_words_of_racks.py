"""A pinion whose pitch circle does not touch the pitch line of its rack is told, in the plane and in space."""

from __future__ import annotations

import pytest
from refusals import refused

import mbs_dae as mbs


def steering(height, radius=0.02, side="above", spatial=False):
    """A pinion in a bearing at a height over a rack, led by a driver."""
    model = (mbs.SpatialModel if spatial else mbs.PlanarModel)("steering")
    rest = (0,) if spatial else ()
    heavy = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1) if spatial else 0.1}
    pinion = model.body("pinion", position=(0, height, *rest), **heavy)
    rack = model.body("rack", **heavy)
    axis = {"axis": (0, 0, 1)} if spatial else {}
    bearing = mbs.Revolute("A", model.ground, pinion, at=(0, height, *rest), **axis)
    guide = mbs.Prismatic if spatial else mbs.Translational
    way = {"at": (0, 0, 0), "axis": (1, 0, 0)} if spatial else {}
    model.add(
        bearing, guide("guide", model.ground, rack, **way), mbs.Driver("motor", mbs.angle(bearing), mbs.t),
        mbs.RackAndPinion("mesh", pinion, rack, radius=radius, side=side),
    )  # fmt: skip
    return model


@pytest.mark.parametrize("spatial", [False, True])
def test_a_pinion_beside_its_pitch_line_is_told(spatial):
    for height, side in ((0.02, "above"), (-0.02, "below")):
        turned = mbs.kinematics(steering(height, side=side, spatial=spatial), [0.0, 0.5])
        assert abs(turned["rack.x"][-1] - 0.5 * height) < 1e-12
    for height, side, told in (
        (0.03, "above", "0.03 m from the pitch line"),
        (0.02, "below", 'above it, while side="below"'),
        (-0.02, "above", 'below it, while side="above"'),
    ):  # fmt: skip
        for run in (lambda model: mbs.kinematics(model, [0.0, 0.5]), lambda model: mbs.simulate(model, [0.0, 0.5])):
            with refused("wheels-do-not-mesh", radius=0.02) as error:
                run(steering(height, side=side, spatial=spatial))
            assert told in str(error.value)


def test_a_pinion_that_leaves_its_rack_is_told():
    """The rack slides aslant to its own pitch line."""
    model = mbs.PlanarModel("aslant")
    pinion, rack = model.body("pinion", position=(0, 0.02)), model.body("rack")
    bearing = mbs.Revolute("A", model.ground, pinion, at=(0, 0.02))
    model.add(
        bearing, mbs.Translational("guide", model.ground.at(0, 0, 0.1), rack.at(0, 0, 0.1)),
        mbs.RackAndPinion("mesh", pinion, rack, radius=0.02), mbs.Driver("motor", mbs.angle(bearing), mbs.t),
    )  # fmt: skip
    with refused("wheels-do-not-mesh", mentions="t = 0.25"):
        mbs.kinematics(model, [0.0, 0.25, 0.5])
