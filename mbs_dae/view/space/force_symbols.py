"""Symbols for forces in space: a coil for a spring, cylinder and piston for a damper, an arrow for the rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...results.sketch import ElementSketch
from ..stage import OVER_BODIES, Stage
from ..style import ELASTIC
from ..symbols import Pieces, Symbol, arrow, between, cylinder_and_piston

COILS = 7
"""Of a spring: as many at any length, so that it is seen to stretch."""


def spring(stage: Stage, element: ElementSketch) -> Pieces:
    """A coil; where it damps as well, about a damper."""
    angle = np.linspace(0.0, 2 * np.pi * COILS, 12 * COILS + 1)
    part = 0.15 + 0.7 * angle / angle[-1]
    coil = np.stack([part, 0 * angle, 0.9 * np.cos(angle), 0.9 * np.sin(angle)], axis=-1)
    ends = [[(x, 0.0, 0.0, 0.0) for x in way] for way in ((0.0, 0.15), (0.85, 1.0))]
    yield between(stage, element, [*ends[0], *coil, *ends[1]])
    if element.constants.get("damping"):
        yield from _dashpot(stage, element)
    yield from _ends(stage, element)


def damper(stage: Stage, element: ElementSketch) -> Pieces:
    yield from _dashpot(stage, element)
    yield from _ends(stage, element)


def _dashpot(stage: Stage, element: ElementSketch) -> Pieces:
    """Cylinder, what is hollow of it, and the disk of the piston are lines of different widths."""
    half, (part, farther) = cylinder_and_piston(stage, element)
    wide: dict[str, Any] = {"solid_capstyle": "butt"}
    disk = [(part, farther - 0.12 * half), (part, farther + 0.12 * half)]
    yield between(stage, element, [(0, 0), (0.5, -half)])
    yield between(stage, element, [(0.5, -half), (0.5, half)], linewidth=9 * stage.fine, **wide)
    hollow = [(0.5, -0.9 * half), (0.5, half)]
    yield between(stage, element, hollow, OVER_BODIES, color="white", linewidth=6.5 * stage.fine, **wide)
    yield between(stage, element, disk, OVER_BODIES, linewidth=5.5 * stage.fine, **wide)
    yield between(stage, element, [(part, farther), (1, 0)], OVER_BODIES)


def _ends(stage: Stage, element: ElementSketch) -> Pieces:
    """A small dot at either end; on the ground a square one."""
    for marker in element.markers[:2]:
        how = {"marker": "s" if stage.is_ground(marker[0]) else "o", "markersize": 4 * stage.fine}
        yield stage.pen.dot(stage.shown.place(marker), color=ELASTIC, markeredgewidth=0, **how)


SYMBOLS: dict[str, Symbol] = {"spring": spring, "damper": damper, "arrow": arrow}
