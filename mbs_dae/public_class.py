"""The contents of `help` for a public class: its sentence, its arguments, its example, and the names that a user calls.

`help` lists the names that `dir` of a class gives. `PublicClass`, of which every public class is one, leaves out names
that begin with an underscore, those of Python's own classes, and those that only the package uses; so the completion of
names shows the same.
"""

from __future__ import annotations

MADE = ("Element", "Shape")
"""Base classes of objects that are only made and passed on: their help lists no names except those in `CALLED`."""
CALLED = {"ContactChanges": "sticks slips touches parts"}
INSIDE = {
    "Body": "check_values is_compiled span",
    "Marker": "check_values on_body",
    "Content": "body_class check_along checks_of felt quantity_or_none measures_of owners unknown_quantity "
    "with_values with_parameter number_names",
    "Written": "ledger multipliers own past reactions sketch varied",
    "State": "free past",
    "Limit": "is_equation",
    "Objective": "by_arrays",
    "LinearPath": "check_speed",
    "LinearSystem": "varied",
    "Linkage": "p plain",
    "Synthesis": "noun",
    "Table": "digest symbol",
    "Equilibrium": "asked",
}
"""The names that only the package uses, by the class that defines or inherits them."""


class PublicClass(type):
    """The metaclass of public classes, whose `dir` has the names that a user calls."""

    def __dir__(cls) -> list[str]:
        bases = [base for base in cls.__mro__ if base.__module__ != "builtins"]
        if any(base.__name__ in MADE for base in bases):
            return sorted(word for base in bases for word in CALLED.get(base.__name__, "").split())
        inside = {word for base in bases for word in INSIDE.get(base.__name__, "").split()}
        return sorted({name for base in bases for name in vars(base) if not name.startswith("_")} - inside)
