"""Read and check targets of markers, and prepare them for the compiled search (`poses.reach.task`)."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...compiled.machine import observe
from ...compiled.manifold import manifold_of
from ...compiled.tree.maps import no_transformation
from ...coordinates.joint.tree_steps import frame_of
from ...errors import ModelError, check_dict
from ...kernels.blocks import block
from ...model.bodies.body import Marker
from ...rotations import about_z, quaternion
from ...tolerances import ORTHONORMALITY
from .joint_space import JointSpace, label
from .task import ReachTask


@dataclass(frozen=True, eq=False)
class Target:
    """The target of a marker: its point, its rotation (a matrix), or both; None is left free."""

    marker: Marker
    point: np.ndarray | None
    rotation: np.ndarray | None

    @property
    def rows(self) -> int:
        flat = self.marker.body.dimension == 2
        return (self.point is not None) * (2 if flat else 3) + (self.rotation is not None) * (1 if flat else 3)


def read_targets(space: JointSpace, targets: Any) -> tuple[Target, ...]:
    check_dict("targets", targets, "markers and where they are to be", '{"hand.tool": (1, 0)}', empty=False)
    out = [_target(space, space.marker(marker), value) for marker, value in targets.items()]
    if len({label(t.marker) for t in out}) < len(out):
        raise ModelError(
            "targets name a marker twice, itself and by its name; say it once", code="given-twice", argument="targets"
        )
    return tuple(out)


def _target(space: JointSpace, marker: Marker, value: Any) -> Target:
    who = f"the target of {label(marker)}"
    d = marker.body.dimension
    if marker.body.fixed:
        raise ModelError(
            f"{who} cannot be reached: the ground does not move; name a marker of a body that does",
            code="marker-on-ground", argument="targets", target=who,
        )  # fmt: skip
    if isinstance(value, tuple | list) and len(value) == 2 and (d == 3 or np.ndim(value[0]) == 1 or value[0] is None):
        point, rotation = value
        if point is None and rotation is None:
            raise ModelError(
                f"{who} says neither point nor rotation; give one of them", code="empty", argument="targets", target=who
            )
        if point is not None and np.ndim(point) == 0:
            what = f"{who} is {value!r}, and two things are read as (point, rotation)"
            raise ModelError(
                f"{what}; a point needs all its {d} numbers",
                code="incomplete-point", argument="targets", target=who, value=value, dimension=d,
            )  # fmt: skip
    else:
        numbers = _numbers(space, value, who)
        if numbers.shape == (d,):
            point, rotation = numbers, None
        elif numbers.shape == (d + 1, d + 1):
            if np.abs(numbers[d] - np.eye(d + 1)[d]).max() > ORTHONORMALITY:
                raise ModelError(
                    f"{who} is not a homogeneous matrix: its last row must be {np.eye(d + 1)[d]}",
                    code="not-a-homogeneous-matrix", argument="targets", target=who,
                )  # fmt: skip
            point, rotation = numbers[:d, d], numbers[:d, :d]
        else:
            remedy = f"give a point ({d} numbers), a homogeneous {d + 1} x {d + 1} matrix, or (point, rotation)"
            raise ModelError(
                f"{who} has shape {numbers.shape}; {remedy}",
                code="wrong-shape", argument="targets", target=who, shape=numbers.shape, dimension=d,
            )  # fmt: skip
    return Target(marker, _point(space, point, d, who), _rotation(space, rotation, d, who))


def _point(space: JointSpace, value: Any, d: int, who: str) -> np.ndarray | None:
    if value is None:
        return None
    point = _numbers(space, value, who)
    if point.shape != (d,):
        raise ModelError(
            f"the point of {who} has shape {point.shape}; give {d} numbers",
            code="wrong-shape", argument="targets", target=who, part="point", shape=point.shape, dimension=d,
        )  # fmt: skip
    return point


def _rotation(space: JointSpace, value: Any, d: int, who: str) -> np.ndarray | None:
    """Return the rotation nearest to a matrix that is a rotation up to roundoff; in the plane an angle is accepted,
    too."""
    if value is None:
        return None
    R = _numbers(space, value, who)
    if d == 2 and R.shape == ():
        return about_z(R)[:2, :2]
    if R.shape != (d, d):
        raise ModelError(
            f"the rotation of {who} has shape {R.shape}; give a {d} x {d} matrix",
            code="wrong-shape", argument="targets", target=who, part="rotation", shape=R.shape, dimension=d,
        )  # fmt: skip
    if np.abs(R.T @ R - np.eye(d)).max() > ORTHONORMALITY or np.linalg.det(R) < 0:
        what = f"the rotation of {who} is none: its columns must be unit vectors at right angles, right-handed"
        raise ModelError(
            f"{what}; e.g. mbs.rotations.about_z(0.3)", code="not-a-rotation", argument="targets", target=who
        )
    U, _, V = np.linalg.svd(R)
    return U @ V


def _numbers(space: JointSpace, value: Any, who: str) -> np.ndarray:
    try:
        entries = np.array(value, dtype=object)
        numbers = np.array([float(space.system.evaluator(x)) for x in entries.ravel()]).reshape(entries.shape)
    except (TypeError, ValueError) as exc:
        if isinstance(value, tuple | list) and any(x is None for x in value):
            what = f"{who} is {value!r}, but a point needs all its {space.model.dimension} numbers"
            remedy = "None stands for a whole point or a whole rotation: (None, rotation)"
            raise ModelError(
                f"{what}; {remedy}",
                code="incomplete-point", argument="targets", target=who, value=value, dimension=space.model.dimension,
            ) from exc  # fmt: skip
        raise ModelError(
            f"{who} must be numbers, not {value!r}", code="not-a-number", argument="targets", target=who, value=value
        ) from exc
    if not np.isfinite(numbers).all():
        raise ModelError(
            f"{who} has a number that is not finite; give finite numbers",
            code="not-finite", argument="targets", target=who,
        )  # fmt: skip
    return numbers


def task_of(space: JointSpace, targets: tuple[Target, ...], low: np.ndarray, high: np.ndarray) -> ReachTask:
    """Return the task with these targets and limits of the coordinates, and its work space."""
    system, d = space.system, space.model.dimension
    machine, batch = system.machine(), system.structure.batch([]).fill(system.evaluator)
    loops, task_rows = len(system.rows), sum(target.rows for target in targets)
    markers = [frame_of(target.marker, system.evaluator) for target in targets]
    points = [np.zeros(d) if target.point is None else target.point for target in targets]
    rotations = [np.eye(d) if target.rotation is None else target.rotation for target in targets]
    coordinate = space.coordinate_of
    bounded = np.maximum(coordinate, 0)
    numbers = {body: k for k, body in enumerate(space.model.bodies.values())}
    observe(machine, 0.0, space.system.placement, system.still)
    return block(
        ReachTask(
            machine=machine,
            tree=machine.transformation.tree,
            manifold=manifold_of(replace(system.layout, turned={}), batch, no_transformation()),
            body=np.array([numbers[t.marker.body] for t in targets], dtype=np.int64),
            asks_place=np.array([t.point is not None for t in targets], dtype=np.int64),
            asks_attitude=np.array([t.rotation is not None for t in targets], dtype=np.int64),
            point=np.array([frame.point for frame in markers]).reshape(-1, 3),
            attitude=np.array([frame.attitude for frame in markers]).reshape(-1, 4),
            target_point=np.array([np.append(point, 0.0)[:3] for point in points]).reshape(-1, 3),
            target_attitude=np.array([quaternion(R if d == 3 else np.eye(3)) for R in rotations]).reshape(-1, 4),
            angle=np.array([m.angle - np.arctan2(R[1, 0], R[0, 0]) for m, R in zip(markers, rotations, strict=True)]),
            unit=space.unit,
            coordinate=coordinate,
            low=np.where(coordinate >= 0, low[bounded], -np.inf),
            high=np.where(coordinate >= 0, high[bounded], np.inf),
            turning=np.ascontiguousarray(space.turning) if loops else np.zeros((0, space.size)),
            placement=space.system.placement,
            task_rows=task_rows,
            gap=1.0 / np.sqrt(machine.transformation.square[:loops] + 1e-300),
            still=system.still,
        ),
        rows=task_rows + loops,
        velocities=system.nv,
        q_size=space.system.placement.size,
    )
