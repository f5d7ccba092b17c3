"""Natural coordinates: bodies described by points and unit vectors, which they share."""

from .natural import Natural

__all__ = ["Natural"]
