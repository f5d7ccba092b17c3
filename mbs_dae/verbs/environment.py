"""A mechanism as a Gymnasium environment: a learner sets inputs and observes quantities."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp
from matplotlib.backends.backend_agg import FigureCanvasAgg

from ..arguments import model_of
from ..compiled import System
from ..errors import MbsError, ModelError, check_name, counted, shortened
from ..model.breaks import FUNCTIONS
from ..model.measures import Quantity
from ..model.model import Model
from ..model.parameters import Parameter, Signal, finite_number
from ..results.files.writing import package
from ..symbolic.functions import as_sympy
from ..symbolic.markers import t as time
from .start import Simulation, start


def environment(
    model: Model | System, action: Mapping[str, tuple[float, float]], observation: Sequence[str],
    reward: Any, ends: Any = False, initial: Any = None, step: float = 0.02, until: float = np.inf,
    render_mode: str | None = None, **options: Any,
) -> Any:  # fmt: skip
    """Return a ``gymnasium.Env`` of a model, for programs that learn to control it.

    `action` gives bounds (low, high) for each input that the learner sets, and `observation` names the quantities that
    it sees. Actions and observations are arrays in SI units, in the order of their names.

    `reward` is an expression of quantities of the model, or a function of the `Simulation`. An episode is terminated
    where `ends` holds (a condition of quantities or a function of the `Simulation`), where an event stops the run, or
    where the motion cannot go on; it is truncated `until` seconds after its beginning. Where the motion cannot go on,
    the environment warns, ``info["error"]`` holds the reason, and observation and reward belong to the last time that
    was reached. Errors of the caller, such as an action of another size, are raised.

    `initial` is the initial state of `start`, or a function that returns one from a numpy random generator. A step of
    the environment takes `step` seconds; `render_mode` is "rgb_array" or None; `options` are options of `start`. The
    function needs gymnasium: ``pip install 'mbs_dae[learning]'``.

    A cart of 1 kg that is to come to rest at the origin:

    >>> model = mbs.PlanarModel("cart")
    >>> cart = model.body("cart", mass=1.0, inertia=1.0, position=(0.5, 0))
    >>> force = model.add(mbs.Force("motor", cart, (model.input("push", unit="N"), 0)))
    >>> env = mbs.environment(model, {"push": (-5, 5)}, ["cart.x", "cart.vx"], reward=-model["cart.x"] ** 2)
    >>> seen, info = env.reset(seed=1)
    >>> seen, reward, terminated, truncated, info = env.step(np.array([-1.0]))
    >>> print(seen.round(6), round(float(reward), 6), terminated)
    [ 0.4998 -0.02  ] -0.2498 False
    """
    gymnasium = package("gymnasium", "mbs.environment()")
    inputs = {one.name for one in model_of(model).inputs}
    for name in action:
        check_name("input", name, inputs)
    try:
        low, high = np.array([*action.values()], dtype=float).reshape(-1, 2).T
    except (TypeError, ValueError) as exc:
        raise ModelError(
            f"each action needs bounds (low, high), not {dict(action)}",
            code="wrong-length", argument="action", value=dict(action), length=2,
        ) from exc  # fmt: skip
    if not (action and (low < high).all()):
        raise ModelError(
            f"each action needs bounds (low, high) with low < high, not {dict(action)}",
            code="bounds-upside-down", argument="action", value=dict(action),
        )  # fmt: skip
    if isinstance(observation, str):
        raise ModelError(
            f"observation= is a list of names, not the text {observation!r}; write [{observation!r}]",
            code="not-a-list", argument="observation", value=observation,
        )  # fmt: skip
    length, names = _duration(step, "step"), tuple(observation)
    is_number = isinstance(reward, sp.Expr)  # a symbol of sympy is a Boolean, too
    if isinstance(reward, bool | np.bool_ | sp.logic.boolalg.Boolean) and not is_number:
        what = f"reward of an environment is a number, and {shortened(reward)} is a condition"
        raise ModelError(
            f"{what}; write sp.Piecewise((1, condition), (0, True))",
            code="not-a-number", argument="reward", value=reward,
        )  # fmt: skip
    value, has_ended = _reader(model_of(model), reward, "reward"), _condition_by(model_of(model), ends)
    longest = until if until == np.inf else _duration(until, "until")
    if render_mode not in (None, "rgb_array"):
        raise ModelError(
            f'render_mode of an environment is "rgb_array" or None, not {render_mode!r}',
            code="unknown-choice", argument="render_mode", value=render_mode, choices=("rgb_array", None),
        )  # fmt: skip
    follow_laws = {one.name for one in model_of(model).inputs if one.law.free_symbols}
    input_values = dict.fromkeys(follow_laws & action.keys(), 0.0) | dict(options.pop("inputs", None) or {})

    def begin_run() -> Simulation:
        first = initial(np.random.default_rng(0)) if callable(initial) else initial
        return start(model, first, inputs=input_values, **options)

    first_run = begin_run()
    for name in names:
        if np.ndim(first_run[name]):
            parts = " and ".join(map(repr, first_run.result().components(name)))
            raise ModelError(
                f"observation {name!r} is a vector; name its components, {parts}",
                code="is-a-vector", argument="observation", name=name,
            )  # fmt: skip

    class MechanismEnvironment(gymnasium.Env):  # type: ignore[name-defined, misc]
        """A mechanism that a learner controls by its inputs."""

        metadata = {"render_modes": ["rgb_array"], "render_fps": max(1, round(1.0 / length))}
        action_space = gymnasium.spaces.Box(low, high, dtype=np.float64)
        observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (len(names),), dtype=np.float64)

        def __init__(self) -> None:
            self.render_mode, self.run, self.begin = render_mode, first_run, first_run.t

        def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict[str, Any]]:
            super().reset(seed=seed)
            self.begin = self.run.reset(initial(self.np_random) if callable(initial) else initial).t
            return self._observation(), {"t": self.run.t}

        def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
            if (numbers := np.asarray(action, dtype=float)).size != low.size:
                what = f"an action has {counted(low.size, 'number')}: {', '.join(action_names)}"
                raise ModelError(
                    f"{what}; it is not {shortened(action)}",
                    code="wrong-length", argument="action", value=action, count=int(numbers.size), length=int(low.size),
                )  # fmt: skip
            numbers = np.clip(numbers.reshape(low.shape), low, high)
            info: dict[str, Any] = {}
            try:
                self.run.set(dict(zip(action_names, numbers.tolist(), strict=True))).step(length)
            except MbsError as error:
                if error is not self.run._failure:  # the error is not a failure of the motion
                    raise
                info["error"] = str(error)
                gymnasium.logger.warn(f"the episode is terminated: {error}")
            terminated = bool(info) or bool(self.run.message) or has_ended(self.run)
            truncated = self.run.t - self.begin >= longest - 1e-9 * length
            reward = finite_number(value(self.run), f"reward at t = {self.run.t:g}")
            return self._observation(), reward, terminated, bool(truncated), {"t": self.run.t, **info}

        def render(self) -> Any:
            if self.render_mode != "rgb_array":
                return None
            canvas = FigureCanvasAgg(self.run.state.draw())
            canvas.draw()
            return np.asarray(canvas.buffer_rgba())[..., :3].copy()

        def _observation(self) -> np.ndarray:
            return np.array([self.run[name] for name in names])

    action_names = tuple(action)
    return MechanismEnvironment()


def _duration(value: Any, name: str) -> float:
    """Return a length of time in s, which is greater than 0."""
    length = finite_number(value, f"{name}= of an environment")
    if length <= 0.0:
        raise ModelError(
            f"{name}= of an environment is a time in s greater than 0, not {length:g}",
            code="not-positive", argument=name, value=length,
        )  # fmt: skip
    return length


def _condition_by(model: Model, ends: Any) -> Callable[[Simulation], bool]:
    """Return the condition `ends` as a function of a held run; its value must be True or False."""
    what = "ends= of an environment is a condition, such as abs(angle) > 0.5, or a function that tells True or False"
    if not isinstance(ends, bool | np.bool_ | sp.logic.boolalg.Boolean) and not callable(ends):
        raise ModelError(f"{what}, not {shortened(ends)}", code="not-true-or-false", argument="ends", value=ends)
    if isinstance(ends, sp.Expr):
        raise ModelError(
            f"{what}, not the number {shortened(ends)}", code="not-true-or-false", argument="ends", value=ends
        )
    read = _reader(model, ends, "ends")

    def has_ended(run: Simulation) -> bool:
        value = read(run)
        if not isinstance(value, bool | np.bool_):
            raise ModelError(
                f"{what}, and it is {shortened(value)} at t = {run.t:g}",
                code="not-true-or-false", argument="ends", value=value, time=float(run.t),
            )  # fmt: skip
        return bool(value)

    return has_ended


def _reader(model: Model, source: Any, what: str) -> Callable[[Simulation], Any]:
    """Return an expression or a condition of quantities as a function of a held run."""
    if callable(source) and not isinstance(source, sp.Basic):
        return source
    if isinstance(source, bool | np.bool_):
        return lambda run: bool(source)
    expression = source if isinstance(source, sp.logic.boolalg.Boolean) else as_sympy(source)
    quantities = sorted(expression.atoms(Quantity, Signal), key=str)
    constants = {p: getattr(p, "table", None) or model.value(p) for p in expression.atoms(Parameter)}
    if unknown := expression.free_symbols - {*quantities, *constants, time}:
        problem = f"{what} of an environment contains {min(map(str, unknown))!r}"
        raise ModelError(
            f"{problem}, which is not a quantity of {model.name!r}",
            code="unknown-name", argument=what, name=min(map(str, unknown)), model=model.name,
        )  # fmt: skip
    function = sp.lambdify([time, *quantities, *constants], expression, [FUNCTIONS, "math"])
    return lambda run: function(run.t, *(run[str(one)] for one in quantities), *constants.values())
