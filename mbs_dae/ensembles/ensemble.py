"""The result of a study: its members, and named quantities of all members."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import ModelError, check_name, counted
from ..results.quantities import frozen
from ..results.result import Result
from .reports.methods import ReportMethods
from .runs.chunk import DONE, FAILED, Failure, at_times
from .runs.numbers import columns_of
from .runs.reading import is_measure, read_measure, result_of_member
from .runs.recipe import Recipe
from .values import Designs
from .work.store import Store

RAW = ("q", "v", "a")


class Ensemble(ReportMethods):
    """The members of a study, from `mbs.ensemble`.

    ``found["slider.x"]``, or ``found.array("slider.x")``, has a row for each member, with nan where a member failed;
    ``found.failures`` lists the failed members and the reasons; ``found.member(7)`` is the result of member 7, as its
    verb returns it.

    >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2)
    >>> found = mbs.ensemble(rod, [0, 0.1], over={"rod.omega": [1.0, 2.0, 3.0]})
    >>> isinstance(found, mbs.Ensemble), found, found.array("rod.angle")[:, -1].round(6)
    (True, <Ensemble of 'mechanism': 3 of 3 members done>, array([0.1, 0.2, 0.3]))
    """

    def __init__(self, recipe: Recipe, designs: Designs, store: Store, message: str = "", readable: bool = True):
        self.designs, self.message = designs, message
        self._recipe, self._store, self._readable = recipe, store, readable

    def __repr__(self) -> str:
        failed = f", {counted(len(self.failures), 'failure')}" if self.failures else ""
        what = f"{int(self.done.sum())} of {counted(len(self), 'member')} done{failed}"
        return f"<Ensemble of {self.model.name!r}: {what}>"

    def __len__(self) -> int:
        return len(self.designs)

    def __getitem__(self, name: str) -> np.ndarray:
        """Return a quantity of all members, as `array` does; ``found.member(k)`` returns one member."""
        if not isinstance(name, str):
            raise ModelError(
                f"an ensemble is read by names of quantities, not by {name!r}; a member is member(number)",
                code="wrong-type", argument="name", value=name,
            )  # fmt: skip
        return self.array(name)

    @property
    def model(self) -> Any:
        """The model of the study; for a study that was loaded without its model, an object with the name alone."""
        return self._recipe.bare

    @property
    def t(self) -> np.ndarray:
        """The times of the study [s], or the values of the parameter that was swept."""
        return self._recipe.times

    @property
    def axis(self) -> tuple[str, str]:
        """The name and the unit of the values in `t`."""
        if self._recipe.verb != "sweep":
            return "t", "s"
        parameter = str((self._recipe.options or {})["parameter"])
        return parameter, self.model.parameters[parameter].unit

    @property
    def done(self) -> np.ndarray:
        """Whether each member came to its end, shape (members,)."""
        return self._store.state == DONE

    @property
    def failures(self) -> tuple[Failure, ...]:
        """The failures of the members that did not come to their end, ordered by member."""
        return tuple(self._store.failures[k] for k in sorted(self._store.failures))

    @property
    def is_raw(self) -> bool:
        """Whether the study keeps whole motions (q, v and a) instead of named quantities."""
        return self._recipe.outputs is None and self._recipe.function is None

    @property
    def names(self) -> list[str]:
        """The names that `array` reads."""
        if not self.is_raw:
            return [*(self._recipe.outputs or self._store.arrays)]
        return self.model.quantity_names()

    def unit(self, name: str) -> str:
        """Return the unit of a quantity; "" for a number from a function, and for a saved study without its model."""
        if name not in self._units:
            self._units[name] = self._unit(name)
        return self._units[name]

    @cached_property
    def _units(self) -> dict[str, str]:
        return {}

    def _unit(self, name: str) -> str:
        if self._recipe.function is not None or not self._readable:
            return ""
        if quantity := self.model.quantity_or_none(name):
            measure, level = quantity
            return measure.units[level]
        done = np.flatnonzero(self.done)
        return self.member(int(done[0])).unit(name) if done.size else ""

    # --- reading ----------------------------------------------------------------------------------------------

    def array(self, name: str) -> np.ndarray:
        """Return a quantity of all members, shape (members, times), or (members, times, components) for a vector."""
        if name not in self._arrays:
            self._arrays[name] = frozen(self._read(name))
        return self._arrays[name]

    @cached_property
    def _arrays(self) -> dict[str, np.ndarray]:
        return {}

    def _read(self, name: str) -> np.ndarray:
        if not self.is_raw:
            stored = self._recipe.outputs or tuple(self._store.arrays)
            if name not in stored and name in self._recipe.names:
                where = f"found.designs.values[:, {[*self._recipe.names].index(name)}]"
                raise ModelError(
                    f"{name!r} is varied in this ensemble: its values are {where}",
                    code="is-varied", name=name, names=self._recipe.names,
                )  # fmt: skip
            if name not in stored and (component := self._component_of(name, stored)):
                return self.array(component[0])[..., component[1]]
            check_name("kept quantity", name, stored, "the ensemble")
            if name not in self._store.arrays:  # no member is done
                return np.full((len(self), self.t.size), np.nan)
            array = self._store.arrays[name]
            if self.done.all():
                return array
            return np.where(self.done.reshape(-1, *[1] * (array.ndim - 1)), array, np.nan)
        self._check_model()
        rows = np.flatnonzero(self.done)
        if is_measure(self._recipe, name):
            out = np.full((len(self), self.t.size), np.nan)
            if rows.size:
                system = self._recipe.system.cartesian
                columns = columns_of(system, self._recipe.names, self.designs.values[rows], {})
                motion = {part: self._store.arrays[part][rows] for part in RAW}
                out[rows] = read_measure(system, columns, np.arange(rows.size), name, self.t, motion)
            return out
        if not rows.size:
            raise ModelError(
                f"no member is done, and {name!r} is read of their results; see the failures",
                code="no-member-done", name=name, members=len(self),
            )  # fmt: skip
        results = (self.member(int(k)) for k in rows)  # one at a time: they are not cached
        values = np.stack([at_times(self.t, result.t, np.asarray(result[name])) for result in results])
        out = np.full((len(self), *values.shape[1:]), np.nan)
        out[rows] = values
        return out

    def _component_of(self, name: str, stored: Sequence[str]) -> tuple[str, int] | None:
        """Return the stored vector of which a quantity is a component, and the index of the component, or None."""
        done = np.flatnonzero(self.done)
        vectors = [other for other in stored if other in self._store.arrays and self._store.arrays[other].ndim == 3]
        if not (done.size and vectors):
            return None
        result = self.member(int(done[0]))
        components = ((vector, result.components(vector)) for vector in vectors)
        return next(((vector, parts.index(name)) for vector, parts in components if name in parts), None)

    def member(self, k: int) -> Result:
        """Return the result of one member, equal to that of its verb to the last bit: read from arrays, or computed
        again."""
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or not -len(self) <= k < len(self):
            raise ModelError(
                f"the ensemble has no member {k!r}: it has {len(self)}, by number from 0",
                code="out-of-bounds", argument="k", value=k, count=len(self),
            )  # fmt: skip
        k = int(k) % len(self)
        self._check_model()
        state = self._store.state[k]
        if state != DONE:
            what = f"failed: {self._store.failures[k].message}" if state == FAILED else "was not run"
            raise ModelError(
                f"member {k} {what}; see failures, and message",
                code="member-not-done", member=k, failed=bool(state == FAILED),
            )  # fmt: skip
        row, facts = self.designs.values[k], self._store.facts.get(k)
        if facts is None or not self.is_raw:
            return self._recipe.result(row)
        return result_of_member(self._recipe, row, {n: array[k] for n, array in self._store.arrays.items()}, facts)

    def _check_model(self) -> None:
        if not self._readable:
            what = "a saved ensemble has its arrays, and of its model the name alone"
            raise ModelError(
                f"{what}; give the model, too: mbs.load_ensemble(folder, model)", code="loaded-without-model"
            )
