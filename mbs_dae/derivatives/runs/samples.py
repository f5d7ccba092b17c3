"""Derivatives across the sampling times of a run, ahead and back.

At a sampling time, which no parameter moves, controllers set states z of a run to u(t, y, p). All others go on, so that

    δz = u_y S + u_a δa + u_p,        λ_y += u_yᵀ λ_z,   λ_a += u_aᵀ λ_z,   p̄ += u_pᵀ λ_z,   λ_z gone,

ahead and, for weights λ, back; δa are the changes of accelerations that a controller reads, which follow from S. Inputs
are laws of time and of parameters alone, read as they are behind the sampling time, so their slopes belong to u_p.
Slopes of expressions are exact. Those of a function in Python by what it reads are
differences of fourth order, taken once for each sample; what it reads has exact slopes by the state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from ...compiled import System
from ...compiled.reading import Trajectory, read_outputs
from ...compiled.signals import AssignmentBuilder
from ...compiled.slopes import SlopesBuilder, small_motions, ways_of
from ...duals import Dual
from ...model.parameters import Parameter, Reaction
from ...motion.samples import Sample, updates_of
from ...readings.motion import ComputedQuantities
from ...symbolic.slopes import Selection
from ..inputs import input_slopes
from ..parameters import DesignVariables
from .coordinates import SEEDED, bodies_along, ground_places, ground_slopes


class SampleSlopes(NamedTuple):
    """The slopes of the states that a sample sets."""

    targets: np.ndarray
    """The places in y of the states that are set."""
    by_state: np.ndarray
    """Their derivatives by the state before the sample, (targets, y)."""
    by_parameters: np.ndarray
    """Their derivatives by the parameters, (targets, parameters)."""
    by_rates: np.ndarray
    """Their derivatives by the accelerations before the sample, (targets, velocities)."""
    y: np.ndarray
    """The state before the sample."""
    reads_forces: bool
    """Whether controllers read accelerations or reactions."""

    def ahead(self, S: np.ndarray, rates: np.ndarray | None, mixed: np.ndarray | None = None) -> np.ndarray:
        """Return S behind the sample, (parameters, y), from S and from the changes of accelerations before it. With
        `mixed`, (1, parameters), all parameters change together in these proportions."""
        behind, direct = S.copy(), self.by_parameters.T
        behind[:, self.targets] = S @ self.by_state.T + (direct if mixed is None else mixed @ direct)
        if rates is not None:
            behind[:, self.targets] += rates @ self.by_rates.T
        return behind

    def back(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the weights of y and of accelerations before the sample, (numbers, y) and (numbers, velocities), and
        what they add to those of the parameters."""
        before, own = weights.copy(), weights[:, self.targets]
        before[:, self.targets] = 0.0
        return before + own @ self.by_state, own @ self.by_rates, own @ self.by_parameters


def sample_slopes(system: System, variables: DesignVariables, samples: Sequence[Sample]) -> dict[int, SampleSlopes]:
    """Return the slopes of all samples of a run, by the step that each comes before."""
    found = dict[int, SampleSlopes]()
    seeds = len(variables.names) + system.layout.q_size + 2 * system.layout.v_size
    at_once = max(1, int(SEEDED / (seeds * system.layout.q_size)))
    for begin in range(0, len(samples), at_once):
        some = samples[begin : begin + at_once]
        found |= _slopes_of(system, variables, some)
    return found


def note_on_samples(samples: Sequence[Sample]) -> list[str]:
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


def _slopes_of(system: System, variables: DesignVariables, samples: Sequence[Sample]) -> dict[int, SampleSlopes]:
    """Return the slopes of some samples, by the step behind each; all are read at once."""
    layout, count = system.layout, len(variables.names)
    t, y, a = (np.array([getattr(one, part) for one in samples]) for part in ("now", "y", "rates"))
    q, v = y[:, : layout.q_size].copy(), y[:, layout.q_size : layout.q_size + layout.v_size].copy()
    own = cast(tuple[Dual, Dual, Dual, Trajectory], (*seeded(variables, q, v, a), Trajectory(t, q, v, a)))
    of_bodies = body_seeds(system, *own)
    in_kernels = own if system.coordinates.kernels is system.coordinates else of_bodies
    reactions = [place for signal, place in layout.signals.items() if isinstance(signal, Reaction)]
    of_expressions = {
        name: _of_expressions(system, variables, updates_of(system)[name], *in_kernels)
        for name in {one.controller for sample in samples for one in sample.updates if one.slopes is None}
    }
    names = dict.fromkeys(name for sample in samples for one in sample.updates for name in one.reads)
    rates = {f"{one.name}.rate": k for k, one in enumerate(one for one in system.model.states if not one.is_held)}
    readings = _readings(system.cartesian, *of_bodies, {name: None for name in names if name not in rates})
    if names.keys() & rates.keys():
        slopes_of_rates = _of_expressions(system, variables, system.structure.signals.rates, *in_kernels)
        readings |= {name: slopes_of_rates[:, rates[name]] for name in names if name in rates}
    found, still, of_ground = dict[int, SampleSlopes](), ground_places(system), ground_slopes(system, variables.symbols)
    for k, sample in enumerate(samples):
        targets, rows = list[int](), [np.zeros((0, count + layout.q_size + 2 * layout.v_size))]
        for one in sample.updates:
            if one.slopes is None:
                rows.append(of_expressions[one.controller][k])
            elif one.reads:
                rows.append(one.slopes @ np.array([readings[name][k] for name in one.reads]))
            else:
                rows.append(np.zeros((len(one.targets), rows[0].shape[1])))
            targets += one.targets
        every, width = np.concatenate(rows), layout.q_size + layout.v_size
        by_state, by_parameters = np.zeros((len(targets), sample.y.size)), every[:, :count].copy()
        by_state[:, :width], by_rates = every[:, count : count + width], every[:, count + width :].copy()
        for place in (layout.signals[own.symbol] for own in system.model.inputs):
            by_parameters += np.outer(by_state[:, place], input_slopes(system, variables.symbols, sample.now)[:, place])
            by_state[:, place] = 0.0
        by_parameters += by_state[:, still] @ of_ground.T
        by_state[:, still] = 0.0
        slopes = np.array(targets, dtype=np.int64), by_state, by_parameters, by_rates
        reads_forces = bool(by_rates.any() or by_state[:, reactions].any())
        found[sample.step] = SampleSlopes(*slopes, sample.y, reads_forces)
    return found


def seeded(variables: DesignVariables, *parts: np.ndarray, others: int = 0) -> tuple[Dual, ...]:
    """Return arrays, (times, numbers), whose numbers vary each by itself; slopes by the parameters and by `others` more
    variables stand first, and are zero."""
    ends = np.cumsum([len(variables.names) + others, *(part.shape[1] for part in parts)]).tolist()
    by = (*variables.symbols, *(Parameter(f"seed {k}") for k in range(ends[-1] - len(variables.names))))
    slopes = [np.zeros((ends[-1], len(part), part.shape[1])) for part in parts]
    for slope, begin, end in zip(slopes, ends, ends[1:], strict=False):
        slope[begin:end] = np.eye(end - begin)[:, None]
    return tuple(Dual(part, slope, by) for part, slope in zip(parts, slopes, strict=True))


def body_seeds(system: System, q: Dual, v: Dual, a: Dual, path: Trajectory) -> tuple[Dual, Dual, Dual, Trajectory]:
    """Return places, velocities and accelerations of bodies, from coordinates of which each varies by itself; and their
    values."""
    if system.is_cartesian:
        return q, v, a, path
    bodies = system.of_bodies(path)
    return *bodies_along(system, (q, v, a), bodies), bodies


def _readings(
    bodies: System, q: Dual, v: Dual, a: Dual, path: Trajectory, names: Mapping[str, None]
) -> dict[str, np.ndarray]:  # fmt: skip
    """Return the slopes of the quantities that functions read of bodies, (samples, parameters, y and accelerations)."""
    if not names:
        return {}
    motion: Any = q, v, a
    quantities: Any = ComputedQuantities(bodies, Trajectory(path.t, *motion), integrated=True)
    return {name: np.asarray(quantities[name].slope).T for name in names}


def _of_expressions(
    system: System, variables: DesignVariables, builder: AssignmentBuilder, q: Dual, v: Dual, a: Dual, path: Trajectory
) -> np.ndarray:  # fmt: skip
    """Return the slopes of expressions, (samples, expressions, parameters, y and accelerations), at states in the
    coordinates of kernels."""
    kernels, count = system.coordinates.kernels.layout, len(variables.names)
    values, size = builder.batch, kernels.v_size
    directions = [max(len(ways) for _, ways in members) for members in ways_of(values)]
    outputs = [group.kernel.layout["outputs"] for group in values.groups]
    chosen = [Selection(tuple(range(a)), tuple(range(b))) for a, b in zip(outputs, directions, strict=True)]
    own, batch = SlopesBuilder(values, True, chosen), values.fill(system.evaluator)
    partials, (source, output, by) = read_outputs(own.fill(batch), path.t, path.q, path.v), own.entries
    numbers = values.slopes(system.evaluator, variables.symbols)
    motions, still = small_motions(system.structure, q), ground_places(system)  # (seeds, samples, velocities)
    motions[..., still] = q.slope[..., still]
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
