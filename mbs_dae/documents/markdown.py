"""Write papers in Markdown, with formulas between dollar signs."""

from __future__ import annotations

import re
from functools import singledispatch
from html import escape

from ..kernels.languages.names import visible
from .latex import formula
from .paper import Cell, Formula, Heading, Inline, Paper, PaperTable, Text, parts_of


def markdown(paper: Paper) -> str:
    return "\n\n".join([f"# {words(paper.title)}", *map(block, paper.blocks)]) + "\n"


@singledispatch
def block(one: object) -> str:
    raise TypeError(f"{one!r} is not a part of a paper")


@block.register
def _(one: Heading) -> str:
    return f"## {words(one.text)}"


@block.register
def _(one: Text) -> str:
    return line(one.parts)


@block.register
def _(one: Formula) -> str:
    return f"$$\n{formula(one.math)}\n$$"


@block.register
def _(one: PaperTable) -> str:
    rules = {"l": ":--", "r": "--:", "w": ":--"}
    rows = [one.head, *one.rows]
    lines = [f"| {' | '.join(map(cell, row))} |" for row in rows]
    lines.insert(1, "|" + "|".join(rules[c] for c in one.columns) + "|")
    return "\n".join(lines)


def cell(one: Cell) -> str:
    return line(parts_of(one))


def line(parts: tuple[Inline, ...]) -> str:
    """Return words and formulas in one line; bars in formulas are replaced, because they would end a cell."""
    return "".join(words(p) if isinstance(p, str) else f"${formula(p).replace('|', chr(92) + 'vert ')}$" for p in parts)


def words(text: str) -> str:
    """Return any text with the marks of Markdown and HTML escaped."""
    return re.sub(r"([\\`*_{}\[\]()#+!|$~.-])", r"\\\1", escape(visible(text), quote=False))
