"""Running a program: all kernels at one state, and readings of a program along a whole motion. Compiled."""

from __future__ import annotations

from ..kernels.abi import call_kernel, compiled


@compiled
def evaluate(program, t, q, v, out):
    """All outputs of all kernels at (t, q, v). q and v include the coordinates of the ground."""
    for g in range(program.address.size):
        call_kernel(
            program.address[g],
            program.instances[g],
            t,
            q,
            v,
            program.gather[program.gather_at[g] :],
            program.parameters[program.parameters_at[g] :],
            program.tables,
            out[program.out_at[g] :],
        )


@compiled
def read(program, times, q, v, a, out, values, rates, accelerations):
    """Per time and row: Φ, Φ̇ = Φ_v v - ν and Φ̈ = Φ_v a - γ. For measures these are value, rate and acceleration;
    for constraints they are the violations. Rows without Φ read 0 in `values`."""
    for k in range(times.size):
        evaluate(program, times[k], q[k], v[k], out)
        for row in range(program.rows):
            if program.phi_from[row] >= 0:
                values[k, row] = out[program.phi_from[row]]
            rates[k, row] = -out[program.nu_from[row]]
            accelerations[k, row] = -out[program.gamma_from[row]]
        for e in range(program.jac_row.size):
            entry = out[program.jac_from[e]]
            rates[k, program.jac_row[e]] += entry * v[k, program.jac_column[e]]
            accelerations[k, program.jac_row[e]] += entry * a[k, program.jac_column[e]]
