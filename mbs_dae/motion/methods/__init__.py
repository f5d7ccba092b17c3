"""The methods of integration, by name."""

from ...errors import ModelError
from .generalised_alpha import GENERALISED_ALPHA
from .half_explicit import HALFEXPLICIT
from .method import Method
from .moreau import MOREAU
from .radau import RADAU5
from .runge_kutta import DP5, DP8, RK4

_ALL = RK4, DP5, DP8, GENERALISED_ALPHA, RADAU5, MOREAU, HALFEXPLICIT
METHODS: dict[str, Method] = {method.name: method for method in _ALL}


def method_named(name: object) -> Method:
    if isinstance(name, Method):
        return name
    if not isinstance(name, str) or name not in METHODS:
        raise ModelError(
            f"method={name!r} is unknown; choose one of {', '.join(map(repr, METHODS))}",
            code="unknown-choice", argument="method", value=name, choices=tuple(METHODS),
        )  # fmt: skip
    return METHODS[name]
