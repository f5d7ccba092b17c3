"""Summarise an ensemble in a few lines: members that are done, reasons of failures, percentiles of quantities."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import shorten

import numpy as np

from ...errors import counted
from ...results.files.tables import UnitScales
from ...unit_system import size_of
from .members import MemberFailure, Members, label_of, per_member, scalars

LEVELS = (0.0, 5.0, 50.0, 95.0, 100.0)
HEADS = ("least", "5 %", "median", "95 %", "most")
MOST = 6
"""The largest number of members of a group whose numbers are printed."""
LONGEST = 200
"""The largest number of printed characters of a message; `failures` hold the whole message."""
NUMBER = re.compile(r"[-+]?\d[\d.]*(?:e[-+]?\d+)?")


@dataclass(frozen=True)
class FailureGroup:
    """Members whose failures have similar messages."""

    kind: str
    message: str
    """The message of the first member."""
    members: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Summary:
    """The summary from `Ensemble.summary`; ``print(summary)`` shows it as text."""

    title: str
    members: int
    done: int
    failed: int
    failures: tuple[FailureGroup, ...]
    rows: tuple[tuple[str, str, tuple[float, ...]], ...]
    """Name, unit, and the least value, 5 %, median, 95 % and the largest value among the members that are done."""
    message: str = ""
    """The reason why some members were not run."""

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        failed = f", {self.failed} failed" if self.failed else ""
        yield f"{self.title}: {self.done} of {counted(self.members, 'member')} done{failed}"
        for group in self.failures:
            numbers = ", ".join(map(str, group.members[:MOST])) + ", ..." * (len(group.members) > MOST)
            several = f"{len(group.members)} members ({numbers}), the first: "
            message = shorten(group.message, LONGEST, placeholder=" ...")
            yield f"  failed: {several if len(group.members) > 1 else f'member {numbers}: '}{message}"
        if self.message:
            yield f"  {self.message}"
        if self.rows:
            yield from _table(self.rows)


def summary(ensemble: Members, names: Sequence[str]) -> Summary:
    """Return the summary with the named quantities, by default those that the study stores by name."""
    names, designs = names or ([] if ensemble.is_raw else ensemble.names), ensemble.designs
    title = f"{ensemble.model.name}, over {', '.join(designs.names)}"
    done = np.asarray(ensemble.done)
    rows = tuple(_rows(ensemble, names, done)) if done.any() else ()
    failed = len(ensemble.failures)
    similar = tuple(groups(ensemble.failures))
    return Summary(title, len(ensemble), int(done.sum()), failed, similar, rows, ensemble.message)


def groups(failures: Sequence[MemberFailure]) -> Iterator[FailureGroup]:
    """Yield groups of similar failures, the largest first. Failures are similar if their messages differ only in
    numbers and in the text after the first colon, where messages go into details."""
    similar: dict[tuple[str, str], list[MemberFailure]] = {}
    for failure in failures:
        head = NUMBER.sub("#", failure.message.partition(": ")[0])
        similar.setdefault((failure.kind, head), []).append(failure)
    for (kind, _), group in sorted(similar.items(), key=lambda item: -len(item[1])):
        yield FailureGroup(kind, group[0].message, tuple(failure.member for failure in group))


def _rows(ensemble: Members, names: Sequence[str], done: np.ndarray) -> Iterator[tuple[str, str, tuple[float, ...]]]:
    """Yield label, unit and percentiles of extremes over time, or of the one number of each member, ignoring nan."""
    for name in names:
        several = scalars(ensemble, name).ndim == 2
        for end in ("min", "max") if several else ("max",):
            values = per_member(ensemble, name, end)[done]
            values = values[~np.isnan(values)] if not np.isnan(values).all() else values
            label = f"{end} {label_of(ensemble, name)}" if several else label_of(ensemble, name)
            yield label, ensemble.unit(name), tuple(np.percentile(values, LEVELS).tolist())


def _table(quantities: Sequence[tuple[str, str, tuple[float, ...]]]) -> Iterator[str]:
    rows, scales = [], UnitScales((unit, np.array(numbers)) for _, unit, numbers in quantities)
    for name, unit, numbers in quantities:
        quantity = name.rpartition(" ")[2].strip("|")
        size, word = size_of(unit, quantity)
        rows.append((name, word, tuple((scales.cleaned(np.array(numbers), unit, quantity) / size).tolist())))
    widths = [max(len(row[k]) for row in (*rows, ("quantity", "unit"))) for k in (0, 1)]
    yield f"{'quantity':<{widths[0]}}  {'unit':<{widths[1]}}" + "".join(f"{head:>13}" for head in HEADS)
    for name, unit, numbers in rows:
        yield f"{name:<{widths[0]}}  {unit:<{widths[1]}}" + "".join(f"{x:>13.6g}" for x in numbers)
