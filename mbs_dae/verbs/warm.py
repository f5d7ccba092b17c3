"""Compilation ahead of use, so that later runs do not wait for it."""

import os
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pkgutil import walk_packages

import numpy as np

from ..coordinates import SETS
from ..kernels import work
from ..kernels.store import PATIENCE, ROOMS
from ..model.drivers import Driver
from ..model.joints import PinInSlot, Revolute
from ..model.measures import angle
from ..model.mechanisms import PlanarModel
from ..symbolic.markers import t
from .kinematics import kinematics
from .simulate import simulate


def warm(told: Callable[[str, int, int], object] | None = None) -> None:
    """Compile all functions that are compiled once per installation: the solvers, and the equations of revolute joints,
    pins in slots and bodies in the plane, in all three coordinate sets. Any other element takes a part of a second when
    it is first used.

    ``told(what, done, total)`` is called before each part and at the end. Functions that are already compiled take no
    time.

    >>> told = []
    >>> mbs.warm(lambda what, done, total: told.append(what))
    >>> told[-1]
    'done'
    """
    import_all()
    parts = [(function.__name__, function.compile) for function in work.FUNCTIONS]
    parts += [(f"{coordinates} coordinates", partial(_use, coordinates)) for coordinates in SETS]
    for done, (name, part) in enumerate(parts):
        if told is not None:
            told(name, done, len(parts))
        part()
    if told is not None:
        told("done", len(parts), len(parts))


def _use(coordinates: str) -> None:
    times = np.linspace(0.0, 0.1, 3)
    kinematics(slider_crank(driven=True).compile(coordinates), times)
    simulate(slider_crank(driven=False).compile(coordinates), times)


def import_all() -> None:
    """Import every module that has a compiled function."""
    package = __name__.partition(".")[0]
    for room in ROOMS:
        home = import_module(f"{package}.{room}")
        for module in walk_packages(getattr(home, "__path__", []), f"{home.__name__}."):
            import_module(module.name)


def help_out() -> None:
    """Compile missing functions for a process that waits for some of them; end with that process."""

    def listen_to_parent() -> None:
        work.listen(line.decode() for line in sys.stdin.buffer)
        os._exit(0)

    import_all()
    threading.Thread(target=listen_to_parent, daemon=True).start()
    while work.missing():
        if not work.compile_one():
            time.sleep(PATIENCE)


def slider_crank(driven: bool) -> PlanarModel:
    """Return a small model that uses every function which is compiled once per installation."""
    x, y, end = 0.1 * np.cos(0.6), 0.1 * np.sin(0.6), 0.1 * np.cos(0.6) + np.sqrt(0.09 - 0.01 * np.sin(0.6) ** 2)
    model = PlanarModel("slider-crank", gravity=(0, -9.81))
    crank, rod = model.link("crank", (0, 0), (x, y), mass=1.0), model.link("rod", (x, y), (end, 0), mass=1.0)
    model.add(Revolute("A", model.ground, crank.tail), Revolute("B", crank.head, rod.tail))
    model.add(PinInSlot("C", model.ground, rod.head))
    if driven:
        model.add(Driver("motor", angle(model.ground, crank), 0.6 + 2 * np.pi * t))
    return model
