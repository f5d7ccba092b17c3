"""A mechanism as a Gymnasium environment: a learner pushes it by its inputs, and sees what it is told to see."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp
from matplotlib.backends.backend_agg import FigureCanvasAgg

from ..arguments import checked_step, model_of
from ..compiled import System
from ..errors import ModelError, check_name
from ..model.measures import Quantity
from ..model.model import Model
from ..model.parameters import Parameter, Signal
from ..results.files.optional import package
from ..symbolic.functions import as_sympy
from ..symbolic.markers import t as time
from .start import Simulation, start


def environment(
    model: Model | System, action: Mapping[str, tuple[float, float]], observation: Sequence[str],
    reward: Any, ends: Any = False, initial: Any = None, step: float = 0.02, until: float = np.inf,
    render_mode: str | None = None, **options: Any,
) -> Any:  # fmt: skip
    """Return a ``gymnasium.Env`` of a model, for programs that learn to control it.

    `action` gives bounds for each input that the learner sets, `observation` names the quantities that it sees.
    `reward` is an expression of quantities of the model, or a function of the `Simulation`; an episode is terminated
    where `ends` holds, a condition of quantities or a function of the `Simulation`, or where an event stops the run,
    and truncated `until` seconds after its begin. `initial` is what `start` takes, or a function that returns it from a
    numpy random generator. A step of the environment takes `step` seconds; `render_mode` is "rgb_array" or None;
    `options` are those of `start`. Actions and observations are in SI units, in the order of their names here. It needs
    gymnasium: ``pip install 'mbs_dae[learning]'``.

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
        raise ModelError(f"each action needs bounds (low, high), not {dict(action)}") from exc
    if not (action and (low < high).all()):
        raise ModelError(f"each action needs bounds (low, high) with low < high, not {dict(action)}")
    length, names = checked_step(step), tuple(observation)
    value, has_ended = _read_by(model_of(model), reward, "reward"), _read_by(model_of(model), ends, "ends")
    if not until > 0.0:
        raise ModelError(f"until= of an environment is a time in s greater than 0, not {until!r}")
    if render_mode not in (None, "rgb_array"):
        raise ModelError(f'render_mode of an environment is "rgb_array" or None, not {render_mode!r}')
    follow_laws = {one.name for one in model_of(model).inputs if one.law.free_symbols}
    held = dict.fromkeys(follow_laws & action.keys(), 0.0) | dict(options.pop("inputs", None) or {})

    def begun() -> Simulation:
        first = initial(np.random.default_rng(0)) if callable(initial) else initial
        return start(model, first, inputs=held, **options)

    for name in names:
        if np.ndim(begun()[name]):
            raise ModelError(f"observation {name!r} is a vector; name its components, e.g. {name + '.x'!r}")

    class MechanismEnvironment(gymnasium.Env):  # type: ignore[name-defined, misc]
        """A mechanism that a learner pushes."""

        metadata = {"render_modes": ["rgb_array"], "render_fps": max(1, round(1.0 / length))}
        action_space = gymnasium.spaces.Box(low, high, dtype=np.float64)
        observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (len(names),), dtype=np.float64)

        def __init__(self) -> None:
            self.render_mode, self.run = render_mode, begun()
            self.begin = self.run.t

        def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict[str, Any]]:
            super().reset(seed=seed)
            self.run.reset(initial(self.np_random) if callable(initial) else initial)
            return self._seen(), {"t": self.run.t}

        def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
            given = np.clip(np.asarray(action, dtype=float).reshape(low.shape), low, high)
            self.run.set(dict(zip(action_names, given.tolist(), strict=True))).step(length)
            terminated = bool(self.run.message) or bool(has_ended(self.run))
            truncated = self.run.t - self.begin >= until - 1e-9 * length
            return self._seen(), float(value(self.run)), terminated, bool(truncated), {"t": self.run.t}

        def render(self) -> Any:
            if self.render_mode != "rgb_array":
                return None
            canvas = FigureCanvasAgg(self.run.state.draw())
            canvas.draw()
            return np.asarray(canvas.buffer_rgba())[..., :3].copy()

        def _seen(self) -> np.ndarray:
            return np.array([self.run[name] for name in names])

    action_names = tuple(action)
    return MechanismEnvironment()


def _read_by(model: Model, given: Any, what: str) -> Callable[[Simulation], Any]:
    """Return the function of a held run that an expression of quantities stands for."""
    if callable(given) and not isinstance(given, sp.Basic):
        return given
    if isinstance(given, bool):
        return lambda run: given
    expression = given if isinstance(given, sp.logic.boolalg.Boolean) else as_sympy(given)
    quantities = sorted(expression.atoms(Quantity, Signal), key=str)
    values = {p: model.value(p) for p in expression.atoms(Parameter)}
    expression = expression.xreplace(values)
    if unknown := expression.free_symbols - {*quantities, time}:
        named = f"{what} of an environment contains {min(map(str, unknown))!r}"
        raise ModelError(f"{named}, which is no quantity of {model.name!r}")
    function = sp.lambdify([time, *quantities], expression, "math")
    return lambda run: function(run.t, *(run[str(one)] for one in quantities))
