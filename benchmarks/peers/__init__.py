"""The same mechanisms in other multibody solvers, to compare with: ``python -m benchmarks.peers`` prints one table.

Each peer has a module of its own (``exudyn_``, ``mujoco_``, ``pinocchio_``) that imports the peer at once, so ask
`available` before importing one of them. Every function builds its model and returns what is `Ready` to be timed.
"""

from __future__ import annotations

from importlib.util import find_spec

from .run import Ready, Run

__all__ = ["Ready", "Run", "available"]


def available() -> list[str]:
    """The peers that can be imported here, by the names they are imported under."""
    return [name for name in ("exudyn", "mujoco", "pinocchio") if find_spec(name) is not None]
