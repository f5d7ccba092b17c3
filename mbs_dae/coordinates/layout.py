"""Where the coordinates of bodies stand, and how a small motion changes them.

A small motion is given like a velocity. What it does to coordinates depends on their kind:

    plain        q̇ = v: places, and the angle of a body in the plane
    quaternion   ė = ½ e ∘ (0, ω), ω in body axes: an attitude in space, four numbers of unit length
    turn         τ̇ = ω: the turning added up, beside every attitude, so that angles can count past 2π

Coordinates that move stand before those of the ground, which never do; turns stand behind them all, since they say
nothing of where a body is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..model.bodies.body import Body


@dataclass(frozen=True, eq=False)
class Layout:
    """All numbers are places in q and in v, the ground's coordinates included."""

    q: Mapping[Any, tuple[int, ...]]
    """The coordinates of every body, in the order of the coordinate set's marker maps; and of what else has some."""
    v: Mapping[Any, tuple[int, ...]]
    plain: np.ndarray
    """Pairs (place in q, place in v)."""
    quaternions: np.ndarray
    """Pairs (place in q of the first of four, place in v of the first of three)."""
    turns: np.ndarray
    """Pairs (place in q of the first of three, place in v of the first of three)."""
    nq: int
    """How many coordinates say where the moving bodies are."""
    nv: int
    q_size: int
    v_size: int
    turned: Mapping[Body, tuple[int, ...]] = field(default_factory=dict)
    """Where the turning of a body is added up whose angular velocity is none of the velocities (in space in body
    axes)."""


def one_after_the_other(bodies: Sequence[Body], ground: Body, width: int) -> Layout:
    """Every body has so many plain coordinates."""
    everyone = [*bodies, ground]
    places = {body: tuple(range(width * k, width * (k + 1))) for k, body in enumerate(everyone)}
    moving, size = width * len(bodies), width * len(everyone)
    none = np.zeros((0, 2), dtype=np.int64)
    plain = np.repeat(np.arange(moving, dtype=np.int64)[:, None], 2, axis=1)
    return Layout(places, places, plain, none, none, moving, moving, size, size)


def with_attitudes(bodies: Sequence[Body], ground: Body) -> Layout:
    """Every body has a place, a quaternion and turns: q = (r, e, ..., τ), v = (ṙ, ω)."""
    everyone = [*bodies, ground]
    count = len(everyone)
    q, v, plain, quaternions, turns = {}, {}, [], [], []
    for k, body in enumerate(everyone):
        place, velocity, turn = 7 * k, 6 * k, 7 * count + 3 * k
        q[body] = (*range(place, place + 7), *range(turn, turn + 3))
        v[body] = tuple(range(velocity, velocity + 6))
        if body is not ground:
            plain += [(place + c, velocity + c) for c in range(3)]
            quaternions.append((place + 3, velocity + 3))
            turns.append((turn, velocity + 3))
    moves, rotates, counts = (np.array(x, dtype=np.int64).reshape(-1, 2) for x in (plain, quaternions, turns))
    return Layout(q, v, moves, rotates, counts, 7 * len(bodies), 6 * len(bodies), 10 * count, 6 * count)
