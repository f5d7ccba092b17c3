"""The page in a notebook: in a frame of its own, so that neither can disturb the other."""

from base64 import b64encode
from dataclasses import dataclass, field
from html import escape
from io import BytesIO
from typing import Any

from ...results.result import Result
from ..animation import draw
from .html import page_text

HEIGHT = 620  # pixels


@dataclass(frozen=True)
class View:
    """Shown where it is the last value of a cell."""

    text: str = field(repr=False)
    still: bytes = field(repr=False)
    height: int = HEIGHT

    def _repr_html_(self) -> str:
        """The frame, and a still for where scripts and frames are taken out, and styles with them: there it is seen."""
        style = f"width: 100%; height: {self.height}px; border: none"
        frame = f'<iframe title="Motion" srcdoc="{escape(self.text)}" sandbox="allow-scripts" style="{style}"></iframe>'
        picture = f'<img alt="the first pose" src="data:image/png;base64,{b64encode(self.still).decode()}">'
        return f'{frame}<div style="display: none">{picture}</div>'


def view(
    result: Result, *, plots: Any = (), trace: Any = (), view: Any = None, speed: float | None = None,
    live: bool = False, height: int = HEIGHT,
) -> View:  # fmt: skip
    """The motion as a page of a notebook; choices as those of `page_text`."""
    picture = BytesIO()
    draw(result).savefig(picture, format="png")
    text = page_text(result, plots=plots, trace=trace, view=view, speed=speed, live=live)
    return View(text, picture.getvalue(), height)
