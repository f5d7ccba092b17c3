"""Workspaces that serve one member of a study after the other, and what they leave of each. Compiled.

What differs from member to member are numbers, at places of a workspace that do not move; and what is kept of a member
stands at such places, too. So a member is put into a workspace, and taken out of it, by copying words, whatever they
mean. A row of a table has those of one member.

Compiled code takes tables of blocks for constant as long as a function runs. So the function that puts numbers in reads
no number of a block itself: it calls those that do, which lie apart.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...kernels.abi import compiled, compiled_apart, words_at
from ...kernels.blocks import WORD, Integers, IntegerTable, address_of, block
from ...kernels.images import Workspace, places_written

Place = np.ndarray | tuple[Any, str]
"""An array, or a number that is a field of a block."""


class Spans(NamedTuple):
    """Where words stand: the address of the first one of each span, and how many there are."""

    begin: Integers
    size: Integers


class Reused(NamedTuple):
    """A workspace that is made as new before each member."""

    whole: Spans
    """All of it."""
    first: Integers
    """What stood there when it was new."""
    design: Spans
    """Where the numbers of a member stand."""


def reused(workspace: Any, design: Sequence[Place]) -> Reused:
    """A workspace that nothing was done in; and where it has the numbers of a design."""
    words = [words for words, _ in places_written(workspace, ())]
    return block(Reused(spans(words), np.concatenate(words), spans(design)))


def spans(places: Sequence[Place]) -> Spans:
    """Those of these places, which are to stay where they are."""
    found = [(address_of(one), one.size) if isinstance(one, np.ndarray) else (_address(*one), 1) for one in places]
    return block(Spans(*np.array(found, dtype=np.int64).reshape(-1, 2).T.copy()))


def _address(block: Any, name: str) -> int:
    """Of a number that is a field: in the table."""
    table = block.address if isinstance(block, Workspace) else address_of(block.words)
    return table + WORD * block.kind.place[name]


def rows_of(tables: Sequence[np.ndarray]) -> np.ndarray:
    """Numbers of members, a row for each in every table, as words side by side."""
    wide = [np.asarray(one, dtype=float).reshape(len(one), -1) for one in tables]
    return np.ascontiguousarray(np.hstack(wide)).view(np.int64)


@compiled
def put_words(row, to):
    """A row into spans."""
    at = 0
    for k in range(to.begin.size):
        words = words_at(to.begin[k], to.size[k])
        for i in range(words.size):
            words[i] = row[at + i]
        at += words.size


@compiled
def take_words(of, row):
    """Spans into a row."""
    at = 0
    for k in range(of.begin.size):
        words = words_at(of.begin[k], of.size[k])
        for i in range(words.size):
            row[at + i] = words[i]
        at += words.size


@compiled
def put_member(own, row):
    """The workspace is as new, but has the numbers of a member."""
    put_words(own.first, own.whole)
    put_words(row, own.design)


@compiled_apart
def put_in(own: Reused, rows: IntegerTable, k: int):
    """The same for Python: member k of these."""
    put_member(own, rows[k])


@compiled_apart
def put_back(to: Spans, rows: IntegerTable, k: int):
    """What was kept of member k, where it stood."""
    put_words(rows[k], to)
