"""All pieces of a mechanism, by what they belong to: its bodies, its joints, its forces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...results.sketch import BodySketch, ElementSketch, Sketch
from . import planar, spatial
from .bodies import body_pieces, skeleton
from .motion import Motion
from .shapes import moving, outline_of, touching
from .stage import Pen, Piece, Stage, Symbol, all_pieces, one_after_the_other
from .stops import stop
from .symbols import ALIKE, arrow
from .tracks import Given

ALONE = ("arrow", "stop")  # kinds that may have one marker
Pieces = dict[str, list[Piece]]


def staged(sketch: Sketch, pen: Pen, shown: Motion, whole: Motion, symbol: float = 0.0) -> list[Stage]:
    """One stage for all poses; where dimensions change from pose to pose, one for each."""
    signs = planar if sketch.dimension == 2 else spatial
    if not sketch.variants:
        return [Stage(sketch, pen, signs, shown, whole, symbol)]
    poses = enumerate(shown.numbers)
    return [Stage(sketch.variants[n], pen, signs, shown.at([k]), whole, symbol) for k, n in poses]


def pieces_of(stages: list[Stage]) -> tuple[Pieces, Pieces, Pieces]:
    """Of the bodies, the joints, and the forces."""
    signs = stages[0].signs
    joints, forces = ALIKE | {"contact": touching, "stop": stop} | signs.SYMBOLS, {"arrow": arrow} | signs.FORCES
    return _bodies(stages), _elements(stages, joints), _elements(stages, forces)


def later_pieces(stages: list[Stage], **how: Any) -> Iterator[Piece]:
    """Of the bodies without their joints, for poses behind the one that is shown."""
    yield from all_pieces(_bodies(stages, **how))
    yield from all_pieces(_elements(stages, {"contact": moving} | stages[0].signs.LATER, **how))


def edges_of(stage: Stage, body: BodySketch) -> np.ndarray:
    """Beside what a body has its name."""
    outline = outline_of(stage, body.name)
    return skeleton(stage, body) if outline is None else outline


def _bodies(stages: list[Stage], **how: Any) -> Pieces:
    return _by_name(stages, lambda s: s.sketch.bodies, body_pieces, **how)


def _elements(stages: list[Stage], symbols: Mapping[str, Symbol], **how: Any) -> Pieces:
    """By the symbols of their kinds; kinds without one have no pieces, and so have other joints of one marker."""

    def pieces(stage: Stage, element: ElementSketch, **how: Any) -> Iterator[Piece]:
        if element.kind in symbols and (len(element.markers) >= 2 or element.kind in ALONE):
            yield from symbols[element.kind](stage, element, **how)

    return _by_name(stages, lambda s: s.sketch.elements, pieces, **how)


def _by_name(stages: list[Stage], things: Callable[[Stage], Iterable[Any]], pieces_of: Symbol, **how: Any) -> Pieces:
    """The pieces of each thing at the first stage, with the paths of all of them."""
    first, *others = ({thing.name: [*pieces_of(stage, thing, **how)] for thing in things(stage)} for stage in stages)
    if not others:
        return first
    return {
        name: [
            _through(piece, [other[name][k].path for other in others])
            for k, piece in enumerate(pieces)
            if all(k < len(other[name]) for other in others)
        ]
        for name, pieces in first.items()
    }


def _through(piece: Piece, later: list[np.ndarray]) -> Piece:
    path = one_after_the_other([piece.path, *later])
    return replace(piece, path=path, track=Given(path))
