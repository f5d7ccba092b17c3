"""The language JavaScript, for modules."""

from __future__ import annotations

from collections.abc import Iterable

from ...symbolic.codegen import FUNCTIONS
from .names import JAVASCRIPT_WORDS, visible
from .writer import Language

HELPERS = {
    "max": """
const larger = (a, b) => b > a ? b : a;
""",
    "min": """
const smaller = (a, b) => b < a ? b : a;
""",
    "copysign": """
const copysign = (x, y) => y < 0 || Object.is(y, -0) ? -Math.abs(x) : Math.abs(x);
""",
    "modulo": """
// with the sign of b
const modulo = (a, b) => { const rest = a%b; return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest; };
""",
    "wrap": """
// x reduced to [0, period)
const wrap = (x, period) => x - period*Math.floor(x/period);
""",
    "unwound": """
// the angle with so many whole turns added that it is nearest to near
const unwound = (angle, near) => angle + 2*Math.PI*Math.floor((near - angle)/(2*Math.PI) + 0.5);
""",
    "lookup": """
// The spline at table[start], or its derivative of that order, at x: count, period (0: none), the knots, then four
// coefficients per interval, cubic first. Beyond its ends a spline goes on as its end tangent.
function lookup(table, start, order, x) {
  const count = table[start], period = table[start + 1], knots = start + 2;
  const first = table[knots], last = table[knots + count - 1];
  if (period > 0) x = Math.min(Math.max(first + wrap(x - first, period), first), last);
  const clamped = x < first ? first : x > last ? last : x;
  let low = 0, high = count - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (table[knots + middle] <= clamped) low = middle; else high = middle;
  }
  const c = knots + count + 4*low, s = clamped - table[knots + low];
  const slope = (3*table[c]*s + 2*table[c + 1])*s + table[c + 2];
  if (order === 0) return ((table[c]*s + table[c + 1])*s + table[c + 2])*s + table[c + 3] + slope*(x - clamped);
  if (order === 1) return slope;
  if (x !== clamped) return 0;
  return order === 2 ? 6*table[c]*s + 2*table[c + 1] : order === 3 ? 6*table[c] : 0;
}
""",
}
WITH_DEFAULTS = """
function withDefaults(given) {
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(parameters, name)) throw new RangeError(`there is no parameter ${name}`);
  }
  return {...parameters, ...given};
}
"""
"""The function that reads parameters by name in a module that has `parameters`; it rejects unknown names."""
NUMBERS_OF = """
function numbersOf(array, given) {
  const order = names[array];
  if (given && given.length === undefined) {
    for (const name of [...Object.keys(given), ...order]) {
      if (!order.includes(name) || !Object.hasOwn(given, name)) {
        throw new RangeError(`${array}: ${name} is missing or none of them; give ${order.join(", ")}`);
      }
    }
    return order.map((name) => given[name]);
  }
  if (!given || given.length !== order.length) {
    throw new RangeError(`${array} must be ${order.length} numbers, ${order.join(", ")}`);
  }
  return given;
}
"""
"""The function that reads coordinates and inputs, lists or objects by name, in a module that has `names`."""
MISSING = ("erf", "erfc", "gamma", "lgamma", "nan", "copysign")
"""The functions that JavaScript's Math lacks."""


def comment(lines: Iterable[str]) -> str:
    """Return lines as a comment; even inside a page no line ends more than itself."""
    return "\n".join(f"// {visible(line)}".rstrip().replace("<", r"\u003c") for line in lines)


JAVASCRIPT = Language(
    name="JavaScript",
    assign="const {name} = {value};",
    store="{name} = {value};",
    choice="{condition} ? {yes} : {no}",
    logic={
        "and": "&&", "or": "||", "not": "!", "True": "true", "False": "false", "nan": "NaN", "pow": "Math.pow({}, {})",
    },
    functions={name: f"Math.{name}" for name in FUNCTIONS if name not in MISSING}
    | {"fabs": "Math.abs", "abs": "Math.abs", "max": "larger", "min": "smaller"},
    helpers=HELPERS,
    comment=comment,
    reserved=frozenset(JAVASCRIPT_WORDS.split()),
    loop="for (let {name} = 0; {name} < {count}; {name}++) {{|}}",
)  # fmt: skip
