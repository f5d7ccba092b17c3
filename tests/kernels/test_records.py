"""Records of arrays that compiled code reads by address."""

from typing import NamedTuple

import pytest

from mbs_dae.kernels.blocks import Vector, Work, block, zeros


def test_a_field_with_the_name_of_something_else_is_refused():
    """A block has attributes of its own. A field of such a name would be read in place of it, without a word."""

    class Shadow(NamedTuple):
        kind: Work[Vector] = zeros(1)

    with pytest.raises(TypeError, match="'kind'"):
        block(Shadow())


def test_records_inside_records_share_their_lengths():
    class Inner(NamedTuple):
        rate: Work[Vector] = zeros("rows")

    class Outer(NamedTuple):
        inner: Inner = Inner()
        force: Work[Vector] = zeros("rows")

    outer = block(Outer(), rows=3)
    outer.inner.rate[:] = 2.0
    assert outer.inner.rate.tolist() == [2.0] * 3 and outer.force.tolist() == [0.0] * 3
