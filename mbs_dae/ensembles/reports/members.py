"""Read the members of an ensemble: numbers over time, sizes of vectors, and one number for each member."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from ...errors import ModelError, counted
from ...results.names import components as named_components
from ...results.names import known_names
from ..values import Designs

Reduce = str | Callable[[np.ndarray], Any]
"""How the values of a member over time become one number: a name of `REDUCTIONS`, or a function of an array."""


def _last(x: np.ndarray) -> np.ndarray:
    """Return the last number that is not nan in each row, shape (members,)."""
    behind = np.argmax(~np.isnan(x[:, ::-1]), axis=1)
    return x[np.arange(len(x)), x.shape[1] - 1 - behind]


REDUCTIONS: Mapping[str, tuple[Callable[[np.ndarray], np.ndarray], str]] = {
    "max": (lambda x: np.fmax.reduce(x, axis=1), "largest {}"),
    "min": (lambda x: np.fmin.reduce(x, axis=1), "smallest {}"),
    "abs": (lambda x: np.fmax.reduce(np.abs(x), axis=1), "largest |{}|"),
    "range": (lambda x: np.fmax.reduce(x, axis=1) - np.fmin.reduce(x, axis=1), "range of {}"),
    "first": (lambda x: x[:, 0], "first {}"),
    "last": (_last, "last {}"),
}
"""The reductions by name: a function of an array of shape (members, times), and a phrase for labels. All ignore the nan
after an event has stopped a run."""


class MemberFailure(Protocol):
    """A member that did not come to its end."""

    @property
    def member(self) -> int: ...
    @property
    def message(self) -> str: ...
    @property
    def kind(self) -> str: ...


class Members(Protocol):
    """The interface of an ensemble that this package reads. `names` are the stored quantities, or all quantities if
    whole motions are stored (`is_raw`). `message` says why some members were not run."""

    @property
    def model(self) -> Any: ...
    @property
    def designs(self) -> Designs: ...
    @property
    def t(self) -> np.ndarray: ...
    @property
    def axis(self) -> tuple[str, str]: ...
    @property
    def names(self) -> Sequence[str]: ...
    @property
    def is_raw(self) -> bool: ...
    @property
    def message(self) -> str: ...
    @property
    def failures(self) -> Sequence[MemberFailure]: ...
    @property
    def done(self) -> np.ndarray: ...
    def __len__(self) -> int: ...
    def array(self, name: str) -> np.ndarray: ...
    def unit(self, name: str) -> str: ...


def scalars(ensemble: Members, name: str) -> np.ndarray:
    """Return the values of a quantity, shape (members,) or (members, times); for a vector, its Euclidean norm."""
    array = ensemble.array(name)
    if array.ndim > 3:
        what = f"{name!r} is an array of {array.ndim - 1} dimensions in each member"
        raise ModelError(
            f"{what}; read array({name!r}), or let the function of the study give numbers",
            code="wrong-shape", name=name, shape=array.shape,
        )  # fmt: skip
    return np.linalg.norm(array, axis=2) if array.ndim == 3 else array


def over_time(ensemble: Members, name: str) -> bool:
    """Whether the quantity has a value at each time of the study. (An array from a function may have any shape.)"""
    array = ensemble.array(name)
    return array.ndim > 1 and array.shape[1] == len(ensemble.t) > 1


def is_one_number(ensemble: Members, name: str) -> bool:
    return bool(np.prod(ensemble.array(name).shape[1:2]) == 1)


def abscissa(ensemble: Members, name: str) -> tuple[np.ndarray, tuple[str, str]]:
    """Return abscissae with their name and unit: the times of the study, or the indices 0, 1, ... of the values."""
    array = ensemble.array(name)
    if array.ndim == 1 or array.shape[1] == len(ensemble.t):
        return ensemble.t, ensemble.axis
    return np.arange(array.shape[1], dtype=float), ("number", "")


def components(ensemble: Members, name: str) -> tuple[str, ...]:
    """Return the names of a vector's components; for a scalar quantity, its own name alone."""
    array = ensemble.array(name)
    if array.ndim < 3:
        return (name,)
    names = named_components(name, known_names(ensemble.model))
    return names if len(names) == array.shape[2] else tuple(f"{name}.{k}" for k in range(array.shape[2]))


def label_of(ensemble: Members, name: str) -> str:
    """Return the label of a quantity in text: its name, or |name| for the size of a vector."""
    return f"|{name}|" if ensemble.array(name).ndim == 3 else name


def per_member(ensemble: Members, name: str, reduce: Reduce) -> np.ndarray:
    """Return one number for each member, shape (members,); nan for members that failed."""
    array = scalars(ensemble, name)
    if array.ndim == 1:
        return array
    if isinstance(reduce, str) and reduce in REDUCTIONS:
        return REDUCTIONS[reduce][0](array)
    if not callable(reduce):
        choices = ", ".join(map(repr, REDUCTIONS))
        raise ModelError(
            f"reduce is {reduce!r}; choose one of {choices}, or give a function of one member's values",
            code="unknown-choice", argument="reduce", value=reduce, choices=tuple(REDUCTIONS),
        )  # fmt: skip
    numbers = np.full(len(array), np.nan)
    for member in np.flatnonzero(ensemble.done):
        value = reduce(array[member])
        if np.ndim(value) or np.iscomplexobj(value):
            what = f"reduce makes {np.shape(value)} of the values of {name!r} in one member"
            raise ModelError(
                f"{what}; it must give one number",
                code="not-a-number", argument="reduce", name=name, value=value, member=int(member),
            )  # fmt: skip
        numbers[member] = float(value)
    return numbers


def words_of(ensemble: Members, name: str, reduce: Reduce) -> tuple[str, str]:
    """Return the label and the unit of the numbers from `per_member`; the unit is "" if `reduce` is a function."""
    label, unit = label_of(ensemble, name), ensemble.unit(name)
    if is_one_number(ensemble, name):
        return label, unit
    if isinstance(reduce, str):
        return REDUCTIONS[reduce][1].format(label).replace("||", "|"), unit
    word = getattr(reduce, "__name__", "<").replace("_", " ")
    return f"{'function' if word.startswith('<') else word} of {label}", ""


def check_done(ensemble: Members) -> None:
    """Raise a `ModelError` if no member of the ensemble is done."""
    if not np.any(ensemble.done):
        first = ensemble.failures[0].message if len(ensemble.failures) else "none was run"
        raise ModelError(
            f"no member of the ensemble is done: {first}", code="no-member-done", members=len(ensemble), reason=first
        )


def check_numbers(values: np.ndarray, name: str) -> None:
    """Raise a `ModelError` if the values are nan in all members that are done."""
    if np.isnan(values).all():
        raise ModelError(
            f"{name!r} is nan in all members that are done; look at array({name!r}), or read another one",
            code="nan-in-all-members", name=name,
        )  # fmt: skip


def note_of_members(ensemble: Members) -> str:
    """Return a note for a picture: how many members are done, and how many are left out."""
    return "; ".join([counted(int(np.sum(ensemble.done)), "member"), *left_out(ensemble)])


def left_out(ensemble: Members) -> list[str]:
    """Return phrases that count the members that failed and the members that were not run."""
    failed = len(ensemble.failures)
    missing = len(ensemble) - int(np.sum(ensemble.done)) - failed
    counts = {"failed": failed, "not run": missing}
    return [f"{count} {what}, left out" for what, count in counts.items() if count]
