"""How an element is called: its name, where it acts, its constants. So `help` and editors show it; calls are checked
elsewhere, with better messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from inspect import Parameter, Signature, signature

from .fields import REQUIRED, Choice, Expression, Field, Function, Scalar

PLACE = "Place"
KINDS: dict[type[Field], str] = {Scalar: "Number", Expression: "Expression", Function: "Law"}
"""The types of constants, as annotations: a number or an expression of parameters; an expression of time and of
quantities as well; a function."""


class _Follows:
    def __repr__(self) -> str:
        return "..."


FOLLOWS = _Follows()
"""In the place of a default that follows from the reference placement, or from other arguments."""


def annotation(field: Field) -> str:
    if isinstance(field, Choice):
        return f"Literal[{', '.join(map(repr, field.options))}]"
    return getattr(field, "annotation", KINDS.get(type(field), "Any"))


def places(names: Iterable[str], optional: int = 0) -> list[Parameter]:
    """Markers, those that may be left out by name; and the world point that can stand for the markers of all bodies."""
    names = [*names]
    count = len(names) - optional
    markers = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, annotation=PLACE) for name in names[:count]]
    words = [(name, f"{PLACE} | None") for name in names[count:]]
    words += [(name, "Vector | None") for name in ("at", "axis", "x_axis")]
    return markers + [Parameter(n, Parameter.KEYWORD_ONLY, default=None, annotation=kind) for n, kind in words]


def coordinate(*kinds: str) -> list[Parameter]:
    """What a coordinate is given by, by place only: "Joint | Measure", or markers."""
    return [Parameter(name, Parameter.POSITIONAL_ONLY, annotation=k) for name, k in zip("ij", kinds, strict=False)]


COORDINATE = [p.replace(default=None) if p.name == "j" else p for p in coordinate(f"{PLACE} | Joint | Measure", PLACE)]
"""All ways of giving it in one: a joint, a measure, or markers."""


def constant(name: str, field: Field) -> Parameter:
    default = field.default
    if default is REQUIRED:
        default = Parameter.empty
    elif callable(default):
        default = FOLLOWS
    return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=annotation(field))


def signature_of(make: Callable, where: Iterable[Parameter], fields: Mapping[str, Field]) -> Signature:
    """The parameters that `make` (an ``__init__``) names; where the element acts, for *args; its constants, for
    **constants. Those that follow one with a default and have none themselves are given by name."""
    own = [p for p in signature(make).parameters.values() if p.name != "self"]
    found = {p.name: p for p in own if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
    open_places = any(p.kind is p.VAR_POSITIONAL for p in own)
    if any(p.kind is p.VAR_KEYWORD for p in own):
        derived = bool({*found} - {"name", *(p.name for p in where)})  # from what the class asks for besides
        here = [p for p in where if open_places or p.kind is p.KEYWORD_ONLY]
        given = [constant(name, field) for name, field in fields.items() if name not in found]
        given = [p.replace(default=FOLLOWS) if derived and p.default is p.empty else p for p in given]
        given = given if open_places else [p.replace(kind=p.KEYWORD_ONLY) for p in given]
        found = {p.name: p for p in (*here, *found.values(), *given)}
    if any(p.kind is p.POSITIONAL_ONLY for p in found.values()):
        found["name"] = found["name"].replace(kind=Parameter.POSITIONAL_ONLY)
    ordered, optional = [], False
    for p in sorted(found.values(), key=lambda p: (p.kind, p.name != "name")):
        optional = optional or p.default is not p.empty
        by_name = optional and p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD
        ordered.append(p.replace(kind=p.KEYWORD_ONLY) if by_name else p)
    return Signature(sorted(ordered, key=lambda p: p.kind))
