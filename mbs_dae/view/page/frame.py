"""Show a page in its own frame in a cell of a notebook, so that neither can disturb the other."""

from base64 import b64encode
from dataclasses import dataclass, field
from html import escape
from io import BytesIO

from matplotlib.figure import Figure

HEIGHT = 620  # pixels
LIVE = 860
"""The height of a page with sliders below its drawing [pixels]."""


@dataclass(frozen=True)
class View:
    """A page that a notebook shows if it is the last value of a cell."""

    text: str = field(repr=False)
    still: Figure = field(repr=False)
    height: int = HEIGHT

    def _repr_html_(self) -> str:
        """Return the frame, and a hidden picture for viewers that remove scripts, frames and styles."""
        picture = BytesIO()
        self.still.savefig(picture, format="png")
        style = f"width: 100%; height: {self.height}px; border: none"
        frame = f'<iframe title="Motion" srcdoc="{escape(self.text)}" sandbox="allow-scripts" style="{style}"></iframe>'
        source = f"data:image/png;base64,{b64encode(picture.getvalue()).decode()}"
        return f'{frame}<div style="display: none"><img alt="the first pose" src="{source}"></div>'
