"""Generate functions: linkages whose follower takes wanted values while the crank turns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import ModelError
from ...model.parameters import check_choice, finite_number
from ...unit_system import shown
from ...view.drawing.colours import COLOURS, DARK
from ..arguments import notes_on_degrees, numbers
from ..candidates import SAMPLES, Candidate
from ..defects import wrap
from ..linkages import Circle, Kind, Linkage
from ..result import Synthesis, rank
from .fit import fit
from .freudenstein import estimates, exact, linkage_with

FREE = ("crank", "follower")
ALIKE = 1e-2
"""The relative difference of lengths below which two fits are the same."""


@dataclass(frozen=True, eq=False)
class FunctionTask:
    """The wanted motion of crank and follower, at precision points and over the range."""

    kind: Kind
    x: np.ndarray
    """The values of x over the range."""
    crank: np.ndarray
    """The wanted angles of the crank over the range [rad]."""
    follower: np.ndarray
    """The wanted angles [rad] or places [m] of the follower over the range."""
    points: np.ndarray
    """The precision points."""
    phi: np.ndarray
    """The angles of the crank at the precision points [rad]."""
    psi: np.ndarray
    """The angles [rad] or places [m] of the follower at the precision points."""
    ordered: bool = True

    @property
    def what(self) -> str:
        return f"function at {len(self.points)} points"

    @property
    def unit(self) -> str:
        return "rad" if self.kind == "four-bar" else "m"

    def draw(self, candidate: Candidate, ax: Any, small: bool) -> None:
        """Draw the pins of crank and follower at the precision points."""
        pose = candidate.pose(candidate.angles)
        for pins in (pose.A, pose.B):
            ax.plot(pins.real, pins.imag, "o", color=COLOURS[4], markersize=3.5, zorder=6)

    def draw_error(self, candidate: Candidate, ax: Any) -> None:
        """Draw the structural error over the range, and the precision points."""
        error, unit = shown(candidate.error, self.unit)
        error, unit = (np.degrees(error), "°") if unit == "rad" else (error, unit)
        ax.plot(self.x, error, color=COLOURS[0])
        ax.axhline(0, color=DARK, linewidth=0.8)
        ax.plot(self.points, 0 * self.points, "o", color=COLOURS[4], markersize=5, label="precision points")
        ax.set_xlabel("x")
        ax.set_ylabel(f"structural error [{unit}]")
        ax.legend()


def chebyshev_points(low: float, high: float, count: int) -> np.ndarray:
    """Return precision points in Chebyshev's spacing, which nearly equalises the error between them and towards the
    ends.

    >>> mbs.chebyshev_points(1, 2, 3).round(3)
    array([1.067, 1.5  , 1.933])
    """
    low, high = finite_number(low, "low"), finite_number(high, "high")
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
        raise ModelError(
            f"count is {count!r}; say how many points, e.g. count=3",
            code="not-an-integer", argument="count", value=count, least=1,
        )  # fmt: skip
    angles = np.pi * (2 * np.arange(count) + 1) / (2 * count)
    return (low + high) / 2 - (high - low) / 2 * np.cos(angles)


def synthesize_function(
    wanted: Callable[[float], float] | Sequence[float] | np.ndarray, over: Sequence[float] | np.ndarray,
    crank: Sequence[float] | np.ndarray | None = None, follower: Sequence[float] | np.ndarray | None = None,
    points: int | Sequence[float] | np.ndarray | None = None, kind: Kind = "four-bar", free: str | Sequence[str] = (),
) -> Synthesis[Candidate]:  # fmt: skip
    """Find four-bars or slider-cranks whose follower moves with the crank as y with x.

    `wanted` is a function y(x), and `over` the range of x: `crank` are the angles of the crank at its ends, `follower`
    those of the rocker, both from the line OD (for a slider, its places on the x axis); between them x and y are
    proportional to the angles. `points` are the precision points, or their number, in Chebyshev's spacing.
    Alternatively, `wanted` and `over` are arrays of follower and crank, and every pair is a precision point.

    Three points give the linkage in closed form (Freudenstein). Names in `free`, "crank" or "follower", make a start
    angle unknown: one with four points, both with five. With more points the sum of squares of the structural errors is
    minimised. The ground has the length 1; a slider-crank has the unit of its slider.

    >>> found = mbs.synthesize_function(lambda x: 1 / x, (1, 2), np.radians((30, 120)), np.radians((240, 330)))
    >>> print(found)
    function at 3 points: 1 linkage, 1 without defects
      #  type                    a         b         c         d  error [rad]  transmission  defects
      0  double-rocker       2.475    0.9121     2.474         1      0.00185            32  none
    >>> model = found.best.model()  # O at the origin, D on the x axis
    """
    check_choice(kind, ("four-bar", "slider-crank"), "kind")
    names = (free,) if isinstance(free, str) else tuple(free)
    for name in names:
        check_choice(name, FREE, "free")
    starts = tuple(name for name in FREE if name in names)
    task = _task(wanted, over, crank, follower, points, kind, 3 + len(starts))
    least = 3 + len(starts)
    if len(task.points) < least:
        what = f"{len(task.points)} precision points for {least} unknowns"
        raise ModelError(
            f"{what}; give at least {least} points, or fewer names in free=",
            code="too-few-points", count=len(task.points), least=least,
        )  # fmt: skip
    solve = _exact if len(task.points) == least else _nearest
    notes = [*notes_on_degrees(task.phi, "angles of the crank")]
    if kind == "four-bar":
        notes += notes_on_degrees(task.psi, "angles of the follower")
    none = (
        "no linkage of finite lengths does this, as where the follower turns just as the crank does; "
        "move the angles, or find their start: free="
    )
    return rank(task.what, [*solve(task, starts)], notes=notes, none=none)


def _exact(task: FunctionTask, free: Sequence[str]) -> Iterator[Candidate]:
    lengths: list[np.ndarray] = []
    for K, phi0, psi0 in exact(task.kind, task.phi, task.psi, free):
        if (result := linkage_with(task.kind, K)) is None:
            continue
        linkage, crank_offset, follower_offset = result
        if _is_new(linkage.numbers(), lengths):
            yield candidate_of(task, linkage, phi0 + crank_offset, psi0 + follower_offset)


def _nearest(task: FunctionTask, free: Sequence[str]) -> Iterator[Candidate]:
    """Yield the distinct linkages of least error to which many starts lead."""
    lengths: list[np.ndarray] = []
    starts = []
    for K, phi0, psi0 in estimates(task.kind, task.phi, task.psi, free):
        if (result := linkage_with(task.kind, K)) is not None:
            starts.append((result[0], phi0 + result[1], psi0 + result[2]))
    for linkage, phi0, psi0 in fit(task.kind, task.phi, task.psi, free, starts):
        if _is_new(linkage.numbers(), lengths, ALIKE):
            yield candidate_of(task, linkage, phi0, psi0)


def _is_new(numbers: np.ndarray, others: list[np.ndarray], close: float = 1e-6) -> bool:
    if any(np.allclose(numbers, one, rtol=close, atol=1e-9) for one in others):
        return False
    others.append(numbers)
    return True


def candidate_of(task: FunctionTask, linkage: Linkage, phi0: float, psi0: float) -> Candidate:
    """Return the candidate with its structural error over the range, on the branch of the first precision point."""
    angles = task.phi + phi0
    A = linkage.O + linkage.a * np.exp(1j * angles)
    signs = _signs(linkage, A, task.psi + psi0)
    psi = linkage.guide.follower(linkage.pose(task.crank + phi0, signs[0]).B)
    error = psi - psi0 - task.follower
    if isinstance(linkage.guide, Circle):
        error = wrap(error)
    return Candidate(linkage.plain(), angles, signs, np.where(np.isfinite(error), error, np.inf), task)


def _signs(linkage: Linkage, A: np.ndarray, psi: np.ndarray) -> np.ndarray:
    """Return the branches, 1 or -1, on which crank and follower stand nearest to their wanted places."""
    guide = linkage.guide
    if isinstance(guide, Circle):
        B = guide.D + guide.c * np.exp(1j * psi)
    else:
        B = np.exp(1j * guide.angle) * (psi + 1j * guide.h)
    return np.where(np.real(np.conj(guide.normal(B)) * 1j * (B - A)) >= 0, 1.0, -1.0)


def _task(
    wanted: Any, over: Any, crank: Any, follower: Any, points: Any, kind: Kind, least: int
) -> FunctionTask:  # fmt: skip
    if callable(wanted):
        low, high = numbers(over, "over", count=2, example="(1, 2)")
        if low == high:
            raise ModelError(
                f"over=({low:g}, {high:g}) is not a range; give its two ends",
                code="bounds-upside-down", argument="over", value=(float(low), float(high)),
            )  # fmt: skip
        if crank is None or follower is None:
            missing = "crank" if crank is None else "follower"
            raise ModelError(
                f"{missing}= is missing; say where it stands at both ends of the range, in rad or m",
                code="missing-argument", argument=missing,
            )  # fmt: skip
        at = _points(points, low, high, least)
        x = np.linspace(low, high, SAMPLES)
        y, at_points = _values(wanted, x), _values(wanted, at)
    else:
        if points is not None:
            raise ModelError(
                "points= is for a function; every pair of the arrays is a precision point",
                code="contradictory-arguments", argument="points", other="wanted", value=points,
            )  # fmt: skip
        x = at = numbers(over, "over", example="an array of crank angles")
        y = at_points = numbers(wanted, "wanted", count=len(x), example="an array as long as over=")
    of_x = _scale(crank, (x[0], x[-1]), "crank")
    of_y = _scale(follower, (y[0], y[-1]), "follower")
    return FunctionTask(kind, x, of_x(x), of_y(y), at, of_x(at), of_y(at_points))


def _points(argument: Any, low: float, high: float, least: int) -> np.ndarray:
    if argument is None:
        return chebyshev_points(low, high, least)
    if isinstance(argument, int | np.integer) and not isinstance(argument, bool):
        return chebyshev_points(low, high, int(argument))
    at = numbers(argument, "points", example="(1.1, 1.5, 1.9)")
    if outside := [one for one in at if not min(low, high) <= one <= max(low, high)]:
        raise ModelError(
            f"the precision point {outside[0]:g} is outside of over=({low:g}, {high:g})",
            code="out-of-bounds", argument="points", value=float(outside[0]), least=float(min(low, high)),
            most=float(max(low, high)),
        )  # fmt: skip
    return at


def _values(wanted: Callable[[float], float], x: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):  # finite_number refuses what is not finite
        return np.array([finite_number(wanted(float(one)), f"wanted({one:g})") for one in x])


def _scale(argument: Any, ends: tuple[float, float], name: str) -> Callable[[np.ndarray], np.ndarray]:
    if argument is None:
        return lambda values: values
    start, end = numbers(argument, name, count=2, example="np.radians((30, 120))")
    if start == end:
        raise ModelError(
            f"{name}=({start:g}, {end:g}) is not a range; give where it stands at both ends of over=",
            code="bounds-upside-down", argument=name, value=(float(start), float(end)),
        )  # fmt: skip
    low, high = ends
    if low == high:
        raise ModelError(
            f"{name}= cannot be scaled: the function has the same value at both ends of its range",
            code="same-value-at-ends", argument=name, value=float(low),
        )  # fmt: skip
    return lambda values: start + (end - start) * (values - low) / (high - low)
