"""Counterweights that take shaking forces away, in closed form."""

from .balance import balance as balance
from .counterweights import Counterweights as Counterweights
