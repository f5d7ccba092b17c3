"""Hinged links in a row, said in numbers alone, for every solver to build as it likes."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from shutil import which

import numpy as np

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Link:
    """Where all angles are zero, the axes of all links are those of the world."""

    axis: Vector
    place: Vector
    """Its hinge, from the hinge of the link before."""
    mass: float
    com: Vector
    """From its hinge."""
    inertia: Vector
    """About its centre of mass, on the diagonal."""


def chain(n: int) -> list[Link]:
    """Bars of 1 m, whose hinges turn by a right angle from one to the next (`spatial.chain`)."""
    axes: tuple[Vector, Vector] = (0, 1, 0), (0, 0, 1)
    return [Link(axes[k % 2], (float(k > 0), 0, 0), 1.0, (0.5, 0, 0), (0.01, 0.08, 0.08)) for k in range(n)]


def arm() -> list[Link]:
    """`models/arm_6r.py`"""
    import arm_6r as own

    return [Link(*of) for of in zip(own.AXES, own.JOINTS, own.MASSES, own.CENTRES, own.INERTIAS, strict=True)]


def state(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Angles and their rates, at random, always the same."""
    angles, rates = 0.3 * np.random.default_rng(0).standard_normal((2, n))
    return angles, rates


def run_with_shared_pages(script: str, *arguments: str) -> bool:
    """Run a Python script in a process of which large pieces of memory are all the same (`shared_pages.c`); False where
    there is no C compiler, or no such way to load it."""
    compiler = which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        return False
    with tempfile.TemporaryDirectory() as folder:
        library, source = f"{folder}/shared_pages.so", Path(__file__).with_name("shared_pages.c")
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", library, str(source)], check=True)
        subprocess.run([sys.executable, script, *arguments], check=True, env={**os.environ, "LD_PRELOAD": library})
    return True
