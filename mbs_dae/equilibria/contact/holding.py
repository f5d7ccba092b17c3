"""The answer of `holding`: whether friction holds a pose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

import numpy as np

from ...errors import ModelError, check_name
from ...explain.contacts import told_length
from ...model.checks import unit_of
from ...model.contacts import Contact
from ...model.model import Model
from ...motion.initial import note_on_ratios
from ...public_class import PublicClass
from ...results.result import State
from ...tolerances import BOUND_SLACK, HOLDING_RESIDUAL, MARGIN_TOLERANCE, SLIP_SHARE, WORK_ROUNDOFF
from ...unit_system import size_of
from ..balance import balance_at
from .forces import Forces, UnitLoad, forces_of
from .limits import FrictionMargin, Range, is_wedged, least_forces, limit_of, open_rows, range_of
from .rows import ContactRows, rows_at
from .sectors import somewhere
from .supported import Supported, standing

FAINT = 1e-2
"""A pose is uncertain if roundoff may be more than this part of the force that friction holds."""


@dataclass(frozen=True, eq=False)
class Holding(metaclass=PublicClass):
    """Whether contacts and friction at rest hold a pose, from `holding`.

    >>> model = mbs.PlanarModel("sledge", gravity=(0, -10))
    >>> pull = model.parameter("pull", 0.0, unit="N")
    >>> sledge = model.body("sledge", mass=2, inertia=0.1)
    >>> floor = model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Point(sledge), friction=0.3))
    >>> force = model.add(mbs.Force("rope", sledge, (pull, 0)))
    >>> holding = mbs.holding(model, load="pull")
    >>> isinstance(holding, mbs.Holding), [round(value, 6) for value in holding.between]
    (True, [-6.0, 6.0])
    """

    rows: ContactRows = field(repr=False)
    load: str | None = None
    """The parameter or input whose range is computed."""
    reach: Range | None = field(default=None, repr=False)
    """The range of the load, relative to its present value."""
    value: float = 0.0
    """The present value of the load."""

    @cached_property
    def _limit(self) -> FrictionMargin:
        return limit_of(forces_of(self.rows))

    @property
    def margin(self) -> float:
        """The factor by which all friction may be smaller until something begins to move; less than 1 where it has to
        be larger (a block on a slope: μ/tan α). Infinite where no friction is needed, or less than 1e-4 of it
        (`needs_little_friction`); 0 where no friction is enough, or only more than 1e6 times as much."""
        return self._limit.margin

    @cached_property
    def needs_little_friction(self) -> bool:
        """Whether friction is needed, and less than 1e-4 of it is enough, so that the margin is infinite: next to a
        dead point loads hardly move a mechanism, and a slope may be almost level."""
        return self.margin == np.inf and self._limit.load > WORK_ROUNDOFF

    @property
    def between(self) -> tuple[float, float] | None:
        """The values of the load between which the pose is held; None where no value holds the pose, or no load is
        given."""
        if self.reach is None or self.reach.least > self.reach.most:
            return None
        least, most = self.value + self.reach.least, self.value + self.reach.most
        nothing = BOUND_SLACK * abs(self.value)
        return 0.0 if abs(least) <= nothing else least, 0.0 if abs(most) <= nothing else most

    @property
    def certain(self) -> bool:
        """Whether margin and range are certain to a hundredth, as for contacts and given forces. Both may be too small
        where friction acts in many joints, because the search may end before it has tried all directions in which
        joints are pressed. Both are uncertain where friction acts in a bearing of a gear with a ratio, because the
        tooth force is not known; and where friction, and the load on it, are about as small as the roundoff of larger
        forces, 1e-13 of them: next to a dead point."""
        certain = self._limit.certain and (self.reach is None or self.reach.certain)
        return certain and not self._ratio_note and not self._is_faint

    @property
    def _is_faint(self) -> bool:
        """Whether roundoff decides about a hundredth of the margin, or about whether the pose is held."""
        roundoff = self._limit.roundoff
        return roundoff > FAINT or MARGIN_TOLERANCE < abs(self.margin - 1.0) <= roundoff

    @cached_property
    def _ratio_note(self) -> str:
        """A note on frictions in bearings of gears with a ratio."""
        balance = self.rows.balance
        return note_on_ratios(balance.system, balance.t, balance.q)

    @property
    def held(self) -> bool:
        """Whether the pose is held: whether the `margin` is 1 or more."""
        return self.margin >= 1.0 - MARGIN_TOLERANCE

    @cached_property
    def slips(self) -> tuple[str, ...]:
        """Names of the frictions that slip as soon as friction is less than the `margin` allows."""
        limit, index = self._limit, self.rows.contacts
        lengths = np.linalg.norm(self.rows.along, axis=1)
        speeds = np.abs(limit.motion) / np.where(lengths > 0.0, lengths, 1.0)
        least = SLIP_SHARE * speeds.max(initial=0.0)
        bounds = [bound for bound in limit.at.bounds if np.linalg.norm(speeds[bound.slips]) > least]
        return tuple(dict.fromkeys(index.points[bound.point][0].name for bound in bounds))

    @cached_property
    def forces(self) -> Mapping[str, float]:
        """Forces of contacts and of friction when motion sets in, by their names: ``forces["floor.friction"]``."""
        index, forces = self.rows.contacts, {}
        for element in index.elements:
            for load, row in zip(element.loads, index.rows_of[element.name], strict=True):
                forces[f"{element.name}.{load}"] = float(self._limit.forces[row])
        return MappingProxyType(forces)

    def is_unique(self, name: str) -> np.ndarray:
        """Return whether each of the `forces` of a contact, or of a friction, is determined: booleans in their order;
        or whether one of them is, ``is_unique("floor.friction")``, an array of shape (1,).

        Rigid bodies leave undetermined how contacts share a load (a table on four legs); then `forces` are the least
        ones."""
        rows, model = self.rows.contacts.rows_of, self.rows.balance.system.model
        if name in self.forces:
            owner, _, word = name.rpartition(".")
            place = [*model.elements[owner].loads].index(word)
            return ~np.isin(rows[owner][place : place + 1], self._undetermined)
        check_name("contact, friction or force", name, [*rows, *self.forces], f"model {model.name!r}")
        return ~np.isin(rows[name], self._undetermined)

    @cached_property
    def _undetermined(self) -> np.ndarray:
        """The rows whose forces are not determined."""
        return open_rows(self._limit)

    @cached_property
    def wedged(self) -> bool:
        """Whether bodies may be wedged: contacts can press without a load. Then forces exist that hold the pose, and
        whether these forces act depends on how the bodies were put there."""
        return is_wedged(forces_of(self.rows))

    @cached_property
    def rest(self) -> Supported | None:
        """The balance of the pose where friction holds it, with the least forces that do."""
        forces = somewhere(forces_of(self.rows)).forces if self.rows.bounds else None
        return None if forces is None or not self.held else standing(forces.rows, least_forces(forces))

    @cached_property
    def state(self) -> State:
        """The pose, at rest."""
        here = self.rows.balance
        return State(here.system, here.t, here.q, here.system.still, here.system.still)

    def __repr__(self) -> str:
        index, title = self.rows.contacts, self.rows.balance.system.model.name
        text = f"{'held' if self.held else 'not held'}, margin {self.margin:.6g}"
        if not self.held and self.rows.gaps.size and not self.rows.closed.size:
            row = min(self.rows.gaps, key=lambda row: self.rows.phi[row])
            element, number = index.points[int(np.flatnonzero(index.gap == row)[0])]
            assert isinstance(element, Contact)  # frictions have no gap
            least = told_length(element.units[number], self.rows.phi[row])
            text += f" (nothing touches; nearest is {element.name}.{element.row_names[number]} = {least})"
        text += " (hardly any friction is needed)" if self.needs_little_friction else ""
        if self._is_faint:
            text += " (uncertain: friction and the load on it are roundoff of larger forces, 1e-13 of them)"
        text += " (wedged: if it was pressed in)" if self.held and self.wedged else ""
        text += f", {' and '.join(self.slips)} would slip" if self.slips else ""
        if several := [name for name in index.rows_of if not self.is_unique(name).all()]:
            text += f", the forces of {' and '.join(several)} are not unique"
        if self._ratio_note:
            text += f" ({self._ratio_note})"
        elif not (self.certain or self._is_faint):
            text += " (at least: not all directions of joints are looked through)"
        if self.between is not None:
            model, load = self.rows.balance.system.model, str(self.load)
            size, word = size_of(unit_of(model, load), load)
            low, high = (value / size for value in self.between)
            text += f"; {load} from {low:.6g} to {high:.6g}{f' {word}' if size != 1.0 else ''}"
        elif self.load is not None:
            text += f"; held by no {self.load}"
        return f"<Holding of {title!r}: {text}>"


def holding_at(rows: ContactRows, load: str | None = None) -> Holding:
    if load is None:
        return Holding(rows)
    value, forces = _with_load(rows, load)
    return Holding(rows, load, range_of(forces), value)


def _with_load(rows: ContactRows, load: str) -> tuple[float, Forces]:
    """Return the value of a parameter or an input, and the forces with it as a load."""
    balance, model = rows.balance, rows.balance.system.model
    check_name("parameter or input", load, model.number_names, f"model {model.name!r}")
    signals = {one.name: balance.q[balance.system.layout.signals[one.symbol]] for one in model.inputs}
    value = float(signals[load]) if load in signals else model.parameters[load].value
    step, forces = max(abs(value), 1.0), forces_of(rows)
    freed = model.with_parameter(load)
    high, middle, low = (
        _forces_at_load(rows, load, freed.with_values({load: value + k * step})) for k in (1.0, 0.0, -1.0)
    )
    roundoff = BOUND_SLACK * max(float(np.linalg.norm(part)) for part in (*high, *middle, *low))
    for x1, x0, x2 in zip(high, middle, low, strict=True):
        size = float(np.linalg.norm(x1 - x2) + np.linalg.norm(x0))
        if np.linalg.norm(x1 + x2 - 2.0 * x0) > HOLDING_RESIDUAL * size + roundoff:
            raise ModelError(
                f"forces of {model.name!r} do not grow in proportion to {load!r}; take a load that does so",
                code="forces-not-proportional", argument="load", name=load, model=model.name,
            )  # fmt: skip
    if not any((x1 - x2).any() for x1, x2 in zip(high, low, strict=True)):
        what = f"{load!r} of {model.name!r} changes no force at this pose, so it may have any value"
        raise ModelError(
            f"{what}; take a load that acts on a body",
            code="load-without-effect", argument="load", name=load, value=value, model=model.name,
        )  # fmt: skip
    pull, *slopes = ((x1 - x2) / (2.0 * step) for x1, x2 in zip(high, low, strict=True))
    by_point = dict(zip((bound.point for bound in rows.bounds), slopes, strict=True))
    unit_load = UnitLoad(
        forces.rows.balance.free_velocities.T @ pull, tuple(by_point[bound.point] for bound in forces.bounds)
    )
    return value, replace(forces, load=unit_load)


def _forces_at_load(rows: ContactRows, load: str, model: Model) -> tuple[np.ndarray, ...]:
    """Return the forces and the b of all bounds for another value of the load; raise a `ModelError` if anything else
    changes."""
    balance, other = rows.balance, balance_at(model.compile(), rows.balance.t, rows.balance.q)
    other_rows = rows_at(other)
    pairs = [(other.phi, balance.phi), (other.jacobian, balance.jacobian)]
    pairs += [(other_rows.phi, rows.phi), (other_rows.G, rows.G)]
    pairs += [(a.B, b.B) for a, b in zip(other_rows.bounds, rows.bounds, strict=False)]
    if any(a.shape != b.shape or np.abs(a - b).max(initial=0.0) > HOLDING_RESIDUAL for a, b in pairs):
        raise ModelError(
            f"{load!r} of {model.name!r} changes more than forces: joints, contacts or coefficients of friction; load= "
            "takes a parameter of forces, or an input",
            code="changes-more-than-forces", argument="load", name=load, model=model.name,
        )  # fmt: skip
    return other.forces, *(bound.b for bound in other_rows.bounds)
