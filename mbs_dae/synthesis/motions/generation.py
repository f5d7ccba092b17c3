"""Generate motions: four-bars whose coupler takes given poses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product
from typing import Any, Literal

import numpy as np

from ...errors import ModelError, counted
from ...model.model import Model
from ...model.parameters import check_choice
from ...tolerances import LINK_LENGTH
from ...view.drawing.colours import COLOURS
from ..arguments import check_counts, check_of_linkage, check_of_model, notes_on_degrees, numbers, points_of
from ..bounds import Bounds, bounds_of
from ..candidates import Candidate
from ..defects import defect_table, wrap
from ..linkages import Circle, Linkage, turn
from ..models.candidates import ModelCandidate
from ..models.generation import designs_through, point_names
from ..result import Synthesis, rank
from .burmester import Displacements, circumcentre, displacements, points_of_five_poses, points_of_four_poses

POSE = "[(0, 0, 0), (1, 0.2, 0.3)], rows of x, y and angle"
ON_CURVE = 60
"""The number of crank angles that are tried along the curves of four poses."""
MOST_RETURNED = 24
"""The largest number of linkages of a curve that are returned."""
SLIM, FAR = 20.0, 8.0
"""For linkages of a curve, the largest ratio of two lengths, and the largest distance of pivots over the motion's
size."""

Pair = tuple[complex, complex]
"""A centre, and the place of its circle point in the first pose."""


@dataclass(frozen=True, eq=False)
class MotionTask:
    """The poses that the coupler is to take."""

    places: np.ndarray
    turns: np.ndarray
    ordered: bool = True
    unit: str = "m"

    @property
    def what(self) -> str:
        return f"motion through {len(self.places)} poses"

    @property
    def size(self) -> float:
        return float(np.abs(self.places - self.places[0]).max()) or 1.0

    def draw(self, candidate: Candidate, ax: Any, small: bool) -> None:
        """Draw the poses as small frames, and the coupler in each of them."""
        arm = 0.12 * max(self.size, float(candidate.linkage.b))
        pose = candidate.linkage.pose(candidate.angles, candidate.signs)
        for A, B, P in zip(pose.A, pose.B, pose.P, strict=True):
            outline = np.array([A, B, P, A])
            ax.plot(outline.real, outline.imag, color=COLOURS[0], linewidth=0.8, alpha=0.45, zorder=2)
        for place, angle in zip(self.places, self.turns, strict=True):
            for axis, colour in ((1, COLOURS[4]), (1j, COLOURS[3])):
                end = place + arm * axis * turn(angle)
                ax.plot([place.real, end.real], [place.imag, end.imag], color=colour, linewidth=1.8, zorder=6)


def synthesize_motion(
    poses: Sequence[Sequence[float]] | np.ndarray, moving: Sequence[Sequence[float]] | np.ndarray | None = None,
    fixed: Sequence[Sequence[float]] | np.ndarray | None = None, lengths: Sequence[float] | np.ndarray | None = None,
    ordered: bool = True, kind: Literal["four-bar"] | Model = "four-bar", *, point: str | None = None,
    over: Mapping[Any, Sequence[float]] | None = None, driver: Any = None, starts: int | None = None, seed: int = 0,
    within: Sequence[Sequence[float]] | None = None, ratio: float | None = None,
) -> Synthesis[Any]:  # fmt: skip
    """Find four-bars whose coupler takes two to five poses, (x, y, angle) each; the coupler point P is the origin of
    the moving frame. Or find designs of a model whose marker `point` comes nearest to the poses.

    Five poses leave nothing to choose: up to four points stay on circles (Burmester), and every two of them make a
    linkage. Four poses leave a curve of such points: linkages between points along the whole curve are tried, and the
    best are returned. With three choose the pins A and B, where they are in the first pose, as `moving`, or the pivots
    O and D as `fixed`. With two choose `moving`, and the `lengths` of crank and rocker (by default as long as the ways
    of their pins). Either of two cranks may drive, so that linkages come in pairs. ``ordered=False`` allows the poses
    in any order. `within` are two corners of a box for the pivots, `ratio` is the largest ratio of the longest link to
    the shortest. A model as `kind`, with `point`, `over`, `driver`, `starts` and `seed`, is treated as in
    `mbs.synthesize_path`, for two poses or more.

    >>> found = mbs.synthesize_motion([(0, 0, 0), (1, 0.4, 0.3), (1.8, 0.5, 0.5), (2.4, 0.2, 0.9)])
    >>> not found.best.defects, bool(abs(found.best.error).max() < 1e-10)
    (True, True)
    """
    rows = numbers(poses, "poses", example=POSE, width=3)
    if isinstance(kind, Model):
        check_of_linkage(moving=moving, fixed=fixed, lengths=lengths, within=within, ratio=ratio)
        return _of_model(kind, rows, ordered, point, over=over, driver=driver, starts=starts, seed=seed)
    check_choice(kind, ("four-bar",), "kind")
    check_of_model(point=point, over=over, driver=driver, starts=starts)
    bounds = bounds_of("four-bar", within, None, ratio)
    task = MotionTask(rows[:, :2] @ np.array([1, 1j]), rows[:, 2], bool(ordered))
    _check(task, moving, fixed, lengths)
    # about the first place, in lengths of about 1: where Burmester's equations are well scaled
    move = displacements((task.places - task.places[0]) / task.size, task.turns)
    pins: list[np.ndarray | None] = []
    for choice, name in ((moving, "moving"), (fixed, "fixed")):
        points = None if choice is None else points_of(choice, name, 2)
        if points is not None and points[0] == points[1]:
            raise ModelError(
                f"{name}= has the same point twice; choose two",
                code="given-twice", argument=name, point=(float(points[0].real), float(points[0].imag)),
            )  # fmt: skip
        pins.append(None if points is None else (points - task.places[0]) / task.size)
    scaled = _Choices(*pins)
    curves = None
    if len(rows) == 4:
        curves = points_of_four_poses(move, ON_CURVE)
        scaled_bounds = bounds and bounds.scaled(complex(task.places[0]), task.size)
        dyads = _best_on_curve(move, *curves, task.ordered, scaled_bounds)
    else:
        radii = None if lengths is None else numbers(lengths, "lengths", 2, "(0.5, 0.6)") / task.size
        dyads = list(_pairs(move, scaled, radii))
    # two pivots or pins in one place make no linkage
    linkages = [_candidate(task, *dyad) for dyad in dyads if min(abs(np.subtract(*dyad))) > LINK_LENGTH]
    if curves is not None:
        curves = tuple(task.places[0] + task.size * curve for curve in curves)
    notes = [*notes_on_degrees(task.turns, "angles of poses")]
    if bounds is not None:
        inside = [one for one in linkages if bounds.allow(one.linkage)]
        if not linkages and curves is not None:
            notes.append("no two points of the curves make a linkage inside of the bounds")
        elif len(inside) < len(linkages):
            notes.append(f"{counted(len(linkages) - len(inside), 'linkage')} outside of the bounds left out")
        linkages = inside
    none = (
        "in these poses no crank and rocker of finite lengths stand apart, as where the body turns about one point; "
        "move a pose"
    )
    return rank(task.what, linkages, curves, notes, none=none)


def _of_model(model: Model, rows: np.ndarray, ordered: bool, point: Any, **options: Any) -> Synthesis[ModelCandidate]:
    if model.dimension != 2:
        raise ModelError(
            "poses (x, y, angle) are of a body in the plane; give a PlanarModel",
            code="not-planar", argument="kind", model=model.name,
        )  # fmt: skip
    if len(rows) < 2:
        raise ModelError(
            f"poses has {len(rows)}; give two or more", code="wrong-length", argument="poses", count=len(rows), least=2
        )
    check_counts(options["starts"], options["seed"])
    quantities = [*point_names(model, point, "coupler.P"), f"{point}.angle"]
    what = f"motion through {len(rows)} poses"
    designs = designs_through(model, quantities, rows, what, ordered=bool(ordered), timing=None, angles=1, **options)
    return replace(designs, notes=(*notes_on_degrees(rows[:, 2], "angles of poses"), *designs.notes))


@dataclass(frozen=True)
class _Choices:
    moving: np.ndarray | None
    fixed: np.ndarray | None


def _check(task: MotionTask, moving: Any, fixed: Any, lengths: Any) -> None:
    count = len(task.places)
    if not 2 <= count <= 5:
        more = "no four-bar takes more than five poses in general: leave some out"
        raise ModelError(
            f"poses has {count}; give two to five" + (f" ({more})" if count > 5 else ""),
            code="wrong-length", argument="poses", count=count, least=2, most=5,
        )  # fmt: skip
    for k, m in zip(*np.triu_indices(count, 1), strict=True):
        if (
            abs(task.places[k] - task.places[m]) < LINK_LENGTH * task.size
            and abs(task.turns[k] - task.turns[m]) < LINK_LENGTH
        ):
            raise ModelError(
                f"poses {k} and {m} are the same; leave one out",
                code="given-twice", argument="poses", poses=(int(k), int(m)),
            )  # fmt: skip
    if np.abs(wrap(task.turns - task.turns[0])).max() < LINK_LENGTH and count > 3:
        raise ModelError(
            "all poses have the same angle, and a body that only shifts has no Burmester points to find; turn it",
            code="poses-without-turn", argument="poses", count=count,
        )  # fmt: skip
    if count == 2 and moving is None:
        raise ModelError(
            "two poses leave the pins to choose; say moving=[(x, y), (x, y)], where they are in the first pose",
            code="missing-argument", argument="moving", count=count,
        )  # fmt: skip
    if count == 3 and (moving is None) == (fixed is None):
        what = "three poses leave the pins or the pivots to choose"
        raise ModelError(
            f"{what}; say either moving=[A, B], where they are in the first pose, or fixed=[O, D]",
            code="pins-or-pivots", argument="moving", other="fixed", both=moving is not None, count=count,
        )  # fmt: skip
    if (moving is not None and count > 3) or (fixed is not None and count != 3):
        name = "fixed" if fixed is not None else "moving"
        raise ModelError(
            f"{name}= cannot be chosen with {count} poses; leave it out",
            code="not-supported", argument=name, count=count,
        )  # fmt: skip
    if lengths is not None and count != 2:
        raise ModelError(
            f"lengths= cannot be chosen with {count} poses, they follow; leave it out",
            code="not-supported", argument="lengths", count=count,
        )  # fmt: skip


def _pairs(move: Displacements, choices: _Choices, radii: np.ndarray | None) -> Iterator[tuple[Pair, Pair]]:
    """Yield all pairs of a crank and a rocker."""
    if len(move.R) == 5:
        yield from permutations(points_of_five_poses(move), 2)
        return
    if choices.fixed is not None:
        dyads = [[(complex(O), circumcentre(move.seen(O)))] for O in choices.fixed]
    elif choices.moving is not None and len(move.R) == 3:
        dyads = [[(circumcentre(move.places(A)), complex(A))] for A in choices.moving]
    else:
        pins: Any = [] if choices.moving is None else choices.moving
        radii_of_pins = [None] * len(pins) if radii is None else [float(r) for r in radii]
        dyads = [list(_dyads_of_two_poses(move, complex(A), r)) for A, r in zip(pins, radii_of_pins, strict=True)]
    for name, options in zip("AB", dyads, strict=True):
        if not all(np.isfinite(point) for pair in options for point in pair):
            raise ModelError(
                f"the three places of the pin {name} (or of its pivot) lie on a line: no circle; move it",
                code="places-on-a-line", argument="fixed" if choices.fixed is not None else "moving", pin=name,
            )  # fmt: skip
    for first, second in product(*dyads):
        yield first, second
        yield second, first


def _dyads_of_two_poses(move: Displacements, A: complex, radius: float | None) -> Iterator[Pair]:
    """Yield the two centres at equal distances from both places of A, with A."""
    first, last = move.places(A)
    distance = last - first
    length = abs(distance) if radius is None else radius
    if not 2 * length > abs(distance) > 0:
        short, still = "a crank or rocker is too short for its pin's way", "a pin does not move between the poses"
        what = short if abs(distance) else still
        raise ModelError(
            f"{what}; give longer lengths=, or other pins in moving=",
            code="no-circle-through-places", still=not abs(distance),
        )  # fmt: skip
    height = np.sqrt(length**2 - abs(distance) ** 2 / 4)
    for side in (1, -1):
        yield (first + last) / 2 + side * 1j * height * distance / abs(distance), A


def _best_on_curve(
    move: Displacements, O: np.ndarray, A: np.ndarray, ordered: bool, bounds: Bounds | None
) -> list[tuple[Pair, Pair]]:
    """Return the couples of points with fewest defects that transmit forces best in the poses."""
    near = (np.abs(O) < FAR) & (np.abs(A) < FAR) & (np.abs(A - O) > LINK_LENGTH) & (bounds is None or bounds.hold(O))
    O, A = O[near], A[near]
    i, j = (index.ravel() for index in np.indices((len(O), len(O))))
    i, j = i[i != j], j[i != j]
    lengths = np.stack([np.abs(A[i] - O[i]), np.abs(A[i] - A[j]), np.abs(A[j] - O[j]), np.abs(O[i] - O[j])])
    slim = lengths.max(axis=0) < SLIM * lengths.min(axis=0)
    if bounds is not None and bounds.ratio is not None:
        slim &= lengths.max(axis=0) <= bounds.ratio * lengths.min(axis=0)
    i, j = i[slim], j[slim]
    linkage, theta, drive = _stand(move, O[i, None], A[i, None], O[j, None], A[j, None])
    wrong = np.sum([*defect_table(linkage, theta, np.sign(drive), ordered).values()], axis=0)
    order = np.lexsort((-np.abs(drive).min(axis=1), wrong))
    couples: list[int] = []
    for place in order:  # neighbours on the curve are nearly equal
        if all(abs(O[i[place]] - O[i[k]]) + abs(O[j[place]] - O[j[k]]) > 0.2 for k in couples):
            couples.append(place)
        if len(couples) == MOST_RETURNED:
            break
    return [((complex(O[i[k]]), complex(A[i[k]])), (complex(O[j[k]]), complex(A[j[k]]))) for k in couples]


def _stand(move: Displacements, O: Any, A: Any, D: Any, B: Any) -> tuple[Linkage, np.ndarray, np.ndarray]:
    """Return the linkage, the angles of its crank and the sines of its angle of transmission in all poses."""
    at, to = move.R * A + move.t, move.R * B + move.t
    linkage = Linkage(O, np.abs(A - O), np.abs(B - A), Circle(D, np.abs(B - D)))
    along = (to - at) / np.abs(to - at)
    return linkage, np.angle(at - O), np.real(np.conj(linkage.guide.normal(to)) * 1j * along)


def _candidate(task: MotionTask, first: Pair, second: Pair) -> Candidate:
    origin, size = task.places[0], task.size
    (O, A), (D, B) = ((origin + size * one, origin + size * other) for one, other in (first, second))
    move = displacements(task.places, task.turns)
    linkage, theta, drive = _stand(move, O, A, D, B)
    linkage = replace(linkage, p=(origin - A) * linkage.b / (B - A)).plain()
    signs = np.where(drive >= 0, 1.0, -1.0)
    pose = linkage.pose(theta, signs)
    off = [np.abs(pose.B - move.places(B)), np.abs(pose.P - task.places)]
    return Candidate(linkage, theta, signs, np.where(np.isfinite(off).all(axis=0), np.max(off, axis=0), np.inf), task)
