"""The reference: what autodoc makes of docstrings, as a reader wants it."""

from __future__ import annotations

import inspect
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

import mbs_dae


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("autodoc-process-signature", without_empty)
    app.connect("env-updated", without_inner)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def without_empty(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, signature: str | None, returns: str | None
) -> tuple[str, None] | None:
    """A page says ``autoclass:: mbs_dae.Result()`` of what nobody makes by hand: then nothing is shown of how."""
    if what == "class" and signature == "()" and inspect.signature(obj).parameters:
        return "", None
    return None


def without_inner(app: Sphinx, env: BuildEnvironment) -> None:
    """The search knows entries by the names that are imported, `mbs_dae.Gear`; the modules behind them it leaves out.

    Links to such an entry lead there as before, and its text is searched as all text is."""
    objects = env.domains.python_domain.objects
    for name, entry in objects.items():
        if not is_public(name):
            objects[name] = entry._replace(aliased=True)  # of these Sphinx says: "not full-text searchable"


def is_public(name: str) -> bool:
    """Whether it is a name of `import mbs_dae`, or of what such a name holds."""
    parts = name.split(".")
    return len(parts) > 1 and parts[1] in mbs_dae.__all__
