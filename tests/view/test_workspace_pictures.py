"""Pictures of workspaces: everything in them is on the paper, however many numbers of poses there are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

import mbs_dae as mbs


@pytest.fixture(scope="module")
def ladder() -> mbs.Workspace:
    """A ladder against a wall: its foot is on the floor on either side, where it is longer than its head is high."""
    model = mbs.PlanarModel("ladder")
    length, height = model.parameter("l", 5.0, unit="m"), model.parameter("h", 4.0, unit="m")
    one = model.link("ladder", (3, 0), (0, 4), length=length)
    model.add(mbs.PinInSlot("floor", model.ground, one.tail))
    model.add(mbs.Revolute("wall", model.ground.at(0, height), one.head))
    return mbs.workspace(model, over={"h": (2, 6), "l": (3, 5)}, step=0.2)


def overhang(figure) -> float:
    """How far legends and colour bars are beyond the edges of a figure, in pixels."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer, (width, height) = canvas.get_renderer(), canvas.get_width_height()
    boxes = [ax.get_tightbbox(renderer) for ax in figure.axes]
    return max(max(-box.x0, -box.y0, box.x1 - width, box.y1 - height) for box in boxes)


@pytest.mark.parametrize("numbers", [1, 8, 20, 40])
def test_a_picture_keeps_within_its_figure(ladder, numbers):
    """Few numbers of poses are named in the legend; of many a colour bar tells, from 0 to the greatest."""
    (area,) = [one for one in ladder.regions if one.reachable]
    regions = tuple(replace(area, states=area.states[:1] * (k + 1)) for k in range(numbers))
    figure = replace(ladder, regions=regions).plot()
    assert overhang(figure) < 1.0
    words = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert "singular" in words
    if numbers <= 8:
        assert len(figure.axes) == 1 and {f"{k} poses" for k in range(2, numbers + 1)} <= set(words)
    else:
        bar = figure.axes[1]
        assert bar.get_ylabel() == "number of poses" and np.allclose(bar.get_ylim(), (0, numbers))
        assert not any("pose" in word for word in words)
