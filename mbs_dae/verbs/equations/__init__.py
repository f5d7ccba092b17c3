"""The equations of a system in textbook names, and a check of hand-written ones against them."""

from .system import SystemEquations as SystemEquations
from .system import equations as equations
