"""Turn the values that a study varies (a grid, rows, or samples) into a table of numbers, one row for each member."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from ..derivatives.constants import constants_of
from ..errors import ModelError, shortened, unknown_name
from ..model.checks import warn_of_angles
from ..model.model import Model
from .samples import is_distribution, samples
from .values import EXAMPLE, Designs, check_over, fixed_or_values

LARGEST = 10**8
"""The largest number of members of a grid; a larger grid is taken for a mistake."""


def designs(
    model: Model, over: Any, count: int | None = None, seed: int | None = None, verb: str = "simulate"
) -> Designs:
    """Return the designs of the members that `over` describes.

    A dict of lists is a grid, the product of all values; a single number is the same in all members. A dict with
    distributions gives `count` random samples (`samples` also offers more even ones). A list of dicts, or a DataFrame,
    has a row for each member. Names are parameters; for `simulate` they may also be initial values, as `simulate` takes
    them."""
    if isinstance(over, Mapping) and any(is_distribution(name, one) for name, one in check_over(over).items()):
        if count is None:
            raise ModelError(
                "over= has distributions; say how many members are drawn of them, e.g. count=1000",
                code="missing-argument", argument="count",
            )  # fmt: skip
        designs = samples(over, count, seed=0 if seed is None else seed)
    elif count is not None or seed is not None:
        option = "count=" if count is not None else "seed="
        what = f"{option} is for distributions, and over= says itself which members there are"
        raise ModelError(
            f"{what}; leave {option} out, or give mbs.Tolerance(0.1, plus_minus=1e-4) in place of values",
            code="contradictory-arguments", argument="count" if count is not None else "seed", other="over",
        )  # fmt: skip
    elif isinstance(over, Designs):
        designs = over
    elif isinstance(over, Mapping):
        designs = _grid(over)
    else:  # one row for each member, from a list of dicts or a DataFrame
        if hasattr(over, "columns"):
            names = [*map(str, over.columns)]
            if len({*names}) < len(names):
                twice = next(name for name in names if names.count(name) > 1)
                raise ModelError(
                    f"over= has two columns {twice!r}; leave one out", code="given-twice", argument="over", name=twice
                )
            columns = {str(name): over[name] for name in over.columns}
        else:
            columns = _columns_of_rows(over)
        if not columns:
            raise ModelError(f"over= has no names to vary; e.g. {EXAMPLE}", code="empty", argument="over", names=())
        values = {name: fixed_or_values(name, column) for name, column in columns.items()}
        designs = Designs(tuple(values), np.stack([*values.values()], axis=1))
    if not len(designs) or not designs.names:
        raise ModelError(
            "over= has no members; give some values for each name, e.g. np.linspace(0.08, 0.12, 9)",
            code="empty", argument="over", names=designs.names,
        )  # fmt: skip
    for name in designs.names:
        _check_varied(model, name, verb)
    for row in [over] if isinstance(over, Mapping) else over if isinstance(over, list | tuple) else ():
        warn_of_angles(model, {name: getattr(one, "nominal", one) for name, one in check_over(row).items()}, "over")
    return designs


def _grid(over: Mapping[Any, Any]) -> Designs:
    """Return all combinations of the values; the last name changes fastest."""
    values = {name: fixed_or_values(name, entry) for name, entry in check_over(over).items()}
    axes = {name: numbers for name, numbers in values.items() if numbers.ndim}
    members = prod(map(len, axes.values()))
    if members > LARGEST:
        shape = " x ".join(str(len(axis)) for axis in axes.values())
        raise ModelError(
            f"a grid of {shape} has {members:.3g} members; take fewer values, or mbs.samples(...)",
            code="too-many-members", members=members, most=LARGEST, names=tuple(axes),
        )  # fmt: skip
    mesh = dict(zip(axes, np.meshgrid(*axes.values(), indexing="ij"), strict=True))
    columns = [mesh[name].ravel() if name in axes else np.full(members, x) for name, x in values.items()]
    return Designs(tuple(values), np.stack(columns, axis=1), axes or None)


def _columns_of_rows(over: Any) -> dict[str, list[Any]]:
    """Return the values of each name from a list of dicts, one for each member."""
    if not isinstance(over, Sequence) or not over or not all(isinstance(row, Mapping) for row in over):
        what = "over= takes a dict of names, a list of dicts, a DataFrame or mbs.samples(...)"
        raise ModelError(
            f"{what}, not {shortened(over)}; e.g. {EXAMPLE}", code="wrong-type", argument="over", value=over
        )
    rows = [check_over(row) for row in over]
    for k, row in enumerate(rows):
        if missing := rows[0].keys() - row.keys():
            raise ModelError(
                f"over[{k}] has no {min(missing)!r}, which over[0] has; give each member the same names",
                code="unequal-names", argument="over", member=k, missing=min(missing),
            )  # fmt: skip
        if more := row.keys() - rows[0].keys():
            raise ModelError(
                f"over[{k}] has {min(more)!r}, which over[0] has not; give each member the same names",
                code="unequal-names", argument="over", member=k, surplus=min(more),
            )  # fmt: skip
        for name, value in row.items():
            if np.ndim(value):
                what = f"over[{k}][{name!r}] is a list, and a member has one number of each name"
                raise ModelError(
                    f"{what}; for a grid give a dict of lists",
                    code="not-a-number", argument="over", member=k, name=name, value=value,
                )  # fmt: skip
    return {name: [row[name] for row in rows] for name in rows[0]}


def _check_varied(model: Model, name: str, verb: str) -> None:
    """Raise a `ModelError` unless the name is a parameter, or for `simulate` an initial value or initial rate."""
    if name in model.parameters:
        return
    if constant := constants_of(model).get(name):
        owner, _, last = name.rpartition(".")
        remedy = f'model.parameter("{last}", {constant.value}, unit={constant.unit!r})'
        what = f"{name!r} of model {model.name!r} is a constant, and members differ in parameters"
        raise ModelError(
            f"{what}; make it one: {remedy}, and give this symbol to {owner!r}",
            code="is-a-constant", argument="over", name=name, owner=owner, value=constant.value, model=model.name,
        )  # fmt: skip
    if verb != "simulate":
        raise unknown_name("parameter", name, model.parameters, f"model {model.name!r}")
    states = [state.name for state in model.states]
    if name in states:
        return
    if name in model.signal_units:
        what = f"{name!r} of model {model.name!r} is an input, or a rate that follows from its expression"
        raise ModelError(
            f"{what}; vary initial values of states, and parameters in the law of an input",
            code="not-a-state", argument="over", name=name, model=model.name,
        )  # fmt: skip
    quantity = model.quantity_or_none(name)
    if quantity is None:
        names = [*model.parameters, *states, *model.quantity_names(2)]
        raise unknown_name("parameter or initial value", name, names, f"model {model.name!r}")
    if quantity[1] > 1:
        raise ModelError(
            f"over= varies {name!r}, an acceleration, which follows from forces; vary values and rates",
            code="acceleration-given", argument="over", name=name, model=model.name,
        )  # fmt: skip
