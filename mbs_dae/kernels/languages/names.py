"""Names given by users, in files for machines and for other people: invisible characters, and characters that would end
a comment, are spelled out."""

from __future__ import annotations

import json
import keyword
import re
import unicodedata
from collections.abc import Container

UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp", "Co", "Cn")
"""Categories of invisible characters: ends of lines, marks of direction, halves of characters."""


def visible(name: str) -> str:
    """Return a name on one line, with invisible characters spelled out."""
    return "".join(spelled(c) if unicodedata.category(c) in UNSEEN else c for c in str(name))


def spelled(character: str) -> str:
    return f"\\u{{{ord(character):x}}}"


def quoted(value: object) -> str:
    """Return a value as JSON, which JavaScript reads; harmless in comments and inside a page."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False)
    return text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026").replace("*/", r"*\u002f")


def identifier(name: str, taken: Container[str] = ()) -> str:
    """Return a name that is valid in every language: letters, digits and _, none of `taken`."""
    plain = unicodedata.normalize("NFKD", name)
    plain = "".join(_letter(c) for c in plain if not unicodedata.combining(c))
    plain = re.sub("_+", "_", plain).strip("_") or "model"
    plain = f"n{plain}" if plain[0].isdigit() else plain
    own = plain + "_" * (plain in RESERVED or MACRO.match(plain) is not None)
    found, number = own, 2
    while found in taken:
        found, number = f"{own}_{number}", number + 1
    return found


def _letter(c: str) -> str:
    if c.isascii():
        return c if c.isalnum() else "_"
    words = unicodedata.name(c, "").lower().split()
    return words[-1] if "greek" in words and words[-1].isalpha() else f"u{ord(c):x}"


MACRO = re.compile(r"(FP|M|MATH|HUGE)_|NAN$|INFINITY$|EOF$|NULL$|EDOM$|ERANGE$|EILSEQ$")
"""Names that macros in C's headers use."""
C_WORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool complex
imaginary main asm typeof
"""
JAVASCRIPT_WORDS = """
arguments await break case catch class const constructor continue debugger default delete do else enum eval export
extends false finally for function if implements import in instanceof interface let new null of package private
protected prototype public return static super switch this throw true try typeof undefined var void while with yield NaN
Infinity Math Object Number Array Float64Array Int32Array
"""
OWN_WORDS = """
at count index inputs instance kernel lookup max min modulo np numpy out p parameters q t tables turns unwound v wrap z
larger smaller int abs pow range float len given names withDefaults with_defaults PARAMETERS
NAMES _interval _spline array fault hasattr isinstance dict numbers numbersOf order wrong
"""
FUNCTIONS = """
acos acosh asin asinh atan atan2 atanh copysign cos cosh erf erfc exp expm1 fabs floor gamma hypot lgamma log log10
log1p log2 nan sin sinh sqrt tan tanh tgamma fmod y0 y1 yn j0 j1 jn ceil round trunc remainder cbrt exp2 fma fmin fmax
fdim logb ilogb ldexp scalbn modf frexp rint signgam exit abort div labs signbit isnan isinf isfinite
"""
RESERVED = frozenset(
    (*keyword.kwlist, *keyword.softkwlist, *f"{C_WORDS}{JAVASCRIPT_WORDS}{OWN_WORDS}{FUNCTIONS}".split())
)
