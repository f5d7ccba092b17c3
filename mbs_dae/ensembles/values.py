"""Hold the designs of an ensemble: names, and a row of numbers for each member."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ModelError, check_name, counted
from ..model.parameters import finite_number
from ..public_class import PublicClass
from ..results.quantities import frozen

_SHAPE = "a row for each member and a column for each name"
EXAMPLE = 'over={"r": np.linspace(0.08, 0.12, 9), "l": 0.3}'


@dataclass(frozen=True, eq=False)
class Designs(metaclass=PublicClass):
    """The parameters and initial values in which the members of an ensemble differ, in SI units.

    >>> drawn = mbs.samples({"r": mbs.Tolerance(0.1, plus_minus=1e-4, distribution="uniform"), "omega": 10}, 500)
    >>> isinstance(drawn, mbs.Designs), len(drawn), drawn.values.shape
    (True, 500, (500, 2))
    >>> drawn.row(0)["omega"], bool(abs(drawn["r"] - 0.1).max() <= 1e-4)
    (10.0, True)
    """

    names: tuple[str, ...]
    values: np.ndarray
    """The numbers, shape (members, names)."""
    axes: Mapping[str, np.ndarray] | None = None
    """For a grid, the values of each name that has several; the last name changes fastest from member to member."""

    def __post_init__(self) -> None:
        names = (self.names,) if isinstance(self.names, str) else tuple(map(str, self.names))
        if len({*names}) < len(names):
            raise ModelError(
                f"designs name {max(names, key=names.count)!r} twice; leave one out",
                code="given-twice", argument="names", name=max(names, key=names.count),
            )  # fmt: skip
        try:
            values = np.array(self.values, dtype=float)
        except (TypeError, ValueError) as wrong:
            raise ModelError(
                f"the values of designs must be numbers: {wrong}; give {_SHAPE}",
                code="not-a-number", argument="values", reason=str(wrong),
            ) from wrong  # fmt: skip
        if values.ndim != 2 or values.shape[1] != len(names):
            what = f"the values of designs over {', '.join(names)} have the shape {values.shape}"
            raise ModelError(
                f"{what}; give {_SHAPE}", code="wrong-shape", argument="values", shape=values.shape, names=names
            )
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "values", frozen(values))

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, name: str) -> np.ndarray:
        """Return the numbers of one name, shape (members,)."""
        check_name("varied name", name, self.names, "the ensemble")
        return self.values[:, self.names.index(name)]

    def row(self, member: int) -> dict[str, float]:
        """Return the numbers of one member, by name."""
        return dict(zip(self.names, self.values[member].tolist(), strict=True))

    def __repr__(self) -> str:
        grid = f", a grid of {' x '.join(str(len(axis)) for axis in self.axes.values())}" if self.axes else ""
        return f"<Designs: {counted(len(self), 'member')}, over {', '.join(self.names)}{grid}>"


def check_over(over: Any) -> dict[str, Any]:
    """Return the values given for each name. A symbol of a model, or a parameter object, stands for its name."""
    if not isinstance(over, Mapping) or not over:
        raise ModelError(
            f"over= must be a dict of names and what they take, not {over!r}; e.g. {EXAMPLE}",
            code="not-a-dict", argument="over", value=over,
        )  # fmt: skip
    values: dict[str, Any] = {}
    for key, value in over.items():
        name = str(getattr(key, "symbol", key))
        if name in values:
            raise ModelError(
                f"over= names {name!r} twice; leave one out", code="given-twice", argument="over", name=name
            )
        values[name] = value
    return values


def fixed_or_values(name: str, values: Any) -> np.ndarray:
    """Return the numbers for a name as an array: 0-dimensional for one number, else shape (values,)."""
    if np.ma.is_masked(values):
        raise ModelError(
            f"over[{name!r}] is masked in part; leave out what is masked: values.compressed()",
            code="masked", argument="over", name=name,
        )  # fmt: skip
    array = np.asarray(values)
    if array.ndim > 1:
        raise ModelError(
            f"over[{name!r}] has the shape {array.shape}; give a number or a list of numbers",
            code="wrong-shape", argument="over", name=name, shape=array.shape,
        )  # fmt: skip
    if array.size == 0:
        raise ModelError(
            f"over[{name!r}] is empty; give at least one number, e.g. np.linspace(0.08, 0.12, 9)",
            code="empty", argument="over", name=name,
        )  # fmt: skip
    if array.dtype.kind in "iuf":
        array = array.astype(float)
        finite = np.isfinite(array)
        if not finite.all():
            which = "" if not array.ndim else f"[{int(np.argmin(finite))}]"
            raise ModelError(
                f"over[{name!r}]{which} is {array[~finite][0]}; give finite numbers",
                code="not-finite", argument="over", name=name, value=float(array[~finite][0]),
            )  # fmt: skip
        return array
    if array.ndim == 0:
        return np.asarray(finite_number(values, f"over[{name!r}]", "a number, a list of numbers or a distribution"))
    return np.array([finite_number(x, f"over[{name!r}][{k}]") for k, x in enumerate(values)])
