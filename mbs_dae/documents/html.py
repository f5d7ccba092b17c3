"""Write papers as HTML pages that load nothing and run no scripts."""

from __future__ import annotations

from functools import singledispatch
from html import escape

from ..kernels.languages.names import visible
from .mathml import mathml
from .paper import Cell, Formula, Heading, Inline, Paper, PaperTable, Text, parts_of

STYLE = """
@page { size: A4; margin: 16mm 15mm }
body { font: 11pt/1.45 Georgia, "Times New Roman", serif; color: #111; background: #fff;
       max-width: 180mm; margin: 8mm auto; padding: 0 5mm }
h1 { font-size: 1.5em } h2 { font-size: 1.15em; margin-top: 1.6em; break-after: avoid }
h1, h2, th { font-family: "Segoe UI", Helvetica, Arial, sans-serif }
table { border-collapse: collapse; font-size: .92em } .table { margin: .6em 0; overflow-x: auto; overflow-y: hidden }
th, td { padding: .18em .7em .18em 0; text-align: left; vertical-align: baseline }
th { font-weight: 600; border-bottom: 1px solid #777; vertical-align: bottom }
thead { display: table-header-group } tr { break-inside: avoid }
.r { text-align: right; white-space: nowrap } .l { white-space: nowrap }
.matrix { border: solid; border-width: 0 1.5px; border-radius: 3px } .matrix mtd { padding: .1em .45em }
math { font-size: 1.02em } .bold { font-weight: bold } .formula { margin: .7em 0; overflow-x: auto; overflow-y: hidden }
@media print { body { margin: 0; padding: 0; max-width: none; font-size: 10pt } p:has(+ .table) { break-after: avoid }
  .formula, .table { overflow: visible } }
"""


def html(paper: Paper) -> str:
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    head = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>{words(paper.title)}</title><style>{STYLE}</style></head><body>",
        f"<h1>{words(paper.title)}</h1>",
    ]
    return "\n".join([*head, *map(block, paper.blocks), "</body></html>", ""])


@singledispatch
def block(one: object) -> str:
    raise TypeError(f"{one!r} is not a part of a paper")


@block.register
def _(one: Heading) -> str:
    return f"<h2>{words(one.text)}</h2>"


@block.register
def _(one: Text) -> str:
    return f"<p>{line(one.parts)}</p>"


@block.register
def _(one: Formula) -> str:
    return f'<div class="formula">{mathml(one.math, display=True)}</div>'


@block.register
def _(one: PaperTable) -> str:
    def row(cells: tuple[Cell, ...], tag: str) -> str:
        pairs = zip(cells, one.columns, strict=True)
        return "<tr>" + "".join(f'<{tag} class="{c}">{line(parts_of(cell))}</{tag}>' for cell, c in pairs) + "</tr>"

    rows = "\n".join(row(cells, "td") for cells in one.rows)
    table = f"<table><thead>{row(one.head, 'th')}</thead><tbody>\n{rows}\n</tbody></table>"
    return f'<div class="table">{table}</div>'


def line(parts: tuple[Inline, ...]) -> str:
    return "".join(words(p) if isinstance(p, str) else mathml(p) for p in parts)


def words(text: str) -> str:
    return escape(visible(text))
