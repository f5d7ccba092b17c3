"""Results: named arrays over time, violations, files."""

from .files import load
from .quantities import Violation
from .result import Result
from .sketch import Sketch
