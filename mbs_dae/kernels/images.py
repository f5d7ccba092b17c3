"""Workspaces: copies of blocks for runs and designs.

An `Image` of a nest of blocks works like a program loaded into memory: all copied arrays, and the tables that lead
there, stand in one array with relative addresses; a workspace is a copy of this array, with its own address added.
Another design is a copy with other numbers. Blocks that each run makes for itself, because their sizes differ, stay
apart: a workspace is given those, and its tables lead there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numba import types

from .blocks import WORD, Block, BlockType, address_of


@dataclass
class _Node:
    """A block that leads to copied arrays: the place of its table in the image, the places of its arrays, and the
    blocks in it that are nodes themselves."""

    block: Block
    at: int = 0
    arrays: dict[str, int] = field(default_factory=dict)
    nodes: dict[str, _Node] = field(default_factory=dict)


NONE: Mapping[str, Any] = {}


class Image:
    """A nest of blocks, ready to be copied."""

    def __init__(self, prototype: Any, apart: Sequence[str] = ()):
        """Fields with names in `apart`, wherever they stand, are blocks that each workspace is given."""
        self._apart: dict[str, list[int]] = {name: [] for name in apart}
        """The words that take the addresses of the blocks apart."""
        self._parts: list[np.ndarray] = []
        self._places: dict[str, slice] = {}
        self._size = 0
        self._seen: dict[int, int | _Node | None] = {}
        self._links: dict[int, int] = {}
        """The words that are addresses in the image, each with its value: bytes from the beginning."""
        self._tables: list[range] = []
        self.prototype, self._root = prototype, self._visited(prototype)
        self.words = np.concatenate([np.zeros(0, dtype=np.int64), *self._parts])
        self.relocated = np.array([*self._links], dtype=np.int64)
        self.words[self.relocated] = [*self._links.values()]
        self.is_number = np.ones(self.words.size, dtype=bool)
        """Whether each word is a number of an array, and not part of a table."""
        self.is_number[[at for table in self._tables for at in table]] = False

    def new(self, **apart: Any) -> Any:
        """Return a workspace: a copy of the prototype with its own Work and Design fields, and with these blocks in
        place of those that stand apart."""
        if self._root is None:
            return self.prototype
        words = self.words.copy()
        address = address_of(words)
        words[self.relocated] += address
        for name, places in self._apart.items():
            words[places] = apart[name].address
        return BlockCopy(words, self._root, address, self.is_number, apart)

    def filled(self, numbers: Mapping[str, Any]) -> Image:
        """Return the image of another design, with these numbers (arrays, or single fields), by the path that leads to
        each ("machine.factor.weight")."""
        image = object.__new__(Image)
        vars(image).update(vars(self), words=self.words.copy(), prototype=None)
        own = image.words.view(np.float64)
        for path, value in numbers.items():
            own[self._place_of(path)] = np.ravel(value)
        return image

    def _place_of(self, path: str) -> slice:
        """Return the slice of the words that holds the numbers at the end of a path."""
        if (known := self._places.get(path)) is None:
            *inner, name = path.split(".")
            node = cast(_Node, self._root)
            for one in inner:
                node = node.nodes[one]
            single = node.block.kind.members[name] is types.float64
            begin = node.at + node.block.kind.place[name] if single else node.arrays.get(name, 0)
            size = 1 if single else getattr(node.block, name).size
            known = self._places[path] = slice(begin, begin + size)
        return known

    def _visited(self, block: Block) -> _Node | None:
        """Return the block as a node; None if the block leads to nothing that is copied."""
        if id(block) not in self._seen:
            kind, node, apart = block.kind, _Node(block), list[str]()
            for name, member in kind.members.items():
                if name in self._apart:
                    apart.append(name)
                elif isinstance(member, BlockType):
                    if (inner := self._visited(getattr(block, name))) is not None:
                        node.nodes[name] = inner
                elif isinstance(member, types.Array) and name in kind.copied and (array := getattr(block, name)).size:
                    if id(array) not in self._seen:
                        self._seen[id(array)] = self._put(array.reshape(-1).view(np.int64))
                    node.arrays[name] = cast(int, self._seen[id(array)])
            moves = bool(node.arrays or node.nodes or apart)
            if moves:
                node.at = self._put(block.words[: kind.size])
                self._tables.append(range(node.at, self._size))
                targets = node.arrays | {name: inner.at for name, inner in node.nodes.items()}
                self._links |= {node.at + kind.place[name]: WORD * at for name, at in targets.items()}
                for name in apart:
                    self._apart[name].append(node.at + kind.place[name])
            self._seen[id(block)] = node if moves else None
        return cast(_Node | None, self._seen[id(block)])

    def _put(self, words: np.ndarray) -> int:
        at = self._size
        self._parts.append(words)
        self._size += words.size
        return at


class BlockCopy(Block):
    """A copy of a block in an array of words; its fields are made at the first use."""

    def __init__(
        self, words: np.ndarray, node: _Node, begin: int, is_number: np.ndarray, apart: Mapping[str, Any] = NONE
    ):
        self.words, self.node, self.kind, self.is_number = words, node, node.block.kind, is_number
        self._begin, self.table_at, self.apart = begin, node.at, apart
        self.address = begin + WORD * self.table_at

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        words, node = own["words"], own["node"]
        if name in node.nodes:
            value: Any = BlockCopy(words, node.nodes[name], own["_begin"], own["is_number"], own["apart"])
        elif name in own["apart"]:
            value = own["apart"][name]
        elif name in node.arrays:
            like = getattr(node.block, name)
            value = np.ndarray(like.shape, like.dtype, words, WORD * node.arrays[name])
        elif own["kind"].members.get(name) is types.float64:  # of this design, not of the prototype's
            value = float(words[own["table_at"] + own["kind"].place[name]].view(np.float64))
        else:
            value = getattr(node.block, name)
        own[name] = value
        return value


# --- fields written in a run -------------------------------------------------------------------------------------


def written(block: Any, but: Sequence[str] = ()) -> tuple[np.ndarray, ...]:
    """Return all words written into a block and those within, except some fields, for `rewrite`. The words are those of
    the block itself: copy them if the block is written to again."""
    return tuple([words for words, _ in places_written(block, but)])


def rewrite(block: Any, state: Sequence[np.ndarray], but: Sequence[str] = ()) -> None:
    """Put back the words that `written` returned into a block of the same sizes, in any process."""
    for (words, numbers), old in zip(places_written(block, but), state, strict=True):
        words[numbers] = old[numbers]


def places_written(block: Any, but: Sequence[str]) -> list[tuple[np.ndarray, Any]]:
    """Return the words of a block and of those within, each once; and the places in them of numbers of arrays."""
    found: dict[int, tuple[np.ndarray, Any]] = {}

    def look(block: Any) -> None:
        if id(block.words) in found:
            return
        if isinstance(block, BlockCopy):  # blocks within are in the same words, except those apart
            found[id(block.words)] = block.words, block.is_number
            for name, inner in block.apart.items():
                if name not in but:
                    look(inner)
            return
        found[id(block.words)] = block.words, slice(block.kind.size, None)
        for name in block.kind.records:
            if name not in but:
                look(getattr(block, name))

    look(block)
    return [*found.values()]
