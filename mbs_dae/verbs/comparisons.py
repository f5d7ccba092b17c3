"""Comparisons of one motion in each coordinate set, or with each stabilisation."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from inspect import signature
from textwrap import wrap
from typing import Any

import numpy as np

from ..arguments import checked_times, model_of
from ..compiled import System
from ..coordinates import SETS
from ..errors import IntegrationError, MbsError, ModelError, SingularConfigurationError, check_dict, check_name
from ..linear.pattern import factor_entries
from ..model.model import Model
from ..motion.comparison import MotionDifference, difference, evaluation_times, timed
from ..motion.initial import initial_state
from ..motion.stabilise import Baumgarte, Projection, Stabilization, Unstabilized
from ..poses.assembly import assembled
from ..poses.dependence import PoseRank
from ..public_class import PublicClass
from ..results.result import Result, State
from ..unit_system import UnitsLike, shown_in, size_of, told
from .diagnose import diagnose
from .inverse_dynamics import inverse_dynamics
from .simulate import simulate

OPTIONS = [*signature(simulate).parameters][3:]  # of `simulate`, after model, times and initial


def _size(of: Callable[[System], int], meaning: str) -> cached_property[int]:
    """Return a property that reads a size of the system, and raises a `ModelError` where there is no system."""

    def read(one: Any) -> int:
        if one.system is None:
            raise ModelError(
                f"there is no system in {one.set} coordinates: {one.reason}",
                code="not-supported", coordinates=one.set, reason=one.reason,
            )  # fmt: skip
        return of(one.system)

    read.__doc__ = meaning
    return cached_property(read)


@dataclass(frozen=True, eq=False)
class InCoordinates:
    """One coordinate set: the size of the model's equations in it, their cost, and the motion computed with them."""

    set: str
    """The name of the coordinate set: "cartesian", "natural" or "joint"."""
    system: System | None = None
    run: Result | None = None
    reason: str = ""
    """Why there is no run, or why the run stopped early; empty otherwise."""
    evaluation: float = float("nan")
    """Duration of one evaluation of all accelerations, in s."""
    difference: MotionDifference | None = None
    """MotionDifference to the motion in Cartesian coordinates."""

    coordinates = _size(lambda s: s.nq, "How many there are.")
    differential_equations = _size(lambda s: s.nv, "Of second order: one for each velocity.")
    algebraic_equations = _size(lambda s: len(s.rows), "What joints and drivers say.")
    jacobian_nonzeros = _size(lambda s: s.mass_pattern.jac_row.size, "The entries of Φ_v that are not zero.")
    factor_nonzeros = _size(
        lambda s: factor_entries(s.mass_pattern),
        "Of L, below its diagonal: L D Lᵀ is the matrix [M Φ_vᵀ; Φ_v 0], or Φ_v M⁻¹ Φ_vᵀ in joint coordinates.",
    )
    kernels = _size(
        lambda s: len(s.structure.program.batch.groups) + len(s.structure.dynamics.batch.groups),
        "Compiled functions that are called in one evaluation.",
    )

    @property
    def redundant(self) -> int:
        """The number of algebraic equations that depend on others."""
        return int(self.run.stats["redundant_equations"]) if self.run else 0

    @property
    def drift(self) -> tuple[float, float]:
        """The largest constraint violations along the run: of positions, in m, and of velocities, in m/s."""
        assert self.run is not None
        return float(self.run.violation.position.max()), float(self.run.violation.velocity.max())


@dataclass(frozen=True, eq=False)
class CoordinateComparison(metaclass=PublicClass):
    """A comparison of the coordinate sets: ``comparison.natural``, ``comparison["natural"]``. ``print`` shows a
    table.

    >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2)
    >>> found = mbs.compare_coordinates(rod, [0, 0.1], initial={"rod.omega": 2})
    >>> isinstance(found, mbs.CoordinateComparison), [*found.sets]
    (True, ['cartesian', 'natural', 'joint'])
    >>> found.natural.coordinates, found["joint"].algebraic_equations
    (2, 0)
    """

    title: str
    driven: bool
    """True if drivers move all degrees of freedom: the runs are then runs of inverse dynamics."""
    cartesian: InCoordinates
    natural: InCoordinates
    joint: InCoordinates

    @property
    def sets(self) -> dict[str, InCoordinates]:
        """The three coordinate sets, by name."""
        return {name: getattr(self, name) for name in SETS}

    def __getitem__(self, name: str) -> InCoordinates:
        check_name("coordinate set", name, self.sets, "the comparison")
        return self.sets[name]

    @property
    def differences(self) -> dict[str, MotionDifference]:
        """The difference of each set's motion to the motion in Cartesian coordinates, by the name of the set."""
        return {name: one.difference for name, one in self.sets.items() if one.difference is not None}

    def table(self) -> list[tuple[str, ...]]:
        """Return the rows of the printed table as texts; the first row holds the names of the sets."""
        slowest, done = self.cartesian.evaluation, self.sets.values()
        rows: list[tuple[str, Callable[[Any], Any], str]] = [
            ("coordinates", lambda c: c.coordinates, "d"),
            ("differential equations (second order)", lambda c: c.differential_equations, "d"),
            ("algebraic equations", lambda c: c.algebraic_equations, "d"),
            ("  of these redundant", lambda c: c.redundant, "d"),
            ("entries of Φ_v that are not zero", lambda c: c.jacobian_nonzeros, "d"),
            ("entries of L that are not zero", lambda c: c.factor_nonzeros, "d"),
            ("kernels", lambda c: c.kernels, "d"),
            ("one evaluation of accelerations [µs]", lambda c: 1e6 * c.evaluation, ".2f"),
            ("  times faster than Cartesian", lambda c: slowest / c.evaluation, ".2f"),
            *([] if self.driven else [("steps", lambda c: c.run.stats["accepted"], "d")]),
            ("evaluations of the run", lambda c: c.run.stats["evaluations"], "d"),
            ("largest violation of positions", lambda c: c.drift[0], ".1e"),
            ("largest violation of velocities", lambda c: c.drift[1], ".1e"),
            ("difference to Cartesian: positions", lambda c: c.difference.position, ".1e"),
            ("difference to Cartesian: velocities", lambda c: c.difference.velocity, ".1e"),
            ("difference to Cartesian: reactions", lambda c: c.difference.reaction, ".1e"),
        ]
        cells = [(label, *(f"{value(c):{form}}" if c.run else "-" for c in done)) for label, value, form in rows]
        return [("", *self.sets), *cells]

    def __str__(self) -> str:
        lines = [f"{self.title}: {self._what}", ""]
        for label, *cells in self.table():
            lines.append(f"  {label:<40}" + "".join(f"{cell:>14}" for cell in cells))
        for note in self._notes():
            lines += ["", *wrap(note, 92, initial_indent="  ", subsequent_indent="    ")]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head, *rows = [[escape(cell) for cell in row] for row in self.table()]
        lines = ["<tr>" + "".join(f"<th>{cell}</th>" for cell in head) + "</tr>"]
        lines += ["<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows]
        notes = "".join(f"<p>{escape(note)}</p>" for note in self._notes())
        return f"<p>{escape(self.title)}: {escape(self._what)}</p><table>{''.join(lines)}</table>{notes}"

    @property
    def _what(self) -> str:
        if self.driven:
            return "inverse dynamics in each coordinate set"
        stats = next(one.run.stats for one in self.sets.values() if one.run)
        size = f"step {told(stats['step'], 's')}" if "step" in stats else f"rtol {stats['rtol']:g}"
        return f"simulated in each coordinate set ({stats['method']}, {size}, {stats['stabilization']})"

    def _notes(self) -> list[str]:
        return [f"{one.set}: {one.reason}" for one in self.sets.values() if one.reason]


def compare_coordinates(
    model: Model | System, times: Sequence[float] | np.ndarray = (), initial: Mapping[str, float] | State | None = None,
    **options: Any,
) -> CoordinateComparison:  # fmt: skip
    """Compute one motion in Cartesian, natural and joint coordinates, and compare sizes, cost, drift and agreement.

    `times` are in s. If drivers move all degrees of freedom and no `initial` state (values by name, or a `State`) is
    given, each motion comes from `inverse_dynamics`; otherwise from `simulate`, which gets the further options. The
    entry of a coordinate set that cannot describe the model says why. Differences between simulated motions are mostly
    the error of integration: see `rtol`. Returns a `CoordinateComparison`.

    A rod on a pin: x, y and angle; the tip's x and y; or the angle alone, and no equation at all.

    >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2)
    >>> found = mbs.compare_coordinates(rod, [0, 0.1], initial={"rod.omega": 2})
    >>> [(name, one.coordinates, one.algebraic_equations) for name, one in found.sets.items()]
    [('cartesian', 3, 2), ('natural', 2, 1), ('joint', 1, 0)]
    """
    model, t = model_of(model), checked_times(times)
    for name in options:
        check_name("option", name, OPTIONS, "compare_coordinates()")
    driven = initial is None and bool(model.drivers) and diagnose(model).degrees_of_freedom == 0
    if driven and options:
        what = f"all freedom of {model.name!r} is driven, and {', '.join(options)} is for simulated motions"
        raise ModelError(
            f"{what}; leave it out, or take the drivers away: model.without(...)",
            code="not-supported", argument="options", names=tuple(options), method="inverse_dynamics", model=model.name,
        )  # fmt: skip

    def motion(system: System) -> Result:
        return inverse_dynamics(system, t) if driven else simulate(system, t, initial, **options)

    sets = {name: _in_coordinates(model, name, motion) for name in SETS}
    reference = sets["cartesian"].run
    assert reference is not None
    state = assembled(model, t[0]) if driven else initial_state(model, t[0], initial)[0]
    done = {name: one for name, one in sets.items() if one.run}
    evaluations = []
    for one in done.values():
        if (system := one.system) is not None:
            (q,), (v,), _ = system.from_bodies(state.motion)
            dependent = PoseRank(system, state.t, q).dependent(range(len(system.rows)))
            evaluations.append(timed(system, state.t, q, v, dependent))
    costs = evaluation_times(evaluations)
    for (name, one), cost in zip(done.items(), costs, strict=True):
        assert one.run is not None
        sets[name] = replace(one, evaluation=cost, difference=difference(reference, one.run))
    return CoordinateComparison(reference.title, driven, **sets)


def _in_coordinates(model: Model, name: str, motion: Any) -> InCoordinates:
    system: System | None = None
    try:
        run = motion(system := model.compile(name))
        return InCoordinates(name, system, run, run.message)
    except MbsError as error:
        run = error.facts.get("result") or None  # no run, if not even one time was reached
        if run is None and name == "cartesian":  # the model itself cannot be simulated
            raise
        return InCoordinates(name, system, run, str(error))


# --- stabilisations ---


USUAL: Mapping[str, Stabilization] = {
    "unstabilized": Unstabilized(),
    "Baumgarte": Baumgarte(),
    "projection": Projection(),
}


@dataclass(frozen=True, eq=False)
class StabilizationComparison:
    """One run for each stabilisation, by name. ``print`` shows a table, ``plot()`` draws violations and energy
    errors."""

    title: str
    runs: Mapping[str, Result]

    def __getitem__(self, name: str) -> Result:
        return self.runs[name]

    def __str__(self) -> str:
        joule, word = size_of("J")
        lines = [
            f"{self.title}: largest violations and energy error",
            f"{'':<16}{'position':>12}{'velocity':>12}{f'energy [{word}]':>12}{'steps':>8}{'evaluations':>13}",
        ]
        for name, run in self.runs.items():
            worst = (run.violation.position.max(), run.violation.velocity.max(), np.abs(run.energy.error).max() / joule)
            numbers = "".join(f"{x:>12.2e}" for x in worst)
            counts = f"{run.stats['accepted']:>8}{run.stats['evaluations']:>13}"
            lines.append(f"{name:<16}{numbers}{counts}{'' if run.success else '  stopped: ' + run.message}")
        return "\n".join(lines)

    __repr__ = __str__

    def plot(self, units: UnitsLike = None) -> Any:
        """Plot position violation, velocity violation and energy error over time; return a matplotlib figure."""
        from ..view import plots

        with shown_in(units):
            return plots.plot_stabilization(self.runs, self.title)


def compare_stabilization(
    model: Model | System, times: Sequence[float] | np.ndarray = (), initial: Mapping[str, float] | State | None = None,
    stabilizations: Mapping[str, Stabilization] | None = None, **options: Any,
) -> StabilizationComparison:  # fmt: skip
    """Simulate a motion once with each stabilisation, and return a `StabilizationComparison`.

    `times` (in s), `initial` and the further options are those of `simulate`. `stabilizations` maps names to methods;
    by default none, Baumgarte's and projection. A run that stops early is included as far as it came.

    >>> rod = mbs.PlanarModel.from_points(
    ...     {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81))
    >>> found = mbs.compare_stabilization(rod, [0, 0.2, 0.4])
    >>> worst = {name: run.violation.position.max() for name, run in found.runs.items()}
    >>> min(worst, key=worst.get)
    'projection'
    """
    methods = USUAL if stabilizations is None else stabilizations
    check_dict("stabilizations", methods, "names", '{"soft": mbs.Baumgarte(5, 5)}', empty=False)
    for name in options:
        check_name("option", name, {*OPTIONS, "stabilizations"} - {"stabilization"}, "compare_stabilization()")
    runs: dict[str, Result] = {}
    for name, method in methods.items():
        try:
            runs[name] = simulate(model, times, initial, stabilization=method, **options)
        except (IntegrationError, SingularConfigurationError) as error:
            if "result" not in error.facts:
                raise
            runs[name] = error.facts["result"]
    return StabilizationComparison(next(iter(runs.values())).title, runs)
