"""The textbook's symbols for joints in the plane. (`force_symbols` has those for forces, `view.symbols` those that the
plane and space have in common.)"""

from __future__ import annotations

from ...results.sketch import ElementSketch
from ..stage import Stage
from ..style import DARK
from ..symbols import ALIKE, Pieces, Symbol, slider_box, supports
from .pieces import ball, dot, hatched


def pin(stage: Stage, element: ElementSketch) -> Pieces:
    """A small circle where the first marker is (the second is there as well)."""
    yield ball(stage, element.markers[0])
    yield from supports(stage, element)


def weld(stage: Stage, element: ElementSketch) -> Pieces:
    yield dot(stage.shown.place(element.markers[1]), marker="s", color=DARK, markersize=6 * stage.fine)
    for marker in element.markers[:2]:
        if stage.is_ground(marker[0]):
            yield hatched(stage, marker, depth=0.5)


SYMBOLS: dict[str, Symbol] = {**ALIKE, "pin": pin, "weld": weld}
LATER: dict[str, Symbol] = {"slider": slider_box}
"""What of a joint is seen at later poses in a still picture: that which stands for a body."""
