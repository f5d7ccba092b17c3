"""Return all pieces of a mechanism, grouped by bodies, joints and forces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...results.sketch import BodySketch, ElementSketch, Sketch
from . import planar, spatial
from .bodies import body_pieces, skeleton
from .motion import DrawnMotion
from .shapes import moving, outline_of, touching
from .stage import DrawingStage, DrawnPiece, Pen, Symbol, all_pieces, one_after_the_other
from .stops import stop
from .symbols import ALIKE, arrow
from .tracks import SampledPath

ALONE = ("arrow", "stop")  # kinds that may have one marker
Pieces = dict[str, list[DrawnPiece]]


def staged(sketch: Sketch, pen: Pen, shown: DrawnMotion, whole: DrawnMotion, symbol: float = 0.0) -> list[DrawingStage]:
    """Return one stage for all poses; if dimensions change from pose to pose, one stage for each pose."""
    signs = planar if sketch.dimension == 2 else spatial
    if not sketch.variants:
        return [DrawingStage(sketch, pen, signs, shown, whole, symbol)]
    poses = enumerate(shown.numbers)
    return [DrawingStage(sketch.variants[n], pen, signs, shown.at([k]), whole, symbol) for k, n in poses]


def pieces_of(stages: list[DrawingStage]) -> tuple[Pieces, Pieces, Pieces]:
    """Return the pieces of the bodies, of the joints, and of the forces, by name."""
    signs = stages[0].signs
    joints, forces = ALIKE | {"contact": touching, "stop": stop} | signs.SYMBOLS, {"arrow": arrow} | signs.FORCES
    return _bodies(stages), _elements(stages, joints), _elements(stages, forces)


def later_pieces(stages: list[DrawingStage], **how: Any) -> Iterator[DrawnPiece]:
    """Yield the pieces of the bodies without their joints, for poses behind the pose that is shown."""
    yield from all_pieces(_bodies(stages, **how))
    yield from all_pieces(_elements(stages, {"contact": moving} | stages[0].signs.LATER, **how))


def edges_of(stage: DrawingStage, body: BodySketch) -> np.ndarray:
    """Return the points beside which the name of a body may stand, at each pose."""
    outline = outline_of(stage, body.name)
    return skeleton(stage, body) if outline is None else outline


def _bodies(stages: list[DrawingStage], **how: Any) -> Pieces:
    return _by_name(stages, lambda s: s.sketch.bodies, body_pieces, **how)


def _elements(stages: list[DrawingStage], symbols: Mapping[str, Symbol], **how: Any) -> Pieces:
    """Return the pieces of elements by the symbols of their kinds. An element has no pieces if its kind has no symbol,
    or if it has a single marker and its kind is not in `ALONE`."""

    def pieces(stage: DrawingStage, element: ElementSketch, **how: Any) -> Iterator[DrawnPiece]:
        if element.kind in symbols and (len(element.markers) >= 2 or element.kind in ALONE):
            yield from symbols[element.kind](stage, element, **how)

    return _by_name(stages, lambda s: s.sketch.elements, pieces, **how)


def _by_name(
    stages: list[DrawingStage], things: Callable[[DrawingStage], Iterable[Any]], pieces_of: Symbol, **how: Any
) -> Pieces:
    """Return the pieces of each thing at the first stage, with their paths through all stages."""
    first, *others = ({thing.name: [*pieces_of(stage, thing, **how)] for thing in things(stage)} for stage in stages)
    if not others:
        return first
    whole: Pieces = {name: [] for name in first}
    for name, pieces in first.items():
        for k, piece in enumerate(pieces):
            if all(k < len(other[name]) for other in others):
                path = one_after_the_other([piece.path, *(other[name][k].path for other in others)])
                whole[name].append(replace(piece, path=path, track=SampledPath(path)))
    return whole
