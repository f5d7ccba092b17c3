"""The models of models/, as modules."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
"""Where the repository is."""
MODELS = ROOT / "models"
NAMES = sorted(path.stem for path in MODELS.glob("[!_]*.py"))


def load(name: str) -> ModuleType:
    """A file of models/ as a module."""
    spec = importlib.util.spec_from_file_location(f"models.{name}", MODELS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
