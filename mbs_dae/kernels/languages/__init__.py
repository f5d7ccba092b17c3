"""Straight-line programs, as kernels are, in other languages: for those who take equations away, and for LLVM."""

from .c import C as C
from .javascript import JAVASCRIPT as JAVASCRIPT
from .python import PYTHON as PYTHON
from .writer import Language as Language
from .writer import Written as Written

LANGUAGES = {one.name: one for one in (C, JAVASCRIPT, PYTHON)}
"""By name."""
