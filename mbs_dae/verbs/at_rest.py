"""Initial values of a motion in which every velocity is zero except the given ones and those that follow from them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..arguments import model_of
from ..errors import ModelError
from ..model.joints.base import Joint
from ..model.model import Model
from ..motion.initial import nearest_velocity
from ..poses.arcs.zeros import row_of
from ..poses.assembly import posed
from ..public_class import PublicClass
from ..tolerances import ROW_DEPENDENCE, VELOCITY_ROUNDOFF


class Rest(dict[str, float], metaclass=PublicClass):
    """Initial values by name, for `simulate`, and the names of velocities that cannot be zero: see `at_rest`.

    A driver moves its joint, whatever else is at rest:

    >>> model = mbs.PlanarModel("crank")
    >>> A = model.add(mbs.Revolute("A", model.ground, model.link("crank", (0, 0), (1, 0), mass=1).tail))
    >>> model.add(mbs.Driver("motor", mbs.angle(A), 5 * mbs.t))
    <Driver motor>
    >>> rest = mbs.at_rest(model)
    >>> isinstance(rest, mbs.Rest), rest.moving
    (True, ('A.omega',))
    """

    moving: tuple[str, ...] = ()
    """Names of velocities of joints, and of bodies that no joint holds, that follow from the given ones and are not
    zero."""

    def __repr__(self) -> str:
        moves = f"; moving with them: {', '.join(self.moving)}" if self.moving else ""
        return f"<{super().__repr__()}{moves}>"


def at_rest(model: Model, initial: Mapping[str, float] | None = None, t: float = 0.0) -> Rest:
    """Return the initial values of a motion that is at rest at time t, in s, except for the given velocities.

    `simulate` chooses velocities that are not given by least kinetic energy: a double pendulum whose upper joint turns
    swings its lower rod back. Here these velocities are set to zero, one after the other, as far as constraints,
    drivers and the given velocities allow: first the velocities of joints, as "B.omega", in the order of the joints in
    the model, then the velocities of bodies ("b.vx", "b.vy", "b.omega"; in space "b.vx", "b.vy", "b.vz", "b.wx",
    "b.wy", "b.wz"). A velocity that earlier ones determine is not set; if it is not zero, ``moving`` names it.

    `initial` maps names to values and velocities, as in `simulate`. Returns a dict of these and of the velocities that
    are set to zero, for ``simulate(model, times, initial=...)``, ensembles and derivatives.

    >>> model = mbs.PlanarModel("double pendulum")
    >>> upper, lower = model.link("upper", (0, 0), (1, 0), mass=1), model.link("lower", (1, 0), (2, 0), mass=1)
    >>> A, B = model.add(mbs.Revolute("A", model.ground, upper.tail), mbs.Revolute("B", upper.head, lower.tail))
    >>> print(mbs.simulate(model, [0, 0.1], {"A.omega": 1.0})["B.omega"][0].round(6))
    -2.5
    >>> print(mbs.at_rest(model, {"A.omega": 1.0}))
    <{'A.omega': 1.0, 'B.omega': 0.0}>
    >>> print(mbs.simulate(model, [0, 0.1], mbs.at_rest(model, {"A.omega": 1.0}))["lower.omega"][0].round(6))
    1.0
    """
    model = model_of(model)
    if initial is not None and not isinstance(initial, Mapping):
        raise ModelError(
            f'initial must be a dict of names and values, not {initial!r}; e.g. {{"crank.omega": 10}}',
            code="not-a-dict", argument="initial", value=initial,
        )  # fmt: skip
    system, values = model.compile(), {str(name): float(value) for name, value in (initial or {}).items()}
    motion = {name: value for name, value in values.items() if name not in model.signal_units}
    q, _, equations = posed(model, t, motion, None)
    scale = 1.0 / np.sqrt(system.weight)
    rows_of_velocities: list[np.ndarray] = []

    def is_left(row: np.ndarray) -> bool:
        """Return whether a row of velocities is independent of the known rows, by its squared sine; add it to them if
        it is."""
        row = row * scale
        size = float(row @ row)
        if not (np.isfinite(size) and size > 0.0):
            return False
        for _ in range(2):
            for one in rows_of_velocities:
                row = row - (one @ row) * one
        if float(row @ row) < ROW_DEPENDENCE * size:
            return False
        rows_of_velocities.append(row / np.linalg.norm(row))
        return True

    for row in equations.jacobian(t, q).toarray()[:, : system.nv]:
        is_left(row)
    joints = [e for e in model.conditions if isinstance(e, Joint)]
    of_joints = [f"{e.name}.{m.levels[1]}" for e in joints for m in e.measures().values()]
    held_bodies = {marker.body.name for e in joints for marker in e.markers}
    of_bodies = {b: [f"{b}.{m.levels[1]}" for m in model.measures_of(b)] for b in model.bodies}
    names = [*of_joints, *(name for of_body in of_bodies.values() for name in of_body)]
    names = [name for name in dict.fromkeys(names) if model.quantity_or_none(name) and name not in values]
    rows = {name: row_of(system, name, t, q) for name in names}
    rest = Rest({**values, **{name: 0.0 for name, row in rows.items() if is_left(row)}})
    resting = posed(model, t, motion | {name: 0.0 for name in rest if name not in values}, None)[2]
    v = nearest_velocity(system, resting, t, q, None).full_v[: system.nv]
    of_free_bodies = (name for b, of_body in of_bodies.items() if b not in held_bodies for name in of_body)
    names_of_motions = [*of_joints, *of_free_bodies]
    rest.moving = tuple(
        name
        for name in names_of_motions
        if name in rows
        and name not in rest
        and abs(rows[name] @ v) > VELOCITY_ROUNDOFF * float(abs(rows[name]) @ abs(v))
    )
    return rest
