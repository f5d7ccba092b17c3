"""What cannot be read of a motion that carries its derivatives."""

from typing import Any

from ..duals import Dual
from ..errors import ModelError


def check_read(form: Any, q: Any, who: str) -> None:
    """Slopes of expressions are known by the places and velocities of bodies, and not by states and inputs."""
    if isinstance(q, Dual) and form.signals:
        what = f"{who} depends on states or inputs, and derivatives of what it does are not known"
        raise ModelError(f"{what}; ask for the motion, for states, or for what joints carry")
