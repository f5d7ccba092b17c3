"""Origins of loads: a load of a result as the sum of the shares of its sources."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError
from ..provided import provided
from ..public_class import PublicClass
from ..tolerances import DISPLAY_ROUNDOFF
from ..unit_system import UnitsLike, shown_in, size_of, told

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WORDS = ("force", "moment")


@dataclass(frozen=True)
class Share(metaclass=PublicClass):
    """The share of one source in a load at one time: ``name`` of the source, ``fraction`` of the load (along the load;
    all fractions add up to 1), and its ``size`` in the unit of the load.

    >>> rod = mbs.PlanarModel.from_points(
    ...     {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81))
    >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 10 * mbs.t))
    >>> largest = mbs.inverse_dynamics(rod, [0]).shares("A").largest(at=0)
    >>> isinstance(largest, mbs.Share), largest.name, round(largest.fraction, 4)
    (True, 'inertia of rod', 0.7004)
    >>> print(largest)
    at t = 0 s A carries 35.8461 N: 70 % of it is inertia of rod
    """

    name: str
    fraction: float
    size: float
    shares: Shares = field(repr=False, compare=False)
    """All shares of the load."""
    index: int = field(repr=False, compare=False)
    """The index of the time."""

    @property
    def sentence(self) -> str:
        """The load at this time and the largest source as a sentence, in the chosen units."""
        of, k, unit = self.shares, self.index, self.shares._unit
        what = f"at {of._when(k)} {of.of} {of.verb}"
        if not self.size:
            return f"{what} nothing"
        load = told(float(np.linalg.norm(of._main(of.total)[k])), unit)
        if np.isfinite(self.fraction):
            return f"{what} {load}: {100 * self.fraction:.0f} % of it is {self.name}"
        return f"{what} {load}: its shares cancel, the largest is {told(self.size, unit)} of {self.name}"

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, eq=False, repr=False)
class Shares(metaclass=PublicClass):
    """A load of a result, and the share of each source: ``parts["inertia of rod"]`` is an array like the load itself,
    ``total`` is the sum of all shares.

    Sources are the weight and the inertia of each body, each spring, damper, motor, given force, contact and friction.
    The shares belong to the actual motion.

    >>> rod = mbs.PlanarModel.from_points(
    ...     {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81))
    >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 10 * mbs.t))
    >>> shares = mbs.inverse_dynamics(rod, [0, 0.1]).shares("A")
    >>> isinstance(shares, mbs.Shares), [*shares.parts]
    (True, ['weight of rod', 'inertia of rod'])
    >>> shares.parts["inertia of rod"][0].round(6)  # 2 kg on a circle of 0.15 m, at 10 rad/s
    array([-30.,   0.,   0.])
    >>> print(shares)
    A: what it carries, by source, each maximum at its own time
      source            max force [N]  max moment [N m]  share of force at t = 0 s
      inertia of rod               30                 0                     70.0 %
      weight of rod             19.62                 0                     30.0 %
      sum                     35.8461                 0                    100.0 %
    """

    of: str
    """The owner of the load."""
    t: np.ndarray
    parts: Mapping[str, np.ndarray]
    """The share of each source, by its name."""
    total: np.ndarray
    """The load: (times, components), or (times,) for an effort."""
    components: tuple[str, ...]
    """The components of the load: ("Fx", "Fy", "M"), or ("effort",)."""
    units: tuple[str, ...]
    """The units of the components."""
    verb: str = "carries"
    axis: tuple[str, str] = ("t", "s")
    note: str = ""
    """A remark on the shares; empty if there is none."""
    read: Callable[[str], np.ndarray] = field(default_factory=lambda: _known_of_nothing)
    """A function that returns a quantity of the result by its name."""

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.parts:
            raise ModelError(
                f"{self.of} has no share of {name!r}; it has those of {', '.join(self.parts)}",
                code="unknown-name", owner=self.of, name=name, known=tuple(self.parts),
            )  # fmt: skip
        return self.parts[name]

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        return f"<Shares of {self.of}: {len(self.parts)} sources, {len(self.t)} times>"

    def only(self, *words: str) -> Shares:
        """Return the shares of the sources whose names begin with one of these words, and their sum:
        ``only("inertia")``.

        >>> rod = mbs.PlanarModel.from_points(
        ...     {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81))
        >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 10 * mbs.t))
        >>> mbs.inverse_dynamics(rod, [0]).shares("A").only("weight").total.round(6)
        array([[ 0.  , 19.62,  0.  ]])
        """
        if not words or not all(isinstance(word, str) for word in words):
            raise ModelError(
                f'only() takes the words that sources begin with, such as only("inertia"), not {words!r}',
                code="wrong-type", argument="words", value=words,
            )  # fmt: skip
        chosen = {name: part for name, part in self.parts.items() if name.startswith(words)}
        if not chosen:
            raise ModelError(
                f"no source of {self.of} begins with {' or '.join(words)}: {', '.join(self.parts)}",
                code="unknown-name", argument="words", owner=self.of, names=words, known=tuple(self.parts),
            )  # fmt: skip
        total = np.sum([*chosen.values()], axis=0)
        total.setflags(write=False)
        return Shares(
            self.of, self.t, chosen, total, self.components, self.units, self.verb, self.axis, self.note, self.read
        )

    # --- at one time ---

    def index(self, at: float | Mapping[str, float] | None) -> int:
        """Return the index in ``t`` that is nearest to a time, or to the first time at which a quantity has a value,
        ``{"crank.angle": 1.5}``; by default the index of the largest load with known shares."""
        if at is None:
            sizes = np.linalg.norm(self._main(self.total), axis=1)
            known = np.isfinite(np.sum([self._main(part) for part in self.parts.values()], axis=0)).all(axis=1)
            return int(np.argmax(np.where(known & np.isfinite(sizes), sizes, -1.0)))
        if not isinstance(at, Mapping):
            return _nearest(self.t, at, self.axis[0])
        if len(at) != 1:
            raise ModelError(
                f"at= is a time, or one quantity with its value, not {len(at)}: {dict(at)!r}",
                code="wrong-length", argument="at", value=dict(at), count=len(at),
            )  # fmt: skip
        ((name, value),) = at.items()
        return _nearest(self.read(name), value, name)

    def largest(self, at: float | Mapping[str, float] | None = None) -> Share:
        """Return the largest `Share` at a time, at ``{"crank.angle": 1.5}``, or by default where the load is largest.

        A rod that swings down loads its pin most where it passes the lowest point:

        >>> rod = mbs.PlanarModel.from_points(
        ...     {"A": (0, 0), "B": (0, -0.3)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81))
        >>> swing = mbs.simulate(rod, [0, 0.1], initial={"rod.omega": 20})
        >>> print(swing.shares("A").largest(at=0))
        at t = 0 s A carries 139.62 N: 86 % of it is inertia of rod
        """
        k = self.index(at)
        fractions, sizes = self._fractions(k), self._sizes(k)
        if not np.isfinite([*sizes.values()]).all():
            raise ModelError(
                f"what {self.of} {self.verb} at {self._when(k)} does not follow from the equations there",
                code="shares-unknown", owner=self.of, time=float(self.t[k]),
            )  # fmt: skip
        name = max(fractions, key=lambda one: fractions[one])
        if not np.isfinite(fractions[name]):
            name = max(sizes, key=lambda one: sizes[one])
        return Share(name, fractions[name], sizes[name], self, k)

    def table(self, at: float | Mapping[str, float] | None = None, units: UnitsLike = None) -> str:
        """Return a table of all shares at one time, the largest first, for ``print``. `units` are those of
        ``Result.plot``; ``at`` is in SI, as in `largest`.

        >>> rod = mbs.PlanarModel.from_points(
        ...     {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81))
        >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 10 * mbs.t))
        >>> print(mbs.inverse_dynamics(rod, [0]).shares("A").table(at=0))
        A at t = 0 s
          source            Fx [N]   Fy [N]  M [N m]    share
          inertia of rod       -30        0        0   70.0 %
          weight of rod          0    19.62        0   30.0 %
          sum                  -30    19.62        0  100.0 %
        """
        with shown_in(units):
            return self._table(self.index(at))

    def _table(self, k: int) -> str:
        fractions = self._fractions(k)
        order = sorted(self.parts, key=lambda one: -np.nan_to_num(fractions[one], nan=self._sizes(k)[one]))
        read = [size_of(u, f"{self.of}.{c}") for c, u in zip(self.components, self.units, strict=True)]
        sizes = np.array([size for size, _ in read])
        whole = 1.0 if np.isfinite([*fractions.values()]).any() else np.nan
        rows = [(name, *_columns(self.parts[name])[k] / sizes, _percent(fractions[name])) for name in order]
        rows.append(("sum", *_columns(self.total)[k] / sizes, _percent(whole)))
        head = ("source", *(f"{c} [{u}]" for c, (_, u) in zip(self.components, read, strict=True)), "share")
        size = np.abs([_columns(part)[k] / sizes for part in self.parts.values()]).max(axis=0, initial=0.0)
        return "\n".join([f"{self.of} at {self._when(k)}", *_lines(head, rows, size)])

    def __str__(self) -> str:
        """Return a table of the largest share of each source over time, and its share where the load is largest."""
        k = self.index(None)
        fractions, halves = self._fractions(k), self._halves
        read = [(at, *size_of(unit)) for _, unit, at in halves]
        head = (
            "source",
            *(f"max {h[0]} [{w}]" for h, (*_, w) in zip(halves, read, strict=True)),
            f"share of {self._chosen[0]} at {self._when(k)}",
        )
        peak = {name: [_peak(_columns(part)[:, at]) / s for at, s, _ in read] for name, part in self.parts.items()}
        order = sorted(self.parts, key=lambda one: -np.nan_to_num(fractions[one]))
        rows = [(name, *peak[name], _percent(fractions[name])) for name in order]
        whole = 1.0 if np.isfinite([*fractions.values()]).any() else np.nan
        rows.append(("sum", *(_peak(_columns(self.total)[:, at]) / size for at, size, _ in read), _percent(whole)))
        size = np.array([*peak.values()]).reshape(-1, len(halves)).max(axis=0, initial=0.0)
        note = [f"  {self.note}"] if self.note else []
        own = "time" if self.axis[0] == "t" else f"value of {self.axis[0]}"
        title = f"{self.of}: what it {self.verb}, by source, each maximum at its own {own}"
        return "\n".join([title, *_lines(head, rows, size), *note])

    def plot(self, *names: str, units: UnitsLike = None) -> Figure:
        """Plot the shares stacked over time, positive ones upwards, negative ones downwards, and the load as a line; a
        panel for each component that is not zero, or for the named ones. Return a matplotlib figure.

        >>> rod = mbs.PlanarModel.from_points(
        ...     {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81))
        >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 10 * mbs.t))
        >>> figure = mbs.inverse_dynamics(rod, np.linspace(0, 0.6, 61)).shares("A").plot()
        >>> [panel.get_ylabel() for panel in figure.axes]
        ['A: $F_x$ [N]', 'A: $F_y$ [N]']
        """
        with shown_in(units):
            return provided("Shares.plot")(self, names)

    # --- sizes ---

    @property
    def _halves(self) -> list[tuple[str, str, list[int]]]:
        """The columns of forces and of moments, with their word and unit."""
        if len(self.components) == 1:
            return [(self.components[0], self.units[0], [0])]
        places = {word: [k for k, c in enumerate(self.components) if c[0] == word[0].upper()] for word in WORDS}
        return [(word, self.units[at[0]], at) for word, at in places.items()]

    @property
    def _chosen(self) -> tuple[str, str, list[int]]:
        """The columns of forces; or of moments, if there are no forces."""
        halves = self._halves
        sizes = [max(_peak(_columns(part)[:, at]) for part in self.parts.values()) for _, _, at in halves]
        return halves[0] if sizes[0] > DISPLAY_ROUNDOFF * max(sizes) or len(halves) == 1 else halves[1]

    @property
    def _unit(self) -> str:
        return self._chosen[1]

    def _main(self, load: np.ndarray) -> np.ndarray:
        return np.asarray(_columns(load)[:, self._chosen[2]])

    def _sizes(self, k: int) -> dict[str, float]:
        return {name: float(np.linalg.norm(self._main(part)[k])) for name, part in self.parts.items()}

    def _fractions(self, k: int) -> dict[str, float]:
        """Return the fraction of each source along the load; nan where shares cancel."""
        whole, most = self._main(self.total)[k], max(self._sizes(k).values(), default=0.0)
        square = float(whole @ whole)
        if not square > (DISPLAY_ROUNDOFF * most) ** 2:
            return dict.fromkeys(self.parts, float("nan"))
        return {name: float(self._main(part)[k] @ whole) / square for name, part in self.parts.items()}

    def _when(self, k: int) -> str:
        name, unit = self.axis
        return f"{name} = {told(self.t[k], unit, name)}"


def _known_of_nothing(name: str) -> np.ndarray:
    raise ModelError(f"{name!r} is not known here; give a time", code="no-quantities-known", argument="at", name=name)


def _columns(load: np.ndarray) -> np.ndarray:
    return load.reshape(len(load), -1)


def _peak(values: np.ndarray) -> float:
    """Return the largest magnitude over time."""
    sizes = np.linalg.norm(values, axis=1)
    return float(sizes[np.isfinite(sizes)].max(initial=0.0))


def _percent(fraction: float) -> str:
    return f"{round(100 * fraction, 1) + 0.0:.1f} %" if np.isfinite(fraction) else "–"


def _lines(head: tuple[str, ...], rows: list[tuple[Any, ...]], sizes: np.ndarray) -> Iterator[str]:
    """Yield lines with columns of words and numbers; roundoff of the largest number in a column is shown as 0."""
    cells = [head]
    for name, *values, share in rows:
        clean = (0.0 if abs(x) <= DISPLAY_ROUNDOFF * size else x + 0.0 for x, size in zip(values, sizes, strict=True))
        cells.append((name, *(f"{x:.6g}" for x in clean), share))
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for first, *others in cells:
        line = "  ".join(x.rjust(max(7, width)) for x, width in zip(others, widths[1:], strict=True))
        yield f"  {first.ljust(widths[0])}  {line}".rstrip()


def _nearest(values: np.ndarray, value: float, name: str) -> int:
    """Return the index nearest to the first passage of values through a value; else the index of the nearest value."""
    if not isinstance(value, Real):
        raise ModelError(
            f"at= takes a time, or a quantity with its value, {{{name!r}: 1.5}}, not {value!r}",
            code="not-a-number", argument="at", name=name, value=value,
        )  # fmt: skip
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    margin = DISPLAY_ROUNDOFF * max(abs(low), abs(high))
    if not low - margin <= value <= high + margin:
        raise ModelError(
            f"{name} is from {low:.6g} to {high:.6g} in the result, and never {value:.6g}",
            code="out-of-bounds", argument="at", name=name, value=value, least=low, most=high,
        )  # fmt: skip
    off = values - value
    passed = np.flatnonzero(np.sign(off[1:]) != np.sign(off[:-1]))
    if not passed.size:
        return int(np.nanargmin(np.abs(off)))
    k = int(passed[0])
    return k if abs(off[k]) <= abs(off[k + 1]) else k + 1


class Origins:
    """The readings of a `Result` about the sources of its loads."""

    def shares(self, name: str, axes: str = "world") -> Shares:
        """Return the origins of the reaction of a joint, or the effort of a driver, as `Shares`: of the weight and the
        inertia of each body, and of each spring, damper, motor, given force, contact and friction. The shares add up to
        ``reaction`` (with these `axes`) or ``effort``.

        At the actual motion, loads are linear in the sources. If all freedom is driven, a share is the load in the same
        motion without the other sources. If freedom is left, one source alone would move the mechanism, and its share
        is the load of the joint during that motion.

        A motor that accelerates a rod of 2 kg, up from the horizontal:

        >>> rod = mbs.PlanarModel.from_points(
        ...     {"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2, gravity=(0, -9.81))
        >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 50 * mbs.t**2))
        >>> needed = mbs.inverse_dynamics(rod, [0])
        >>> print(needed.shares("motor").table(at=0))
        motor at t = 0 s
          source          effort [N m]    share
          inertia of rod             6   67.1 %
          weight of rod          2.943   32.9 %
          sum                    8.943  100.0 %
        """
        shares: Shares = provided("Result.shares")(self, name, axes)
        return shares

    def shaking(self, about: Any = None) -> Shares:
        """Return the shaking force and moment as `Shares`: the load of the mechanism on its frame, through all joints,
        drivers, springs and contacts that touch the frame, by its sources. The moment is about the origin or another
        point of the frame, ``about=(1, 0)``, in m, or a marker on the ground. ``shaking().only("inertia")`` is the load
        of moving masses.

        A driver or a spring on a coordinate in the world acts on the frame, too; a force on a single body comes from
        outside.

        A disk of 2 kg whose centre is 1 mm off the axis, at 3000 turns a minute:

        >>> model = mbs.PlanarModel("rotor", gravity=(0, -9.81))
        >>> rotor = model.body("rotor", mass=2, inertia=0.01, com=(0.001, 0))
        >>> model.add(mbs.Revolute("A", model.ground, rotor), mbs.Driver("motor", mbs.angle(rotor), 314.159 * mbs.t))
        (<Revolute A>, <Driver motor>)
        >>> print(mbs.inverse_dynamics(model, [0]).shaking().table(at=0))
        the frame at t = 0 s
          source             Fx [N]   Fy [N]  M [N m]    share
          inertia of rotor  197.392        0        0   99.0 %
          weight of rotor         0   -19.62 -0.01962    1.0 %
          sum               197.392   -19.62 -0.01962  100.0 %
        """
        shaking: Shares = provided("Result.shaking")(self, about)
        return shaking
