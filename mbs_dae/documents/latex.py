"""Write papers in LaTeX. Names may be any text: characters that LaTeX would read as commands are escaped."""

from __future__ import annotations

import re
import unicodedata
from functools import singledispatch

import sympy as sp
from sympy.printing.latex import LatexPrinter

from ..kernels.languages.names import visible
from .paper import LETTERS, Bold, Cell, Formula, Heading, Inline, Math, Paper, PaperTable, Part, Text, parts_of

SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "'": r"\textquotesingle{}", "`": r"\textasciigrave{}", "-": r"{-}",
    "[": "{[}", "]": "{]}", "²": r"\textsuperscript{2}", "·": r"\textperiodcentered{}", "°": r"\textdegree{}",
}  # fmt: skip
LETTERS_OF_GREEK = """
alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi omega
Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega
"""
GREEK = frozenset(LETTERS_OF_GREEK.split())
"""The Greek letters for which LaTeX has commands."""
WIDE = 7
"""The number of columns above which a matrix is set in small type."""
END_OF_ROW = r" \\\noalign{\vskip 3pt}"
"""The end of a row, with space below, so that fractions do not touch those of the next row."""
HEAD = r"""\documentclass[a4paper,11pt]{article}
% For pdflatex, twice, so that tables know their widths; for lualatex or xelatex where names are not Latin.
\usepackage{iftex}
\ifPDFTeX\usepackage[utf8]{inputenc}\usepackage[T1]{fontenc}\usepackage{textcomp}\else\usepackage{fontspec}\fi
\usepackage{amsmath,array,longtable}
\usepackage[margin=20mm]{geometry}
\setlength{\parindent}{0pt}\setlength{\parskip}{4pt}\setcounter{MaxMatrixCols}{40}
\raggedbottom\allowdisplaybreaks\everymath{\displaystyle}
"""


def latex(paper: Paper) -> str:
    title = f"\\title{{{words(paper.title)}}}\\date{{}}\n"
    return "\n".join(
        [HEAD + title, r"\begin{document}", r"\maketitle", *map(block, paper.blocks), r"\end{document}", ""]
    )


@singledispatch
def block(one: object) -> str:
    raise TypeError(f"{one!r} is not a part of a paper")


@block.register
def _(one: Heading) -> str:
    return f"\n\\section*{{{words(one.text)}}}"


@block.register
def _(one: Text) -> str:
    return f"\n{line(one.parts)}\n"


@block.register
def _(one: Formula) -> str:
    wide = any(isinstance(part, sp.MatrixBase) and part.cols > WIDE for part in one.math.parts)
    shown = f"\\[{formula(one.math)}\\]"
    return f"{{\\footnotesize\\setlength{{\\arraycolsep}}{{2pt}}\n{shown}}}" if wide else shown


@block.register
def _(one: PaperTable) -> str:
    narrow = sum(c != "w" for c in one.columns)
    wide = 0.94 - 0.11 * narrow
    share = wide / max(1, one.columns.count("w"))
    kinds = {"l": "l", "r": "r", "w": rf">{{\raggedright\arraybackslash}}p{{{share:.2f}\linewidth}}"}
    rows = [" & ".join(map(cell, row)) + END_OF_ROW for row in (one.head, *one.rows)]
    columns = "".join(kinds[c] for c in one.columns)
    head = [rf"\begin{{longtable}}{{{columns}}}", rows[0], r"\hline\noalign{\vskip 3pt}\endhead"]
    return "\n".join([*head, *rows[1:], r"\end{longtable}"])


def cell(one: Cell) -> str:
    return line(parts_of(one))


def line(parts: tuple[Inline, ...]) -> str:
    return "".join(words(p) if isinstance(p, str) else f"${formula(p)}$" for p in parts)


def words(text: str) -> str:
    """Return any text with its special characters escaped."""
    return "".join(SPECIAL.get(c, c if c.isascii() else _letter(c, "$", "$")) for c in visible(text))


def formula(math: Math) -> str:
    found = " ".join(map(part, math.parts))
    found = "{} " + found if math.parts[:1] in (("+",), ("-",)) else found
    return "".join(c if c.isascii() else _letter(c) for c in found)


def part(one: Part) -> str:
    if isinstance(one, Bold):
        name = rf"\boldsymbol{{{'' if len(one.name) == 1 else chr(92)}{one.name}}}"
        name = rf"\{'d' * one.dots}ot{{{name}}}" if one.dots else name
        return name + (f"_{{{one.below}}}" if one.below else "") + (f"^{{{one.above}}}" if one.above else "")
    if isinstance(one, str):
        return OPERATORS.get(one, one)
    return LatexMathPrinter().doprint(one)


class LatexMathPrinter(LatexPrinter):
    """The printer of sympy, with commas between indices, and with text for names that are not letters with indices."""

    def _print_Symbol(self, expr: sp.Symbol, style: str = "plain") -> str:
        if LETTERS.fullmatch(expr.name):
            return INDICES.sub(lambda found: found[0].replace(" ", ","), super()._print_Symbol(expr, style))
        return rf"\text{{{words(expr.name)}}}"


INDICES = re.compile(r"_\{[^{}]*\}")
OPERATORS = {"←": r"\leftarrow", "⊕": r"\oplus", "|": r"\lVert ", "|.": r"\rVert ", "·": r"\cdot"}


def _letter(c: str, before: str = "", after: str = "") -> str:
    """Return a letter beyond ASCII: a Greek letter as a command."""
    kind, _, name = unicodedata.name(c, "").partition(" LETTER ")
    name = name.capitalize() if "CAPITAL" in kind else name.lower()
    if kind.startswith("GREEK") and name in GREEK:
        return rf"{before}{{\{name}}}{after}"
    return c if before else rf"\text{{{c}}}"
