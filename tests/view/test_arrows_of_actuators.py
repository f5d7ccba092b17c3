"""An actuator is drawn as the arrow of its force on the second body, along a slide and between two points."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import mbs_dae as mbs
from mbs_dae.view.drawing.motion import motion_of


def along_a_slide() -> mbs.PlanarModel:
    model = mbs.PlanarModel("press", gravity=(0, -9.81))
    ram = model.body("ram", mass=5, inertia=1, position=(0.3, 0))
    slide = model.add(mbs.Translational("slide", model.ground, ram))
    model.add(mbs.Actuator("cylinder", slide, 20 * sp.cos(mbs.t)))
    return model


def between_points() -> mbs.PlanarModel:
    model = mbs.PlanarModel("lever")
    lever = model.link("lever", (0, 0), (1, 1), mass=5)
    model.add(mbs.Revolute("A", model.ground, lever.tail))
    model.add(mbs.Actuator("cylinder", model.ground.at(1, 0), lever.head, 20 * sp.cos(mbs.t)))
    return model


@pytest.mark.parametrize(("made", "way"), [(along_a_slide, (1, 0, 0)), (between_points, (0, 1, 0))])
def test_an_arrow_shows_the_force_on_the_second_body(made, way):
    run = mbs.simulate(made(), [0, 0.1])
    assert motion_of(run).forces["cylinder"][0] == pytest.approx(20 * np.array(way))
    assert "cylinder" in [text.get_text() for text in run.draw(0).axes[0].texts]
