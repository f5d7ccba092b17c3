"""The order of the pages. It hangs below the README, which knows nothing of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sphinx.application import Sphinx

SIDEBAR = {
    "Start": ("The book <docs/README>", "docs/what-you-can-ask", "docs/how-to", "models/README"),
    "Notebooks": ("notebooks/*",),
    "Conventions": ("docs/what-a-mechanism-is-made-of", "docs/sign-conventions", "docs/results"),
    "Mechanisms": (
        "docs/space", "docs/rotations-and-screws", "docs/stewart-platform", "docs/robot-arms",
        "docs/switches-and-events", "docs/contacts", "docs/states-and-controllers", "docs/small-motions",
        "docs/follow", "docs/modes", "docs/certificates", "docs/workspaces", "docs/loads", "docs/stiff-systems",
        "docs/studies", "docs/derivatives", "docs/optimisation", "docs/many-runs", "docs/synthesis",
    ),
    "Coordinates": (
        "docs/topology", "docs/natural-coordinates", "docs/velocity-transformation", "docs/coordinate-sets",
    ),
    "To take away": ("docs/pages", "docs/equations-to-take-away"),
    "Reference": ("docs/reference/README", "docs/messages/README"),
    "Making": (
        "docs/add-a-joint", "docs/add-a-force", "docs/design", "docs/decisions/README", "docs/benchmarks",
        "Changes <CHANGELOG>", "CONTRIBUTING",
    ),
}  # fmt: skip

BELOW = {
    "models/README": r"\]\(\.\./(docs/gallery/\w+)\.md\)",
    "docs/gallery/": r"\]\(\.\./\.\./(models/\w+)\.py\)",
    "docs/decisions/README": r"\]\((\d[\w-]+)\.md\)",
    "docs/reference/README": r"^## \[.*\]\(([\w-]+)\.md\)",
    "docs/messages/README": r"^## \[.*\]\(([\w-]+)\.md\)",
}
"""Indexes: the pages to which such links lead stand below them."""


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("source-read", append, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def append(app: Sphinx, name: str, content: list[str]) -> None:
    if name == app.config.root_doc:
        content[0] += "".join(tree(pages, caption) for caption, pages in SIDEBAR.items())
    for start, link in BELOW.items():
        if name.startswith(start):
            linked = dict.fromkeys(re.findall(link, content[0], re.MULTILINE))
            content[0] += tree([f"/{page}" if "/" in page else page for page in linked])


def tree(pages: Sequence[str], caption: str = "") -> str:
    """A hidden table of contents; patterns are in the order of the names of the files."""
    options = [":hidden:", ":maxdepth: 1", *([f":caption: {caption}"] if caption else [])]
    options += [":glob:"] if any("*" in page for page in pages) else []
    return "\n".join(["", "```{toctree}", *options, "", *pages, "```", ""])
