"""The separating force of gears in models with joint friction: friction depends on it, and it depends on friction."""

from __future__ import annotations

import sympy as sp

from ...symbolic.derive import Form, Reading
from ...symbolic.functions import as_sympy
from ..element import slot
from ..joints import Gear
from ..parameters import Number
from .friction import FrictionElement, Slots

ONE = slot("one")


class Separation(FrictionElement):
    """The separating force |F_t| tan α on the wheels of a gear, as a law of contact: along the row of the rate at which
    teeth separate it has the size of a friction that slips, tan α |λ|, with λ the multiplier of the gear, and one
    constant direction. The rate vanishes in the bearings, so this force does no work."""

    units = ("m/s",)
    loads = property(lambda self: {}, doc="None: `reaction` of the gear has it.")

    def __init__(self, gear: Gear):
        self.name, self.gear, self.joint = f"pressure angle of {gear.name}", gear, gear.name
        self.markers = gear.markers[:2]
        self._form = gear.separation  # the separation is no element of a model

    @property
    def who(self) -> str:
        return f"the pressure angle of {self.gear.who}"

    @property
    def laws(self) -> tuple[Number, ...]:
        """The numbers of a friction law; the last number, less than zero, marks a force of one direction."""
        slope = sp.tan(as_sympy(self.gear.pressure_angle))
        return 0.0, slope, slope, -1.0

    @property
    def bound(self) -> tuple[Form, Slots]:
        """The factor of the gear's multiplier: 1."""
        return Reading(self._form[0].markers, (ONE,), slots=(ONE,)), {ONE: 1.0}
