"""Pages that weigh little: no style that a page does not need, no marks that nobody sees."""

from __future__ import annotations

import re
from typing import Any

from bs4 import BeautifulSoup
from sphinx.application import Sphinx

PLAIN = re.compile(r'<span class="(?:pre|n|o|p|w|mi|mf)">([^<]*)</span>')
"""Words of code, names, operators, brackets and spaces have the colour of all text; numbers are seen without one."""


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("html-page-context", slim, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def slim(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: object) -> None:
    """The style sheet of MyST-NB, 43 kB, mostly colours of terminals, makes room for a few lines in site.css.

    Without the marks that colour nothing, the code of a long notebook weighs half."""
    context["css_files"] = [sheet for sheet in context["css_files"] if "mystnb" not in str(sheet.filename)]
    if "furo_navigation_tree" in context:
        context["furo_navigation_tree"] = pruned(context["furo_navigation_tree"])
    if "body" in context:
        context["body"] = PLAIN.sub(r"\1", context["body"])


def pruned(tree: str) -> str:
    """What stands below a page is listed on that page, and beside the pages below it: not beside all others."""
    soup = BeautifulSoup(tree, "html.parser")
    for item in soup.select("li.has-children:not(.current)"):
        if item.decomposed:  # with one above it
            continue
        for part in item.find_all(["ul", "input", "label"], recursive=False):
            part.decompose()
        item["class"].remove("has-children")
    return str(soup)
