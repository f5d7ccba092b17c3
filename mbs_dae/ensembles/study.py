"""Run the same analysis of a model in many designs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..arguments import as_state, checked_times, model_of
from ..compiled import System
from ..derivatives.parameters import design_variables
from ..errors import MbsError, ModelError, check_name
from ..model.checks import name_of, warn_of_angles
from ..model.mechanisms import PlanarModel
from ..model.model import Model
from ..model.parameters import initial_number, positive_number
from ..motion.methods.stepping import stepping
from ..motion.stabilise import stabilization_of
from ..progress import Progress, check_progress, interrupts_noted, progress_bar
from ..results.result import Result, State
from .designs import designs as designs_of
from .ensemble import Ensemble
from .runs.chunk import UNDONE
from .runs.reading import is_measure
from .runs.recipe import VERBS, Recipe, options_of, verb_of
from .values import Designs
from .work.running import Study
from .work.store import Store, equations_of, folder_of, open_folder
from .work.workers import Workers, checked_executor, checked_workers, processors

LARGEST, SHARES = 128, 4
"""The largest number of members of a chunk, and the number of chunks for each worker if there are enough members."""

Verb = str | Callable[[Result], Any] | tuple[str, Callable[[Result], Any]]


def ensemble(
    model: Model | System, times: Sequence[float] | np.ndarray = (), over: Any = None, verb: Verb | None = None,
    initial: Mapping[str, float] | State | None = None, outputs: Sequence[str] | None = None,
    workers: int | None = None, executor: Any = None, save: str | Path | None = None, count: int | None = None,
    seed: int | None = None, progress: Progress | None = None, max_seconds: float | None = None, **options: Any,
) -> Ensemble:  # fmt: skip
    """Run the same analysis of a model in the designs that `over` describes.

    `over` names parameters, or initial values of `simulate`, with their values: a dict of lists is a grid. Each member
    is the run of its verb for its design alone, to the last bit, whatever the number of workers; ``failures`` lists the
    members that fail with the messages of their verb, and a failure does not affect other members.

    `verb` is "simulate", "kinematics", "inverse_dynamics", "sweep" (over the values `times` of ``parameter=``), or a
    function of a result, which returns numbers or arrays by name; ``verb=("kinematics", function)`` gives both. Without
    a verb, `simulate` runs; a driven model of which no body has a mass runs as `kinematics`, unless `initial` has
    values. `options` are those of the verb, `initial` is its start. With `outputs`, only these quantities are stored;
    without, the whole motion.

    Members are run by as many threads as there are processors, or by `workers`; or by an `executor`: "processes", or
    any of `concurrent.futures`, Dask's ``client.get_executor()`` among them (a script then begins its work under
    ``if __name__ == "__main__"``, since other processes read it, too). ``save="folder"`` stores members on disk as they
    finish; a second call runs the missing ones, and `mbs.load_ensemble` opens the folder. A member may take
    `max_seconds`. ``progress(done, total)`` is called now and then. Ctrl-C, a full disk, or an executor that dies, end
    the study with the finished members, and ``message`` says why.

    >>> rod = mbs.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> l = rod.parameter("l", 1.0, unit="m")
    >>> bar = rod.link("bar", (0, 0), (l, 0), mass=1.0)
    >>> pin = rod.add(mbs.Revolute("A", rod.ground, bar.tail))
    >>> found = mbs.ensemble(rod, np.linspace(0, 0.5, 6), over={"l": [0.5, 1.0], "bar.omega": [0.0, 1.0]})
    >>> found.array("bar.head.x").shape, found.failures
    ((4, 6), ())
    """
    check_progress(progress)
    initial = as_state(initial)
    bare = model_of(model)
    name, function = _checked_verb(verb)
    name = verb_of(bare, name, has_start=isinstance(initial, Mapping))
    designs = designs_of(bare, over, count, seed, name)
    if name != "sweep":
        t = checked_times(times)
    else:  # the values of the parameter, which `sweep` checks further
        try:
            t = np.array(times, dtype=float).reshape(-1)
        except (TypeError, ValueError) as error:
            raise ModelError(
                f"times must be the values of the parameter that is swept, not {times!r}",
                code="not-a-number", argument="times", value=times,
            ) from error  # fmt: skip
    if outputs is not None:
        if function is not None:
            what = "outputs= names what is kept of a result, and verb= is a function that says it"
            raise ModelError(f"{what}; leave one out", code="contradictory-arguments", argument="outputs", other="verb")
        if isinstance(outputs, str) or not isinstance(outputs, Sequence) or not outputs:
            raise ModelError(
                f'outputs must be a list of names, e.g. ["slider.x"], not {outputs!r}',
                code="not-a-list", argument="outputs", value=outputs,
            )  # fmt: skip
        outputs = tuple(dict.fromkeys(map(str, outputs)))
    if max_seconds is not None:
        positive_number(max_seconds, "max_seconds", "time, in seconds")
    options = _checked_options(name, options)
    _check_start(bare, name, initial, designs, max_seconds)
    _check_same_in_all(bare, name, initial, designs, options)
    warn_of_angles(bare, initial, "initial")
    recipe = Recipe(model, t, designs.names, name, function, initial, outputs, options, max_seconds)
    count, executor = checked_workers(workers) or processors(), checked_executor(executor)
    _check_readable(recipe, designs)
    size = max(1, min(LARGEST, -(-len(designs) // (SHARES * count))))
    store = Store(len(designs), size) if save is None else folder_of(save, recipe, designs, size)
    with progress_bar(f"ensemble of {recipe.bare.name}", progress) as watch:
        study = Study(recipe, designs.values, store, watch)
        with interrupts_noted(study.stop):
            if executor in (None, "threads") and (count == 1 or len(study.waiting) < 2):
                study.run_here()
            else:
                study.run_by(Workers(recipe, executor, count, study.is_stopped, study.tell))
    return Ensemble(recipe, designs, store, study.message())


def load_ensemble(folder: str | os.PathLike[str], model: Model | System | None = None) -> Ensemble:
    """Return the study that `mbs.ensemble` wrote under ``save=``: the arrays of the members that were run; with the
    model, also the members.

    >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2)
    >>> from tempfile import mkdtemp
    >>> folder = mkdtemp()
    >>> made = mbs.ensemble(rod, [0, 0.1], over={"rod.omega": [1.0, 2.0]}, outputs=["rod.B.y"], save=folder)
    >>> mbs.load_ensemble(folder).array("rod.B.y").round(4)
    array([[0.    , 0.03  ],
           [0.    , 0.0596]])
    """
    store, description, designs, t = open_folder(Path(folder))
    arguments = description["given"] or {"options": {}, "initial": None}
    names = description["outputs"] if description["function"] is None else [*store.arrays]
    if model is not None:
        model_of(model)
    recipe = Recipe(
        model=PlanarModel(description["model"]) if model is None else model,
        times=t,
        names=designs.names,
        verb=description["verb"],
        initial=arguments["initial"],
        outputs=None if names is None else tuple(names),
        options=arguments["options"],
        max_seconds=description["max_seconds"],
    )
    if model is not None and description["equations"] != equations_of(recipe):
        what = f"{str(folder)!r} is of another model than {recipe.bare.name!r}"
        raise ModelError(
            f"{what}; give the one it was made with",
            code="not-of-this-model", argument="model", folder=str(folder), model=recipe.bare.name,
        )  # fmt: skip
    done = int((store.state != UNDONE).sum())
    message = "" if done == len(designs) else f"{done} of {len(designs)} members were run"
    return Ensemble(recipe, designs, store, message, readable=model is not None and description["given"] is not None)


# --- checks of arguments --------------------------------------------------------------------------------------


def _checked_verb(verb: Any) -> tuple[str | None, Callable[[Result], Any] | None]:
    name, function = verb if isinstance(verb, tuple) and len(verb) == 2 else (verb, None)
    if callable(name) and function is None:
        name, function = None, name
    if not isinstance(name, str | None) or not (function is None or callable(function)):
        what = f"verb must be one of {', '.join(map(repr, VERBS))}, or a function of a result, not {verb!r}"
        raise ModelError(
            f'{what}; of the result of a certain verb it is verb=("kinematics", function)',
            code="wrong-type", argument="verb", value=verb, choices=tuple(VERBS),
        )  # fmt: skip
    if name is not None:
        check_name("verb", name, VERBS, "mbs.ensemble")
    return name, function


def _check_start(model: Model, verb: str, initial: Any, designs: Designs, max_seconds: float | None) -> None:
    """Raise a `ModelError` if a verb is given a start, an initial value or a time limit that another verb takes."""
    if verb == "sweep" and (initial is not None or max_seconds is not None):
        what = "initial=" if initial is not None else "max_seconds="
        raise ModelError(
            f"a sweep takes no {what}; leave it out",
            code="not-supported", argument="initial" if initial is not None else "max_seconds", method=verb,
        )  # fmt: skip
    if verb != "simulate" and isinstance(initial, Mapping):
        raise ModelError(
            f"mbs.{verb} takes no initial values, but a pose: initial=mbs.assemble(model, fix={{...}})",
            code="not-a-pose", argument="initial", value=initial, method=verb,
        )  # fmt: skip
    if isinstance(initial, Mapping) and (twice := [name for name in designs.names if name in initial]):
        raise ModelError(
            f"{twice[0]!r} is named by over= and by initial=; leave it out of initial=",
            code="given-twice", argument="initial", other="over", name=twice[0],
        )  # fmt: skip
    if isinstance(initial, State) and (varied := [name for name in designs.names if name not in model.parameters]):
        raise ModelError(
            f"initial= is a state, and over= names {varied[0]!r}; give initial values as a dict",
            code="contradictory-arguments", argument="initial", other="over", name=varied[0],
        )  # fmt: skip


def _check_same_in_all(model: Model, verb: str, initial: Any, designs: Designs, options: Mapping[str, Any]) -> None:
    """Check the arguments that no design changes and that would be wrong in every member."""
    if verb == "sweep":
        parameter = options["parameter"]
        check_name("parameter", parameter, model.parameters, f"model {model.name!r}")
        if parameter in designs.names:
            what = f"{parameter!r} is swept, so over= cannot vary it"
            raise ModelError(
                f"{what}; leave it out of over=, or sweep another parameter",
                code="contradictory-arguments", argument="over", other="parameter", name=parameter,
            )  # fmt: skip
    if derivatives := options.get("derivatives"):
        design_variables(model, derivatives, {*designs.names, *(initial if isinstance(initial, Mapping) else ())})
    if verb != "simulate":
        return
    steps = {name: option for name, option in options.items() if name != "derivatives"}
    stabilization = steps.pop("stabilization", None)
    stabilization_of(stabilization, stepping(**steps).method.projects)
    if not (initial is None or isinstance(initial, Mapping | State)):
        raise ModelError(
            f'initial must be a dict of names and values, not {initial!r}; e.g. {{"crank.omega": 10}}',
            code="not-a-dict", argument="initial", value=initial,
        )  # fmt: skip
    for name, value in initial.items() if isinstance(initial, Mapping) else ():
        initial_number(value, f"initial[{name!r}]")
        quantity = name_of(model, name, "initial")
        states = [state.name for state in model.states]
        if quantity in states:
            continue
        if not model.quantity_or_none(quantity):
            raise model.unknown_quantity(quantity, more=[*model.parameters, *states])
        if model.quantity(quantity)[1] > 1:
            what = f"initial[{quantity!r}] is an acceleration, which follows from forces"
            raise ModelError(
                f"{what}; name parameters, values or rates",
                code="acceleration-given", argument="initial", name=quantity,
            )  # fmt: skip


def _checked_options(verb: str, options: Mapping[str, Any]) -> dict[str, Any]:
    names = options_of(verb)
    for name in options:
        check_name("option", name, names, f"mbs.{verb}")
    if verb == "sweep" and "parameter" not in options:
        raise ModelError(
            "a sweep needs the name of what is swept, parameter=..., and its values as times",
            code="missing-argument", argument="parameter", method=verb,
        )  # fmt: skip
    if "parameter" in options:
        parameter = options["parameter"]
        return {**options, "parameter": str(getattr(parameter, "symbol", parameter))}
    return dict(options)


def _check_readable(recipe: Recipe, designs: Designs) -> None:
    """Check that outputs are names of quantities: run the first member if the model alone does not show this."""
    if all(is_measure(recipe, name) for name in recipe.outputs or ()):
        return
    try:
        first = recipe.result(designs.values[0])
    except MbsError:
        return  # the study reports this failure
    for name in recipe.outputs or ():
        first[name]
