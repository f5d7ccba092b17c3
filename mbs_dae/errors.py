"""Errors, by name. Every message says which element, what is wrong, and what to do.

Each error has a code, the name of its kind of fault, which stays as it is when a sentence gets better, and carries its
facts as attributes, so that a program can act on them: ``err.code``, ``err.joints``, ``err.time``, ...
docs/messages lists all codes with their messages.
"""

import pickle
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from difflib import get_close_matches
from functools import wraps
from inspect import signature
from typing import Any, NoReturn, TypeVar, cast

from .public_class import PublicClass

Thing = TypeVar("Thing")
Verb = TypeVar("Verb", bound=Callable[..., Any])


def is_sent(value: object) -> bool:
    """Return whether a value can be pickled, and thus sent to another process."""
    try:
        pickle.dumps(value)
    except Exception:  # what an object raises here is its own matter
        return False
    return True


class MbsError(Exception, metaclass=PublicClass):
    """The root of all errors of this package. ``code`` names the kind of fault, ``facts`` has the values of the case;
    each of them is an attribute, too.

    >>> try:
    ...     mbs.PlanarModel("crank").body("rod", mass=-1)
    ... except mbs.MbsError as error:
    ...     print(error, "/", error.code, error.value)
    mass of body 'rod' is -1; it must not be negative / negative -1.0
    """

    def __init__(self, message: str, code: str = "", **facts: Any):
        super().__init__(message)
        self.code, self.facts = code, facts
        for name, value in facts.items():
            setattr(self, name, value)

    def __reduce__(self) -> tuple:
        """Return what another process makes the error of. A fact that cannot be sent there is replaced by its text."""
        sent = {name: value if is_sent(value) else repr(value) for name, value in self.facts.items()}
        return type(self), self.args, {**vars(self), **sent, "facts": sent}


class ModelError(MbsError, ValueError):
    """The model, or what was asked of it, makes no sense as written.

    >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (2, 0)}, rods={"rod": "AB"}, fixed="A")
    >>> try:
    ...     mbs.assemble(rod)["rod.angel"]
    ... except mbs.ModelError as error:
    ...     print(error)
    model 'mechanism' has no quantity 'rod.angel'; did you mean 'rod.angle'?
    """


class AssemblyError(MbsError):
    """No pose satisfies the position equations (or none was found from here).

    ``kind`` is "cannot reach" or "bad guess"; ``residuals`` maps each joint at fault to its gap.

    >>> points = {"A": (0, 0), "B": (0, 1), "C": (1.5, 1), "D": (2, 0)}
    >>> model = mbs.PlanarModel.from_points(points, rods={"a": "AB", "b": "BC", "c": "CD"}, fixed="AD")
    >>> try:
    ...     mbs.assemble(model, fix={"a.angle": np.pi})  # B is 3 m from D then
    ... except mbs.AssemblyError as error:
    ...     print(error.kind)
    cannot reach
    """


class RedundantConstraintError(MbsError):
    """Constraints contradict each other, or a unique answer was asked where there is none.

    >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (2, 0)}, rods={"rod": "AB"}, fixed="A")
    >>> motors = [rod.add(mbs.Driver(f"motor{k}", mbs.angle(rod.elements["A"]), k * mbs.t)) for k in (1, 2)]
    >>> try:
    ...     mbs.assemble(rod)
    ... except mbs.RedundantConstraintError as error:
    ...     print(error.joints)
    ('motor1', 'motor2')
    """


class SingularConfigurationError(MbsError):
    """A dead point, lock-up or change point: here the equations stop determining the motion.

    ``time``, ``pose``, ``joints`` say where; ``result`` keeps what was computed until then.

    A crank of 1 m pushed by its height y = t cannot pass the top, at t = 1:

    >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (1, 0)}, rods={"rod": "AB"}, fixed="A")
    >>> lift = rod.add(mbs.Driver("lift", mbs.y(rod.bodies["rod"].markers["B"]), mbs.t))
    >>> try:
    ...     mbs.kinematics(rod, [0, 0.5, 1.5])
    ... except mbs.SingularConfigurationError as error:
    ...     print(round(error.time, 6), len(error.result))
    1.0 2
    """


class IntegrationError(MbsError):
    """A time integration could not go on.

    >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (1, 0)}, rods={"rod": "AB"}, fixed="A", mass=1)
    >>> try:
    ...     mbs.simulate(rod, [0, 0.5, 1], initial={"rod.omega": 2}, max_steps=3)
    ... except mbs.IntegrationError as error:
    ...     print(len(error.result))
    1
    """


class EquilibriumError(MbsError):
    """No pose was found in which all forces balance.

    >>> model = mbs.PlanarModel("ball", gravity=(0, -9.81))
    >>> ball = model.body("ball", mass=1, inertia=1)
    >>> try:
    ...     mbs.equilibrium(model)
    ... except mbs.EquilibriumError as error:
    ...     print(str(error).partition(":")[0])
    no equilibrium of 'ball' was found from here
    """


UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
"""Characters that no text file may have: control characters, and halves of characters."""

REMEDIES = {
    "parameter": "write model = model.with_parameters({0}={1!r}), or declare a new one: model.parameter({0!r}, {1!r})",
    "element": "write model.add(element), or model = model.without({0!r}).plus(another)",
    "body": "bodies are made by model.body({0!r}, ...); build another model without it, or with another one",
}


SYNONYMS = {
    "moment": ("M",), "torque": ("M", "moment", "effort"),
    "velocity": ("v", "omega"), "speed": ("v", "omega", "velocity"), "acceleration": ("a", "alpha"),
}  # fmt: skip
"""For names of quantities that do not exist, the names of this package, the nearest first."""
MANY, TOLD = 20, 10
"""The number of names above which a message lists only some of them, and the number of listed ones."""


class Names(dict[str, Thing]):
    """A dictionary whose errors for missing names propose the nearest names. All may read the dictionary; only its
    owner changes it (`declare`), and updates everything that depends on it."""

    def __init__(self, kind: str, *items: Any, owner: str = "the model"):
        super().__init__(*items)
        self.kind, self.owner = kind, owner

    def __missing__(self, name: object) -> NoReturn:
        raise unknown_name(self.kind, name, self, self.owner)

    def declare(self, name: str, value: Thing) -> None:
        super().__setitem__(name, value)

    def _refuse(self, name: Any = "name", value: Any = "value", **_: Any) -> NoReturn:
        remedy = REMEDIES.get(self.kind, "make another one").format(name if isinstance(name, str) else "name", value)
        raise ModelError(
            f"{self.owner} keeps every {self.kind} as it is: none is set or deleted in place; {remedy}",
            code="read-only", owner=self.owner, kind=self.kind,
        )  # fmt: skip

    __setitem__ = __delitem__ = pop = popitem = setdefault = update = clear = __ior__ = _refuse  # type: ignore[assignment]

    def __reduce__(self) -> tuple:
        return Names, (self.kind, dict(self)), {"owner": self.owner}


def check_name(kind: str, name: object, known: Iterable, owner: str = "the model") -> None:
    try:
        missing = name not in known
    except (TypeError, ValueError):  # such an object may have no hash, or, as an array, no truth value
        missing = True
    if missing:
        raise unknown_name(kind, name, known, owner)


def checked_options(verb: Verb) -> Verb:
    """Return the function with a check of its keyword names: an unknown name raises an error with the nearest known."""
    known = [name for name in signature(verb).parameters if name != "self"]

    @wraps(verb)
    def call(*given: Any, **options: Any) -> Any:
        for name in options:
            check_name("option", name, known, f"{verb.__name__}()")
        return verb(*given, **options)

    return cast(Verb, call)


def shortened(given: object) -> str:
    """Return the repr of a value for a message if it is short, otherwise its type and the number of its entries."""
    text = repr(given)
    if len(text) < 60 and "\n" not in text:
        return text
    kind, count = type(given).__name__, getattr(given, "size", None) or (len(given) if isinstance(given, Sized) else 0)
    return f"{kind} of {count} entries" if isinstance(count, int) and count else kind


def check_writable(text: str, what: str) -> None:
    """Raise an error for a name or unit that a text file cannot hold."""
    if UNWRITABLE.search(text):
        raise ModelError(
            f"{text!r} cannot be {what}: no file holds it as text; leave out control characters",
            code="not-writable-text",
        )  # fmt: skip


def check_dict(what: str, given: object, of: str, example: str, empty: bool = True) -> None:
    if not isinstance(given, Mapping) or not (given or empty):
        raise ModelError(
            f"{what} must be a dict of {of}, not {given!r}; e.g. {example}",
            code="not-a-dict", argument=what, value=given,
        )  # fmt: skip


def unknown_name(kind: str, name: object, known: Iterable, owner: str = "the model") -> ModelError:
    """Return the error for a name that does not exist, with the nearest names that do. If the owner in the name is
    known, as in "floor.normal", the names of this owner are proposed, or the same name of others."""
    names = sorted({str(k) for k in known})
    whose, dot, last = str(name).rpartition(".")
    own = {k.rpartition(".")[2]: k for k in names if dot and k.rpartition(".")[0] == whose}
    near = [own[k] for k in SYNONYMS.get(last, ()) if k in own] or [
        own[k] for k in get_close_matches(last, own, n=3, cutoff=0.5)
    ]
    if inside := [k for k in names if k.endswith(f".{name}")][:3]:  # without its owner
        near = inside
    elif own:
        near = near or [k for k in names if k.rpartition(".")[2] == last][:3]
        names = [*own.values()]
    else:
        alike = 0.65 if kind == "option" else 0.5  # options are few and short
        near = get_close_matches(str(name), names, n=3, cutoff=alike)
    shown = shown_names(names)
    if len(names) > MANY and kind == "quantity":
        shown = f"{shown[:-1]}; result.names lists them)"
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"use one of: {shown}"
    return ModelError(
        f"{owner} has no {kind} {name!r}; {hint}",
        code="unknown-name", owner=owner, kind=kind, name=name, near=tuple(near), known=names,
    )  # fmt: skip


def unknown_attribute(thing: object, who: str, name: str, hint: str) -> AttributeError:
    """Return the error for an attribute that an object does not have, with a hint at what it has."""
    return AttributeError(f"{who} has no {name!r}; {hint}", name=name, obj=thing)


def shown_names(names: Sequence[str]) -> str:
    """Return the names in one line; of more than `MANY` the first ones and their number."""
    return ", ".join(names if len(names) <= MANY else [*names[:TOLD], f"... ({len(names)} in all)"]) or "none"


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
