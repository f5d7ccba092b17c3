"""A marker and a body in space in natural coordinates: four points and vectors x₀ ... x₃.

    p = Σ c_k x_k,      an axis of the frame  a_j = Σ A_jk x_k,      ω = ½ Σ a_j × ȧ_j

All is linear in x but ω, and ω̇ = ½ Σ a_j × ä_j: no bias accelerations.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import sympy as sp

from ...symbolic.derive import Definition, Inertia, MarkerMap
from ..cartesian import cross

THINGS = 4


def _vectors(name: str, suffix: str = "") -> list[sp.Matrix]:
    return [sp.Matrix([sp.Symbol(f"{name}{k}{x}{suffix}", real=True) for x in "xyz"]) for k in range(THINGS)]


def _weights(name: str, suffix: str = "") -> list[sp.Symbol]:
    return [sp.Symbol(f"{name}{k}{suffix}", real=True) for k in range(THINGS)]


def _combined(weights: Sequence[sp.Expr], parts: Sequence[sp.Matrix]) -> sp.Matrix:
    return sum((w * part for w, part in zip(weights, parts, strict=True)), sp.zeros(*parts[0].shape))


@cache
def marker_map(label: str) -> MarkerMap:
    """The slots: the weights of the point, those of the three axes, the z axis in body axes. `t` are the turns of the
    body, added up in body axes."""
    end = f"_{label}"
    x, v = _vectors("x", end), _vectors("v", end)
    turns, own_axis = (sp.Matrix([sp.Symbol(f"{n}{k}{end}", real=True) for k in "xyz"]) for n in ("t", "l"))
    point = _weights("c", end)
    axes = [_weights(f"{letter}w", end) for letter in "xyz"]
    named = [sp.Matrix([sp.Symbol(f"w{letter}{k}{end}", real=True) for k in "xyz"]) for letter in "xyz"]
    steps: list[Definition] = []
    for symbol, weights in zip(named, axes, strict=True):
        steps += zip(symbol, _combined(weights, x), strict=True)
    turning = [_combined([w[k] / 2 for w in axes], [cross(a) for a in named]) for k in range(THINGS)]
    return MarkerMap(
        q=(*(s for xk in x for s in xk), *turns),
        v=tuple(s for vk in v for s in vk),
        slots=(*point, *(w for weights in axes for w in weights), *own_axis),
        values=(*_combined(point, x), *(s for a in named for s in a), own_axis.dot(turns)),
        P=sp.Matrix(sp.BlockMatrix([[c * sp.eye(3) for c in point], turning])),
        bias=sp.zeros(6, 1),
        steps=tuple(steps),
    )


def form_without(zeros: Sequence[tuple[int, int]]) -> str:
    """What an inertia is called of whose M these entries are 0, such as that of a bar between its length and a
    vector at right angles to it."""
    return " ".join(["rigid", *(f"{k}{l}" for k, l in zeros)])


@cache
def inertia(form: str) -> Inertia:
    """T = ½ Σ M_kl v_k · v_l,      U = -g · Σ m_k x_k.

    The slots: the lower triangle of M, the m_k (mass times the weights of its centre), gravity."""
    own = marker_map("i")
    x, v = _vectors("x", "_i"), _vectors("v", "_i")
    M = {(k, l): sp.Symbol(f"M{k}{l}", real=True) for k in range(THINGS) for l in range(k + 1)}
    zeros = {tuple(map(int, entry)) for entry in form.split()[1:]}
    left = {place: entry for place, entry in M.items() if place not in zeros}
    weights = _weights("m")
    g = sp.Matrix(sp.symbols("gx gy gz", real=True))
    return Inertia(
        own.q,
        own.v,
        (*M.values(), *weights, *g),
        (),
        mass=tuple((3 * k + c, 3 * l + c, entry) for (k, l), entry in left.items() for c in range(3)),
        forces=tuple((3 * k + c, weights[k] * g[c]) for k in range(THINGS) for c in range(3)),
        potential=-g.dot(_combined(weights, x)),
        kinetic=sp.Add(*(entry * v[k].dot(v[l]) / (1 + (k == l)) for (k, l), entry in left.items())),
    )
