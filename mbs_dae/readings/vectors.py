"""Vectors of a result along the axes of its bodies and markers."""

import numpy as np

from ..errors import ModelError
from ..results.frames import named
from ..results.result import Result


def vector(result: Result, name: str, axes: str) -> np.ndarray:
    if result.components(name) == (name,):
        what = f"{name!r} is a number, and has no components along axes"
        raise ModelError(f"{what}; name a vector, e.g. {vector_of(result, name) or 'body.v'!r}")
    values = result[name]
    return values if axes == "world" else named(result, axes, name.rpartition(".")[0]).parts(values)


def vector_of(result: Result, name: str) -> str | None:
    """Return the name of the vector that contains this component; None if there is none."""
    known = result.scalar_names
    return next((v for v in result.all_names[len(known) :] if name in result.components(v)), None)
