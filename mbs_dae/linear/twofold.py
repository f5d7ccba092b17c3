"""Sums and products with their roundoff, both of them exact (Dekker, Knuth), for plain numbers and for lanes.
Compiled."""

from ..kernels.abi import compiled
from ..kernels.blocks import Vector
from ..kernels.lanes import fused


@compiled
def two_sum(a: float, b: float) -> tuple[float, float]:
    """Return a + b as it is rounded, and the part that rounding has left out."""
    total = a + b
    second = total - a
    return total, (a - (total - second)) + (b - second)


@compiled
def two_product(a: float, b: float) -> tuple[float, float]:
    """Return a b as it is rounded, and the part that rounding has left out."""
    product = a * b
    return product, fused(a, b, -product)


@compiled
def add_product(a: float, b: float, tail: float, total: Vector, lost: Vector, k: int) -> None:
    """Add a (b + tail) to the sum total[k] + lost[k] of two parts; the tail is small compared with b."""
    product, left = two_product(a, b)
    total[k], rounding = two_sum(total[k], product)
    lost[k] += (rounding + left) + a * tail
