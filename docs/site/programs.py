"""Models as pages: what the file says of itself, its motion, and its program. It is not run here."""

from __future__ import annotations

import ast
import re
from typing import Any

from sphinx.application import Sphinx

TITLE = re.compile(r"(.+?)(?:[:,.;?]\s|[:,.;?]$|$)")
FORMULA = "```{{code-block}} none\n:class: formula\n\n{}\n```"


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("source-read", page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def page(app: Sphinx, name: str, content: list[str]) -> None:
    if re.fullmatch(r"models/[a-z]\w*", name):
        content[0] = as_notebook(written(name, content[0]))


def written(name: str, program: str) -> str:
    """The page of a model in Markdown."""
    words = ast.get_docstring(ast.parse(program)) or ""
    stem = name.rpartition("/")[2]
    parts = [f"# {title(words)}", figure(stem), prose(words), f"## `models/{stem}.py`", f"```python\n{program}```"]
    return "\n\n".join(parts) + "\n"


def title(words: str) -> str:
    """What the first sentence is about."""
    found = TITLE.match(" ".join(words.split("\n\n")[0].split()))
    assert found is not None
    return re.sub(r"^(An?|The)\s+(\w)", lambda m: m[2].upper(), escaped(found[1]))


def prose(words: str) -> str:
    """Paragraphs; what is set in is a formula, and keeps its places."""
    parts = re.split(r"\n\n+", words)
    return "\n\n".join(FORMULA.format(part) if part.startswith("    ") else escaped(part) for part in parts)


def escaped(text: str) -> str:
    """Signs that Markdown would take for its own, but between backticks."""
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(p if p.startswith("`") else re.sub(r"([\\*_<>\[\]#|~$])", r"\\\1", p) for p in pieces)


def figure(stem: str) -> str:
    """The motion, loaded when it comes into view; a picture where scripts are off."""
    page = f"../_static/moving/{stem}.html"
    return (
        f'<div class="moving"><iframe src="{page}" loading="lazy" title="The motion of {stem}"></iframe>\n'
        f'<p><a href="{page}">The moving page alone</a></p></div>\n\n'
        f"```{{image}} ../docs/gallery/{stem}.png\n:class: still\n:loading: lazy\n:alt: {stem}\n```"
    )


def as_notebook(markdown: str) -> str:
    """A percent script of one cell, since files that end in .py are read as such."""
    return "# %% [markdown]\n" + "".join(f"# {line}".rstrip() + "\n" for line in markdown.splitlines())
