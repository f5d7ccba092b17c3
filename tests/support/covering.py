"""A few of many cases, which show together all that there is to show; the others are for ``pytest -m soak``."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any

import pytest
from gallery import MODELS


def covering(cases: Sequence[Any], shows: Callable[[Any], Iterable[Hashable]]) -> list[Any]:
    """All cases; a soak are those that show nothing which the rest does not show.

    The next one taken is that which shows most that is new, the first of equals. So who adds a class, an option or a
    model has it shown, by its being there."""
    shown = [frozenset(shows(case)) for case in cases]
    missing, taken = frozenset[Hashable]().union(*shown), set()
    while missing:
        best = max(range(len(cases)), key=lambda n: len(shown[n] & missing))
        taken.add(best)
        missing -= shown[best]
    return [case if n in taken else soaked(case) for n, case in enumerate(cases)]


def soaked(case: Any) -> Any:
    return pytest.param(*case.values, id=case.id, marks=(*case.marks, pytest.mark.soak))


def parts_of_a_contract(case: Any, options: bool = True) -> Iterator[Hashable]:
    """Of "Class option option in space, on a coordinate, where": the class in each dimension, with each of its options
    and on each kind of coordinate; each place and way to tell a coordinate in each dimension."""
    what, *where = case.id.split(", ")
    name, _, dimension = what.rpartition(" in ")
    cls, *chosen = name.split(" ")
    yield cls, dimension
    yield from ((cls, *option) for option in enumerate(chosen) if options)
    yield from ((cls, kind_of(place)) for place in where)
    yield from ((dimension, place) for place in where)


def kind_of(place: str) -> str:
    """Of a coordinate that is told in one of several ways."""
    kind, told, _ = place.partition(" by ")
    return told and kind


def elements_of(name: str) -> set[str]:
    """The classes of the package that a model of the gallery is made of, with its dimension."""
    found = set(re.findall(r"\bmbs\.([A-Z]\w+)\(", (MODELS / f"{name}.py").read_text(encoding="utf-8")))
    return {f"{cls} {'in space' if 'SpatialModel' in found else 'in the plane'}" for cls in found}
