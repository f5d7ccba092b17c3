"""Paths of the literature: solved at least as well as by the linkages that were printed.

The dimensions of printed linkages are as they are collected beside the code of Nguyen-Van and Gwak, Symmetry 14 (2022)
381; their errors are computed here from these dimensions, as sums of the squares of all distances. They are
attributed to Kunjur and Krishnamurty (1997), Cabrera, Simon and Prado (2002), Cabrera and others (2011, "MUMSA"), and
the authors of "IOA"; their papers were not read.
"""

import numpy as np
import pytest

import mbs_dae as mbs

STEP = np.pi / 6
PATHS = {
    "line": [(20, 20), (20, 25), (20, 30), (20, 35), (20, 40), (20, 45)],
    "arc": [(3, 3), (2.759, 3.363), (2.372, 3.663), (1.89, 3.862), (1.355, 3.943)],
    "half circle": [(0, 0), (1.9098, 5.8779), (6.9098, 9.5106), (13.09, 9.5106), (18.09, 5.8779), (20, 0)],
    "leaf": [
        (0.5, 1.1), (0.4, 1.1), (0.3, 1.1), (0.2, 1.0), (0.1, 0.9), (0.05, 0.75), (0.02, 0.6), (0.0, 0.5), (0.0, 0.4),
        (0.03, 0.3), (0.1, 0.25), (0.15, 0.2), (0.2, 0.3), (0.3, 0.4), (0.4, 0.5), (0.5, 0.7), (0.6, 0.9), (0.6, 1.0),
    ],
}  # fmt: skip
TIMING = {
    "line": None,
    "arc": STEP / 2 * np.arange(5),
    "half circle": STEP * np.arange(6),
    "leaf": np.radians(20) * np.arange(18),
}
LINE = [1.366547, 2.330773, 2.871039, 3.394591, 3.97096, 4.96349]
PRINTED = {  # frame, crank, coupler, rocker, coupler point (x, y), pivot (x, y), frame angle; first angle of the crank
    ("line", "MUMSA"): (
        [31.788264, 8.2046468, 24.932131, 31.385926, 34.193719, 14.415668, -6.366519, 56.83676, 4.015959], LINE),
    ("arc", "Kunjur"): ([3.509643, 1.857606, 4.725835, 3.518721, 1.959538, 1.558898, 0, 0, 0], STEP),
    ("arc", "Cabrera"): ([3.0630424, 1.9959624, 3.305823, 2.524706, 1.645158, 1.708959, 0, 0, 0], STEP),
    ("arc", "MUMSA"): ([3.77326856, 2.00000403, 4.11697104, 2.74615671, 1.67848787, 1.67098007, 0, 0, 0], STEP),
    ("arc", "IOA"): ([2.803607, 1.99226, 3.030461, 2.474117, 1.64413, 1.714536, 0, 0, 0], STEP),
    ("half circle", "best of six"): (
        [49.999217, 1.3476638, 1.3476825, 49.999235, 11.383058, 4.4426855, 10.1944353, -3.6925458, 6.2157809], STEP),
    ("leaf", "Kunjur"): (
        [1.87966, 0.274853, 1.180253, 2.138209, -0.833592, -0.37877, 1.132062, 0.663433, 4.354224], 2.558625),
    ("leaf", "Cabrera"): (
        [3.057878, 0.237803, 4.828954, 2.056456, 0.767038, 1.850828, 1.776808, -0.641991, 1.002168], 0.226186),
    ("leaf", "MUMSA"): (
        [4.453772, 0.297057, 3.913095, 0.849372, -2.067338, 1.6610626, -1.309243, 2.806964, 2.7387359], 4.853543),
    ("leaf", "IOA"): ([4.040435, 0.245216, 6.38294, 2.620532, 1.139106, 1.866109, 1.891805, -0.761339, 1.187751], 0.0),
}  # fmt: skip
ERRORS = {
    ("line", "MUMSA"): 2.06e-4, ("arc", "Kunjur"): 9.53e-4, ("arc", "Cabrera"): 1.83e-6, ("arc", "MUMSA"): 1.28e-6,
    ("arc", "IOA"): 4.27e-6, ("half circle", "best of six"): 1.22, ("leaf", "Kunjur"): 0.0661,
    ("leaf", "Cabrera"): 0.0337, ("leaf", "MUMSA"): 0.0194, ("leaf", "IOA"): 0.0350,
}  # fmt: skip
"""Of the printed linkages."""


def error_of(path: str, dimensions: list[float], start: float | list[float]) -> float:
    """Of the closer one of the two ways in which the linkage can be put together."""
    frame, crank, coupler, rocker, x, y, px, py, turn = dimensions
    timing = TIMING[path]
    angles = np.array(start) if timing is None else start + timing
    A = crank * np.exp(1j * angles)
    way = frame - A
    near = np.arccos((coupler**2 + abs(way) ** 2 - rocker**2) / (2 * coupler * abs(way)))
    wanted = np.array(PATHS[path]) @ [1, 1j]
    return min(
        np.sum(abs((A + (x + 1j * y) * way / abs(way) * np.exp(1j * side * near)) * np.exp(1j * turn) + px + 1j * py
                   - wanted) ** 2) for side in (1, -1)
    )  # fmt: skip


@pytest.mark.parametrize("printed", PRINTED, ids=" ".join)
def test_errors_of_printed_linkages(printed):
    assert error_of(printed[0], *PRINTED[printed]) == pytest.approx(ERRORS[printed], rel=4e-3)


@pytest.mark.parametrize("path", PATHS)
def test_what_is_found_is_nearer(path):
    best = mbs.synthesize_path(PATHS[path], timing=TIMING[path]).best
    error = np.sum(best.error**2)
    assert error <= 0.5 * min(own for (of, _), own in ERRORS.items() if of == path) and best.defects == ()
    assert error < {"line": 1e-20, "arc": 1e-20, "half circle": 0.00391, "leaf": 0.00904}[path]
