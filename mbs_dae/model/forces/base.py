"""The base class of forces.

The contract of a force (all that `ForceElement` demands of a new class):

1. The class declares its constants with `scalar`, `function`, `expression` or `choice`.
2. It defines one or both of these static, pure functions; parameters that are not constants are markers::

       potential(i, j, ..., constants)    the energy that it stores, an expression of positions and angles
       force(i, j, ..., constants)        the load on each marker's body, one item for each marker in their order:
                                          (Fx, Fy, M), force at the marker and moment, world axes; M may be omitted.
                                          In space (Fx, Fy, Fz, Mx, My, Mz), or the force alone

   ``force`` may use ``velocity`` and ``omega`` of a marker.
3. ``work`` says where the work of ``force`` is counted: "supplied" (the default) or "dissipated". The work of a
   potential is stored.
4. The author satisfies the third law: an inner force acts on two markers, with opposite signs.

A force along one coordinate (a length, an angle) is shorter: see `EffortElement`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from inspect import Parameter
from typing import Any, ClassVar

import numpy as np
import sympy as sp

from ...errors import ModelError, check_name, shortened
from ...results.names import COMPONENTS
from ...symbolic.derive import Reading
from ...symbolic.expressions import called, expression_of
from ...symbolic.loads import WORKS, Load
from ...symbolic.markers import FormMarker, marker_symbols, t, variables
from .. import measures
from ..bodies.body import Body, Marker
from ..element import Declared, Element, checked_name
from ..fields import COORDINATE
from ..measures import Measure, Quantity, written_in_markers
from ..parameters import Number, Signal, check_choice, check_number, constants_out, free_parameters, signals_in

_registry: list[type[ForceElement]] = []


def registered_forces() -> tuple[type[ForceElement], ...]:
    """Return all force classes, including the user's; tests and documentation walk this list.

    >>> mbs.Spring in mbs.registered_forces()
    True
    """
    return tuple(_registry)


class ForceElement(Declared):
    """The base of every force with a class of its own, which declares its constants and its law, as an energy or as the
    load on each marker's body: here of a weight in another gravity.

    >>> class Weight(mbs.ForceElement):
    ...     weight = mbs.scalar("N")
    ...     @staticmethod
    ...     def potential(i, weight):
    ...         return weight * i.y
    >>> model = mbs.PlanarModel("on the moon")
    >>> stone = model.body("stone", mass=2.0, inertia=0.1)
    >>> model.add(Weight("weight", stone, weight=3.24))
    <Weight weight>
    >>> print(mbs.simulate(model, [0, 1])["stone.vy"][-1].round(6))
    -1.62

    The docstring of `mbs_dae.model.forces.base` is the contract of such a class.
    """

    equations: ClassVar[tuple[str, ...]] = ("potential", "force")
    work: ClassVar[str] = "supplied"
    sketch = "arrow"

    potential: ClassVar[Callable]
    force: ClassVar[Callable]

    def __init_subclass__(cls, **kwargs: Any):
        super().__init_subclass__(**kwargs)
        check_choice(cls.work, WORKS, f"work of force class {cls.__name__}")
        if "equations" not in vars(cls):
            _registry.append(cls)

    def __init__(self, name: str, *args: Any, **constants: Any):
        super().__init__(name, *args, **constants)
        self.finish()

    def finish(self) -> None:
        """Build the load from markers and values; add the markers of quantities in its expressions to the given
        ones."""
        try:
            load, slots = self._built()
        except ModelError as exc:
            raise ModelError(f"{self.who}: {exc}", code=exc.code, **exc.facts) from exc
        self._acting = len(self.markers)
        if any(e.has(Quantity) for e in load.expressions):
            try:
                load, self.markers = _with_markers(load, self.markers)
                load, numbers = constants_out(load)
                slots = {**slots, **numbers}
            except ModelError as exc:
                raise ModelError(f"{self.who}: {exc}", code=exc.code, **exc.facts) from exc
        if named := signals_in([load.potential.xreplace(slots)]):
            raise ModelError(
                f"the potential of {self.who} depends on {named[0]}, which changes in time; say it as force",
                code="potential-of-time", subject=self.who, named=named[0],
            )  # fmt: skip
        if load.potential.has(*(rate for m in load.markers for rate in m.rates)):
            raise ModelError(
                f"the potential of force class {self.kind} contains velocities; say it as force",
                code="potential-of-velocities", kind=self.kind,
            )  # fmt: skip
        self._complete(load, slots)

    @property
    def told(self) -> tuple[Reading, dict[sp.Symbol, Number]]:
        """The reading of all `loads`, if there are any, and the values of its slots."""
        raise NotImplementedError

    @property
    def feeling(self) -> tuple[Marker, ...]:
        return self.markers[: self._acting]

    def form(self) -> tuple[Load, dict[sp.Symbol, Number]]:
        return self._form

    @classmethod
    def form_on(cls, markers: tuple[FormMarker, ...], constants: dict[str, Any]) -> Load:
        energy, forces = sp.S.Zero, []
        if equation := getattr(cls, "potential", None):
            what = f"the potential of force class {cls.__name__}"
            energy = expression_of(called(equation, markers, what, **constants), what)
        if equation := getattr(cls, "force", None):
            what = f"force of force class {cls.__name__}"
            wrenches = duals(called(equation, markers, what, **constants), markers, what)
            forces.append((cls.work, tuple(expression_of(e, what, jumps=True) for e in wrenches)))
        return Load(markers, energy, tuple(forces))


WRENCH = {dimension: f"({', '.join(names)})" for dimension, names in COMPONENTS.items()}
"""The components of force and moment on a marker, by dimension; the moment may be omitted."""


def duals(wrenches: Any, markers: Sequence[FormMarker], what: str) -> list[Any]:
    """Return the forces and moments that a function returned for markers, one after the other."""
    dimension, size = markers[0].dimension, len(markers[0].rates)
    try:
        rows = [tuple(w) for w in wrenches]
    except TypeError:
        rows = []
    if len(rows) != len(markers) or any(len(w) not in (dimension, size) for w in rows):
        requirement = f"one {WRENCH[dimension]} for each marker ({len(markers)})"
        raise ModelError(f"{what} must return {requirement}, not {wrenches!r}", code="wrong-shape", wrenches=wrenches)
    return [x for w in rows for x in (*w, *(0,) * (size - len(w)))]


def _with_markers(load: Load, markers: tuple[Marker, ...]) -> tuple[Load, tuple[Marker, ...]]:
    """Return the load with its quantities written out in markers, which are added to the given ones."""
    quantities = sorted({q for e in load.expressions for q in e.atoms(Quantity)}, key=str)
    places, symbols, values = written_in_markers(quantities, markers, "a force")
    silent = (sp.S.Zero,) * len(variables(symbols[len(markers) :])[1])
    load = load.map(lambda e: e.xreplace(values))
    forces = tuple((work, (*f, *silent)) for work, f in load.forces)
    return replace(load, markers=symbols, forces=forces), places


_s, _rate = sp.symbols("s_ rate_", real=True)


class EffortElement(ForceElement):
    """An effort on a coordinate of two markers, of a joint, or on any measure: a length, a displacement, an angle.

    An effort F on a coordinate s(m) has the power F ṡ; so the markers feel f = F ∂ṡ/∂r, with r their rates. A subclass
    defines ``effort(s, rate, constants)`` only. The effort at rest, F(s, 0), is elastic: its work is stored, as U = -∫
    F(s, 0) ds if F is a polynomial in s alone, and otherwise integrated along the motion (from the start of a run). The
    rest is dissipated. All work of a class with ``work = "supplied"`` is supplied from outside.

    >>> class Stiffening(mbs.EffortElement):
    ...     k = mbs.scalar("N/m³")
    ...     @staticmethod
    ...     def effort(s, rate, k):
    ...         return -k * (s - 1) ** 3
    >>> model = mbs.PlanarModel("stiffening spring", gravity=(0, -10))
    >>> weight = model.body("weight", mass=0.8, inertia=0.1, position=(0, -1.1))
    >>> model.add(Stiffening("spring", model.ground, weight, k=1000.0))
    <Stiffening spring>
    >>> print(round(mbs.equilibrium(model)["weight.y"], 6))  # 1000 s³ = m g
    -1.2
    """

    equations = ("effort",)
    fewest: ClassVar[int] = 2
    """The least number of markers; with one, the effort acts against the world."""
    coordinates: ClassVar[tuple[str, ...]] = ("distance",)
    """The kinds of measure on which the effort can act; between two markers it is the first."""
    free: ClassVar[str] = ""
    """The name of the scalar at which no energy is stored; if empty, no energy is stored where the coordinate is zero.
    A default that is a function is the coordinate in the reference placement."""
    work = "dissipated"

    vector_class: ClassVar[str] = ""
    """How a vector is written in space that is given in place of the effort; empty where there is no such class."""
    some_of: ClassVar[tuple[str, ...]] = ()
    """The constants of which at least one must be given, since otherwise the effort is zero."""

    effort: ClassVar[Callable]

    def __init__(self, name: str, *args: Any, **constants: Any):
        self.name = checked_name(name)
        self.measure, positional = self._measure(args)
        self.markers, self.speaks_of = self.measure.markers, self.measure.speaks_of
        self.check_dimension()
        for value in (*positional, *constants.values()) if self.vector_class else ():
            if np.ndim(value) and not isinstance(value, str):
                what = f"{self.who} takes one number or expression, along its own coordinate, not {shortened(value)}"
                remedy = f"; a vector is written mbs.{self.vector_class}" if self.dimension == 3 else ""
                raise ModelError(f"{what}{remedy}", code="is-a-vector", subject=self.who, value=value)
        self.values = self._constants(positional, constants)
        if self.some_of and not {*list(self.fields)[: len(positional)], *constants} & {*self.some_of}:
            raise ModelError(
                f"{self.who} does nothing; give {' or '.join(f'{name}=' for name in self.some_of)}",
                code="does-nothing", subject=self.who,
            )  # fmt: skip
        self.finish()

    @classmethod
    def places(cls) -> list[Parameter]:
        return COORDINATE

    def measures(self) -> dict[str, Measure]:
        return {self.measure.kind: self.measure}

    @property
    def nought(self) -> set[str]:
        """Return the free length if it is zero: a vanishing distance has no direction, but k s²/2 is smooth there."""
        return {self.free} if self.measure.kind == "distance" and self.free and self.values[self.free] == 0 else set()

    def _measure(self, args: tuple) -> tuple[Measure, tuple]:
        """Return the coordinate, and the arguments after it."""
        if args and isinstance(args[0], Measure | Element):
            first, *rest = args
            is_measure = isinstance(first, Measure)
            coordinates, subject = ({first.word: first}, first.label) if is_measure else (first.measures(), first.who)
            for kind in self.coordinates:
                if kind in coordinates:
                    coordinate = coordinates[kind]
                    return coordinate if is_measure else replace(coordinate, speaks_of=(first,)), tuple(rest)
            alternatives = " or ".join(self.coordinates)
            remedy = "give two markers"
            if "displacement" in coordinates and self.coordinates == ("distance",):
                law = 'mbs.Actuator(name, joint, -k * model["joint.displacement"] - c * model["joint.velocity"])'
                remedy += f", or write what acts along the slide as {law}"
            raise ModelError(
                f"{self.who} needs the {alternatives} of something, and {subject} has none; {remedy}",
                code="no-such-measure", subject=self.who,
            )  # fmt: skip
        count = sum(isinstance(a, Marker | Body) for a in args[:2])
        if count < self.fewest:
            requirement = f"{self.fewest} markers or bodies, a joint, or a measure"
            raise ModelError(
                f"{self.who} needs {requirement}; got {count}",
                code="too-few-markers", subject=self.who, fewest=self.fewest, count=count,
            )  # fmt: skip
        try:
            check_name("measure", self.coordinates[0], measures.OF_MARKERS, "mbs, for the coordinates of its class,")
            return measures.OF_MARKERS[self.coordinates[0]](*args[:count]), args[count:]
        except ModelError as exc:
            raise ModelError(f"{self.who}: {exc}", code=exc.code, **exc.facts) from exc

    def _constants(self, positional: tuple, named: dict[str, Any]) -> Mapping[str, Any]:
        names, free = {*list(self.fields)[: len(positional)], *named}, self.free
        if free and free not in names and callable(self.fields[free].default):
            placed = self.measure.of(*(marker.placed for marker in self.markers))
            is_number = not free_parameters([placed])
            named = {**named, free: 0.0 if is_number and abs(float(placed)) < 1e-12 else placed}
        values = super()._constants(positional, named)
        if free and self.measure.kind == "distance":
            check_number(values[free], f"{free} of {self.who}", non_negative=True)
        return values

    def check_values(self, number: Callable[[Number], float]) -> None:
        super().check_values(number)
        if self.free and self.measure.kind == "distance":
            check_number(number(self.values[self.free]), f"{self.free} of {self.who}", non_negative=True)

    @property
    def effort_reading(self) -> Reading:
        """The reading of the effort, from the markers."""
        load, _ = self.form()
        return Reading(load.markers, (load.effort,), slots=load.slots, signals=load.signals)

    @property
    def effort_expression(self) -> sp.Expr:
        """The effort as an expression of quantities, parameters and signals, for use in other expressions."""
        s, rate = (Quantity(f"{self.name}.{level}", self.measure, k) for k, level in enumerate(self.measure.levels[:2]))
        what = f"the effort of {self.who}"
        return expression_of(called(type(self).effort, (s, rate), what, **self.values), what)

    def _built(self) -> tuple[Load, dict[sp.Symbol, Number]]:
        """Return f = F ∂ṡ/∂r for every part, with s substituted."""
        load, slots = super()._built()
        symbols = marker_symbols(len(self.markers), self.dimension)
        s = sp.S.Zero if self.measure.lowest else self.measure.of(*symbols)
        rate = self.measure.rate(symbols)
        slopes = [rate.diff(r) for r in variables(symbols)[1]]
        load = load.map(lambda e: e.xreplace({_s: s, _rate: rate}))
        return replace(load, forces=tuple((work, tuple(e * k for k in slopes)) for work, (e,) in load.forces)), slots

    @classmethod
    def form_on(cls, markers: tuple[FormMarker, ...], constants: dict[str, Any]) -> Load:
        """Return the efforts on the coordinate s as a symbol, by the kind of their work; `_built` substitutes s."""
        what = f"the effort of force class {cls.__name__}"
        total = expression_of(called(cls.effort, (_s, _rate), what, **constants), what, jumps=True)
        if cls.work != "dissipated":
            return Load(markers, sp.S.Zero, ((cls.work, (total,)),), effort=total)
        elastic = total.xreplace({_rate: sp.S.Zero})
        efforts = [("dissipated", total - elastic)]
        energy = sp.S.Zero
        if elastic.is_polynomial(_s) and not elastic.has(t, Quantity, Signal):  # else ∂U/∂m has other terms
            free = constants.get(cls.free, sp.S.Zero)
            energy = -sp.integrate(elastic.xreplace({_s: _s + free}), _s).xreplace({_s: _s - free})
        else:
            efforts.append(("stored", elastic))
        return Load(markers, energy, tuple((work, (e,)) for work, e in efforts if e != 0), effort=total)
