"""Kinematics of a tree, body by body: from the coordinates of the joints, without equations to solve.

If every body hangs on one joint, its pose, velocity and acceleration follow from those of its parent
(`coordinates.joint.recursion`). For a point that is fixed on a body, at p = A s from the body's origin, they are

    r + p,        ṙ + ω × p,        r̈ + α × p + ω × (ω × p).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from ..arguments import model_of, without_derivatives
from ..compiled import System
from ..coordinates.joint.tree_steps import Freedom
from ..coordinates.natural.motions import swept
from ..errors import ModelError, check_name
from ..graph.topology import topology
from ..model.checks import warn_of_angles
from ..model.joints.motions import Ball, Slide
from ..model.measures import KINDS
from ..model.model import Model
from ..model.parameters import Number, finite_number
from ..poses.reach.joint_space import JointSpace, label
from ..readings.motion import marker_frame
from ..results.quantities import frozen
from ..results.result import State

LEVELS = ("coordinate", "rate of a coordinate", "acceleration of a coordinate")
Values = Mapping[str, Number]
Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True, eq=False, repr=False)
class RecursiveKinematics:
    """Poses and motions of bodies and their named markers, in world axes: ``found.position["rod"]``,
    ``found.velocity["rod.tip"]``.

    An attitude is the matrix whose columns are the axes of the body, or of the marker (in the plane 2 x 2). Angular
    velocities are vectors in space, and numbers in the plane.
    """

    coordinates: Mapping[str, float]
    """Coordinates of the joints that have a name, as given or as in the reference placement."""
    attitude: Arrays
    position: Arrays
    velocity: Arrays
    acceleration: Arrays
    angular_velocity: Arrays
    angular_acceleration: Arrays
    state: State
    """The motion as a state: ``found.state["rod.x"]``; other runs may start from it."""

    def __repr__(self) -> str:
        values = ", ".join(f"{name} = {value:g}" for name, value in self.coordinates.items())
        return f"<RecursiveKinematics of {self.state.system.model.name!r}: {values}>"


@without_derivatives
def recursive_kinematics(
    model: Model | System, values: Values, rates: Values | None = None, accelerations: Values | None = None
) -> RecursiveKinematics:
    """Return poses, velocities and accelerations of a mechanism without loops for given joint coordinates.

    The coordinates have the names of results and SI units: ``values={"A.angle": 0.3, "guide.displacement": 0.1}``,
    ``rates={"A.omega": 2.0, "guide.velocity": 0.5}``, ``accelerations={"A.alpha": 1.0}``; for a floating body "body.x",
    "body.vx", "body.ax" and so on (in space its angular velocity is "body.wx", "body.wy", "body.wz"). Coordinates that
    are not given have their values in the reference placement and are at rest, as do motions without a name
    in results: of balls, of the slides of a planar joint, of the turns of a universal joint; and for the attitude
    of a floating body in space.

    Drivers and forces are ignored. A model with loops is refused: `mbs.kinematics` solves it. Returns a
    `RecursiveKinematics`.

    An arm of two links, stretched; the second one turns at 2 - 1 rad/s:

    >>> arm = mbs.PlanarModel.from_points({"A": (0, 0), "B": (1, 0), "C": (3, 0)}, rods=["AB", "BC"], fixed="A")
    >>> found = mbs.recursive_kinematics(arm, {"A.angle": 0, "B.angle": 0}, {"A.omega": 2, "B.omega": -1})
    >>> found.velocity["BC.C"]  # 2 rad/s times 1 m, and 1 rad/s times 2 m
    array([0., 4.])
    >>> found.acceleration["BC.C"]  # towards A
    array([-6.,  0.])
    """
    model = model_of(model)
    tree = topology(model)
    if loops := [c.name for c in tree.cuts]:
        what = f"{model.name!r} has loops, closed by {', '.join(loops)}: coordinates of joints cannot be chosen freely "
        raise ModelError(
            what + "there; use mbs.kinematics or mbs.assemble", code="has-loops", model=model.name, joints=loops
        )
    if others := [c.name for c in tree.couplings if not c.driver]:
        what = f"{model.name!r} has equations besides the joints of its tree: {', '.join(others)}"
        remedy = "leave them out with model.without(...), or use mbs.kinematics or mbs.assemble"
        raise ModelError(f"{what}; {remedy}", code="equations-beside-tree", model=model.name, joints=others)
    space, system = JointSpace.of(model), model.compile()
    warn_of_angles(model, values, "values")
    freedoms = space.coordinates.freedoms
    q, (v, a) = space.system.placement.copy(), np.zeros((2, space.system.nv))
    for level, (numbers, motions) in enumerate(((q, values), (v, rates or {}), (a, accelerations or {}))):
        _fill(numbers, motions, freedoms, level, system)
    bodies = space.system.to_bodies((space.turned(q)[None], v[None], a[None]))
    state = State(system, 0.0, *(x[0] for x in bodies))
    coordinates = {name: float(q[freedom.q]) for name, (freedom, _) in _names(freedoms, 0).items()}
    return RecursiveKinematics(coordinates=MappingProxyType(coordinates), state=state, **_motions(state))


# --- names of coordinates ---------------------------------------------------------------------------------------


def _names(freedoms: Iterable[Freedom], level: int) -> dict[str, tuple[Freedom, int]]:
    """Return the names of values (level 0), rates (1) or accelerations (2), with the motion and the component of
    each."""
    names = {}
    for freedom in freedoms:
        owner = freedom.edge.child.name if freedom.edge.floating else freedom.edge.joint.name
        for component, kind in enumerate(_kinds(freedom)):
            if name := KINDS[kind].levels[level]:
                names[f"{owner}.{name}"] = freedom, component
    return names


def _kinds(freedom: Freedom) -> tuple[str, ...]:
    """Return the measures that read a motion; none if the motion has no name."""
    edge, motion = freedom.edge, freedom.motion
    if isinstance(motion, Ball):
        return ("wx", "wy", "wz") if edge.floating else ()
    slides = isinstance(motion, Slide)
    if edge.floating:
        return ("xyz"[motion.axis] if slides else "angle",)
    guide = 0 if edge.child.dimension == 2 else 2
    kind = "displacement" if slides else "angle"
    return (kind,) if kind in edge.joint.measures() and (not slides or motion.axis == guide) else ()


def _fill(numbers: np.ndarray, values_by_name: Values, freedoms: Iterable[Freedom], level: int, system: System) -> None:
    names = _names(freedoms, level)
    for name, value in values_by_name.items():
        check_name(LEVELS[level], name, names, f"the tree of {system.model.name!r}")
        freedom, component = names[name]
        number = finite_number(system.evaluator(value), repr(name))
        if level == 0:
            numbers[freedom.q] = number
        elif isinstance(freedom.motion, Ball):  # given in world axes, stored in body axes, which are as placed
            _, rotation = marker_frame(system, system.placement, freedom.edge.child.origin)
            numbers[freedom.v : freedom.v_end] += number * rotation[component]
        else:
            numbers[freedom.v] = number


# --- motions of bodies and markers ------------------------------------------------------------------------------


MOTIONS = ("attitude", "position", "velocity", "acceleration", "angular_velocity", "angular_acceleration")


def _motions(state: State) -> dict[str, Any]:
    """Return attitudes, positions, velocities and accelerations (also angular ones) of all bodies and named markers."""
    motions: dict[str, dict[str, np.ndarray]] = {what: {} for what in MOTIONS}
    system = state.system
    for body in system.bodies:
        origin, rotation = marker_frame(system, state.full_q, body.origin)
        places, size = list(system.layout.v[body]), origin.size
        (dr, omega), (ddr, alpha) = np.split(state.full_v[places], [size]), np.split(state.full_a[places], [size])
        if size == 3:
            omega, alpha = rotation @ omega, rotation @ alpha
        spin = (omega, alpha) if size == 3 else (omega[0], alpha[0])
        for marker in (body.origin, *body.markers.values()):
            position, attitude = marker_frame(system, state.full_q, marker)
            arm = position - origin
            velocity = dr + swept(omega, arm)
            acceleration = ddr + swept(alpha, arm) + swept(omega, swept(omega, arm))
            quantities = attitude, position, velocity, acceleration, *spin
            for values, value in zip(motions.values(), quantities, strict=True):
                values[label(marker)] = frozen(np.array(value, dtype=float))
    return {what: MappingProxyType(values) for what, values in motions.items()}
