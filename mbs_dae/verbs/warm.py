"""Everything compiled ahead, so that nobody waits for it later."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator

import numpy as np

from ..model.drivers import Driver
from ..model.joints import PinInSlot, Revolute
from ..model.measures import angle
from ..model.planar_model import PlanarModel
from ..symbolic.markers import t


def warm(told: Callable[[str, int, int], object] | None = None) -> None:
    """Compile all that is compiled once per installation: the solvers, in all three sets of coordinates.

    ``told(what, done, total)`` is called before each part and at the end. What is there already takes no time.
    """
    parts = [*_parts()]
    for done, (what, part) in enumerate(parts):
        if told is not None:
            told(what, done, len(parts))
        part()
    if told is not None:
        told("done", len(parts), len(parts))


def help_out() -> None:
    """Go through all parts for a process that waits for some of them; end with it."""

    def end_with_parent() -> None:
        sys.stdin.buffer.read()
        os._exit(0)

    threading.Thread(target=end_with_parent, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(1)
    warm()


def slider_crank(driven: bool) -> PlanarModel:
    """A small model of which all that is compiled once per installation has a use."""
    x, y, end = 0.1 * np.cos(0.6), 0.1 * np.sin(0.6), 0.1 * np.cos(0.6) + np.sqrt(0.09 - 0.01 * np.sin(0.6) ** 2)
    model = PlanarModel("slider-crank", gravity=(0, -9.81))
    crank, rod = model.link("crank", (0, 0), (x, y), mass=1.0), model.link("rod", (x, y), (end, 0), mass=1.0)
    model.add(Revolute("A", model.ground, crank.tail), Revolute("B", crank.head, rod.tail))
    model.add(PinInSlot("C", model.ground, rod.head))
    if driven:
        model.add(Driver("motor", angle(model.ground, crank), 0.6 + 2 * np.pi * t))
    return model


def _parts() -> Iterator[tuple[str, Callable[[], object]]]:
    """What is least likely to be needed at once comes first: whoever waits for the other end compiles that himself."""
    from .diagnose import diagnose
    from .inverse_dynamics import inverse_dynamics
    from .kinematics import kinematics
    from .simulate import simulate

    driven, free, times = slider_crank(True), slider_crank(False), np.linspace(0.0, 0.1, 3)
    yield "joint coordinates", lambda: driven.compile("joint").placement
    yield "dynamics", lambda: simulate(free, times)
    yield "kinematics", lambda: kinematics(driven, times)
    yield "inverse dynamics", lambda: inverse_dynamics(driven, times)
    yield "joint coordinates, in motion", lambda: simulate(free.compile("joint"), times)
    yield "natural coordinates", lambda: simulate(free.compile("natural"), times)
    yield "redundancy", lambda: diagnose(driven)
