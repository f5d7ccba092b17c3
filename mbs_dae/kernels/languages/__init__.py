"""Straight-line programs, like kernels, in other languages: for users who export equations, and for LLVM."""

from .c import C as C
from .javascript import JAVASCRIPT as JAVASCRIPT
from .python import PYTHON as PYTHON
from .writer import Language as Language
from .writer import Written as Written

LANGUAGES = {one.name: one for one in (C, JAVASCRIPT, PYTHON)}
"""The languages by name."""
