"""Show the page of a result in a notebook."""

from typing import Any

from ...model.parameters import positive_number
from ...results.result import Result
from ..animation import draw
from .frame import HEIGHT, LIVE, View
from .html import page_text


def view(
    result: Result, *, plots: Any = (), trace: Any = (), view: Any = None, speed: float | None = None,
    live: bool = False, height: int | None = None,
) -> View:  # fmt: skip
    """Return the motion as a page for a notebook; choices are those of `page_text`. Without `height` there is room for
    the sliders of a live page."""
    if height is None:
        height = LIVE if live else HEIGHT
    height = round(positive_number(height, "height", "number of pixels, e.g. height=620"))
    text = page_text(result, plots=plots, trace=trace, view=view, speed=speed, live=live)
    return View(text, draw(result, view=view, trace=trace), height)
