"""Describe the bands in which quantities lie, given the tolerances of dimensions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from matplotlib.figure import Figure

from ..ensembles.ensemble import Ensemble
from ..ensembles.samples import Tolerance
from ..errors import check_name, counted
from ..public_class import PublicClass
from ..results.result import Result
from ..unit_system import UnitsLike, shown, shown_in, size_of
from . import pictures


@dataclass(frozen=True, eq=False)
class Band(metaclass=PublicClass):
    """The scatter of a quantity over time.

    >>> model = mbs.PlanarModel("crank")
    >>> r, a = model.parameter("r", 0.1, unit="m"), model.parameter("a", 0.0)
    >>> crank = model.link("crank", (0, 0), (0.1, 0), length=r)
    >>> model.add(mbs.Revolute("A", model.ground, crank.tail), mbs.Driver("motor", mbs.angle(crank), mbs.t + a))
    (<Revolute A>, <Driver motor>)
    >>> band = mbs.tolerance(model, [0, 0.5], {"r": 1e-4, "a": 1e-3}, ["crank.head.x"], "kinematics")["crank.head.x"]
    >>> isinstance(band, mbs.Band), band.share("a").round(3)
    (True, array([0.  , 0.23]))
    """

    name: str
    unit: str
    t: np.ndarray
    nominal: np.ndarray
    """The values without any deviation."""
    parts: Mapping[str, np.ndarray]
    """The derivative ∂y/∂p times the standard deviation of p, for each number p."""
    worst: np.ndarray
    """The largest deviation if all numbers are within their limits."""
    slopes: Mapping[str, np.ndarray]
    """The derivative ∂y/∂p for each number p."""

    @cached_property
    def sigma(self) -> np.ndarray:
        """The standard deviation over time: numbers scatter independently, so variances add up."""
        return np.sqrt(sum(part**2 for part in self.parts.values()))

    def share(self, name: str) -> np.ndarray:
        """Return the part of the variance that one number makes, over time; 0 where nothing scatters."""
        check_name("number", name, self.parts, f"the band of {self.name}")
        variance = self.sigma**2
        return np.divide(self.parts[name] ** 2, variance, out=np.zeros_like(variance), where=variance > 0.0)

    @property
    def widest(self) -> int:
        """The index of the time at which the standard deviation is largest."""
        return int(np.argmax(self.sigma))


@dataclass(frozen=True, eq=False)
class Bands(metaclass=PublicClass):
    """The scatter of quantities due to tolerances, from `mbs.tolerance`: ``found["slider.x"].sigma`` over time, and
    `worst`.

    >>> model = mbs.PlanarModel("crank")
    >>> r = model.parameter("r", 0.1, unit="m")
    >>> crank = model.link("crank", (0, 0), (0.1, 0), length=r)
    >>> model.add(mbs.Revolute("A", model.ground, crank.tail), mbs.Driver("motor", mbs.angle(crank), 2 * mbs.t))
    (<Revolute A>, <Driver motor>)
    >>> found = mbs.tolerance(model, [0, 1], {"r": 1e-4}, ["crank.head.x", "crank.head.vy"], verb="kinematics")
    >>> isinstance(found, mbs.Bands)
    True
    >>> print(found)
    first-order tolerances of 'crank', by 1 number, from 2 runs
      quantity            largest sigma  at t  largest worst case  mostly of
      crank.head.x [m]           0.0001     0              0.0003  r (100 %)
      crank.head.vy [m/s]        0.0002     0              0.0006  r (100 %)
    """

    bands: Mapping[str, Band]
    tolerances: Mapping[str, Tolerance]
    """The tolerance of each number in the analysis."""
    result: Result
    """The run without any deviation."""
    ensemble: Ensemble | None
    """The members that were drawn; None if there are none."""
    runs: int
    curvature: Mapping[str, tuple[float, str]]
    """For each quantity, the largest error of the linear change at a limit of a number, as a part of the worst case,
    and the name of this number. The map is empty if nothing was checked."""

    def __getitem__(self, name: str) -> Band:
        check_name("quantity", name, self.bands, "the tolerance analysis")
        return self.bands[name]

    @cached_property
    def difference(self) -> dict[str, float]:
        """Return for each quantity the largest difference between its standard deviation and that of the members, as a
        part of the largest standard deviation of the members."""
        if self.ensemble is None:
            return {}
        differences = {}
        for name, band in self.bands.items():
            drawn = np.nanstd(self.ensemble.array(name), axis=0)
            differences[name] = float(np.abs(drawn - band.sigma).max() / max(drawn.max(), 1e-300))
        return differences

    @property
    def chance(self) -> float:
        """The relative error that the standard deviation of the members may have by chance (four standard errors)."""
        return 4.0 / np.sqrt(2.0 * self._moved) if self._moved else 0.0

    def __repr__(self) -> str:
        return f"<Bands of {', '.join(self.bands)} by {', '.join(self.tolerances)}>"

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        numbers = counted(len(self.tolerances), "number")
        yield f"first-order tolerances of {self.result.title!r}, by {numbers}, from {counted(self.runs, 'run')}"
        read = [size_of(one.unit, one.name) for one in self.bands.values()]
        names = [f"{one.name} [{word}]" if word else one.name
                 for one, (_, word) in zip(self.bands.values(), read, strict=True)]  # fmt: skip
        width = max(map(len, ["quantity", *names]))
        at = f"at {self.result.axis[0]}"
        yield f"  {'quantity':<{width}}  largest sigma  {at:>4}  largest worst case  mostly of"
        for name, band, (size, _) in zip(names, self.bands.values(), read, strict=True):
            k = band.widest
            shares = {one: float(band.share(one)[k]) for one in band.parts}
            most = max(shares, key=lambda one: shares[one])
            largest_share = f"{most} ({100 * shares[most]:.0f} %)" if shares[most] else "none of them"
            when, _ = shown(band.t[k], self.result.axis[1], self.result.axis[0])
            numbers = f"{band.sigma[k] / size:>13.4g}  {when:>4.3g}  {band.worst.max() / size:>18.4g}"
            yield f"  {name:<{width}}  {numbers}  {largest_share}"
        for name, share in self.difference.items():
            members = counted(self._moved, "member")
            yield f"  {name}: {100 * share:.2g} % from the standard deviation of {members}"
        if self.ensemble is not None and (lost := len(self.ensemble) - self._moved):
            yield f"  note: left out: {lost} of {counted(len(self.ensemble), 'member')}, without a motion"
        for name in self.idle:
            yield f"  note: nothing here depends on {name}"

    @property
    def _moved(self) -> int:
        return int(self.ensemble.done.sum()) if self.ensemble else 0

    @property
    def idle(self) -> tuple[str, ...]:
        """The numbers on which none of the quantities depends."""
        return tuple(
            name for name in self.tolerances if not any(band.slopes[name].any() for band in self.bands.values())
        )

    def plot(self, names: Sequence[str] = (), degrees: bool = False, units: UnitsLike = None) -> Figure:
        """Plot the deviations from the nominal values of all quantities, or of these (three standard deviations, the
        worst case, and members if any were drawn); below them, the shares of the numbers."""
        with shown_in(units, degrees):
            return pictures.tolerance_bands(self, [names] if isinstance(names, str) else [*(names or self.bands)])
