"""The potential of loads at rest.

Weights, springs and laws given as an energy are in the model's own potential. Other loads are given as forces, and a
run sums their work. At rest, where all rates are 0, a load F that acts along one coordinate s and depends on s alone
has a potential, too:

    V = -∫ F ds

Such loads are a constant torque in a joint, a constant force in world axes, a cylinder, a spring whose law is a table.
Forces in the axes of bodies have no potential, nor have moments on bodies that turn in space, nor laws of other
coordinates.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp
from scipy.integrate import quad

from ..model import measures
from ..model.forces.base import EffortElement, ForceElement
from ..model.forces.loads import Force, PythonForce, Wrench
from ..model.measures import Measure, Quantity
from ..model.parameters import signals_in
from ..symbolic.functions import as_sympy
from ..symbolic.loads import OF_POTENTIAL
from ..symbolic.markers import t, variables
from ..tolerances import PERIODICITY
from .balance import Balance

_s = sp.Symbol("s_", real=True)
TURN_POINTS = 48
"""The number of points of a turn at which a law is compared with itself."""


def load_potential(here: Balance) -> tuple[float, tuple[str, ...]]:
    """Return the potential of all loads that the model's own potential leaves out, in J, and the names of the loads
    that have no potential. A load has the potential 0 where its coordinate is 0, and if its law is no polynomial, in
    the reference placement."""
    total, without, system = 0.0, list[str](), here.system
    still, number = system.still[None], system.evaluator
    for element in system.model.forces:
        laws = _laws(element, here)
        for law, measure in laws or ():
            s = float(system.reader([measure])(np.array([here.t]), here.q[None], still, still)[0, 0, 0])
            if law.is_polynomial(_s):
                total -= number(sp.integrate(law, _s).xreplace({_s: sp.Float(s, 17)}))
            else:
                placed = number(as_sympy(measure.of(*(marker.placed for marker in measure.markers))))
                total -= quad(lambda at, law=law: number.along(law, _s, [at])[0], placed, s, limit=200)[0]
        if laws is None:
            without.append(element.name)
    return total, tuple(without)


def loads_that_wind(here: Balance) -> tuple[str, ...]:
    """Return the names of the loads along an angle that repeat after a turn and have done work on it: their potential
    differs where the pose is the same."""
    number, names, turn = here.system.evaluator, list[str](), 2.0 * np.pi
    angles = np.linspace(0.0, turn, TURN_POINTS, endpoint=False)
    for element in here.system.model.forces:
        for law, measure in _laws(element, here) or ():
            if measure.units[0] == "rad":
                once, after = (np.array(number.along(law, _s, [*at])) for at in (angles, angles + turn))
                size = float(np.abs(once).max())
                if np.abs(after - once).max() < PERIODICITY * size and abs(once.mean()) > PERIODICITY * size:
                    names.append(element.name)
    return tuple(dict.fromkeys(names))


def _laws(element: ForceElement, here: Balance) -> list[tuple[sp.Expr, Measure]] | None:
    """Return the load at rest as laws of the symbol s, each with the coordinate along which it acts; an empty list for
    a load in the model's own potential or without a force at rest, None for a load that is no such law."""
    if isinstance(element, PythonForce):
        return None
    load, _ = element.form()
    at_rest = dict.fromkeys(variables(load.markers)[1], sp.S.Zero)
    forces = [force for work, own in load.forces if work != OF_POTENTIAL for force in own]
    for symbol, value in reversed(load.steps):
        forces = [force.xreplace({symbol: value}) for force in forces]
    if all(force.xreplace(at_rest) == 0 for force in forces):
        return []
    if isinstance(element, EffortElement) and load.potential == 0 and not element.measure.lowest:
        parts = [(element.effort_expression, element.measure)]
    elif isinstance(element, Force | Wrench) and element.values["axes"] == "world":
        marker, moments = element.markers[0], [element.values.get(name, 0) for name in ("mx", "my", "mz")]
        along = [measures.x, measures.y, measures.z][: element.dimension]
        parts = [(element.values[one.__name__], one(marker)) for one in along]
        if element.dimension == 2:
            parts.append((moments[2], measures.angle(marker)))
        elif any(moment != 0 for moment in moments):
            return None
    else:
        return None

    def identity(measure: Measure) -> tuple[Any, ...]:
        """Return what equal measures have in common: their kind, and the places of their markers."""
        markers = [(m.body.name, tuple(map(str, m.numbers))) for m in measure.markers]
        return measure.kind, measure.own, markers

    found = []
    for effort, measure in parts:
        law, same = as_sympy(effort), identity(measure)
        quantities = law.atoms(Quantity)
        values = {q: sp.S.Zero if q.level else _s for q in quantities if q.level or identity(q.measure) == same}
        values |= {s: sp.Float(here.q[place], 17) for s, place in here.system.layout.signals.items()}
        moving = {one.symbol for one in here.system.model.states if not one.is_held}
        law = law.xreplace(values | {t: sp.Float(here.t, 17)}) if not moving & law.free_symbols else law
        if law.atoms(Quantity) or signals_in([law]):
            return None
        if law != 0:
            found.append((law, measure))
    return found
