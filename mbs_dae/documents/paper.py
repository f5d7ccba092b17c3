"""Define the parts of a paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from .formulas import Math

Inline: TypeAlias = "str | Math"
Cell: TypeAlias = "str | Math | tuple[str | Math, ...]"


@dataclass(frozen=True)
class Heading:
    text: str


@dataclass(frozen=True)
class Text:
    """A paragraph of words and short formulas."""

    parts: tuple[Inline, ...]

    def __init__(self, *parts: Inline):
        object.__setattr__(self, "parts", parts)


@dataclass(frozen=True)
class Formula:
    """A formula on its own line."""

    math: Math


@dataclass(frozen=True)
class Table:
    """Rows below a head. Columns contain words ("l") or numbers ("r"), or take the remaining width ("w")."""

    columns: str
    head: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]


Block: TypeAlias = "Heading | Text | Formula | Table"


@dataclass(frozen=True)
class Paper:
    title: str
    blocks: tuple[Block, ...]


def parts_of(cell: Cell) -> tuple[Inline, ...]:
    return cell if isinstance(cell, tuple) else (cell,)
