"""Forces along one coordinate: a length, a displacement, an angle.

An effort F on a coordinate s(m) has the power F ṡ; so the markers feel f = F ∂ṡ/∂r, with r their rates. A subclass says

    effort(s, rate, constants)

and nothing else. What it gives at rest, F(s, 0), is elastic: its work is stored, as U = -∫ F(s, 0) ds where that is a
polynomial in s alone, and otherwise added up along the motion (then it counts from the start of a run). The rest is
dissipated.
A class with ``work = "supplied"`` gives its work from outside, all of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from inspect import Parameter
from typing import Any, ClassVar

import sympy as sp

from ...errors import ModelError
from ...symbolic.derive import Reading
from ...symbolic.expressions import called, expression_of
from ...symbolic.loads import Load
from ...symbolic.markers import FormMarker, marker_symbols, rate_of, t, variables
from .. import measures
from ..bodies.body import Body, Marker
from ..element import Element, checked_name
from ..fields import COORDINATE
from ..measures import Measure, Quantity
from ..parameters import Number
from .base import ForceElement

_s, _rate = sp.symbols("s_ rate_", real=True)


class EffortElement(ForceElement):
    """An effort on a coordinate of two markers, of a joint, or on any `Measure`."""

    equations = ("effort",)
    fewest: ClassVar[int] = 2
    """How many markers it needs; with one, it acts against the world."""
    coordinates: ClassVar[tuple[str, ...]] = ("distance",)
    """The kinds of measure that it can act on; between two markers it is the first."""
    free: ClassVar[str] = ""
    """The scalar at which no energy is stored; without one, that is where the coordinate is zero."""
    work = "dissipated"

    some_of: ClassVar[tuple[str, ...]] = ()
    """The constants of which one at least must be given, or the effort would be nothing."""

    effort: ClassVar[Callable]

    def __init__(self, name: str, *args: Any, **constants: Any):
        self.name = checked_name(name)
        self.measure, positional = self._measure(args)
        self.markers = self.measure.markers
        self.check_dimension()
        self.values = self._constants(positional, constants)
        if self.some_of and not {*list(self.fields)[: len(positional)], *constants} & {*self.some_of}:
            raise ModelError(f"{self.who} does nothing; give {' or '.join(f'{name}=' for name in self.some_of)}")
        self.finish()

    @classmethod
    def places(cls) -> list[Parameter]:
        return COORDINATE

    def measures(self) -> dict[str, Measure]:
        return {self.measure.kind: self.measure}

    def _measure(self, args: tuple) -> tuple[Measure, tuple]:
        """The coordinate that is meant, and the arguments behind it."""
        if args and isinstance(args[0], Measure | Element):
            first, *rest = args
            is_measure = isinstance(first, Measure)
            own, given = ({first.kind: first}, first.label) if is_measure else (first.measures(), first.who)
            for kind in self.coordinates:
                if kind in own:
                    return own[kind], tuple(rest)
            wanted = " or ".join(self.coordinates)
            raise ModelError(f"{self.who} needs the {wanted} of something, and {given} has none; give two markers")
        count = sum(isinstance(a, Marker | Body) for a in args[:2])
        if count < self.fewest:
            wanted = f"{self.fewest} markers or bodies, a joint, or a measure"
            raise ModelError(f"{self.who} needs {wanted}; got {count}")
        try:
            return getattr(measures, self.coordinates[0])(*args[:count]), args[count:]
        except ModelError as exc:
            raise ModelError(f"{self.who}: {exc}") from exc

    @property
    def effort_reading(self) -> Reading:
        """The effort itself, of the markers."""
        load, _ = self.form()
        return Reading(load.markers, (load.effort,), slots=load.slots)

    def _built(self) -> tuple[Load, dict[sp.Symbol, Number]]:
        """f = F ∂ṡ/∂r for every part, with s put in."""
        load, slots = super()._built()
        symbols = marker_symbols(len(self.markers), self.dimension)
        s = self.measure.of(*symbols)
        rate = rate_of(s, symbols)
        slopes = [rate.diff(r) for r in variables(symbols)[1]]
        load = load.map(lambda e: e.xreplace({_s: s, _rate: rate}))
        return replace(load, forces=tuple((work, tuple(e * k for k in slopes)) for work, (e,) in load.forces)), slots

    @classmethod
    def form_on(cls, markers: tuple[FormMarker, ...], constants: dict[str, Any]) -> Load:
        """The efforts on the bare coordinate s, by what becomes of their work; `_built` puts s in."""
        what = f"the effort of force class {cls.__name__}"
        total = expression_of(called(cls.effort, (_s, _rate), what, **constants), what)
        if cls.work != "dissipated":
            return Load(markers, sp.S.Zero, ((cls.work, (total,)),), effort=total)
        elastic = total.xreplace({_rate: sp.S.Zero})
        efforts = [("dissipated", total - elastic)]
        energy = sp.S.Zero
        if elastic.is_polynomial(_s) and not elastic.has(t, Quantity):  # else ∂U/∂m is not all the coordinate's
            free = constants.get(cls.free, sp.S.Zero)
            energy = -sp.integrate(elastic.xreplace({_s: _s + free}), _s).xreplace({_s: _s - free})
        else:
            efforts.append(("stored", elastic))
        return Load(markers, energy, tuple((work, (e,)) for work, e in efforts if e != 0), effort=total)
