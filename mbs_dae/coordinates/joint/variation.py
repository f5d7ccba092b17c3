"""The coordinates of a joint as functions of the pose of its two markers.

The motions of a joint lead from its first marker to the second, T_j = T_i μ₁ μ₂ .... With δ = p_j - p_i, and e_a, e_b
two of the axes, e_a × e_b = s e_c,

    Slide    the component of δ along an axis of i; if slides follow turns, along an axis of j
    Turn     a turn in Rot(e_a, θ) Rot(e_b, ψ):  θ = atan2(s i_c · j_b, i_b · j_b),  ψ = atan2(s j_c · i_a, j_a · i_a),
             where i_k, j_k are the axes of the markers; for a single turn any e_b serves. The turn of a Helix is one
    Ball     no coordinate is a function of the pose without a seam; the rates are j_k · (ω_j - ω_i)

Together with the equations of the joint these functions determine the pose of the second body.
"""

from collections.abc import Sequence
from typing import Any

import sympy as sp

from ...model.joints.motions import Ball, Elementary, Helix, Slide
from ...symbolic.derive import Relation
from ...symbolic.markers import marker_symbols


def has_coordinates(motions: Sequence[Elementary]) -> bool:
    """Return whether `coordinates_of` holds for a joint with these motions: slides along different axes, all before or
    all behind what turns; and what turns is one turn, two turns about different axes, one ball, or a helix alone."""
    kinds = [isinstance(motion, Slide) for motion in motions]
    slides = [motion.axis for motion in motions if isinstance(motion, Slide)]
    turns = [motion for motion in motions if not isinstance(motion, Slide)]
    in_order = kinds in (sorted(kinds), sorted(kinds, reverse=True)) and len({*slides}) == len(slides)
    if len(turns) > 1:
        axes = {None if isinstance(turn, Ball | Helix) else turn.axis for turn in turns}
        return in_order and len(turns) == 2 and len(axes) == 2 and None not in axes
    return in_order and not (slides and any(isinstance(turn, Helix) for turn in turns))


def coordinates_of(motions: Sequence[Elementary], dimension: int) -> tuple[Relation, list[int]]:
    """Return the equations, and the row of each velocity in them: those of places stand before those of rates."""
    i, j = marker_symbols(2, dimension)
    places, rates, rows = list[Any](), list[Any](), list[tuple[bool, int]]()
    turns = [motion for motion in motions if not isinstance(motion, Slide | Ball)]
    follows_turn = False
    for motion in motions:
        if isinstance(motion, Ball):
            rows += [(True, len(rates) + k) for k in range(3)]
            rates += [axis.dot(j.omega - i.omega) for axis in j.axes]
            follows_turn = True
            continue
        rows.append((False, len(places)))
        if isinstance(motion, Slide):
            axes = (j if follows_turn else i).axes
            places.append(axes[motion.axis].dot(j.point - i.point))
            continue
        follows_turn = True
        if dimension == 2:
            places.append(j.angle - i.angle)
            continue
        # the angle of a turn, alone or one of two about perpendicular axes
        a, b = [turn.axis for turn in turns] if len(turns) == 2 else (motion.axis, (motion.axis + 1) % 3)
        c, sign = 3 - a - b, 1 if b == (a + 1) % 3 else -1
        if motion.axis == a:
            places.append(sp.atan2(sign * i.axes[c].dot(j.axes[b]), i.axes[b].dot(j.axes[b])))
        else:
            places.append(sp.atan2(sign * j.axes[c].dot(i.axes[a]), j.axes[a].dot(i.axes[a])))
    return Relation((i, j), tuple(places), tuple(rates)), [k + is_rate * len(places) for is_rate, k in rows]
