"""How switching functions change along the motion, where its accelerations are known. Compiled."""

from ...compiled.manifold import rates
from ...compiled.signals import assign
from ...kernels.abi import compiled
from ..derivative import state_rates
from .switches import read_rates


@compiled
def read_rates_here(mechanism, t, q, v, a):
    """The rates of all switching functions at the last evaluation, of accelerations: with those of states, late ones
    included, and of inputs."""
    dq = mechanism.switches.place[q.size + v.size :]
    rates(mechanism.machine.manifold, q, v, dq)
    state_rates(mechanism, t, q, v, dq)
    assign(mechanism.signals.drifts, t, q, v, dq)
    read_rates(mechanism, q, v, dq, a)
