"""The calls of a plan, for plain numbers or in lanes (depending on `factor.kernels`). Compiled."""

from ...kernels.abi import call_kernel, compiled


@compiled
def eliminate(plan, x_count, factor, weight, beside):
    """Eliminate the matrix with this diagonal and these entries below it, among x or, if the matrix is `given`, among
    λ."""
    for k in range(plan.fronts.size):
        _call(plan, k, (plan.fronts[k], 0, 0), x_count, factor, weight, beside)


@compiled
def take_in(plan, x_count, factor):
    """Replace factor.part by D⁻¹ L⁻¹ times itself."""
    for k in range(plan.fronts.size):
        _call(plan, k, (0, plan.fronts[k], 0), x_count, factor, factor.weight, factor.beside)


@compiled
def give_out(plan, x_count, factor):
    """Replace factor.part by L⁻ᵀ times itself."""
    for k in range(plan.fronts.size - 1, -1, -1):
        _call(plan, k, (0, 0, plan.fronts[k]), x_count, factor, factor.weight, factor.beside)


@compiled
def _call(plan, k, counts, x_count, factor, weight, beside):
    eliminated, taken_in, given_out = counts
    index, numbers = plan.indices[plan.index_at[k] :], factor.numbers[plan.numbers_at[k] :]
    matrix = weight, factor.soft, beside, factor.jacobian
    rows = factor.kept, factor.share, factor.row_square, factor.independence
    call_kernel(
        factor.kernels[k],
        (eliminated, taken_in, given_out, plan.handed_at[k], x_count),
        (index, factor.limits, *matrix, *rows, factor.handed, numbers, factor.part, factor.wide),
    )
