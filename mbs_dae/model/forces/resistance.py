"""What takes energy out: friction in joints, drag."""

from __future__ import annotations

import sympy as sp

from ..fields import scalar
from .base import ForceElement
from .effort import EffortElement


class ViscousFriction(EffortElement):
    """Viscous friction in a joint: -coefficient · rate, of the angle of a revolute joint (N m s/rad) or of the
    displacement of a sliding one (N s/m). Between two bodies: of their angle."""

    coordinates = ("angle", "displacement")
    sketch = ""
    coefficient = scalar("N m s/rad", non_negative=True)

    @staticmethod
    def effort(s, rate, coefficient):
        return -coefficient * rate


class Drag(ForceElement):
    """Quadratic drag on a point: -coefficient · |v| v, against its velocity over the ground."""

    work = "dissipated"
    sketch = ""
    coefficient = scalar("N s²/m²", non_negative=True)

    @staticmethod
    def force(i, coefficient):
        v = i.velocity
        return [tuple(-coefficient * sp.sqrt(v.dot(v)) * v)]
