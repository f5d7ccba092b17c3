"""Sines and cosines of kernels are less than one unit of the last place off, and the same in lanes, bit for bit."""

from __future__ import annotations

import ctypes
from typing import Any

import mpmath
import numpy as np
import pytest

from mbs_dae.kernels import llvm
from mbs_dae.kernels.abi import KERNEL
from mbs_dae.kernels.lanes import WIDE_KERNEL, lanes
from mbs_dae.kernels.sines import FIRST, LARGEST, REST, SECOND
from mbs_dae.kernels.straight import kernel_code
from mbs_dae.kernels.widened import WideWriter

SOURCE = """
def kernel(count, t, q, v, index, parameters, tables, out):
    for instance in range(count):
        x = q[instance]
        out[2*instance] = sin(x)
        out[2*instance + 1] = cos(x)
"""


def called(symbol: str, kinds: Any, writer: Any, *numbers: Any) -> None:
    code, _ = kernel_code(symbol, SOURCE, kinds, {}, written=writer)
    values = [number.ctypes.data if isinstance(number, np.ndarray) else number for number in numbers]
    types = [ctypes.c_double if isinstance(value, float) else ctypes.c_int64 for value in values]
    ctypes.CFUNCTYPE(None, *types)(llvm.load(symbol, code))(*values)


def both(x: np.ndarray) -> np.ndarray:
    """Sines and cosines, which lanes have alike."""
    index, out = np.arange(x.size), np.zeros(2 * x.size)
    times, wide, found = lanes(1, x.size, out.size)
    wide[:] = x[:, None]
    name = f"test_sines_{x.size}"
    called(name, KERNEL, None, x.size, 0.0, x, x, index, x, x, out)
    called(f"{name}_in_lanes", WIDE_KERNEL, WideWriter, x.size, times, wide, wide, index, wide, x, found)
    np.testing.assert_array_equal(found, np.repeat(out[:, None], llvm.LANES, axis=1))
    return out.reshape(-1, 2)


def arguments() -> np.ndarray:
    """Of all sizes; and next to the places where a sine or a cosine is zero, or both are alike."""
    random, turns = np.random.default_rng(0), np.arange(1, 1001)
    spread = [random.uniform(-size, size, 500) for size in (1, 4, 1000, LARGEST)]
    return np.concatenate([*spread, turns * np.pi / 2, turns * np.pi / 4, 10.0 ** random.uniform(-300, 0, 200)])


def test_they_are_less_than_a_unit_of_the_last_place_off():
    x = arguments()
    with mpmath.workprec(200):
        assert abs(mpmath.mpf(FIRST) + mpmath.mpf(SECOND) + mpmath.mpf(REST) - mpmath.pi / 2) < 1e-35
        for at, pair in zip(x.tolist(), both(x).tolist(), strict=True):
            for exact, found in zip((mpmath.sin(at), mpmath.cos(at)), pair, strict=True):
                assert abs(exact - found) < 0.9 * np.spacing(abs(found))


def test_arguments_without_a_sine_and_very_large_ones():
    x = np.array([0.0, -0.0, 5e-324, 1e300, -1e22, np.inf, -np.inf, np.nan])
    found = both(x)
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(found, np.transpose([np.sin(x), np.cos(x)]), rtol=1e-15)
    assert np.signbit(found[:2, 0]).tolist() == [False, True]
    assert found[2, 0] == pytest.approx(5e-324, abs=0)
