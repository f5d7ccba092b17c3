"""Pack arrays for a page: numbers of 32 bits, compressed, as text."""

import base64
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

COARSE = 1e-7
"""The largest rounding error of times in 32 bits, as a part of their span, without a second array of remainders."""


def packed(arrays: dict[str, Any]) -> dict[str, Any]:
    """Return all arrays as one text with a table of their places. Bytes of equal weight stand together, after
    differences between rows (of the bits as integers, without loss): neighbours in time are similar, and compress
    well."""
    table, parts, at = {}, [], 0
    for name, values in (arrays | _rests(arrays)).items():
        array = np.ascontiguousarray(values, dtype="<f4")
        bits = array.reshape(len(array), -1).view("<u4") if array.size else np.zeros((0, 1), "<u4")
        parts.append(np.diff(bits, axis=0, prepend=np.zeros((1, bits.shape[1]), "<u4")).T.ravel())
        table[name] = {"at": at, "shape": [int(n) for n in array.shape]}
        at += array.size
    whole = np.concatenate([*parts, np.zeros(0, "<u4")])
    planes = whole.view(np.uint8).reshape(-1, 4).T.tobytes()
    return {"table": table, "count": at, "data": base64.b64encode(zlib.compress(planes, 9)).decode()}


def _rests(arrays: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Return the remainders of times beyond 32 bits: after a day, 86400 s, such numbers are 1/128 s apart."""
    rests = {}
    for name, values in arrays.items():
        if np.ndim(values) != 1 or np.size(values) == 0 or not np.isfinite(values).all():
            continue
        rest = np.asarray(values, dtype=float) - np.asarray(values, dtype="<f4")
        if np.abs(rest).max() > COARSE * np.ptp(values) > 0:
            rests[f"{name}, rest"] = rest
    return rests


def rounded(points: Any) -> list[Any]:
    """Return a flat list of numbers with seven digits, as many as a page can show; None for nan and infinity."""
    values = np.asarray(points, dtype=float).ravel().tolist()
    return [float(f"{x:.7g}") if np.isfinite(x) else None for x in values]
