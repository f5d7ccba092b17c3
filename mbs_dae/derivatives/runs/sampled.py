"""Derivatives across the sampling times of a run, ahead and back.

At a sampling time, which no parameter moves, controllers set states z of a run to u(t, y, p). All others go on, so that

    δz = u_y S + u_p,        λ_y += u_yᵀ λ_z,   p̄ += u_pᵀ λ_z,   λ_z gone,

ahead and, for weights λ, back. Slopes of expressions are exact. Those of a function in Python by what it reads are
differences of fourth order, taken once for each sample; what it reads has exact slopes by the state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...compiled import System
from ...compiled.reading import Trajectory, read_outputs
from ...compiled.slopes import SlopesBuilder, small_motions, ways_of
from ...duals import Dual
from ...model.parameters import Parameter
from ...motion.samples import Sample, updates_of
from ...readings.motion import ComputedQuantities
from ...symbolic.slopes import Selection
from ..parameters import Asked
from .coordinates import SEEDED, bodies_along

ACCELERATION = 2
"""The level of a quantity that is an acceleration (`Measure.levels`)."""


class SampleSlopes(NamedTuple):
    """The slopes of the states that a sample sets."""

    targets: np.ndarray
    """The places in y of the states that are set."""
    by_state: np.ndarray
    """Their derivatives by the state before the sample, (targets, y)."""
    by_parameters: np.ndarray
    """Their derivatives by the parameters, (targets, parameters)."""

    def ahead(self, S: np.ndarray, mixed: np.ndarray | None = None) -> np.ndarray:
        """Return S behind the sample, (parameters, y), from S before it. With `mixed`, (1, parameters), all parameters
        change together in these proportions."""
        behind, direct = S.copy(), self.by_parameters.T
        behind[:, self.targets] = S @ self.by_state.T + (direct if mixed is None else mixed @ direct)
        return behind

    def back(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the weights of y before the sample, (numbers, y), and what they add to those of the parameters."""
        before, own = weights.copy(), weights[:, self.targets]
        before[:, self.targets] = 0.0
        return before + own @ self.by_state, own @ self.by_parameters


def are_states(system: System, names: Iterable[str]) -> bool:
    """Return whether the quantities of these names follow from places, velocities, states and inputs: no accelerations
    or reactions."""
    signals, found = {*map(str, system.layout.signals)}, system.model.quantity_or_none
    levels = [found(name) for name in names if name not in signals]
    return all(one is not None and one[1] < ACCELERATION for one in levels)


def sample_slopes(system: System, asked: Asked, samples: Sequence[Sample]) -> dict[int, SampleSlopes]:
    """Return the slopes of all samples of a run, by the step that each comes before."""
    found = dict[int, SampleSlopes]()
    seeds = len(asked.names) + system.layout.q_size + system.layout.v_size
    at_once = max(1, int(SEEDED / (seeds * system.layout.q_size)))
    for begin in range(0, len(samples), at_once):
        some = samples[begin : begin + at_once]
        found |= _slopes_of(system, asked, some)
    return found


def told_of_samples(samples: Sequence[Sample]) -> list[str]:
    """Return the remarks on the derivatives of a run with these samples."""
    called, bent = dict[str, None](), dict[str, float]()
    for sample in samples:
        for one in sample.updates:
            if one.slopes is not None and one.reads:
                called[one.controller] = None
                if not np.isfinite(one.slopes).all():
                    bent.setdefault(one.controller, sample.now)
    told = [f"{', '.join(called)} called in Python: differences by what is read"] if called else []
    return told + [f"none from t = {t:.6g} on, where {name} has a kink" for name, t in bent.items()]


def _slopes_of(system: System, asked: Asked, samples: Sequence[Sample]) -> dict[int, SampleSlopes]:
    """Return the slopes of some samples, by the step behind each; all are read at once."""
    layout, count = system.layout, len(asked.names)
    t, y = np.array([one.now for one in samples]), np.array([one.y for one in samples])
    q, v = y[:, : layout.q_size].copy(), y[:, layout.q_size : layout.q_size + layout.v_size].copy()
    own = *seeded(asked, q, v), Trajectory(t, q, v, 0.0 * v)
    of_bodies = body_seeds(system, *own)
    in_kernels = own if system.coordinates.kernels is system.coordinates else of_bodies
    of_expressions = {
        name: _of_expressions(system, asked, name, *in_kernels)
        for name in {one.controller for sample in samples for one in sample.updates if one.slopes is None}
    }
    names = [name for sample in samples for one in sample.updates for name in one.reads]
    readings = _readings(system.cartesian, *of_bodies, dict.fromkeys(names))
    found = dict[int, SampleSlopes]()
    for k, sample in enumerate(samples):
        targets, rows = list[int](), [np.zeros((0, count + layout.q_size + layout.v_size))]
        for one in sample.updates:
            if one.slopes is None:
                rows.append(of_expressions[one.controller][k])
            elif one.reads:
                rows.append(one.slopes @ np.array([readings[name][k] for name in one.reads]))
            else:
                rows.append(np.zeros((len(one.targets), rows[0].shape[1])))
            targets += one.targets
        every = np.concatenate(rows)
        by_state = np.zeros((len(targets), sample.y.size))
        by_state[:, : every.shape[1] - count] = every[:, count:]
        found[sample.step] = SampleSlopes(np.array(targets, dtype=np.int64), by_state, every[:, :count].copy())
    return found


def seeded(asked: Asked, q: np.ndarray, v: np.ndarray, others: int = 0) -> tuple[Dual, Dual]:
    """Return places and velocities whose numbers vary each by itself; slopes by the parameters and by `others` more
    variables stand first, and are zero."""
    count, sizes = len(asked.names) + others, (q.shape[1], v.shape[1])
    by = (*asked.symbols, *(Parameter(f"seed {k}") for k in range(others + sum(sizes))))
    slopes = [np.zeros((count + sum(sizes), len(q), size)) for size in sizes]
    slopes[0][count : count + sizes[0]] = np.eye(sizes[0])[:, None]
    slopes[1][count + sizes[0] :] = np.eye(sizes[1])[:, None]
    return Dual(q, slopes[0], by), Dual(v, slopes[1], by)


def body_seeds(system: System, q: Dual, v: Dual, path: Trajectory) -> tuple[Dual, Dual, Trajectory]:
    """Return places and velocities of bodies, from coordinates of which each varies by itself; and their values."""
    if system.is_cartesian:
        return q, v, path
    bodies = system.of_bodies(path)
    of_q, of_v, _ = bodies_along(system, (q, v, Dual(0.0 * v.value, 0.0 * v.slope, v.by)), bodies)
    return of_q, of_v, bodies


def _readings(
    bodies: System, q: Dual, v: Dual, path: Trajectory, names: Mapping[str, None]
) -> dict[str, np.ndarray]:  # fmt: skip
    """Return the slopes of the quantities that functions read of bodies, (samples, parameters and y)."""
    if not names:
        return {}
    motion: Any = q, v, Dual(0.0 * v.value, 0.0 * v.slope, q.by)
    quantities: Any = ComputedQuantities(bodies, Trajectory(path.t, *motion), integrated=True)
    return {name: np.asarray(quantities[name].slope).T for name in names}


def _of_expressions(
    system: System, asked: Asked, name: str, q: Dual, v: Dual, path: Trajectory
) -> np.ndarray:  # fmt: skip
    """Return the slopes of the expressions of a controller, (samples, expressions, parameters and y), at states in the
    coordinates of kernels."""
    builder, kernels, count = updates_of(system)[name], system.coordinates.kernels.layout, len(asked.names)
    values, size = builder.batch, kernels.v_size
    directions = [max(len(ways) for _, ways in members) for members in ways_of(values)]
    outputs = [group.kernel.layout["outputs"] for group in values.groups]
    chosen = [Selection(tuple(range(a)), tuple(range(b))) for a, b in zip(outputs, directions, strict=True)]
    own, batch = SlopesBuilder(values, True, chosen), values.fill(system.evaluator)
    partials, (source, output, by) = read_outputs(own.fill(batch), path.t, path.q, path.v), own.entries
    numbers = values.slopes(system.evaluator, asked.symbols)
    motions = small_motions(system.structure, q)  # (parameters and y, samples, velocities)
    first, signals = 2 * size + 1 + values.room, path.q.shape[1] - len(system.layout.signals)
    found = np.zeros((path.t.size, values.out_size, len(q.by)))
    for k, row, way in zip(source, output, by, strict=True):
        slope = partials[:, k]
        if 2 * size < way < first:
            found[:, row, :count] += slope[:, None] * numbers[:, way - 2 * size - 1]
        elif way != 2 * size:
            moved = motions[:, :, way] if way < size else v.slope[:, :, way - size] if way < 2 * size else None
            moved = q.slope[:, :, signals + way - first] if moved is None else moved
            found[:, row] += slope[:, None] * moved.T
    return found[:, builder.source]
