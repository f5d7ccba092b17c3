"""R in letters: block by block, for every pose.

    D_ij   the matrix of d_ij = r_i - r_j, D x = d × x         r_i, u_i   basic points and unit vectors
    U_i    the matrix of u_i                                    u_j        the axis of joint j

The blocks are those of `transformation`. A floating body has the velocities ṙ_j and ω_j, a ball its relative angular
velocity ω_j. Here they are in world axes; numbers have them in axes of the body.

Points and vectors are numbered from the ground outwards. Body by body, in the order of their numbers, follow

    a floating base        its centre of mass, and a vector
    a joint                the point of its marker on the parent, and its axis; this is the number j of the joint. If
                           the joint slides, the child's marker is another point, and has the next number
    a body at the end      one more point and vector: its first named marker, or its centre of mass.

Points and vectors at rest have numbers, too, but no velocity. A joint with two or three different axes has them as
u_j^1, u_j^2, u_j^3. An axis that is fixed in both bodies counts for the parent, which has fewer joints before it. In
the plane the axis of all turns is the normal of the plane.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import tau
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from ...graph.topology import Topology
from ...graph.tree import Edge
from ...model.bodies.body import Body
from ...model.joints.motions import Ball, Helix, Slide, Turn
from ...model.model import Model
from ...symbolic.expressions import exact
from .pose import frames_of, on_body, pose_of


@dataclass(frozen=True, eq=False, repr=False)
class LetteredTransformation:
    """R in letters: ``found.R`` is a block matrix of sympy, ``found.latex()`` the whole equation."""

    R: sp.BlockMatrix
    Rdot: sp.BlockMatrix
    rows: tuple[sp.Symbol, ...]  # ṙ_i and u̇_i
    columns: tuple[sp.Symbol, ...]
    model: Model
    topology: Topology
    means: Mapping[str, str]  # the meaning of numbered points and vectors: ``found.means["r_2"]``
    things: tuple[Named, ...]
    pitches: Mapping[sp.Symbol, Any]  # p_j: the advance of a thread, in m/rad

    def __repr__(self) -> str:
        blocks = "{} x {}".format(*self.R.blockshape)
        return f"<velocity transformation of {self.topology.title!r} in letters: {blocks} blocks>"

    def latex(self) -> str:
        """Return the equation of the velocities in LaTeX."""
        left, right = (sp.latex(sp.Matrix(symbols)) for symbols in (self.rows, self.columns))
        return f"{left} = {sp.latex(self.R, mat_symbol_style='bold')} {right}"

    def _repr_latex_(self) -> str:
        return f"$${self.latex()}$$"

    def values(self, q: Any = None) -> dict[Any, Any]:
        """Return the numbers of the letters of R at a pose: ``found.R.subs(found.values()).as_explicit()``."""
        system = self.model.compile()
        frames, number = frames_of(pose_of(self.topology, system, q).tree, self.model), system.evaluator
        r, u = {}, {NORMAL: np.array([0.0, 0.0, 1.0])}
        for thing in self.things:
            s, M = on_body(thing.marker, number)
            if thing.axis is None:
                r[thing.label] = frames[thing.body].at(s)[0]
            else:
                u[thing.label] = frames[thing.body].along(M[:, thing.axis])[0]
        vectors = {_u(label): sp.Matrix(vector) for label, vector in u.items()}
        turned = {_U(label): sp.Matrix(vector).hat() for label, vector in u.items()}
        arms = {_D(i, j): sp.Matrix(r[i] - r[j]).hat() for i in r for j in r if i != j}
        return {**vectors, **turned, **arms, **{p: exact(number(pitch)) for p, pitch in self.pitches.items()}}


def _u(label: str, dot: str = "") -> Any:
    return sp.MatrixSymbol(f"u{dot}_{label}" if label != NORMAL else "e_z", 3, 1)


def _U(label: str, dot: str = "") -> Any:
    return sp.MatrixSymbol(f"U{dot}_{label}", 3, 3)


def _D(i: str, j: str, dot: str = "") -> Any:
    return sp.MatrixSymbol(f"D{dot}_{i}{j}" if len(i + j) == 2 else f"D{dot}_{i},{j}", 3, 3)


def _pitch(hinge: Hinge) -> sp.Symbol:
    return sp.Symbol(f"p_{hinge.label}", real=True)


class _Velocity(NamedTuple):
    """A joint velocity: its letter, the point of its axis, the axis and its rate, and the factors of the axis in t and
    s."""

    symbol: sp.Symbol
    at: str
    u: Any
    du: Any
    turn: Any
    slide: Any


def in_letters(model: Model, topology: Topology) -> LetteredTransformation:
    things, hinges = numbered(topology)
    still = {thing.label for thing in things if thing.axis is not None and thing.body.fixed} | {NORMAL}
    velocities = [(j, velocity) for j, e in enumerate(topology.edges) for velocity in _velocities(e, hinges[e], still)]
    moving = [thing for thing in things if not thing.body.fixed]
    moving.sort(key=lambda thing: (int(thing.label.partition("__")[0]), thing.axis is not None))
    pi = topology.secondary_path_matrix
    blocks = [[_block(x, v, pi[topology.numbers[x.body.name] - 1, j] != 0) for j, v in velocities] for x in moving]
    helices = [(hinges[edge], edge, m) for edge in topology.edges for m in edge.motions if isinstance(m, Helix)]
    return LetteredTransformation(
        R=sp.BlockMatrix([[block for block, _ in row] for row in blocks]),
        Rdot=sp.BlockMatrix([[rate for _, rate in row] for row in blocks]),
        rows=tuple(sp.Symbol(f"{thing.letter}dot_{thing.label}") for thing in moving),
        columns=tuple(velocity.symbol for _, velocity in velocities),
        model=model,
        topology=topology,
        means={f"{thing.letter}_{thing.label}": thing.means for thing in things},
        things=tuple(things),
        pitches={_pitch(hinge): edge.joint.values[helix.pitch] / tau for hinge, edge, helix in helices},
    )


def _velocities(edge: Edge, hinge: Hinge, still: set[str]) -> Iterator[_Velocity]:
    sense, at = -1 if edge.reversed else 1, hinge.near
    one, none = sp.Identity(3), sp.ZeroMatrix(3, 3)
    if edge.floating:
        yield _Velocity(sp.Symbol(f"rdot_{hinge.label}"), at, one, none, 0, 1)
        yield _Velocity(sp.Symbol(f"omega_{hinge.label}"), at, one, none, 1, 0)
        return
    for k, motion in enumerate(edge.motions, start=1):
        label = f"{hinge.label}__{k}" if len(edge.motions) > 1 else hinge.label
        if isinstance(motion, Ball):
            yield _Velocity(sp.Symbol(f"omega_{label}"), at, one, none, sense, 0)
            continue
        name = hinge.vectors[motion.axis]
        u, du = _u(name), sp.ZeroMatrix(3, 1) if name in still else _u(name, "dot")
        turn, slide = (0, sense) if isinstance(motion, Slide) else (sense, 0)
        if isinstance(motion, Helix):
            slide = sense * _pitch(hinge)
        yield _Velocity(sp.Symbol(f"thetadot_{label}"), at, u, du, turn, slide)
        if slide != 0:
            at = hinge.far


def _block(thing: Named, velocity: _Velocity, moves: bool) -> tuple[Any, Any]:
    """Return s - D t of a point, or -U t of a vector, if the velocity `moves` it, else zero; and the rate of this
    block."""
    u, du = velocity.u, velocity.du
    if thing.axis is None:
        D, dD = (_D(thing.label, velocity.at, dot) for dot in ("", "dot"))
        same, slide = thing.label == velocity.at, velocity.slide if moves else 0
    else:
        D, dD = (_U(thing.label, dot) for dot in ("", "dot"))
        same, slide = u == _u(thing.label), 0  # u × u = 0
    turn = velocity.turn if moves and not same else 0
    return (slide * u - turn * D * u).doit(), (slide * du - turn * dD * u - turn * D * du).doit()


# --- numbers of points and vectors ---


@dataclass(frozen=True)
class Named:
    """A point, or a unit vector: an axis of a marker's frame."""

    label: str  # index of the letter: "4", or "2__1" for the first of several axes of a joint
    body: Body
    marker: Any
    axis: int | None = None  # 0, 1, 2; None for a point
    means: str = ""

    @property
    def letter(self) -> str:
        return "r" if self.axis is None else "u"


@dataclass(frozen=True)
class Hinge:
    """The letters of an edge: the points of its axes, and the axes."""

    label: str
    near: str  # the point of the first marker
    far: str  # the point of the second marker
    vectors: dict[int, str]  # by the axis of a motion


NORMAL = "normal"  # the normal of the plane


def numbered(topology: Topology) -> tuple[list[Named], dict[Edge, Hinge]]:
    """Return all points and vectors in the order of their numbers, and the letters of each edge."""
    things: list[Named] = []
    hinges: dict[Edge, Hinge] = {}
    parents = {edge.parent for edge in topology.edges if not edge.floating}
    number = 0
    for body, edge in zip(topology.bodies, topology.edges, strict=True):
        number += 1
        label, here = str(number), str(number)
        if edge.floating:
            things += _pair(label, body, body.at(*body.com), f"the centre of mass of {body.name}")
            hinges[edge] = Hinge(label, label, label, {})
        else:
            first, second = edge.joint.markers
            near, far = (second, first) if edge.reversed else (first, second)
            things.append(Named(label, edge.parent, near, None, _where(edge, edge.parent)))
            vectors = _vectors(edge, label)
            things += [_vector(edge, axis, name) for axis, name in vectors.items() if name != NORMAL]
            if any(not isinstance(motion, Turn | Ball) for motion in edge.motions):
                number += 1
                here = str(number)
                things.append(Named(here, body, far, None, _where(edge, body)))
            hinges[edge] = Hinge(label, *((here, label) if edge.reversed else (label, here)), vectors)
        if body not in parents and not edge.floating:
            number += 1
            marker = next(iter(body.markers.values()), None)
            what = f"{marker.name} of {body.name}" if marker else f"the centre of mass of {body.name}"
            things += _pair(str(number), body, marker or body.at(*body.com), what)
    return things, hinges


def _where(edge: Edge, body: Body) -> str:
    return f"{edge.joint.name} on {body.name}"


def _pair(label: str, body: Body, marker: Any, what: str) -> Iterator[Named]:
    axis = 0 if body.dimension == 2 else 2
    yield Named(label, body, marker, None, what)
    yield Named(label, body, marker, axis, f"{'xyz'[axis]} axis at {what}")


def _vectors(edge: Edge, label: str) -> dict[int, str]:
    """Return the letters of the axes of a joint, in the order of its motions."""
    axes = [*dict.fromkeys(motion.axis for motion in edge.motions if not isinstance(motion, Ball))]
    if edge.child.dimension == 2:
        return {axis: NORMAL if axis == 2 else label for axis in axes}
    return {axis: f"{label}__{k}" if len(axes) > 1 else label for k, axis in enumerate(axes, start=1)}


def _vector(edge: Edge, axis: int, label: str) -> Named:
    """Return an axis as a vector of a body in which it is fixed: no turn about another axis separates the two."""
    at = next(k for k, motion in enumerate(edge.motions) if getattr(motion, "axis", None) == axis)
    parts = [isinstance(m, Ball) or (m.axis != axis and not isinstance(m, Slide)) for m in edge.motions]
    still = [m for m, parting in zip(edge.joint.markers, (parts[:at], parts[at:]), strict=True) if not any(parting)]
    marker = min(still, key=lambda m: m.body is edge.child)
    return Named(label, marker.body, marker, axis, f"axis of {edge.joint.name}")
