"""Arrays for a page: numbers of 32 bits, compressed, as text."""

import base64
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np


def packed(arrays: Mapping[str, Any]) -> dict[str, Any]:
    """All arrays as one text, and where each one is. Bytes of equal weight stand together, after differences between
    rows (which are those of integers, so that nothing is lost): neighbours in time are alike, and compress well."""
    table, parts, at = {}, [], 0
    for name, values in arrays.items():
        array = np.ascontiguousarray(values, dtype="<f4")
        bits = array.reshape(len(array), -1).view("<u4") if array.size else np.zeros((0, 1), "<u4")
        parts.append(np.diff(bits, axis=0, prepend=np.zeros((1, bits.shape[1]), "<u4")).T.ravel())
        table[name] = {"at": at, "shape": [int(n) for n in array.shape]}
        at += array.size
    whole = np.concatenate([*parts, np.zeros(0, "<u4")])
    planes = whole.view(np.uint8).reshape(-1, 4).T.tobytes()
    return {"table": table, "count": at, "data": base64.b64encode(zlib.compress(planes, 9)).decode()}


def rounded(points: Any) -> list[Any]:
    """Numbers of seven digits, as many as a page can show; None for what is not finite."""
    values = np.asarray(points, dtype=float).ravel().tolist()
    return [float(f"{x:.7g}") if np.isfinite(x) else None for x in values]
