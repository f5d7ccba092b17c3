"""R and its rate at a pose."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...arguments import model_of, system_of
from ...compiled import System
from ...coordinates import JointCoordinates
from ...coordinates.natural.natural import Natural
from ...errors import ModelError
from ...graph.topology import Topology, topology
from ...model.model import Model
from ...results.quantities import frozen
from .blocks import Rows, assembled, point_block, turning_block, vector_block
from .explicit import in_theta
from .letters import in_letters
from .matrices import VelocityTransformation
from .names import column_names, row_names
from .pose import pose_of


def velocity_transformation(
    system: Model | System,
    q: Any = None,
    v: Any = None,
    base: Any = None,
    cut: Any = (),
    *,
    symbolic: bool = False,
    explicit: bool = False,
) -> Any:
    """R and Ṙ of v = R θ̇, for the tree of a mechanism.

    The velocities of the left side are those of bodies (ω in space in body axes), of points and unit vectors for
    ``model.compile("natural")``. θ̇ are the velocities in the joints of the tree; a body that floats has its own. The
    pose is `q`, a state or an array of the coordinates of the given system (which may be joint coordinates), and the
    placement without it. It moves with `v`, or as the state does; at rest Ṙ = 0. `base` and `cut` choose the tree, as
    in `mbs.topology`.

    ``symbolic=True`` gives R in letters, by blocks, for any pose: D_ij, U_i, u_j. ``explicit=True`` gives R of bodies
    as expressions of θ, for small systems.
    """
    if symbolic or explicit:
        if q is not None or v is not None or symbolic and explicit:
            raise ModelError(
                "symbolic=True and explicit=True are two ways to have R for every pose; say one of them, and leave q= "
                "and v= out"
            )
        found = topology(model := model_of(system), base, cut)
        return in_letters(model, found) if symbolic else in_theta(found)
    system = system_of(system)
    if base is None and not cut and isinstance(system.coordinates, JointCoordinates):
        found = system.coordinates.topology  # the tree that its coordinates are of
    else:
        found = topology(system.model, base, cut)
    pose = pose_of(found, system, q, v)
    if not isinstance(system.coordinates, Natural):
        system = system.cartesian
    rows = _of_bodies(system) if system.is_cartesian else _of_points_and_vectors(found, system)
    R, Rdot = assembled(found, pose.tree, system.model, rows, system.nv)
    own_q, own_v, _ = (x[0] for x in system.from_bodies((pose.q[None], pose.v[None], system.cartesian.still[None])))
    R, Rdot, own_q, own_v = map(frozen, (R, Rdot, own_q, own_v))
    names = row_names(system), column_names(found)
    return VelocityTransformation(R, Rdot, *names, found, pose.theta, pose.rates, own_q, own_v)


def _of_bodies(system: System) -> Iterator[Rows]:
    """The velocity of each body's frame, and its angular velocity."""
    for body in system.bodies:
        size, places = body.dimension, list(system.layout.v[body])
        yield Rows(body, point_block, np.zeros(3), places[:size], range(size))
        yield Rows(body, turning_block, np.zeros(3), places[size:], range(3) if size == 3 else [2])


def _of_points_and_vectors(found: Topology, system: System) -> Iterator[Rows]:
    """The basic points and unit vectors. What several bodies share moves with each of them; the one that is nearest to
    the ground has fewest joints before it."""
    natural: Any = system.coordinates
    size = system.model.dimension
    for thing in natural.moving:
        body = min(thing.places, key=lambda b: len(found.path(b)))
        s = np.array([*map(system.evaluator, thing.places[body]), 0.0][:3])
        yield Rows(body, point_block if thing.kind == "point" else vector_block, s, system.layout.v[thing], range(size))
