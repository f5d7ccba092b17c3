"""A force of Python in equations: functions that have a name, and no formula."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import sympy as sp
from sympy.utilities.lambdify import implemented_function

from ...model.forces.given import PythonForce
from ...symbolic.loads import Load
from ...symbolic.markers import LABELS, t


def in_functions(
    element: PythonForce, coordinates: Any, put: Mapping[sp.Symbol, sp.Expr]
) -> tuple[Load, dict[str, Any]]:
    """The force as a load, and its functions by name: F_wind_x, F_wind_y, M_wind of a force "wind" on one marker; with
    several, F_wind_i_x, F_wind_j_x, ...

    They are functions of all that the user's function can see: the coordinates and rates of the bodies, the parameters
    in the places of the markers, time. `put` is what stands for the symbols of the maps of the markers.
    """
    reading, _ = element.form()
    maps = [coordinates.marker_map(label) for label in LABELS[: len(element.markers)]]
    seen = [s for s in dict.fromkeys(put[s] for mp in maps for s in (*mp.q, *mp.v)) if s.is_Symbol]
    composed = reading.compose(maps)
    values = [e.xreplace(put) for e in composed.explicit(composed.outputs)]
    parameters = {s for e in values for s in e.free_symbols} - {*seen}
    arguments = [*seen, *sorted(parameters, key=str), t]
    read = sp.lambdify(arguments, values, modules="math", cse=True, dummify=True)
    names = _names(element)
    functions = {
        name: implemented_function(sp.Function(name, real=True), partial(_component, k, element, read))
        for k, name in enumerate(names)
    }
    forces = tuple(function(*arguments) for function in functions.values())
    return Load(reading.markers, forces=((element.work, forces),)), functions


def _component(k: int, element: PythonForce, read: Callable[..., list[float]], *arguments: float) -> float:
    return element.wrenches(arguments[-1], read(*arguments))[k]


def _names(element: PythonForce) -> list[str]:
    who = re.sub(r"\W", "_", element.name)
    owners = [who] if len(element.markers) == 1 else [f"{who}_{label}" for label in LABELS[: len(element.markers)]]
    forces = [f"F_{{}}_{axis}" for axis in "xyz"[: element.dimension]]
    moments = ["M_{}"] if element.dimension == 2 else [f"M_{{}}_{axis}" for axis in "xyz"]
    return [name.format(owner) for owner in owners for name in (*forces, *moments)]
