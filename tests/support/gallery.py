"""The models of models/, as modules."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
"""Where the repository is."""
MODELS = ROOT / "models"
ROUGH = re.compile(r"mbs\.(Contact|Stop|Friction)\(|unilateral=")
ALL = sorted(path.stem for path in MODELS.glob("[!_]*.py"))
TOUCHING = [name for name in ALL if ROUGH.search((MODELS / f"{name}.py").read_text(encoding="utf-8"))]
"""Those in which bodies touch."""
NAMES = [name for name in ALL if name not in TOUCHING]
"""Those whose joints and forces are all that they have."""


def load(name: str) -> ModuleType:
    """A file of models/ as a module."""
    spec = importlib.util.spec_from_file_location(f"models.{name}", MODELS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
