"""Multipliers, energies and powers along a known motion. Compiled."""

from __future__ import annotations

from ..compiled.dynamics import KINETIC, POTENTIAL
from ..compiled.machine import DONE
from ..compiled.state import WORK
from ..kernels.abi import compiled
from .derivative import accelerate, powers


@compiled
def solve_motion(mechanism, t, q, v, multipliers, rates):
    """Per time: λ, and the columns kinetic, potential, then the powers. How many times were done: all of them, or those
    before a force that is not a finite number."""
    machine = mechanism.machine
    for k in range(t.size):
        if accelerate(mechanism, t[k], q[k], v[k], machine.motions[0]) != DONE:
            return k
        for row in range(machine.pattern.m):
            multipliers[k, row] = machine.multipliers[row]
        rates[k, 0] = mechanism.scalars[KINETIC]
        rates[k, 1] = mechanism.scalars[POTENTIAL]
        powers(mechanism, rates[k, 2 : 2 + WORK])
    return t.size
