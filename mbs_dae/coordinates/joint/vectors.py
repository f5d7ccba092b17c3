"""Vectors, quaternions and matrices for compiled code: tuples of numbers, so that nothing is allocated.

A table of vectors has one in each row: `row` reads it, `put` writes it. A table of rotations has nine columns, a matrix
by rows; quaternions are scalar first. A rotation takes the axes of a frame to those of the world.
"""

from math import atan2, cos, sin, sqrt

from ...kernels.abi import compiled
from ...kernels.blocks import Matrix, Vector
from ...rotations import matrices, values

ZERO = (0.0, 0.0, 0.0)
NO_TURN = (1.0, 0.0, 0.0, 0.0)


@compiled
def row(table: Matrix, k: int) -> tuple[float, float, float]:
    return table[k, 0], table[k, 1], table[k, 2]


@compiled
def put(table: Matrix, k: int, a: tuple[float, float, float]) -> None:
    table[k, 0], table[k, 1], table[k, 2] = a


@compiled
def at(numbers: Vector, k: int) -> tuple[float, float, float]:
    """Return the three numbers from place k on."""
    return numbers[k], numbers[k + 1], numbers[k + 2]


@compiled
def put_at(numbers: Vector, k: int, a: tuple[float, float, float]) -> None:
    numbers[k], numbers[k + 1], numbers[k + 2] = a


@compiled
def plus(a: tuple[float, float, float], b: tuple[float, float, float]) -> tuple[float, float, float]:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@compiled
def minus(a: tuple[float, float, float], b: tuple[float, float, float]) -> tuple[float, float, float]:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@compiled
def times(s: float, a: tuple[float, float, float]) -> tuple[float, float, float]:
    return s * a[0], s * a[1], s * a[2]


@compiled
def dot(a: tuple[float, float, float], b: tuple[float, float, float]) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


cross = compiled(values.cross)


# --- rotations ---------------------------------------------------------------------------------------------------


@compiled
def turned(A: Matrix, k: int, a: tuple[float, float, float]) -> tuple[float, float, float]:
    """Return A a: from the axes of frame k to those of the world."""
    rows = A[k]
    return dot(at(rows, 0), a), dot(at(rows, 3), a), dot(at(rows, 6), a)


@compiled
def turned_back(A: Matrix, k: int, a: tuple[float, float, float]) -> tuple[float, float, float]:
    """Return Aᵀ a: from the axes of the world to those of frame k."""
    rows = A[k]
    return plus(plus(times(a[0], at(rows, 0)), times(a[1], at(rows, 3))), times(a[2], at(rows, 6)))


# --- quaternions -------------------------------------------------------------------------------------------------


@compiled
def quaternion(table: Matrix, k: int) -> tuple[float, float, float, float]:
    return table[k, 0], table[k, 1], table[k, 2], table[k, 3]


@compiled
def quaternion_at(numbers: Vector, k: int) -> tuple[float, float, float, float]:
    return numbers[k], numbers[k + 1], numbers[k + 2], numbers[k + 3]


@compiled
def about(axis: tuple[float, float, float], angle: float) -> tuple[float, float, float, float]:
    """Return the quaternion of the turn by an angle about a unit vector."""
    s = sin(0.5 * angle)
    return cos(0.5 * angle), s * axis[0], s * axis[1], s * axis[2]


@compiled
def back(e: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    """Return the quaternion of the inverse turn."""
    return e[0], -e[1], -e[2], -e[3]


after = compiled(matrices.product)
"""Return e ∘ f: the rotation matrices are multiplied in this order."""


@compiled
def unit(e: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    scale = 1.0 / sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3])
    return scale * e[0], scale * e[1], scale * e[2], scale * e[3]


@compiled
def rotation_vector(e: tuple[float, float, float, float]) -> tuple[float, float, float]:
    """Return the rotation vector of a unit quaternion, the shorter one of two."""
    sine = sqrt(e[1] * e[1] + e[2] * e[2] + e[3] * e[3])
    sign = 1.0 if e[0] >= 0.0 else -1.0  # e and -e are the same attitude
    scale = 2.0 * sign if sine < 1e-100 else 2.0 * sign * atan2(sine, sign * e[0]) / sine
    return times(scale, (e[1], e[2], e[3]))


@compiled
def rotated(e: tuple[float, float, float, float], a: tuple[float, float, float]) -> tuple[float, float, float]:
    """Return a turned by a unit quaternion (w, n): a + 2 n × (n × a + w a)."""
    n = (e[1], e[2], e[3])
    return plus(a, times(2.0, cross(n, plus(cross(n, a), times(e[0], a)))))
