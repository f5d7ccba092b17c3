"""The language C, of the standard of 1999."""

from __future__ import annotations

from collections.abc import Iterable

from ...symbolic.codegen import FUNCTIONS
from .names import C_WORDS, visible
from .writer import Language

HELPERS = {
    "max": """
static double larger(double a, double b) { return b > a ? b : a; }
""",
    "min": """
static double smaller(double a, double b) { return b < a ? b : a; }
""",
    "modulo": """
/* with the sign of b */
static double modulo(double a, double b)
{
    const double rest = fmod(a, b);
    return rest != 0.0 && (rest < 0.0) != (b < 0.0) ? rest + b : rest;
}
""",
    "wrap": """
/* x reduced to [0, period) */
static double wrap(double x, double period) { return x - period*floor(x/period); }
""",
    "unwound": """
/* the angle with so many whole turns added that it is nearest to near */
static double unwound(double angle, double near)
{
    const double turn = 6.283185307179586;
    return angle + turn*floor((near - angle)/turn + 0.5);
}
""",
    "lookup": """
/* The spline at table, or its derivative of that order, at x: count, period (0: none), the knots, then four
   coefficients per interval, cubic first. Beyond its ends a spline goes on as its end tangent. */
static double lookup(const double *table, int start, int order, double x)
{
    const int count = (int)table[start];
    const double period = table[start + 1], *knots = table + start + 2;
    const double first = knots[0], last = knots[count - 1];
    if (period > 0.0) {
        x = first + wrap(x - first, period);
        if (x < first) x = first; else if (x > last) x = last;
    }
    const double clamped = x < first ? first : x > last ? last : x;
    int low = 0, high = count - 1;
    while (high - low > 1) {
        const int middle = (low + high)/2;
        if (knots[middle] <= clamped) low = middle; else high = middle;
    }
    const double *c = knots + count + 4*low, s = clamped - knots[low];
    const double slope = (3.0*c[0]*s + 2.0*c[1])*s + c[2];
    if (order == 0) return ((c[0]*s + c[1])*s + c[2])*s + c[3] + slope*(x - clamped);
    if (order == 1) return slope;
    if (x != clamped) return 0.0;
    return order == 2 ? 6.0*c[0]*s + 2.0*c[1] : order == 3 ? 6.0*c[0] : 0.0;
}
""",
}


def comment(lines: Iterable[str]) -> str:
    """Return lines as a comment: no line ends the comment, opens another, or contains a trigraph."""
    safe = (visible(line).replace("*/", "*\\/").replace("/*", "/\\*").replace("??", "?\\?") for line in lines)
    return "\n   ".join(["/*", *safe]).replace("/*\n   ", "/* ", 1) + " */"


C = Language(
    name="C",
    assign="const double {name} = {value};",
    store="{name} = {value};",
    choice="{condition} ? {yes} : {no}",
    logic={"and": "&&", "or": "||", "not": "!", "True": "1", "False": "0", "nan": "NAN", "pow": "pow({}, {})"},
    functions={name: name for name in FUNCTIONS}
    | {"abs": "fabs", "gamma": "tgamma", "max": "larger", "min": "smaller"},
    helpers=HELPERS,
    comment=comment,
    real=lambda x: repr(float(x)),
    reserved=frozenset(C_WORDS.split()),
)
