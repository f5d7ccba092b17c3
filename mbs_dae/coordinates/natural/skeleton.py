"""The basic points and unit vectors that describe bodies, and that bodies share.

If a joint makes two points coincide, or two directions, there is one point or vector, which belongs to both bodies: the
joint then needs no equation for it, and its rows are left out. A joint class declares such pairs (`Joint.shares`).
Points and vectors on the ground stand still and are no unknowns.

The *base* of a body describes the body: in the plane a point and a second point (or a vector), in space four
independent points and vectors, with a point among them. Things that the joints of a body do not provide are added.
Things beyond the base are linear combinations of the base.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ...errors import ModelError
from ...model.bodies.body import Body, Marker
from ...model.joints.base import Condition
from ...model.model import Model
from ...model.parameters import Evaluator, Number
from ...tolerances import SAME_POINT

POINT, VECTOR = "point", "vector"

APART = 0.3
"""The least sine of the angle between a direction of a base and those before it: nearly parallel directions describe a
body badly."""

Place = tuple[Number, ...]


@dataclass(eq=False)
class Thing:
    """A basic point or a unit vector."""

    kind: str
    name: str
    fixed: bool = False
    places: dict[Body, tuple[Number, ...]] = field(default_factory=dict)
    """The place on each of its bodies, in body axes."""

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}>"


@dataclass(frozen=True, eq=False)
class Skeleton:
    """All points and vectors, those of each body, and the rows of joints that they replace."""

    things: tuple[Thing, ...]
    of: dict[Body, tuple[Thing, ...]]
    base: dict[Body, tuple[Thing, ...]]
    settled: dict[str, frozenset[int]]
    """For each joint, the rows that shared things satisfy."""
    merged: tuple[tuple[Body, Place, Place], ...] = ()
    """Places on a body that are written differently and were taken as one."""
    samples: Sequence[Evaluator] = ()
    """Sample values of the parameters: a property that holds for all samples is taken to hold for all values."""

    def check_values(self, number: Evaluator) -> None:
        """Raise an error if places that coincide with the sample values of the parameters do not with these."""
        for body, a, b in self.merged:
            if not near(number, a, b):
                what = f"{a} and {b} on body {body.name!r} coincide with some values of the parameters"
                why = "and not with these; natural coordinates took them for one"
                raise ModelError(
                    f"{what}, {why}: build the model with these values", code="frame-of-other-values", body=body.name
                )


def skeleton_of(model: Model) -> Skeleton:
    things: list[Thing] = []
    same = PlaceComparison(model)
    settled: dict[str, frozenset[int]] = {}
    for joint in model.conditions:
        if joint.name in model.felt:
            settled[joint.name] = frozenset()
            continue
        found = (rows for what, rows in joint.shares.get(joint.dimension, ()) if _shared(joint, what, things, same))
        settled[joint.name] = frozenset(row for rows in found for row in rows)
    base = _bases(model, things)
    of = {body: tuple(x for x in things if body in x.places) for body in base}
    return Skeleton(tuple(things), of, base, settled, tuple(same.merged), same.numbers)


# --- sharing ------------------------------------------------------------------------------------------------------


def _shared(joint: Condition, what: str, things: list[Thing], same: PlaceComparison) -> bool:
    """Let both bodies share the things that the joint makes coincide, and return whether they share them. They share
    nothing if a body would have one thing in two places, or if two bodies would have the same things at other
    distances: there the joint keeps its rows, which contradict each other."""
    letters, count = [what] if what == POINT else [*what], len(things)
    joined = []
    for letter in letters:
        kind = POINT if what == POINT else VECTOR
        first, second = (_thing_at(marker, kind, letter, joint.name, things, same) for marker in joint.markers[:2])
        if first is not second:
            joined.append((first, second))
    pairs = [*((x, x) for x in things), *joined]
    one_place = all(same(b, x.places[b], y.places[b]) for x, y in joined for b in x.places if b in y.places)
    if not one_place or not all(same.figure(a, b, pairs) for x, y in joined for a in x.places for b in y.places):
        del things[count:]
        return False
    for first, second in joined:
        first.places.update(second.places)
        first.fixed = first.fixed or second.fixed
        second.places.clear()
        things.remove(second)
    return True


def _thing_at(marker: Marker, kind: str, letter: str, name: str, things: list[Thing], same: PlaceComparison) -> Thing:
    """Return the thing at a marker: one that its body already has, or a new one."""
    body = marker.body
    place = marker.point if kind == POINT else tuple(zip(*marker.frame, strict=True))["xyz".index(letter)]
    for thing in things:
        if thing.kind == kind and body in thing.places and same(body, thing.places[body], place):
            return thing
    thing = Thing(kind, name if kind == POINT else f"{name} {letter}", body.fixed, {body: place})
    things.append(thing)
    return thing


def sample_evaluators(model: Model) -> list[Evaluator]:
    """Return two sets of values of the parameters, none of which is 0 in both: a property that holds for both is taken
    to hold for all values."""
    random = np.random.default_rng(3)
    others = {p.symbol: p.value * (1 + 0.3 * random.random()) or random.random() for p in model.parameters.values()}
    return [model.evaluator(), Evaluator(others)]


def near(number: Evaluator, a: Sequence[Number], b: Sequence[Number]) -> bool:
    x, y = (np.array([number(n) for n in place]) for place in (a, b))
    return bool(np.abs(x - y).max() <= SAME_POINT * max(np.abs(x).max(), np.abs(y).max(), 1e-6))


class PlaceComparison:
    """A test whether places on bodies are the same for all values of the parameters: for the present ones and for
    others."""

    def __init__(self, model: Model) -> None:
        self.numbers = sample_evaluators(model)
        self.merged: list[tuple[Body, Place, Place]] = []

    def __call__(self, body: Body, a: Sequence[Number], b: Sequence[Number]) -> bool:
        if tuple(a) == tuple(b):
            return True
        if not all(near(number, a, b) for number in self.numbers):
            return False
        self.merged.append((body, tuple(a), tuple(b)))
        return True

    def figure(self, a: Body, b: Body, pairs: Sequence[tuple[Thing, Thing]]) -> bool:
        """Return whether all things that two bodies share, or will share, have the same figure on both; the first thing
        of a pair is on one body, the second on the other."""
        shared = [(x, y) for x, y in pairs if a in x.places and b in y.places]
        if a is b or len(shared) < 2:
            return True
        points = [x.kind == POINT for x, _ in shared]
        sides = [x.places[a] for x, _ in shared], [y.places[b] for _, y in shared]
        return all(
            _congruent(points, *(np.array([[number(n) for n in place] for place in side]) for side in sides))
            for number in self.numbers
        )


def _congruent(points: Sequence[bool], first: np.ndarray, second: np.ndarray) -> bool:
    """Return whether a turn, and for points a shift, leads from the rows of one array to those of the other. The best
    turn is that of Kabsch: with firstᵀ second = U S Vᵀ it is U Vᵀ, mirrored back in the direction of the least S if it
    mirrors."""
    if not np.isfinite([first, second]).all():
        return False
    is_point = np.array(points)
    first, second = (x - is_point[:, None] * x[is_point].mean(axis=0) if any(points) else x for x in (first, second))
    longest = np.linalg.norm(first[is_point], axis=1).max(initial=0.0) or 1.0
    first, second = (x / np.where(is_point, longest, 1.0)[:, None] for x in (first, second))
    U, _, V = np.linalg.svd(first.T @ second)
    U[:, -1] *= np.sign(np.linalg.det(U @ V))
    return bool(np.abs(first @ U @ V - second).max() <= SAME_POINT)


# --- bases ----------------------------------------------------------------------------------------------------


def _bases(model: Model, things: list[Thing]) -> dict[Body, tuple[Thing, ...]]:
    """Return the base of every body. Missing things are added: a point at its centre of mass, vectors at right angles
    to its other directions.

    Things that another body (or the ground) already determines come first: as combinations their length would be
    determined twice.
    """
    number, dimension = model.evaluator(), model.dimension
    base: dict[Body, tuple[Thing, ...]] = {}
    known: set[Thing] = set()
    for body in [model.ground, *model.bodies.values()]:
        own = [x for x in things if body in x.places]
        if not any(x.kind == POINT for x in own):
            own.insert(0, Thing(POINT, f"{body.name} point", body.fixed, {body: body.com}))
            things.append(own[0])
        found = [own[k] for k in _independent(own, body, number, known)]
        missing = (2 if dimension == 2 else 4) - len(found)
        directions = [as_direction(x, found[0], body, number) for x in found[1:]]
        for k, way in enumerate(_completed(directions, dimension)[:missing]):
            name = f"{body.name} vector" + (f" {k + 1}" if missing > 1 else "")
            found.append(Thing(VECTOR, name, body.fixed, {body: tuple(map(float, way))}))
            things.append(found[-1])
        base[body] = tuple(found)
        known |= {*own} - {*found} | ({*own} if body.fixed else set())
    return base


def _independent(own: Sequence[Thing], body: Body, number: Evaluator, known: set[Thing]) -> list[int]:
    """Return the numbers of things that make a base: a point, then as many as are independent, `known` ones first, and
    then those farthest from dependence."""
    points = [k for k, x in enumerate(own) if x.kind == POINT]
    first = min(points, key=lambda k: not own[k].fixed)
    others = [k for k in range(len(own)) if k != first]
    ways = {k: as_direction(own[k], own[first], body, number) for k in others}
    longest = max((np.linalg.norm(ways[k]) for k in others if own[k].kind == POINT), default=0.0) or 1.0
    scaled = {k: w / (longest if own[k].kind == POINT else 1.0) for k, w in ways.items()}
    found = [first]
    while len(found) < (2 if body.dimension == 2 else 4) and scaled:
        sizes = {k: round(float(np.linalg.norm(way)), 6) for k, way in scaled.items()}
        best = max(sizes, key=lambda k: (own[k] in known and sizes[k] > APART, sizes[k], own[k].kind == POINT, -k))
        size = np.linalg.norm(scaled[best])
        if size < APART:
            break
        unit = scaled.pop(best) / size
        found.append(best)
        scaled = {k: w - (w @ unit) * unit for k, w in scaled.items()} if body.dimension == 3 else {}
    return found


def as_direction(thing: Thing, origin: Thing, body: Body, number: Evaluator) -> np.ndarray:
    place = np.array([number(n) for n in thing.places[body]])
    return place - [number(n) for n in origin.places[body]] if thing.kind == POINT else place


def _completed(directions: list[np.ndarray], dimension: int) -> list[np.ndarray]:
    """Return unit vectors at right angles to these directions and to each other, along body axes if possible."""
    ways = np.reshape(directions, (-1, dimension)).T
    free, found = np.eye(dimension) - ways @ np.linalg.pinv(ways), []  # the projector on the free directions
    for axis in np.eye(dimension):
        rest = free @ axis
        if (size := np.linalg.norm(rest)) > 0.5:
            found.append(rest / size)
            free -= np.outer(found[-1], found[-1])
    return found
