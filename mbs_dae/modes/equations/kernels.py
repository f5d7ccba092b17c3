"""Element kernels in complex arithmetic: the package's own straight-line source, run with arrays of numpy.

The source of a kernel (`symbolic.codegen`) evaluates one instance after the other. With index[k] an array over
instances, and q of shape (coordinates, paths), q[index[k]] is (instances, paths): one pass through the same lines
evaluates all instances of a type on all paths side by side, real or complex.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...coordinates import KernelCoordinates
from ...symbolic.codegen import FUNCTIONS, kernel_module
from ...symbolic.derive import Relation
from ...symbolic.markers import LABELS
from .algebraic import composed

NAMES = {"acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan"}
NAMES |= {"atan2": "arctan2", "atanh": "arctanh", "fabs": "abs"}
ARITHMETIC = {name: found for name in FUNCTIONS if (found := getattr(np, NAMES.get(name, name), None)) is not None}
"""Functions of numpy by their names in `math`."""


class Kernel(NamedTuple):
    function: Callable[..., None]
    """The kernel as a Python function: (count, t, q, v, index, parameters, tables, out)."""
    slots: tuple[str, ...]
    phi: int
    """The number of rows."""
    jacobian: tuple[tuple[int, int], ...]
    """Row and velocity of each output after Φ, an entry of the Jacobian."""
    outputs: int


_kept: dict[str, Kernel] = {}


def kernel_of(relation: Relation, coordinates: KernelCoordinates) -> Kernel:
    """Return the kernel of a relation, derived once."""
    key = f"{coordinates.name} {relation.meaning}"
    if key not in _kept:
        maps = [coordinates.marker_map(LABELS[k]) for k in range(len(relation.markers))]
        source, layout = kernel_module(composed(relation, maps), "closure", free=True)
        lines = [line for line in source.splitlines() if not line.startswith("from ")]
        known: dict[str, Any] = dict(ARITHMETIC)
        exec(compile("\n".join(lines), "<closure>", "exec"), known)
        _kept[key] = Kernel(known["kernel"], layout["slots"], layout["phi"], layout["jacobian"], layout["outputs"])
    return _kept[key]


def stacked(columns: Sequence[Sequence[int]], width: int) -> np.ndarray:
    """Return the columns as an array (width, instances), also without instances."""
    return np.array(columns, dtype=np.int64).reshape(-1, width).T.copy()
