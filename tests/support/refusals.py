"""`refused`: an error is expected, by its class, its code and its facts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Real
from typing import Any

import numpy as np
import pytest

import mbs_dae as mbs


def same(fact: Any, expected: Any) -> bool:
    """Return whether a fact is the expected one: numbers to six digits, lists and tuples by entries, others by their
    text."""
    if isinstance(expected, np.ndarray) or isinstance(fact, np.ndarray):
        return bool(np.shape(fact) == np.shape(expected) and np.allclose(fact, expected, rtol=1e-6, atol=0.0))
    if isinstance(expected, (list, tuple)) and isinstance(fact, (list, tuple)):
        return len(fact) == len(expected) and all(map(same, fact, expected))
    if isinstance(expected, bool) or isinstance(fact, bool):
        return fact is expected
    if isinstance(expected, Real) and isinstance(fact, Real):
        return bool(np.isclose(fact, expected, rtol=1e-6, atol=0.0, equal_nan=True))
    return str(fact) == str(expected)


@contextmanager
def refused(
    code: str | tuple[str, ...], error: type[mbs.MbsError] = mbs.ModelError, /, *, mentions: str | Sequence[str] = (),
    **facts: Any,
) -> Iterator[pytest.ExceptionInfo]:  # fmt: skip
    """Expect an error of a class with a code, or one of several, and with facts among its own. Its message mentions
    some names, of elements or quantities; docs/messages has its wording."""
    with pytest.raises(error) as caught:
        yield caught
    for name in [mentions] if isinstance(mentions, str) else mentions:
        mentioned = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", str(caught.value))
        assert mentioned, f"the error does not mention {name!r}: {caught.value}"
    own: Mapping[str, Any] = caught.value.facts
    assert caught.value.code in ([code] if isinstance(code, str) else code), f"{caught.value.code}: {caught.value}"
    for name, expected in facts.items():
        assert name in own, f"the error has no fact {name!r}, only {sorted(own)}: {caught.value}"
        assert same(own[name], expected), f"{name} = {own[name]!r}, not {expected!r}: {caught.value}"
