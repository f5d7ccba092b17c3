"""Whether a region has as many poses everywhere as at its inner point: sampled, on both sides of every boundary.

A region without singular poses inside has one number of poses. Where a sample of it has another one, poses were missed,
or a singular curve was. Poses are led along the straight line between both points: a pose that arrives was missed, and
one that does not arrive meets the missing curve on its way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from .following.equations import Point
from .plane.faces import Face

DENSITY, LEAST = 30, 2
"""Samples at random in all regions together, by their areas; and in each at least."""
ENOUGH = 3
"""So many samples that disagree show that a region has to be split."""


class Disagreement(NamedTuple):
    """A point of a region with another number of poses than at its inner point."""

    face: int
    values: np.ndarray
    here: int
    """Poses at the inner point."""
    there: int


class Counting(NamedTuple):
    """How poses of a mechanism are counted."""

    poses: Callable[[np.ndarray], list[Point]]
    """The poses at a point, without any other point."""
    lead: Callable[[Point, np.ndarray], list[Point]]
    """The poses at a point that another pose leads to."""
    add: Callable[[list[Point], list[Point]], None]
    """Put those of the second in the first that are new."""
    number: Callable[[list[Point]], int] = len
    """The number of poses that two counts must agree in."""


def disagreements(
    faces: Sequence[Face], known: Sequence[list[Point]], scale: np.ndarray, counting: Counting, seed: int
) -> list[Disagreement]:
    """The samples that do not agree with `known`, the poses at the inner point of each face, which are completed."""
    random, found = np.random.default_rng(seed), []
    whole = sum(abs(face.outer.rough_area) for face in faces)
    for k, face in enumerate(faces):
        count, left = LEAST + int(DENSITY * abs(face.outer.rough_area) / whole), ENOUGH
        for values in face.samples(count, random) * scale:
            there = counting.poses(values)
            if counting.number(there) == counting.number(known[k]):
                continue
            for z in known[k]:
                counting.add(there, counting.lead(z, values))
            for z in there:
                counting.add(known[k], counting.lead(z, face.inner * scale))
            if counting.number(there) != counting.number(known[k]):
                found.append(Disagreement(k, values, counting.number(known[k]), counting.number(there)))
                left -= 1
            if not left:
                break
    return found
