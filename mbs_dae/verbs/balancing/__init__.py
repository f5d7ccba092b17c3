"""Counterweights that reduce shaking forces, in closed form."""

from .balance import balance as balance
from .counterweights import Counterweights as Counterweights
