"""Machine code does what its source says: kernels as Python runs them, and compiled, give the same numbers; in lanes,
the same bits as compiled for one."""

import ctypes
import hashlib

import interpreted
import numpy as np
import pytest
from gallery import load
from helpers import evaluated_loads

import mbs_dae as mbs
from mbs_dae.kernels import llvm
from mbs_dae.kernels.abi import KERNEL
from mbs_dae.kernels.cache import CALLED
from mbs_dae.kernels.lanes import WIDE_KERNEL, lanes
from mbs_dae.kernels.straight import kernel_code
from mbs_dae.kernels.widened import WideWriter
from mbs_dae.symbolic.codegen import FUNCTIONS

CASES = [
    ("slider_crank_engine", "cartesian"),
    ("cam_follower", "cartesian"),
    ("rssr", "cartesian"),
    ("rssr", "natural"),
]
"""Tables, motion laws, functions of one variable; the plane and space; attitudes, and coordinates that are shared."""


@pytest.mark.parametrize(("name", "coordinates"), CASES)
def test_machine_code_does_what_its_source_says(name, coordinates, request, monkeypatch):
    compiled = load(name).build().compile(coordinates)
    numbers = [evaluated(compiled)]
    request.getfixturevalue("interpreted_kernels")
    monkeypatch.setattr(interpreted, "made", {})  # whatever other tests asked for
    numbers.append(evaluated(load(name).build().compile(coordinates)))
    assert interpreted.made
    for machine, source in zip(*numbers, strict=True):
        np.testing.assert_allclose(machine, source, rtol=1e-12, atol=1e-12 * np.abs(source).max(initial=1.0))


def evaluated(system):
    """Φ, Φ̇, Φ̈, M, Q, energies and powers in a state near the placement."""
    random = np.random.default_rng(7)
    v, a = (np.append(random.uniform(-1, 1, system.nv), system.still[system.nv :]) for _ in range(2))
    q = system.moved(system.placement, 0.05 * v)
    rows = system.read_constraints(np.array([0.1]), q[None], v[None], a[None])
    return [*map(np.ravel, rows), *map(np.asarray, evaluated_loads(system, 0.1, q, v))]


SAYS = [
    "a + b*a - 2", "1/2 + a/b", "-a*(-3)", "a % b", "-a % b", "a % -b", "a**2", "a**7", "a**(-3)", "a**0", "a**b",
    "a**(-5/2)", "a**(3/2)", "(a if a > b else b)", "(a if a <= b else (b if not b < 3 else nan))",
    "(1 if a == b else 0)",
    "(a if a != b and b >= 1 or a < 0.1 else -a)", "max(a, b, 1)", "min(a, 2, b)", "abs(a - b)", "(a if True else b)",
    "(a if (a > b if a < 0.8 else b < 1) else -b)",
    "wrap(a, b)", "unwound(a, 9*b)", "lookup(tables, int(c), 0, a)", "lookup(tables, 0, 1, b)",
    "100000000000000000000*3*a", "(2 - 30000000000000000000000)/a", " + ".join(["a*b"] * 800),
]  # fmt: skip
ARGUMENTS = {"atan2": "a, b", "copysign": "a, -b", "hypot": "a, b", "acosh": "1 + a", "floor": "3*a"}
SAYS += [f"{name}({ARGUMENTS.get(name, 'a')})" for name in FUNCTIONS if name != "nan"]
HEAD = f"""from math import {", ".join(FUNCTIONS)}

def kernel(count, t, q, v, index, parameters, tables, out):
    for instance in range(count):
"""


@pytest.mark.parametrize("says", SAYS, ids=lambda says: says[:40])
def test_every_operation_is_that_of_python(says):
    """At three pairs of numbers, one an instance."""
    lines = "a = q[index[instance]]", "b = parameters[instance]", "c = t", f"out[instance * 1 + 0] = {says}"
    source = HEAD + "".join(f"        {line}\n" for line in lines)
    symbol = f"test_{hashlib.sha256(says.encode()).hexdigest()}"
    code, _ = kernel_code(symbol, source, KERNEL, CALLED)
    table = mbs.Table([0.0, 0.3, 1.0, 1.5], [1.0, -2.0, 0.5, 3.0]).data
    a, b, index = np.array([0.7, 0.9, 0.2]), np.array([0.3, 1.7, 0.9]), np.array([2, 0, 1])
    machine, found = llvm.load(symbol, code), []
    for kernel in (machine, interpreted.function_of(source)):
        found.append(np.zeros(3))
        interpreted.call(kernel, 3, 0.0, a, b, index, b, table, found[-1])
    assert np.ptp(found[1]) > 0 or says == "a**0" or np.isnan(found[1]).any()
    np.testing.assert_allclose(*found, rtol=1e-14)
    check_in_lanes(machine, symbol, source, a, b, index, table)


def check_in_lanes(machine, symbol, source, a, b, index, table):
    """Each lane has the numbers in another order."""
    wide, _ = kernel_code(f"{symbol}_in_lanes", source, WIDE_KERNEL, CALLED, written=WideWriter)
    t, q, v, parameters, out = lanes(1, 3, 3, 3, 3)
    q[:], parameters[:] = (np.transpose([np.roll(x, k) for k in range(llvm.LANES)]) for x in (a, b))
    found = np.zeros(3)
    numbers = [x.ctypes.data for x in (t, q, v, index, parameters, table, out)]
    ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 8)(llvm.load(f"{symbol}_in_lanes", wide))(3, *numbers)
    for lane in range(llvm.LANES):
        own = [np.ascontiguousarray(x[:, lane]) for x in (q, v, parameters)]
        interpreted.call(machine, 3, 0.0, own[0], own[1], index, own[2], table, found)
        np.testing.assert_array_equal(out[:, lane], found)


@pytest.mark.parametrize("says", ["a // b", "a if a < b < 1 else b", "[a][0]", "(lambda: a)()", "a @ b"])
def test_what_is_no_straight_line_is_refused(says):
    source = f"{HEAD}        a = t\n        b = t + 1\n        out[0] = {says}\n"
    with pytest.raises((TypeError, ValueError, AttributeError)):
        kernel_code("test_refused", source, KERNEL, CALLED)
