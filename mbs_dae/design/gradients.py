"""Compute the gradient of a number made of a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..compiled import System
from ..errors import check_name
from ..model.model import Model
from ..public_class import PublicClass
from ..results.result import Result
from .analysis import analysis_of
from .changes import DesignOutputs, single
from .objectives.objective import check_number, objective_of


@dataclass(frozen=True, eq=False)
class Gradient(metaclass=PublicClass):
    """A number and its derivatives: ``found["r"]`` is the derivative by a name, `by` holds all derivatives.

    >>> rod = mbs.PlanarModel("rod")
    >>> l = rod.parameter("l", 0.3, unit="m")
    >>> arm = rod.link("arm", (0, 0), (1, 0), length=l)
    >>> rod.add(mbs.Revolute("A", rod.ground, arm.tail), mbs.Driver("motor", mbs.angle(arm), 10 * mbs.t))
    (<Revolute A>, <Driver motor>)
    >>> found = mbs.gradient(mbs.at_end("arm.head.x"), rod, [0, 0.05], over=["l"], verb="kinematics")
    >>> print(isinstance(found, mbs.Gradient), found, sep="\\n")
    True
    at_end(arm.head.x) = 0.263275
      name    derivative
      l         0.877583
    >>> round(found["l"], 6), round(found[l], 6)  # by its name, or by the parameter itself
    (0.877583, 0.877583)
    """

    value: float
    by: Mapping[str, float]
    result: Result
    label: str = "objective"

    def __getitem__(self, name: Any) -> float:
        key = str(getattr(name, "symbol", name))
        check_name("derivative by", key, self.by, "this gradient")
        return self.by[key]

    __iter__: ClassVar[None] = None  # a number and its slopes are read by name, in no order

    def __str__(self) -> str:
        width = max(6, *(len(name) for name in self.by))
        lines = [f"{self.label} = {self.value:.6g}", f"  {'name':<{width}}  derivative"]
        return "\n".join([*lines, *(f"  {name:<{width}}  {slope:>10.6g}" for name, slope in self.by.items())])

    def __repr__(self) -> str:
        return f"<Gradient of {self.label} by {', '.join(self.by)}>"


def gradient(
    objective: Any, model: Model | System, times: Sequence[float] | np.ndarray = (), over: Sequence[Any] = (),
    verb: str | None = None, initial: Any = None, **how: Any,
) -> Gradient:  # fmt: skip
    """Return a number made of a result, and its exact derivatives by parameters, without finite differences.

    `objective` is an expression of values at the end, of integrals over time and of parameters
    (``mbs.at_end("slider.x")``, ``mbs.integral(mbs.quantity("motor.effort") ** 2)``); a function of a result, whose
    arrays carry derivatives (``lambda result: np.sum(result["slider.x"] ** 2)``); or an `mbs.Objective`, with a
    gradient of its own. `over` names parameters, constants of elements such as "spring.stiffness", and for `simulate`
    initial values. `verb` names the analysis, which starts from `initial`, with the options `how`: without it
    `simulate`, or `kinematics` for a driven model of which no body has a mass.

    The work of a motor against a spring depends on the length of a crank:

    >>> model = mbs.PlanarModel("crank")
    >>> r = model.parameter("r", 0.1, unit="m")
    >>> crank = model.link("crank", (0, 0), (0.1, 0), length=r)
    >>> model.add(
    ...     mbs.Revolute("A", model.ground, crank.tail), mbs.Driver("motor", mbs.angle(crank), mbs.t),
    ...     mbs.Spring("spring", model.ground.at(0.5, 0), crank.head, stiffness=100, length=0))
    (<Revolute A>, <Driver motor>, <Spring spring>)
    >>> work = mbs.at_end("energy.supplied") - mbs.at_start("energy.supplied")
    >>> found = mbs.gradient(work, model, np.linspace(0, np.pi / 2, 101), over=["r"], verb="inverse_dynamics")
    >>> round(found.value, 6), round(found.by["r"], 6)  # k d r, and k d
    (5.0, 50.0)
    """
    analysis = analysis_of(model, times, over, verb, initial, how)
    measured = check_number(objective_of(objective))
    result = analysis.result(analysis.model_row, may_stop=True)
    number = single(*DesignOutputs(analysis, analysis.model_row, result, (measured,)).parts())
    by = dict(zip(analysis.names, number.slope.tolist(), strict=True))
    return Gradient(float(number.value), by, result, measured.label)
