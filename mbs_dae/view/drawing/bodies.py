"""Draw bodies: a bar through two points, a plate or a hull through more. The drawing of a body with a single point uses
its joint or its centre of mass."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from ...results.sketch import BodySketch
from ...tolerances import FLAT_SHAPE, SAME_POINT
from .colours import COLOURS
from .motion import in_space
from .stage import DrawingStage, DrawnPiece
from .tracks import OnBody, Rigid

AXIS = 4.5  # length of the axes of a free block, in units of half a joint's symbol

Faces = tuple[tuple[int, ...], ...]


def body_pieces(stage: DrawingStage, body: BodySketch, alpha: float = 1.0, **how: Any) -> Iterator[DrawnPiece]:
    if body.meshes:
        for mesh in body.meshes:
            surface = Rigid(body.name, mesh.points)
            yield stage.area(surface, stage.colour(body.name), mesh.faces.tolist(), alpha=alpha, **how)
        return
    corners = corners_of(stage, body)
    track, lump = OnBody(body.name, corners), stage.signs.lump
    faces, edges = hull(tuple(map(tuple, corners)))
    has_symbol = body.name in stage.drawn_by_joints
    colour = stage.colour(body.name)
    look = {"color": colour, "alpha": alpha, **({"zorder": 2.7} if body.name in stage.slotted else {}), **how}
    if faces:
        yield stage.area(track, colour, faces, alpha=0.3 * alpha, **how)
        if len(faces) == 1:  # a closed line around the face
            outline = corners[[*faces[0], faces[0][0]]]
        else:  # the edges of all faces as one line with gaps (nan) between them
            gap = np.full((1, 3), np.nan)
            outline = np.concatenate([part for a, b in edges for part in (corners[[a, b]], gap)])
        yield stage.line(OnBody(body.name, outline), linewidth=2.5 * stage.fine, **look)
    elif len(distinct(body.points)) == 1:  # the body hangs on one point
        if edges:
            yield stage.line(track, linewidth=4 * stage.fine, **look)
        if not has_symbol:
            yield lump(stage, body.name, corners[-1], **look)
    elif edges:
        yield stage.line(track.taking(edges[0]), linewidth=6 * stage.fine, **look)
    elif not has_symbol:
        yield lump(stage, body.name, corners[0], **look)
    if stage.sketch.dimension == 3 and not faces:
        yield from _attitude(stage, body, bool(edges), **look)


def _attitude(stage: DrawingStage, body: BodySketch, is_rod: bool, **look: Any) -> Iterator[DrawnPiece]:
    """Draw a block on a rod that may spin about itself unseen, and the axes of a body without a joint."""
    com, kinds = in_space(body.com), stage.joint_kinds[body.name]
    if is_rod and len(distinct(body.points)) > 1 and kinds in ([], ["ball"]):
        yield stage.signs.lump(stage, body.name, com, **look)
    if not kinds:
        for direction, colour in zip(np.eye(3), (COLOURS[1], COLOURS[2], COLOURS[0]), strict=True):
            axis = OnBody(body.name, np.stack([com, com + AXIS * stage.symbol * direction]))
            yield stage.line(axis, linewidth=1.6 * stage.fine, **{**look, "color": colour})


def skeleton(stage: DrawingStage, body: BodySketch) -> np.ndarray:
    """Return the corners of a body at each pose: the two ends of a bar, the corners of a plate in a row."""
    corners = corners_of(stage, body)
    faces, edges = hull(tuple(map(tuple, corners)))
    if len(faces) == 1 or (edges and not faces):
        corners = corners[list((*faces, *edges)[0])]
    return stage.shown.places(body.name, corners)


def corners_of(stage: DrawingStage, body: BodySketch) -> np.ndarray:
    """Return the points of a body that its drawing joins, in body axes. A body with one point (or none) also needs its
    centre of mass, unless its joint shows the body."""
    corners = distinct(body.points)
    if len(corners) == 0 or (len(corners) == 1 and body.name not in stage.drawn_by_joints):
        return distinct((*body.points, body.com))
    return corners


def distinct(points: Sequence[Any]) -> np.ndarray:
    """Return the points without those that coincide with an earlier one, shape (points, 3)."""
    array = np.array([in_space(point) for point in points]).reshape(-1, 3)
    least = SAME_POINT * np.abs(array).max(initial=0.0)
    points_apart: list[np.ndarray] = []
    for point in array:
        if all(np.linalg.norm(point - other) > least for other in points_apart):
            points_apart.append(point)
    return np.array(points_apart).reshape(-1, 3)


@cache
def hull(points: tuple[tuple[float, ...], ...]) -> tuple[Faces, tuple[tuple[int, int], ...]]:
    """Return the faces of the convex hull of distinct points, and its edges, as indices of points; for points in one
    plane a single face; for points on a line one edge between its ends. Faces go round counter-clockwise as seen from
    outside, a single face as seen from above."""
    array = np.array(points, dtype=float).reshape(-1, 3)
    if len(array) < 2:
        return (), ()
    centred = array - array.mean(axis=0)
    _, widths, (x, y, z) = np.linalg.svd(centred)
    if widths[1] < FLAT_SHAPE * widths[0]:
        return (), ((int((centred @ x).argmin()), int((centred @ x).argmax())),)
    if len(widths) < 3 or widths[2] < FLAT_SHAPE * widths[0]:
        up = np.cross(x, y)
        faces = [_ring(centred, up * np.sign(up[np.abs(up).argmax()]), range(len(array)))]
    else:
        faces = _faces(centred)
    edges = {(min(a, b), max(a, b)) for face in faces for a, b in zip(face, (*face[1:], face[0]), strict=True)}
    return tuple(faces), tuple(sorted(edges))


def _faces(points: np.ndarray) -> list[tuple[int, ...]]:
    """Return the faces of the hull; triangles in one plane form one face."""
    from scipy.spatial import ConvexHull

    body = ConvexHull(points)
    planes: list[list[int]] = []
    for k, equation in enumerate(body.equations):
        same = next((p for p in planes if np.abs(body.equations[p[0]] - equation).max() < FLAT_SHAPE), None)
        planes.append([k]) if same is None else same.append(k)
    return [_ring(points, body.equations[plane[0], :3], np.unique(body.simplices[plane])) for plane in planes]


def _ring(points: np.ndarray, normal: np.ndarray, corners: Sequence[int] | np.ndarray) -> tuple[int, ...]:
    """Return the convex hull of some of the points in a plane, as indices, counter-clockwise about its normal."""
    from scipy.spatial import ConvexHull

    x = np.cross(np.eye(3)[2 - np.abs(normal)[::-1].argmin()], normal)
    flat = points[list(corners)] @ np.stack([x, np.cross(normal, x)], axis=-1)
    return tuple(int(corners[k]) for k in ConvexHull(flat).vertices)
