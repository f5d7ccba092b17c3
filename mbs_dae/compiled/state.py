"""How the state of a motion is laid out: y = (q, v, works). The only place that knows it."""

from __future__ import annotations

from typing import NamedTuple

from ..coordinates import Layout
from ..kernels.blocks import block
from ..symbolic.loads import WORKS

WORK = len(WORKS)


class StateLayout(NamedTuple):
    """The spans of y: q is y[:q_end], v is y[v_at:v_end], the works are y[works_at:]. Another part gets its span here;
    what reads these needs not know."""

    q_end: int
    v_at: int
    v_end: int
    works_at: int
    size: int

    @property
    def velocities(self) -> slice:
        return slice(self.v_at, self.v_end)


def state_layout(layout: Layout) -> StateLayout:
    """For coordinates q and v with those of the ground behind them, and the works."""
    v_end = layout.q_size + layout.v_size
    return block(StateLayout(layout.q_size, layout.q_size, v_end, works_at=v_end, size=v_end + WORK))
