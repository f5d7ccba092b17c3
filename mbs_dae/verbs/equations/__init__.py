"""The equations of a system in textbook names, and a check of hand-written ones against them."""

from .derivation import equations as equations
from .system import SystemEquations as SystemEquations
