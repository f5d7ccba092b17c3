"""A page in a frame of its own, as a cell of a notebook shows it: neither can disturb the other."""

from base64 import b64encode
from dataclasses import dataclass, field
from html import escape
from io import BytesIO

from matplotlib.figure import Figure

HEIGHT = 620  # pixels
LIVE = 860
"""Of a page with sliders below its drawing."""


@dataclass(frozen=True)
class View:
    """Shown where it is the last value of a cell."""

    text: str = field(repr=False)
    still: Figure = field(repr=False)
    height: int = HEIGHT

    def _repr_html_(self) -> str:
        """The frame, and a still for where scripts and frames are taken out, and styles with them: there it is seen."""
        picture = BytesIO()
        self.still.savefig(picture, format="png")
        style = f"width: 100%; height: {self.height}px; border: none"
        frame = f'<iframe title="Motion" srcdoc="{escape(self.text)}" sandbox="allow-scripts" style="{style}"></iframe>'
        source = f"data:image/png;base64,{b64encode(picture.getvalue()).decode()}"
        return f'{frame}<div style="display: none"><img alt="the first pose" src="{source}"></div>'
