"""Helper functions for six-vectors."""

from typing import Any

import numpy as np

from ..errors import ModelError
from ..rotations.values import numbers, short

ORIGIN = (0.0, 0.0, 0.0)


def join(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return np.concatenate([first, second], axis=-1)


def frozen(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        value.setflags(write=False)
    return value


def positive(what: str, value: Any) -> float:
    number = numbers(what, value)
    if number.ndim or not number > 0:
        raise ModelError(f"{what} is {short(value)}; give one positive number")
    return float(number)
