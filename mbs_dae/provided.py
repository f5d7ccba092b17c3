"""Functions that an earlier room asks a later one for.

A model can be compiled and a result can be drawn, but neither knows how: the rooms that do come later. So the method
asks for a function by name, ``provided("Result.plot")``. The front door of the package, which alone knows all rooms,
says where it is; nothing is imported before it is asked for.
"""

from collections.abc import Callable
from typing import Any

Find = Callable[[str], Callable[..., Any]]
"""From the name of a method to the function that does its work."""

_find: Find


def provide(find: Find) -> None:
    """Once, by the front door."""
    global _find
    _find = find


def provided(name: str) -> Callable[..., Any]:
    return _find(name)
