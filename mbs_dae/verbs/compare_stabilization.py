"""What stabilisation does, on a model of one's own: the same motion with each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..compiled import System
from ..errors import IntegrationError, ModelError, SingularConfigurationError
from ..model.model import Model
from ..motion.stabilise import Baumgarte, Projection, Stabilization, Unstabilized
from ..results.result import Result, State
from .simulate import simulate

USUAL: Mapping[str, Stabilization] = {
    "unstabilized": Unstabilized(),
    "Baumgarte": Baumgarte(),
    "projection": Projection(),
}


@dataclass(frozen=True, eq=False)
class StabilizationComparison:
    """One run for each stabilisation, by name. ``print`` gives a table, ``plot()`` the picture."""

    title: str
    runs: Mapping[str, Result]

    def __getitem__(self, name: str) -> Result:
        return self.runs[name]

    def __str__(self) -> str:
        lines = [
            f"{self.title}: largest violations and energy error",
            f"{'':<16}{'position':>12}{'velocity':>12}{'energy [J]':>12}{'steps':>8}{'evaluations':>13}",
        ]
        for name, run in self.runs.items():
            worst = (run.violation.position.max(), run.violation.velocity.max(), np.abs(run.energy.error).max())
            numbers = "".join(f"{x:>12.2e}" for x in worst)
            counts = f"{run.stats['accepted']:>8}{run.stats['evaluations']:>13}"
            lines.append(f"{name:<16}{numbers}{counts}{'' if run.success else '  stopped: ' + run.message}")
        return "\n".join(lines)

    __repr__ = __str__

    def plot(self) -> Any:
        """Position and velocity violation and energy error over time; a matplotlib figure."""
        from ..view import plots

        return plots.plot_stabilization(self.runs, self.title)


def compare_stabilization(
    model: Model | System,
    times: Sequence[float] | np.ndarray = (),
    initial: Mapping[str, float] | State | None = None,
    stabilizations: Mapping[str, Stabilization] | None = None,
    **options: Any,
) -> StabilizationComparison:
    """Simulate with each stabilisation (without, Baumgarte's, projection; or those given by name).

    Further options go to `simulate`. A run that stops early is kept as far as it came.
    """
    if stabilizations is not None and not (isinstance(stabilizations, Mapping) and stabilizations):
        raise ModelError('stabilizations must be a dict of names, e.g. {"soft": mbs.Baumgarte(5, 5)}')
    runs: dict[str, Result] = {}
    for name, how in (stabilizations or USUAL).items():
        try:
            runs[name] = simulate(model, times, initial, stabilization=how, **options)
        except (IntegrationError, SingularConfigurationError) as error:
            if "result" not in error.facts:
                raise
            runs[name] = error.facts["result"]
    return StabilizationComparison(next(iter(runs.values())).title, runs)
