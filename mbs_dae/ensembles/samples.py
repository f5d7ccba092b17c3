"""Draw numbers from distributions, one row for each member of an ensemble.

A number x with the distribution function F is drawn as x = F⁻¹(u), with u between 0 and 1. Hence any source of the
shares u - a random generator, or points that fill the unit cube more evenly - serves all distributions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import index
from typing import Any, Literal

import numpy as np

from ..errors import ModelError
from ..model.parameters import check_choice, finite_number, positive_number
from ..public_class import PublicClass
from .values import Designs, check_over, fixed_or_values

METHODS = ("random", "latin", "sobol", "halton")
EDGE = 2.0**-53
"""The distance of shares from 0 and 1, where many distributions have no finite value."""


@dataclass(frozen=True)
class Tolerance(metaclass=PublicClass):
    """A dimension as on a drawing, 0.1 ± 0.0001: ``mbs.Tolerance(0.1, plus_minus=1e-4)``.

    "normal": the limits are `sigmas` standard deviations away from the nominal value (3: 0.27 % of all parts lie beyond
    them); "uniform": values lie anywhere between the limits. If the limits are not symmetrical, give their middle.

    >>> lengths = mbs.samples({"r": mbs.Tolerance(0.1, plus_minus=3e-4)}, 1000)["r"]
    >>> print(f"{lengths.mean():.4f} ± {lengths.std():.4f}")
    0.1000 ± 0.0001
    """

    nominal: float
    plus_minus: float
    distribution: Literal["normal", "uniform"] = "normal"
    sigmas: float = 3.0

    def __post_init__(self) -> None:
        finite_number(self.nominal, "the nominal value of a Tolerance")
        positive_number(self.plus_minus, "plus_minus of a Tolerance", "number")
        check_choice(self.distribution, ("normal", "uniform"), "distribution of a Tolerance")
        positive_number(self.sigmas, "sigmas of a Tolerance", "number")

    def ppf(self, share: np.ndarray) -> np.ndarray:
        """Return the values that these shares of all parts do not exceed."""
        from scipy.special import ndtri

        if self.distribution == "uniform":
            return self.nominal + self.plus_minus * (2.0 * share - 1.0)
        return self.nominal + self.plus_minus / self.sigmas * ndtri(share)


def samples(
    over: Mapping[Any, Any], count: int, method: Literal["random", "latin", "sobol", "halton"] = "random", seed: int = 0
) -> Designs:
    """Return `count` designs, with numbers drawn from a distribution for each name: a `Tolerance`, or a distribution of
    scipy.stats such as ``stats.norm(0.1, 1e-4)``; a single number is the same in all designs.

    "random" draws each name by itself: other names, or the number of members, do not change its first numbers. "latin"
    (a Latin hypercube), "sobol" and "halton" fill the space of all names more evenly: means and percentiles of smooth
    quantities need fewer members; "sobol" is at its best with a power of two. Equal values of `seed` give equal
    numbers.

    >>> from scipy import stats
    >>> over = {"r": mbs.Tolerance(0.1, plus_minus=3e-4), "l": stats.uniform(0.3, 0.01), "omega": 10}
    >>> drawn = mbs.samples(over, 4096, method="sobol")
    >>> drawn, drawn.names
    (<Designs: 4096 members, over r, l, omega>, ('r', 'l', 'omega'))
    >>> print(*(f"{drawn[name].mean():.6f}" for name in drawn.names))
    0.100000 0.305000 10.000000
    """
    entries = check_over(over)
    count, seed = _whole(count, "count", 1), _whole(seed, "seed", 0)
    check_choice(method, METHODS, "method of samples")
    drawn = [name for name, entry in entries.items() if is_distribution(name, entry)]
    if not drawn:
        what = "samples are drawn from distributions, and over= has none"
        raise ModelError(
            f"{what}; e.g. mbs.Tolerance(0.1, plus_minus=1e-4)",
            code="no-distributions", argument="over", names=tuple(entries),
        )  # fmt: skip
    columns = {}
    shares = np.clip(_shares(drawn, count, method, seed), EDGE, 1.0 - EDGE)
    for name, entry in entries.items():
        if name in drawn:
            columns[name] = _values(name, entry, shares[:, drawn.index(name)])
        elif np.ndim(numbers := fixed_or_values(name, entry)):
            what = f"over[{name!r}] is {len(numbers)} values, but {drawn[0]!r} is drawn from a distribution"
            raise ModelError(
                f"{what}; give each name a distribution or one number, or all of them values",
                code="values-beside-distributions", argument="over", name=name, count=len(numbers), other=drawn[0],
            )  # fmt: skip
        else:
            columns[name] = np.full(count, numbers)
    return Designs(tuple(columns), np.stack([*columns.values()], axis=1))


def is_distribution(name: str, entry: Any) -> bool:
    """Return whether single numbers can be drawn from the object; refuse families and joint distributions."""
    if callable(getattr(entry, "freeze", None)) or (isinstance(entry, type) and _inverse(entry)):
        family = getattr(entry, "name", getattr(entry, "__name__", "norm"))
        what = f"over[{name!r}] is a family of distributions; say which one by its numbers"
        raise ModelError(
            f"{what}, e.g. stats.{family}(0.1, 1e-4)" if family == "norm" else what,
            code="family-of-distributions", argument="over", name=name, family=family,
        )  # fmt: skip
    if _inverse(entry):
        return True
    if hasattr(entry, "rvs"):
        what = f"over[{name!r}] is a distribution of several numbers, and each name is drawn by itself"
        raise ModelError(
            f"{what}; draw them yourself and give a list of dicts or a DataFrame",
            code="multivariate-distribution", argument="over", name=name,
        )  # fmt: skip
    return False


def _inverse(distribution: Any) -> Any:
    """Return F⁻¹ as a function, under either of its names in scipy.stats; None if the object has none."""
    inverse = getattr(distribution, "ppf", None) or getattr(distribution, "icdf", None)
    return inverse if callable(inverse) else None


def _values(name: str, distribution: Any, shares: np.ndarray) -> np.ndarray:
    try:
        values = np.asarray(_inverse(distribution)(shares), dtype=float)
    except (TypeError, ValueError):  # a scale may be a list of another length
        values = np.array(np.nan)
    if values.shape != shares.shape or not np.isfinite(values).all():
        what = f"the distribution of {name!r} gives no finite numbers"
        raise ModelError(
            f"{what}; check its numbers: a scale must be positive, and each a single number",
            code="not-finite", argument="over", name=name,
        )  # fmt: skip
    return values


def _shares(names: Sequence[str], count: int, method: str, seed: int) -> np.ndarray:
    """Return shares between 0 and 1, shape (count, names)."""
    if method == "random":  # a generator for each name, so that no name depends on others
        return np.stack([np.random.default_rng([seed, *name.encode()]).random(count) for name in names], axis=1)
    from scipy.stats import qmc

    engine = {"latin": qmc.LatinHypercube, "sobol": qmc.Sobol, "halton": qmc.Halton}[method]
    points = engine(len(names), seed=np.random.default_rng(seed))
    if method == "sobol":  # the first points of the next power of two: scipy warns of other counts
        return points.random_base2((count - 1).bit_length())[:count]
    return points.random(count)


def _whole(value: Any, what: str, least: int) -> int:
    try:
        number = index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool | np.bool_) or number < least:
        needed = "a positive whole number" if least else "a whole number, 0 or larger"
        raise ModelError(
            f"{what} must be {needed}, not {value!r}; e.g. {what}={1000 if least else 1}",
            code="not-an-integer", argument=what, value=value, least=least,
        )  # fmt: skip
    return number
