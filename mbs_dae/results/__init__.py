"""What the user gets: named arrays over time, violations, files."""

from .files import load
from .result import Result, Violation
from .sketch import Sketch
