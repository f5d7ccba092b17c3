"""Workspaces that serve one member of a study after the other, and the results of each member. Compiled.

Members differ by numbers, at places of a workspace that do not move; and the results of a member stand at such places,
too. So a member is put into a workspace, and taken out of it, by copying words, whatever they mean. A row of a table
has the words of one member.

Compiled code takes tables of blocks as constant while a function runs. So the function that puts numbers in reads no
number of a block itself: it calls functions that do, which are compiled apart.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...kernels.abi import compiled, compiled_apart, words_at
from ...kernels.blocks import WORD, Integers, IntegerTable, address_of, block
from ...kernels.images import BlockCopy, places_written

Place = np.ndarray | tuple[Any, str]
"""An array, or a number that is a field of a block."""


class Spans(NamedTuple):
    """Places of words: the address of the first word of each span, and the number of its words."""

    begin: Integers
    size: Integers


class MemberWorkspace(NamedTuple):
    """A workspace that is reset before each member."""

    whole: Spans
    """The whole workspace."""
    first: Integers
    """The words of the new workspace."""
    design: Spans
    """The places of the numbers of a member."""


def reused(workspace: Any, design: Sequence[Place]) -> MemberWorkspace:
    """Return a record of a new workspace, to reset it, with the places of the numbers of a design."""
    words = [words for words, _ in places_written(workspace, ())]
    return block(MemberWorkspace(spans(words), np.concatenate(words), spans(design)))


def spans(places: Sequence[Place]) -> Spans:
    """Return the spans of these places, which must not move."""
    found = [(address_of(one), one.size) if isinstance(one, np.ndarray) else (_address(*one), 1) for one in places]
    return block(Spans(*np.array(found, dtype=np.int64).reshape(-1, 2).T.copy()))


def _address(block: Any, name: str) -> int:
    """Return the address of a number that is a field of a block, in its table."""
    table = block.address if isinstance(block, BlockCopy) else address_of(block.words)
    return table + WORD * block.kind.place[name]


def rows_of(tables: Sequence[np.ndarray]) -> np.ndarray:
    """Return the numbers of members, a row for each in every table, as words side by side."""
    wide = [np.asarray(one, dtype=float).reshape(len(one), -1) for one in tables]
    return np.ascontiguousarray(np.hstack(wide)).view(np.int64)


@compiled
def put_words(row: Integers, to: Spans) -> None:
    """Put a row into spans."""
    at = 0
    for k in range(to.begin.size):
        words = words_at(to.begin[k], to.size[k])
        for i in range(words.size):
            words[i] = row[at + i]
        at += words.size


@compiled
def take_words(of: Spans, row: Integers) -> None:
    """Take spans into a row."""
    at = 0
    for k in range(of.begin.size):
        words = words_at(of.begin[k], of.size[k])
        for i in range(words.size):
            row[at + i] = words[i]
        at += words.size


@compiled
def put_member(own: MemberWorkspace, row: Integers) -> None:
    """Reset the workspace, and put the numbers of a member into it."""
    put_words(own.first, own.whole)
    put_words(row, own.design)


@compiled_apart
def put_in(own: MemberWorkspace, rows: IntegerTable, k: int) -> None:
    """Reset the workspace, and put the numbers of member k, a row of `rows`, into it; for calls from Python."""
    put_member(own, rows[k])


@compiled_apart
def put_back(to: Spans, rows: IntegerTable, k: int) -> None:
    """Put the results of member k back to their places."""
    put_words(rows[k], to)
