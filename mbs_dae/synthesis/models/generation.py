"""Find designs of a model whose point passes given points, or whose body takes given poses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import ModelError, counted
from ...model.model import Model
from ...tolerances import SAME_DESIGN
from ...view.drawing.colours import COLOURS, DARK
from ..arguments import driven_model
from ..result import Synthesis, rank
from .candidates import ModelCandidate, idle_parameters
from .search import DesignFit, DesignSearch, Targets
from .walking import walker

STARTS = 24
"""The number of starts that are followed by default: a walk of a model costs some hundred times a closed form."""


@dataclass(frozen=True, eq=False)
class ModelTask:
    """The places that a point is to pass: rows of coordinates, followed by an angle for a motion."""

    what: str
    rows: np.ndarray
    ordered: bool
    unit: str = "m"

    def draw(self, candidate: ModelCandidate, ax: Any, small: bool) -> None:
        """Draw the points, with their numbers if the order matters."""
        places = self.rows[:, : 3 if ax.name == "3d" else 2]
        ax.plot(*places.T, "o", color=COLOURS[4], markersize=4.5, zorder=6)
        if self.ordered and not small and len(places) <= 20:
            for k, place in enumerate(places):
                ax.text(*place, f" {k + 1}", fontsize=7, color=DARK, zorder=7)


def designs_through(
    model: Model, quantities: Sequence[str], targets: np.ndarray, what: str, *, over: Any, driver: Any, ordered: bool,
    timing: np.ndarray | None, starts: int | None, seed: int, angles: int = 0,
) -> Synthesis[ModelCandidate]:  # fmt: skip
    """Find designs with these target values of quantities, a row for each target; the last `angles` are in radians."""
    driven = driven_model(model, driver, over)
    walker_of_model = walker(driven.model, quantities, tuple(driven.over))
    places = targets[:, : targets.shape[1] - angles]
    size = float(np.sqrt(((places - places.mean(axis=0)) ** 2).sum(axis=1).max())) or 1.0
    scale = np.array([size] * places.shape[1] + [1.0] * angles)
    search = DesignSearch(
        walker_of_model, Targets(targets, scale, ordered, timing), driven.over, driven.reach, driven.turns
    )
    fates = Counter[str]()
    task = ModelTask(what, targets, ordered)
    candidates = []
    for one in _each_once(search, search.run(starts or STARTS, seed, fates)):
        walk = walker_of_model.values_at(search.design(one.x), search.driver(one.x), one.pose)
        assert walk is not None
        error = np.linalg.norm((walk.values - targets) / scale * size, axis=1)
        candidates.append(
            ModelCandidate(
                search.design(one.x),
                search.driver(one.x),
                error,
                task,
                size,
                walker_of_model,
                driven.driver,
                walk.first,
                driven.turns,
            )
        )
    begun, notes = fates.pop("begun", 0), list[str]()
    if fates:  # designs that were drawn and dropped
        causes = ", ".join(f"{count} {why}" for why, count in fates.most_common())
        notes = [f"of {counted(begun + fates.total(), 'design')} drawn {fates.total()} came to nothing: {causes}"]
    return rank(what, candidates, notes=[*notes, *idle_parameters(candidates)], noun="design")


def _each_once(search: DesignSearch, fits: Sequence[DesignFit]) -> Iterator[DesignFit]:
    others: list[np.ndarray] = []
    for one in fits:
        x = one.x[: len(search.over)]
        if not any(np.abs(x - other).max() < SAME_DESIGN for other in others):
            others.append(x)
            yield one


def point_names(model: Model, point: Any, example: str) -> list[str]:
    """Return the names of a point's coordinates; raise an error if the model does not know the point."""
    if point is None:
        raise ModelError(
            f"point= is missing; say which point of {model.name!r} is meant, e.g. point={example!r}",
            code="missing-argument", argument="point", model=model.name,
        )  # fmt: skip
    names = [f"{point}.{axis}" for axis in "xyz"[: model.dimension]]
    for name in names:
        model.quantity(name)
    return names
