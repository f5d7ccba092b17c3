"""Arrays for a page: numbers of 32 bits, compressed, as text."""

import base64
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

COARSE = 1e-7
"""Times are off by more than this part of their span, as numbers of 32 bits, where they begin late."""


def packed(arrays: dict[str, Any]) -> dict[str, Any]:
    """All arrays as one text, and where each one is. Bytes of equal weight stand together, after differences between
    rows (which are those of integers, so that nothing is lost): neighbours in time are alike, and compress well."""
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
    """What 32 bits leave of times: a day has 86400 s, and then they are 1/128 s apart."""
    rests = {}
    for name, values in arrays.items():
        if np.ndim(values) != 1 or np.size(values) == 0 or not np.isfinite(values).all():
            continue
        rest = np.asarray(values, dtype=float) - np.asarray(values, dtype="<f4")
        if np.abs(rest).max() > COARSE * np.ptp(values) > 0:
            rests[f"{name}, rest"] = rest
    return rests


def rounded(points: Any) -> list[Any]:
    """Numbers of seven digits, as many as a page can show; None for what is not finite."""
    values = np.asarray(points, dtype=float).ravel().tolist()
    return [float(f"{x:.7g}") if np.isfinite(x) else None for x in values]
