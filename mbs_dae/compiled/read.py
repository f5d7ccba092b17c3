"""Readings of a program along a whole motion. Compiled."""

from __future__ import annotations

from ..kernels.abi import compiled_apart
from ..kernels.blocks import Matrix, Vector
from .batch import Batch, evaluate
from .program import Program


@compiled_apart
def read(
    program: Program, designs: Matrix, times: Vector, q: Matrix, v: Matrix, a: Matrix, out: Vector,
    values: Matrix, rates: Matrix, accelerations: Matrix,
):
    """Per time and row: Φ, Φ̇ = Φ_v v - ν and Φ̈ = Φ_v a - γ. For measures these are value, rate and acceleration;
    for constraints they are the violations. Rows without Φ read 0 in `values`. With `designs`, each time has numbers
    of its own."""
    for k in range(times.size):
        for slot in range(designs.shape[1]):
            program.batch.parameters[slot] = designs[k, slot]
        evaluate(program.batch, times[k], q[k], v[k], out)
        for row in range(program.rows):
            if program.phi_from[row] >= 0:
                values[k, row] = out[program.phi_from[row]]
            rates[k, row] = -out[program.nu_from[row]]
            accelerations[k, row] = -out[program.gamma_from[row]]
        for item in range(program.jac_to.size):
            e, entry = program.jac_to[item], out[program.jac_from[item]]
            rates[k, program.jac_row[e]] += entry * v[k, program.jac_column[e]]
            accelerations[k, program.jac_row[e]] += entry * a[k, program.jac_column[e]]


@compiled_apart
def read_values(batch: Batch, times: Vector, q: Matrix, v: Matrix, out: Matrix):
    """All outputs of a batch at every time: out has one row for each."""
    for k in range(times.size):
        evaluate(batch, times[k], q[k], v[k], out[k])
