"""Formulas as MathML: browsers draw it by themselves, so that a page needs neither a network nor a script."""

from __future__ import annotations

from functools import cache
from typing import Any

from docutils import nodes
from math_core import LatexError, LatexToMathML
from sphinx.application import Sphinx
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
ONE_LINE = ("pmatrix", "cases", "aligned", "bmatrix", "vmatrix", "array")


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_html_math_renderer("mathml", inline_renderers=(inline, None), block_renderers=(block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


@cache
def mathml(latex: str, display: bool) -> str:
    """What cannot be written so is an error of the page; the annotation lets a reader copy the LaTeX."""
    return LatexToMathML(fancy_error=False).convert_with_local_state(latex.strip(), displaystyle=display)


def inline(writer: Any, node: nodes.math) -> None:
    written(writer, node, display=False)


def block(writer: Any, node: nodes.math_block) -> None:
    writer.body.append(writer.starttag(node, "div", CLASS="formula"))
    try:
        written(writer, node, display=True)
    except nodes.SkipNode:
        writer.body.append("</div>\n")
        raise


def written(writer: Any, node: nodes.Element, display: bool) -> None:
    try:
        writer.body.append(mathml(node.astext(), display))
    except LatexError as problem:
        LOGGER.warning("this formula has no MathML: %s: %s", node.astext(), problem, location=node)
    raise nodes.SkipNode
