"""A result in a few lines of text, and as files."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from textwrap import shorten

from ..results import Result
from .files import writing


def summary(result: Result, names: Sequence[str]) -> Iterator[str]:
    t, violation = result.t, result.violation
    worst = [f"{level} {getattr(violation, level).max():.1e}" for level in ("position", "velocity", "acceleration")]
    yield f"{result.title}: {len(t)} pose{'s' * (len(t) != 1)}, t = {t[0]:g} ... {t[-1]:g} s"
    yield f"largest violation: {', '.join(worst)}"
    if points := result.stats.get("change_points"):
        yield f"change points: t = {', '.join(f'{point:g}' for point in points)}"
    yield ""
    yield from _extremes(result, names) if names else _on_offer(result.names)


def _extremes(result: Result, names: Sequence[str]) -> Iterator[str]:
    rows: list[tuple[str, ...]] = [("quantity", "unit", "least", "at t", "most", "at t")]
    for name in names:
        ends = result[name].argmin(), result[name].argmax()
        rows.append((name, result.unit(name), *(f"{x[k]:.6g}" for k in ends for x in (result[name], result.t))))
    first, second = (max(len(row[k]) for row in rows) for k in (0, 1))
    for name, unit, *cells in rows:
        yield f"{name:<{first}}  {unit:<{second}}" + "".join(f"{cell:>13}" for cell in cells)


def _on_offer(names: Sequence[str]) -> Iterator[str]:
    """Which quantities there are: owners that have the same ones share a line."""
    owners: dict[str, list[str]] = {}
    for owner, own in groupby(names, lambda name: name.rpartition(".")[0]):
        owners.setdefault(" ".join(name.rpartition(".")[2] for name in own), []).append(owner)
    yield "quantities, to be asked for with --plot OWNER.QUANTITY:"
    for quantities, who in owners.items():
        yield f"  {shorten(', '.join(who), 70, placeholder=' ...')}: {quantities}"


def write(result: Result, names: Sequence[str], folder: Path) -> Iterator[Path]:
    """The result, its quantities as a table and as curves; tells which files there are."""
    table, picture = folder / "quantities.csv", folder / "quantities.png"
    with writing(folder):
        yield result.save(folder / "result.npz")
        with table.open("w", newline="", encoding="utf-8") as file:
            columns = {result.axis[0]: result.t} | {name: result[name] for name in names or result.names}
            csv.writer(file).writerows([list(columns), *zip(*(c.tolist() for c in columns.values()), strict=True)])
        yield table
        if names:
            result.plot(*names).savefig(picture)
            yield picture
