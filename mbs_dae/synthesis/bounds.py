"""Bounds on the pivots and the lengths of linkages, as excesses g(numbers) ≤ 0 with their derivatives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from ..errors import ModelError, shortened
from ..model.parameters import check_choice, finite_number
from ..tolerances import BOUND_EXCESS
from .arguments import numbers, points_of
from .linkages import Kind, Linkage, dot, linkage_of, size_of, turn

LENGTHS: dict[str, tuple[str, ...]] = {"four-bar": ("a", "b", "c", "d"), "slider-crank": ("a", "b")}
"""The lengths that `ratio` compares."""
OTHERS: dict[str, tuple[str, ...]] = {"four-bar": ("along", "across"), "slider-crank": ("e", "along", "across")}
Range = tuple[float, float]
Excess = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class Bounds:
    """Bounds on the fixed pivots, the lengths of links, and the ratio of lengths."""

    kind: Kind
    within: tuple[complex, complex] | None
    """The least coordinates and the greatest, as complex numbers; None without a box."""
    lengths: Mapping[str, Range]
    ratio: float | None
    """The largest ratio of the longest link to the shortest; None without a bound."""

    def scaled(self, origin: complex, size: float) -> Bounds:
        """Return the bounds in lengths of `size`, seen from an origin."""
        low_high = None if self.within is None else tuple((corner - origin) / size for corner in self.within)
        lengths = {name: (low / size, high / size) for name, (low, high) in self.lengths.items()}
        return Bounds(self.kind, low_high, lengths, self.ratio)  # type: ignore[arg-type]

    def excess(self, x: np.ndarray) -> Excess:
        """Return the excess of linkages (rows of numbers) beyond the bounds, shape (rows, bounds), and its derivatives,
        shape (rows, bounds, numbers)."""
        rows = list(self._rows(x))
        return np.stack([value for value, _ in rows], axis=1), np.stack([slope for _, slope in rows], axis=1)

    def allow(self, linkage: Linkage) -> bool:
        worst = self.excess(linkage.numbers()[None])[0].max()
        return bool(worst <= BOUND_EXCESS * max(1.0, np.abs(linkage.numbers()).max()))

    def hold(self, pivots: np.ndarray) -> np.ndarray:
        """Return whether each of these points is inside of the box."""
        if self.within is None:
            return np.ones(len(pivots), dtype=bool)
        low, high = self.within
        x, y = pivots.real, pivots.imag
        inside: np.ndarray = (x >= low.real) & (x <= high.real) & (y >= low.imag) & (y <= high.imag)
        return inside

    def _rows(self, x: np.ndarray) -> Iterator[Excess]:
        if self.within is not None:
            for column in (0, 1, 4, 5) if self.kind == "four-bar" else (0, 1):
                low, high = ((corner.imag if column % 2 else corner.real) for corner in self.within)
                yield from _excess_of_range(_entry(x, column), low, high)
        for name, ends in self.lengths.items():
            yield from _excess_of_range(_length(self.kind, name, x), *ends)
        if self.ratio is not None:
            lengths = [_length(self.kind, name, x) for name in LENGTHS[self.kind]]
            for (long, by_long), (short, by_short) in permutations(lengths, 2):
                yield long - self.ratio * short, by_long - self.ratio * by_short


def _excess_of_range(value: Excess, low: float, high: float) -> Iterator[Excess]:
    if np.isfinite(low):
        yield low - value[0], -value[1]
    if np.isfinite(high):
        yield value[0] - high, value[1]


def _entry(x: np.ndarray, column: int) -> Excess:
    slope = np.zeros_like(x)
    slope[:, column] = 1.0
    return x[:, column], slope


def _length(kind: Kind, name: str, x: np.ndarray) -> Excess:
    """Return one of the textbook's lengths with its derivatives, from the numbers of linkages."""
    last = size_of(kind)
    columns = {"a": 2, "b": 3, "along": last - 2, "across": last - 1} | ({"c": 6} if kind == "four-bar" else {})
    if name in columns:
        return _entry(x, columns[name])
    slope, linkage = np.zeros_like(x), linkage_of(kind, x[:, :last])
    if name == "d":
        ground = (x[:, 4] - x[:, 0]) + 1j * (x[:, 5] - x[:, 1])
        with np.errstate(invalid="ignore", divide="ignore"):
            unit = ground / np.abs(ground)
        slope[:, [4, 5]] = np.stack([unit.real, unit.imag], axis=1)
        slope[:, [0, 1]] = -slope[:, [4, 5]]
        return np.abs(ground), slope
    normal = 1j * turn(x[:, 5])  # e = h - n·O
    slope[:, 0], slope[:, 1], slope[:, 4], slope[:, 5] = -normal.real, -normal.imag, 1.0, -dot(1j * normal, linkage.O)
    return x[:, 4] - dot(normal, linkage.O), slope


# --- bounds from arguments ---


def bounds_of(kind: Kind, within: Any, lengths: Any, ratio: Any) -> Bounds | None:
    """Return the bounds, or None without any; raise a `ModelError` if no linkage can satisfy all of them."""
    if within is None and lengths is None and ratio is None:
        return None
    corners = None
    if within is not None:
        one, other = points_of(within, "within", 2, "[(0, 0), (2, 1)], two corners of a box")
        low, high = (
            np.minimum([one.real, one.imag], [other.real, other.imag]),
            np.maximum([one.real, one.imag], [other.real, other.imag]),
        )
        corners = complex(*low), complex(*high)
    if ratio is not None:
        ratio = finite_number(ratio, "ratio")
        if ratio < 1:
            raise ModelError(
                f"ratio={ratio:g}, and the longest link is not shorter than the shortest; give 1 or more",
                code="out-of-bounds", argument="ratio", value=ratio, least=1,
            )  # fmt: skip
    bounds = Bounds(kind, corners, _ranges(kind, lengths), ratio)
    _check(bounds)
    return bounds


def _ranges(kind: Kind, lengths: Any) -> dict[str, Range]:
    names = LENGTHS[kind]
    if lengths is None:
        return {}
    if not isinstance(lengths, Mapping):
        lengths = dict.fromkeys(names, lengths)
    ranges = {}
    for name, ends in lengths.items():
        check_choice(name, names + OTHERS[kind], "lengths")
        low, high = numbers(ends, f"lengths[{name!r}]", 2, "(0.1, 0.5)")
        if not low <= high:
            raise ModelError(
                f"lengths[{name!r}] is {shortened(ends)}, which is not a range; give the lesser end first",
                code="bounds-upside-down", argument="lengths", name=name, value=(float(low), float(high)),
            )  # fmt: skip
        if name in names and high <= 0:
            raise ModelError(
                f"lengths[{name!r}] is {shortened(ends)}, and no link is that short; give positive lengths",
                code="not-positive", argument="lengths", name=name, value=(float(low), float(high)),
            )  # fmt: skip
        ranges[name] = float(low), float(high)
    return ranges


def _check(bounds: Bounds) -> None:
    """Raise a `ModelError` for bounds that no linkage satisfies, whatever its task."""
    lengths = {name: bounds.lengths.get(name, (0.0, np.inf)) for name in LENGTHS[bounds.kind]}
    if bounds.within is not None and "d" in lengths:
        reach = abs(bounds.within[1] - bounds.within[0])
        if lengths["d"][0] > reach:
            least = lengths["d"][0]
            what = f"the ground is at least {least:g} long, and pivots within= that box are at most {reach:g} apart"
            raise ModelError(
                f"{what}: no linkage has both; make the box larger, or the ground shorter",
                code="contradictory-arguments", argument="within", other="lengths", least=least, most=reach,
            )  # fmt: skip
        lengths["d"] = lengths["d"][0], min(lengths["d"][1], reach)
    longest = max(lengths, key=lambda name: lengths[name][0])
    if bounds.ratio is not None:
        shortest = min(lengths, key=lambda name: lengths[name][1])
        if lengths[longest][0] > bounds.ratio * lengths[shortest][1]:
            what = f"{longest} is at least {lengths[longest][0]:g}, and {shortest} at most {lengths[shortest][1]:g}"
            raise ModelError(
                f"{what}: no linkage has ratio={bounds.ratio:g}; change one of them",
                code="contradictory-arguments", argument="ratio", other="lengths", longest=longest, shortest=shortest,
                value=bounds.ratio,
            )  # fmt: skip
    rest: Sequence[float] = [high for name, (_, high) in lengths.items() if name != longest]
    if bounds.kind == "four-bar" and lengths[longest][0] > sum(rest):
        what = f"{longest} is at least {lengths[longest][0]:g}, and the others are at most {sum(rest):g} together"
        raise ModelError(
            f"{what}: no four-bar closes; change one of these bounds",
            code="lengths-do-not-close", link=longest, least=lengths[longest][0], most=sum(rest),
        )  # fmt: skip
