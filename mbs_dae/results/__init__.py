"""Results: named arrays over time, violations, files."""

from .files import load
from .result import Result
from .sketch import Sketch
from .violation import Violation
