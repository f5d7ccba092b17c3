"""Functions that earlier packages request from later ones.

A model can be compiled and a result can be drawn, but the functions for both are in later packages. So the method
requests a function by name, ``provided("Result.plot")``. The main module, which alone knows all packages, finds it;
nothing is imported before the request.
"""

from collections.abc import Callable
from typing import Any

Find = Callable[[str], Callable[..., Any]]
"""The map from the name of a method to the function that does its work."""

_find: Find


def provide(find: Find) -> None:
    """Set the finder of functions; the main module calls this once."""
    global _find
    _find = find


def provided(name: str) -> Callable[..., Any]:
    return _find(name)
