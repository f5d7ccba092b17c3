"""Choose values with which a motion may begin, as many as there are degrees of freedom, if the file names none."""

from collections.abc import Sequence

import numpy as np

from ...compiled.system import System
from ...model.measures import Measure
from ...poses.local import free_motions
from ...results.result import State

NOTHING = 1e-9  # a smaller row counts as zero
MUCH = 0.1  # part of the best quantity's row that is enough to choose an earlier one
SAME = 1e-6  # measures whose rates agree to this part count as one


def independent(state: State, driven: Sequence[Measure] = ()) -> dict[str, float]:
    """Return positions and rates by name with their values in this state: first those that were driven, if they have
    names; then repeatedly the first measure that depends strongly on the motions that are not yet determined."""
    system, free = state.system, free_motions(state.system, state.t, state.full_q)
    ways = _rows(state, driven, free)
    known = sorted(_named(state, free), key=lambda one: not any(_goes_with(one[1], way) for way in ways))
    names: list[str] = []
    while known and len(names) < free.shape[1]:
        lengths = [float(np.linalg.norm(row)) for _, row in known]
        if max(lengths) <= NOTHING:
            break
        k = next(k for k, length in enumerate(lengths) if length >= MUCH * max(lengths))
        name, row = known.pop(k)
        names.append(name)
        way = row / lengths[k]
        known = [(other, own - (own @ way) * way) for other, own in known]
    return {level: state[level] for name in names for level in _levels(system, name)}


def _named(state: State, free: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """Return measures by the names of their rates with their rows: those with values before mere rates, angles before
    lengths, those of bodies before those of joints."""
    model = state.system.model
    said = [(owner, measure) for owner in (*model.bodies, *model.elements) for measure in model.measures_of(owner)]
    order = sorted(said, key=lambda one: (not one[1].levels[0], one[1].unit != "rad", one[0] not in model.bodies))
    rated = [(f"{owner}.{measure.levels[1]}", measure) for owner, measure in order if measure.levels[1]]
    rows = _rows(state, [measure for _, measure in rated], free)
    return [(name, row) for (name, _), row in zip(rated, rows, strict=True) if row.any()]


def _rows(state: State, measures: Sequence[Measure], free: np.ndarray) -> np.ndarray:
    """Return the effect of free motions on measures, relative to that of any motion, shape (measures, free motions)."""
    system = state.system
    sizes = np.sqrt(system.weight[: system.nv])
    rows = system.reader(measures).jacobian(state.t, state.full_q).toarray()[:, : system.nv] / sizes
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(lengths > 0.0, lengths, 1.0)) @ free


def _goes_with(one: np.ndarray, other: np.ndarray) -> bool:
    lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
    return lengths > NOTHING and abs(one @ other) >= (1 - SAME) * lengths


def _levels(system: System, name: str) -> list[str]:
    owner = name.rpartition(".")[0]
    return [f"{owner}.{level}" for level in system.model.quantity(name)[0].levels[:2] if level]
