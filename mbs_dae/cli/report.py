"""A result in a few lines of text, and as files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

import numpy as np

from ..errors import counted
from ..results import Result
from ..results.events import Impact
from ..results.files import replacing
from ..results.files.exports import write_csv
from ..results.files.tables import Column, UnitScales, axis_of, column_of, columns_of
from ..results.names import COMPONENTS, long_name
from ..unit_system import shown, shown_unit, size_of, told

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ELSEWHERE = "choose another --out"
MOST = 6
"""Greatest number of times of an event that are printed."""


def summary(result: Result, names: Sequence[str]) -> Iterator[str]:
    yield _headline(result)
    yield f"largest violation: {_violation(result)}"
    if points := result.stats.get("change_points"):
        yield f"change points: t = {', '.join(f'{point:g}' for point in points)}"
    if overlap := result.stats.get("overlap"):
        yield f"note: {overlap}"
    yield from _slips(result)
    yield from _quantities(result, names)


def _slips(result: Result) -> Iterator[str]:
    """Yield notes on probable slips in the model."""
    yield from (f"note: {result.stats[word]}" for word in ("turned", "slips") if word in result.stats)


def simulated(result: Result, names: Sequence[str]) -> Iterator[str]:
    """Yield the lines about an integration and its accuracy."""
    stats = result.stats
    size = f"step {stats['step']:g} s" if "step" in stats else f"rtol {stats['rtol']:g}"
    rule = stats.get("gain_rule", "").partition(";")[0]  # the rule for gains that step control chooses in each step
    gains = f" ({rule or 'alpha {alpha:.4g}/s, beta {beta:.4g}/s'.format_map(stats)})" if "alpha" in stats else ""
    largest, joule = shown(np.abs(result.energy.error).max(initial=0.0), "J")
    yield _headline(result)
    yield from _slips(result)
    facts = {
        "method": f"{stats['method']}, {size}",
        "stabilization": f"{stats['stabilization']}{gains}",
        "steps": f"{stats['accepted']} accepted, {stats['rejected']} rejected, {stats['evaluations']} evaluations",
        "largest violation": _violation(result),
        "largest energy error": f"{largest:.1e} {joule}",
        "smallest singular value": f"{result.smallest_singular_value.min(initial=np.inf):.3g}",
    }
    yield from (f"  {name:<25}{value}" for name, value in facts.items())
    if note := stats.get("initial"):
        yield f"initial values: {note}"
    if stiff := stats.get("stiff"):
        yield f"stiff: {stiff}"
    if result.message:
        yield f"note: {result.message}"
    events: dict[str, list[float]] = {}
    for event in result.events:
        events.setdefault(event.name, []).append(event.t)
    for name, times in events.items():
        yield f"event {name!r}: {counted(len(times), 'time')}, at t = {_times(times)}"
    yield from _impacts(result)
    yield from _quantities(result, names)


def _impacts(result: Result) -> Iterator[str]:
    """Yield the times of impacts on each contact, the lost energy, and the time at which bouncing came to rest."""
    groups: dict[tuple[str, ...], list[Impact]] = {}
    for impact in result.impacts:
        groups.setdefault(impact.contacts, []).append(impact)
    for names, group in groups.items():
        rests = [f"{impact.rests:.6g}" for impact in group if impact.rests is not None]
        at_rest = f"; at rest from t = {', '.join(rests)}" if rests else ""
        lost = sum(impact.energy_lost for impact in group)
        who = " and ".join(map(repr, names))
        yield f"impacts on {who}: {len(group)}, at t = {_times([i.t for i in group])}; {told(lost, 'J')} lost{at_rest}"


def _times(times: Sequence[float]) -> str:
    """Return times with their unit if it is not s: all, if they are few."""
    seconds, unit = size_of("s", "t")
    each = [f"{t / seconds:.6g}" for t in times]
    return ", ".join(each if len(each) <= MOST else [*each[: MOST - 1], "...", each[-1]]) + f" {unit}" * (unit != "s")


def efforts_and_loads(
    result: Result, drivers: Sequence[str], joints: Sequence[str], names: Sequence[str]
) -> Iterator[str]:
    """Yield a line for each driver and one for each joint."""
    scales = UnitScales.of_result(result)
    yield from (_headline(result), f"largest violation: {_violation(result)}", "")
    watt, joint_force, moment_word = (shown_unit(unit) for unit in ("W", "N", "N m"))
    rows: list[tuple[str, ...]] = [("driver", "unit", "max |effort|", "at t", "rms", f"mean power [{watt}]")]

    def mean_of(values: np.ndarray) -> float:
        """Return the mean over time, for uneven times."""
        t = result.t
        return float(np.trapezoid(values, t) / (t[-1] - t[0])) if len(t) > 1 else float(values[0])

    for name in drivers:
        quantity, unit = f"{name}.effort", result.unit(f"{name}.effort")
        effort, word = shown(scales.cleaned(result.effort(name), unit, quantity), unit, quantity)
        power, _ = shown(scales.cleaned(result.power(name), "W", f"{name}.power"), "W")
        k = int(np.abs(effort).argmax())
        rms, mean = np.sqrt(mean_of(effort**2)), mean_of(power)
        if abs(mean) < np.finfo(float).eps * power.size * np.abs(power).max(initial=0.0):  # roundoff of the sum
            mean = 0.0
        numbers = abs(effort[k]), axis_of(result).values[k], rms, mean
        rows.append((name, word, *(f"{x:.6g}" for x in numbers)))
    yield from _table(rows)
    yield ""
    rows = [("joint", "", f"max force [{joint_force}]", "at t", f"max moment [{moment_word}]", "at t")]
    for name in joints:
        wrench = result.reaction(name)
        force, moment = np.split(wrench, [2 if wrench.shape[1] == 3 else 3], axis=1)
        halves = (np.linalg.norm(force, axis=1), "N"), (np.linalg.norm(moment, axis=1), "N m")
        sizes = [shown(scales.cleaned(size, unit, name), unit)[0] for size, unit in halves]
        ends = [(size[k], axis_of(result).values[k]) for size in sizes for k in [int(size.argmax())]]
        star = "" if result.is_unique(name).all() else "*"
        rows.append((name, star, *(f"{x:.6g}" for pair in ends for x in pair)))
    yield from _table(rows)
    if any(star for _, star, *_ in rows):
        yield "* not unique: redundant joints share this load; the least of all possible is told"
    if note := result.stats.get("note"):
        yield f"note: {note}"
    if names:
        yield from _quantities(result, names)


def _headline(result: Result) -> str:
    t, unit = shown(result.t, "s", "t")
    return f"{result.title}: {counted(len(t), 'pose')}, t = {t[0]:g} ... {t[-1]:g} {unit}"


def _violation(result: Result) -> str:
    levels = ("position", "velocity", "acceleration")
    return ", ".join(f"{level} {getattr(result.violation, level).max():.1e}" for level in levels)


def _quantities(result: Result, names: Sequence[str]) -> Iterator[str]:
    """Yield the extremes of the requested quantities, or the available names."""
    yield ""
    if not names:
        yield from available(result.names)
        return
    rows: list[tuple[str, ...]] = [("quantity", "unit", "least", "at t", "most", "at t")]
    scales = UnitScales.of_result(result)
    parts = dict.fromkeys(part for name in names for part in result.components(name))  # of vectors
    for name in parts:
        values, unit = shown(scales.cleaned(result[name], result.unit(name), name), result.unit(name), name)
        ends = values.argmin(), values.argmax()
        rows.append((name, unit, *(f"{x[k]:.6g}" for k in ends for x in (values, axis_of(result).values))))
    yield from _table(rows)


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield the lines of a table with a name, a unit, and numbers."""
    first, second = (max(len(row[k]) for row in rows) for k in (0, 1))
    widths = [max(13, len(head) + 2) for head in rows[0][2:]]
    for name, unit, *cells in rows:
        numbers = "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
        yield f"{name:<{first}}  {unit:<{second}}{numbers}"


def available(names: Sequence[str]) -> Iterator[str]:
    """Yield the lines with all quantities: owners with equal quantities share a line."""
    owners: dict[str, list[str]] = {}
    for owner, group in groupby(names, lambda name: name.rpartition(".")[0]):
        if owner:
            owners.setdefault(" ".join(name.rpartition(".")[2] for name in group), []).append(owner)
    yield "quantities, to be asked for with --plot OWNER.QUANTITY:"
    for quantities, who in owners.items():
        yield f"  {shorten(', '.join(who), 70, placeholder=' ...')}: {quantities}"
    if signals := [name for name in names if "." not in name]:
        yield f"states and inputs, with --plot NAME: {' '.join(signals)}"


def write(result: Result, names: Sequence[str], folder: Path) -> Iterator[Path]:
    """Write the result, its quantities as a table and as curves; with forces, these as a table, and the energies as
    curves. Yield the paths."""
    time = [axis_of(result)]
    yield result.save(folder / "result.npz")
    quantities = columns_of(result, names or result.names)
    yield _write_table(quantities, folder / "quantities.csv")
    if names:
        yield _write_picture(result.plot(*names), folder / "quantities.png")
    if result.reactions is not None:
        yield _write_table([*time, *_forces(result)], folder / "forces.csv")
        yield _write_picture(result.plot_energy(), folder / "energy.png")
    if result.modes:
        columns = list(time)  # and a column for each point of contact
        for name, states in result.modes.items():
            for k, column in enumerate((states[:, None] if states.ndim == 1 else states).T):
                heading = name if states.ndim == 1 else f"{name} {k + 1}"
                columns.append(Column(heading, "", f"state of {heading}", column))
        yield _write_table(columns, folder / "modes.csv")
    if result.impacts:
        yield _write_table(_impact_columns(result), folder / "impacts.csv")


def _impact_columns(result: Result) -> list[Column]:
    impacts = result.impacts
    columns = [
        column_of(np.array([i.t for i in impacts]), "s", ("t",), "time"),
        Column("contacts", "", "contacts that were hit", np.array([" ".join(i.contacts) for i in impacts])),
        column_of(np.array([i.energy_lost for i in impacts]), "J", ("energy_lost",), "energy lost"),
    ]
    for name in impacts[0].impulses:
        rows = np.array([i.impulses[name] for i in impacts])
        for component, values in zip(COMPONENTS[2 if rows.shape[1] == 3 else 3], rows.T, strict=True):
            load = f"{name}.{component}"
            unit = "N s" if component.startswith("F") else "N m s"
            columns.append(column_of(values, unit, (load,), f"impulse of {load}"))
    return columns


def _forces(result: Result) -> Iterator[Column]:
    """Yield efforts and reactions by name."""
    assert result.reactions is not None
    for name in result.reactions.names():
        if (effort := result.reactions.effort(name)) is not None:
            quantity = f"{name}.effort"
            unit = result.unit(quantity) if quantity in result else ""
            yield column_of(effort, unit, (quantity,), long_name(quantity))
        reaction = result.reaction(name)
        for component, values in zip(COMPONENTS[2 if reaction.shape[1] == 3 else 3], reaction.T, strict=True):
            quantity = f"{name}.{component}"
            yield column_of(values, "N" if component.startswith("F") else "N m", (quantity,), long_name(quantity))


def _write_table(columns: Sequence[Column], path: Path) -> Path:
    """Write a table of the columns under their keys; return the path."""
    with replacing(path, ELSEWHERE) as place:
        write_csv({column.key: column.values for column in columns}, place)
    return path


def _write_picture(figure: Figure, path: Path) -> Path:
    with replacing(path, ELSEWHERE) as place:
        figure.savefig(place)
    return path
