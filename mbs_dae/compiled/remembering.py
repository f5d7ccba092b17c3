"""What follows from a thing alone is found once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any


class Remembering:
    """A frozen thing that remembers what was made of it."""

    def once(self, make: Callable[..., Any], *arguments: Any) -> Any:
        """``make(self, *arguments)``, made when it is first asked for. Arguments are to be few: all is kept as long as
        the thing lives. (Where two threads ask at once, both make it, and one of both is kept.)"""
        key = make, *arguments
        if key not in self._made:
            self._made[key] = make(self, *arguments)
        return self._made[key]

    @cached_property
    def _made(self) -> dict[Any, Any]:
        return {}
