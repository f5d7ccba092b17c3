"""Coordinates of a joint as functions of its two markers, in equations.

The motions of a joint lead from its first marker to the second, T_j = T_i μ₁ μ₂ .... With δ = p_j - p_i, and e_a, e_b
two of the axes, e_a × e_b = s e_c,

    Slide    the component of δ along an axis of i, and behind a turn along an axis of j
    Turn     of Rot(e_a, θ) Rot(e_b, ψ):   θ = atan2(s i_c · j_b, i_b · j_b),     ψ = atan2(s j_c · i_a, j_a · i_a),
             where i_k, j_k are the axes of the markers; of a single turn any e_b is as good
    Ball     has no coordinates that are functions of the pose without a seam: its rates are j_k · (ω_j - ω_i).

These equations and those of the joint say together where the second body is.
"""

from collections.abc import Sequence
from typing import Any

import sympy as sp

from ...model.joints.motions import Ball, Elementary, Slide
from ...symbolic.derive import Relation
from ...symbolic.markers import marker_symbols


def coordinates_of(motions: Sequence[Elementary], dimension: int) -> tuple[Relation, list[int]]:
    """Return the equations, and the row of each velocity in them: those of places stand before those of rates."""
    i, j = marker_symbols(2, dimension)
    places, rates, rows = list[Any](), list[Any](), list[tuple[bool, int]]()
    turns = [motion for motion in motions if not isinstance(motion, Slide | Ball)]
    has_turned = False
    for motion in motions:
        if isinstance(motion, Ball):
            rows += [(True, len(rates) + k) for k in range(3)]
            rates += [axis.dot(j.omega - i.omega) for axis in j.axes]
            has_turned = True
            continue
        rows.append((False, len(places)))
        if isinstance(motion, Slide):
            axes = (j if has_turned else i).axes
            places.append(axes[motion.axis].dot(j.point - i.point))
            continue
        has_turned = True
        places.append(j.angle - i.angle if dimension == 2 else _angle(motion.axis, [one.axis for one in turns], i, j))
    return Relation((i, j), tuple(places), tuple(rates)), [k + is_rate * len(places) for is_rate, k in rows]


def _angle(axis: int, turns: Sequence[int], i: Any, j: Any) -> sp.Expr:
    """The angle about this axis, of a turn or of two, about axes at right angles."""
    a, b = turns if len(turns) == 2 else (axis, (axis + 1) % 3)
    c, sign = 3 - a - b, 1 if b == (a + 1) % 3 else -1
    if axis == a:
        return sp.atan2(sign * i.axes[c].dot(j.axes[b]), i.axes[b].dot(j.axes[b]))
    return sp.atan2(sign * j.axes[c].dot(i.axes[a]), j.axes[a].dot(i.axes[a]))
