"""The calls of a plan. Compiled."""

from ...kernels.abi import call_kernel, compiled
from .wide import eliminate_wide, give_out_wide, take_in_wide


@compiled
def eliminate(plan, x_count, factor, least, extra, truncation):
    limits = least, extra, truncation
    for k in range(plan.fronts.size):
        if plan.kernels[k] == 0:
            index, numbers = plan.indices[plan.index_at[k] :], factor.numbers[plan.numbers_at[k] :]
            eliminate_wide(index, plan.handed_at[k], x_count, factor, numbers, limits)
        else:
            _call(plan, k, (plan.fronts[k], 0, 0), x_count, factor, limits)


@compiled
def take_in(plan, x_count, factor):
    """factor.part becomes D⁻¹ L⁻¹ times what it is."""
    for k in range(plan.fronts.size):
        if plan.kernels[k] == 0:
            take_in_wide(plan.indices[plan.index_at[k] :], factor.numbers[plan.numbers_at[k] :], factor.part)
        else:
            _call(plan, k, (0, plan.fronts[k], 0), x_count, factor, (0.0, 0.0, 0.0))


@compiled
def give_out(plan, x_count, factor):
    """factor.part becomes L⁻ᵀ times what it is."""
    for k in range(plan.fronts.size - 1, -1, -1):
        if plan.kernels[k] == 0:
            give_out_wide(plan.indices[plan.index_at[k] :], factor.numbers[plan.numbers_at[k] :], factor.part)
        else:
            _call(plan, k, (0, 0, plan.fronts[k]), x_count, factor, (0.0, 0.0, 0.0))


@compiled
def _call(plan, k, counts, x_count, factor, limits):
    eliminated, taken_in, given_out = counts
    least, extra, truncation = limits
    index, numbers = plan.indices[plan.index_at[k] :], factor.numbers[plan.numbers_at[k] :]
    numbers_of_matrix = factor.weight, factor.soft, factor.beside, factor.jacobian
    of_rows = factor.kept, factor.share, factor.row_square, factor.independence
    call_kernel(
        plan.kernels[k],
        (eliminated, taken_in, given_out, plan.handed_at[k], x_count, least, extra, truncation),
        (index, *numbers_of_matrix, *of_rows, factor.handed, numbers, factor.part),
    )
