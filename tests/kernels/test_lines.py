"""Programs that are written by calculating (`kernels.lines`), and passes over instances of several kinds."""

import ctypes

import numpy as np

from mbs_dae.kernels.lines import Lines, kernel_of
from mbs_dae.kernels.passes import laid_out


def difference_of_squares(lines):
    a, b = lines.several(2, "given", "at")
    zero = 0.0 * a
    lines.write((a + b) * (a - b) + zero * b + (a * 1.0 - a) * 0.0, "found", "to")


def call(address, count, *tables):
    pointers = [table.ctypes.data_as(ctypes.c_void_p) for table in tables]
    ctypes.CFUNCTYPE(None, ctypes.c_int64, *[ctypes.c_void_p] * len(tables))(address)(count, *pointers)


def test_only_what_is_needed_is_written():
    lines = Lines(("at", "to"), ("given", "found"))
    difference_of_squares(lines)
    assert [line.strip() for line in lines.source().splitlines()[4:]] == [
        "w0 = given[at + 0]",
        "w1 = given[at + 1]",
        "w2 = w0 + w1",
        "w3 = w0 - w1",
        "w4 = w2 * w3",
        "found[to + 0] = w4",
    ]


def test_instances_follow_one_another():
    address = kernel_of("a difference of squares", ("at", "to"), ("given", "found"), difference_of_squares)
    index = np.array([0, 1, 2, 0], dtype=np.int64)
    found = np.zeros(2)
    call(address, 2, index, np.array([5.0, 3.0, 2.0, 1.0]), found)
    assert found.tolist() == [3.0, 16.0]


def test_neighbours_of_a_kind_are_one_run():
    """Levels in order; within a level by kind; a run goes on where the next level begins with its kind."""
    members = [(0, "a", (1,)), (1, "b", (3,)), (0, "b", (2,)), (2, "b", (4,)), (3, "a", (5,))]
    found = laid_out(members, {"a": 100, "b": 200}.__getitem__)
    runs = [found.places[k : k + c].tolist() for k, c in zip(found.begins[:-1], found.counts, strict=True)]
    assert [x for run in runs for x in run][-3:] == [3, 4, 5]
    assert sorted(map(len, runs)) == [1, 1, 3]
    assert found.kernels[-1] == 100
