"""Universal (Cardan) joints: output angle, ratio and acceleration, counted past full turns.

Shaft axes u and w enclose the bend β, c = cos β. The pin of the input yoke is p ⟂ u, the pin of the output yoke q ⟂
w, and the cross keeps p·q = 0. Count the input angle a from the pose in which p is normal to the plane of the shafts.
Then q ∥ w×p turns about w by the angle b from its own start (which lies in that plane):

    tan b = c tan a,      b' = c/(cos² a + c² sin² a),      b'' = c (1 − c²) sin 2a/(cos² a + c² sin² a)².

tan forgets half turns; the difference b − a never leaves (−π/2, π/2), so that with
tan(b − a) = (c − 1) sin a cos a/(cos² a + c sin² a) the angle is exact over any number of turns. If the count begins
with p in the plane of the shafts, c is replaced by 1/c.

Two joints with an intermediate shaft, all three shafts in one plane (Z or W arrangement). The middle shaft's first
pin q starts in the plane. If its second pin is parallel to it (yokes aligned), the second joint begins with its pin
in the plane: tan b = tan(mid)/c₂, and equal bends give b = a. Turned by 90°: tan b = c₂ tan(mid) = c₁c₂ tan a, the
worst.
"""

import numpy as np


def output(angle, bend, start="normal"):
    """Output angle; `start`: at angle 0 the input pin is "normal" to the shafts' plane, or "in plane"."""
    c = _factor(bend, start)
    return angle + np.arctan2((c - 1) * np.sin(angle) * np.cos(angle), np.cos(angle) ** 2 + c * np.sin(angle) ** 2)


def ratio(angle, bend, start="normal"):
    """d(output)/d(input)."""
    c = _factor(bend, start)
    return c / (np.cos(angle) ** 2 + (c * np.sin(angle)) ** 2)


def second_derivative(angle, bend, start="normal"):
    """d²(output)/d(input)²: output acceleration at unit, constant input speed."""
    c = _factor(bend, start)
    return c * (1 - c**2) * np.sin(2 * angle) / (np.cos(angle) ** 2 + (c * np.sin(angle)) ** 2) ** 2


def _factor(bend, start):
    if start not in ("normal", "in plane"):
        raise ValueError(f"start is {start!r}; take 'normal' or 'in plane'")
    return np.cos(bend) if start == "normal" else 1 / np.cos(bend)


def two_joints(angle, bend1, bend2, turned=0.0):
    """Output angle, ratio and second derivative of two joints; `turned` is the angle between the middle yokes."""
    mid, r1, d1 = (f(angle, bend1) for f in (output, ratio, second_derivative))
    second = mid + turned
    out = output(second, bend2, "in plane") - output(turned, bend2, "in plane")
    r2, d2 = ratio(second, bend2, "in plane"), second_derivative(second, bend2, "in plane")
    return out, r2 * r1, d2 * r1**2 + r2 * d1
