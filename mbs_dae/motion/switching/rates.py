"""Rates of switching functions along the motion, where its accelerations are known. Compiled."""

from ...compiled.manifold import rates
from ...compiled.signals import assign
from ...kernels.abi import compiled_apart
from ...kernels.blocks import Vector
from ..derivative import state_rates
from ..mechanism_record import Mechanism
from .switches import read_rates


@compiled_apart
def read_rates_here(mechanism: Mechanism, t: float, q: Vector, v: Vector, a: Vector) -> None:
    """Put the rates of all switching functions at the last evaluation of accelerations, including the rates of states
    (of late ones, too) and of inputs."""
    dq = mechanism.switches.place[q.size + v.size :]
    rates(mechanism.machine.manifold, q, v, dq)
    state_rates(mechanism, t, q, v, dq)
    assign(mechanism.signals.drifts, t, q, v, dq)
    read_rates(mechanism, q, v, dq, a)
