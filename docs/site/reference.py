"""The reference: what autodoc makes of docstrings, as a reader wants it."""

from __future__ import annotations

import inspect
from typing import Any

from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("autodoc-process-signature", without_empty)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def without_empty(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, signature: str | None, returns: str | None
) -> tuple[str, None] | None:
    """A page says ``autoclass:: mbs_dae.Result()`` of what nobody makes by hand: then nothing is shown of how."""
    if what == "class" and signature == "()" and inspect.signature(obj).parameters:
        return "", None
    return None
