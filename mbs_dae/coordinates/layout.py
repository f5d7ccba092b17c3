"""Where the coordinates of bodies stand, and how a small motion changes them.

A small motion is given like a velocity. What it does to coordinates depends on their kind:

    plain        q̇ = v: places, and the angle of a body in the plane
    quaternion   ė = ½ e ∘ (0, ω), ω in body axes: an attitude in space, four numbers of unit length
    turn         τ̇ = ω: the turning added up, beside every attitude, so that angles can count past 2π

Coordinates that move stand before those of the ground, which never do; turns stand behind them all, since they say
nothing of where a body is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..model.bodies.body import Body


def pairs(rows: Iterable[Any] = ()) -> np.ndarray:
    return np.array([*rows], dtype=np.int64).reshape(-1, 2)


@dataclass(frozen=True, eq=False)
class Layout:
    """All numbers are places in q and in v, the ground's coordinates included."""

    q: Mapping[Any, tuple[int, ...]]
    """The coordinates of every body, in the order of the coordinate set's marker maps; and of what else has some."""
    v: Mapping[Any, tuple[int, ...]]
    nq: int
    """How many coordinates say where the moving bodies are."""
    nv: int
    q_size: int
    v_size: int
    plain: np.ndarray
    """Pairs (place in q, place in v)."""
    quaternions: np.ndarray = field(default_factory=pairs)
    """Pairs (place in q of the first of four, place in v of the first of three)."""
    turns: np.ndarray = field(default_factory=pairs)
    """Pairs (place in q of the first of three, place in v of the first of three)."""
    turned: Mapping[Body, tuple[int, ...]] = field(default_factory=dict)
    """Where the turning of a body is added up whose angular velocity is none of the velocities (in space in body
    axes)."""


def span(start: int, count: int) -> tuple[int, ...]:
    return tuple(range(start, start + count))


def cartesian_layout(bodies: Sequence[Body], ground: Body) -> Layout:
    """Every body has three plain coordinates, in space a quaternion and turns too: q = (r, e, ..., τ), v = (ṙ, ω)."""
    own, rates, hidden = (3, 3, 0) if ground.dimension == 2 else (7, 6, 3)
    moving, count = range(len(bodies)), len(bodies) + 1
    attitudes = moving if hidden else ()
    everyone = [*enumerate([*bodies, ground])]
    return Layout(
        q={body: span(own * k, own) + span(own * count + hidden * k, hidden) for k, body in everyone},
        v={body: span(rates * k, rates) for k, body in everyone},
        nq=own * len(bodies),
        nv=rates * len(bodies),
        q_size=(own + hidden) * count,
        v_size=rates * count,
        plain=pairs((own * k + c, rates * k + c) for k in moving for c in range(3)),
        quaternions=pairs((own * k + 3, rates * k + 3) for k in attitudes),
        turns=pairs((own * count + hidden * k, rates * k + 3) for k in attitudes),
    )
