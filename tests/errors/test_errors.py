"""Every mistake is told: the right class of error, which element, and what to do. And nothing returns NaN.

One table of mistakes; each row says what is done wrong, what comes of it, and the words that the message must hold.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
import sympy as sp
from helpers import four_bar, parallelogram, six_bar, slider_crank
from refusals import refused

import mbs_dae as mbs
from mbs_dae.errors import AssemblyError, ModelError, RedundantConstraintError, SingularConfigurationError

NAN, INF = float("nan"), float("inf")
STRAY = sp.Symbol("stray")
TIMES = np.linspace(0, 1, 5)


@dataclass
class Bench:
    """Two bodies on the ground, to make mistakes with."""

    def __post_init__(self):
        self.model = mbs.PlanarModel("bench")
        self.ground = self.model.ground
        self.a = self.model.body("a", position=(1, 0))
        self.b = self.model.body("b", position=(2, 0.5), angle=0.3)
        self.p = self.model.parameter("p", 2.0)

    def add(self, element):
        return self.model.add(element)

    def body(self, **values):
        return self.model.body("rotor", **values)


def other_model():
    return Bench().model


MISTAKES: dict[str, tuple[Callable[[Bench], object], type[Exception], tuple[str, ...]]] = {}


def mistake(name: str, error: type[Exception], *words: str):
    def note(do: Callable[[Bench], object]):
        assert name not in MISTAKES, name
        MISTAKES[name] = do, error, words
        return do

    return note


def wrong(name: str, do: Callable[[Bench], object], *words: str, error: type[Exception] = ModelError) -> None:
    mistake(name, error, *words)(do)


# --- bodies and gravity -----------------------------------------------------------------------------------------

wrong("mass is nan", lambda x: x.body(mass=NAN), "mass of body 'rotor'", "finite")
wrong("mass is infinite", lambda x: x.body(mass=INF), "mass of body 'rotor'", "finite")
wrong("mass is negative", lambda x: x.body(mass=-1), "mass of body 'rotor'", "must not be negative")
wrong("mass is a text", lambda x: x.body(mass="heavy"), "mass of body 'rotor'", "must be a number", "'heavy'")
wrong("mass is complex", lambda x: x.body(mass=1 + 2j), "mass of body 'rotor'", "must be a number")
wrong("mass has an unbound symbol", lambda x: x.body(mass=2 * STRAY), "'rotor'", "stray", "model.parameter(")
wrong("inertia is nan", lambda x: x.body(inertia=NAN), "inertia of body 'rotor'", "finite")
wrong("inertia is negative", lambda x: x.body(inertia=-1e-9), "inertia of body 'rotor'", "must not be negative")
wrong("com has three numbers", lambda x: x.body(com=(0, 0, 0)), "com of body 'rotor'", "pair (x, y)")
wrong("com is nan", lambda x: x.body(com=(0, NAN)), "com of body 'rotor'", "finite")
wrong("position is a number", lambda x: x.body(position=1.0), "position of body 'rotor'", "pair (x, y)")
wrong("position is infinite", lambda x: x.body(position=(INF, 0)), "position of body 'rotor'", "finite")
wrong("angle is nan", lambda x: x.body(angle=NAN), "angle of body 'rotor'", "finite")
wrong("angle is a text", lambda x: x.body(angle="90°"), "angle of body 'rotor'", "must be a number")
wrong("two bodies of one name", lambda x: x.model.body("a"), "already has 'a'", "choose another name")
wrong("a body called ground", lambda x: x.model.body("ground"), "'ground'", "choose another name")
wrong("a dot in a body's name", lambda x: x.model.body("left.arm"), "'left.arm'", "without dots")
wrong("a body without a name", lambda x: x.model.body(""), "''", "cannot name a body")
wrong("a body whose name is a number", lambda x: x.model.body(3), "3 cannot name a body")
wrong("gravity is a number", lambda x: mbs.PlanarModel("m", gravity=9.81), "gravity", "pair")
wrong("gravity is nan", lambda x: mbs.PlanarModel("m", gravity=(0, NAN)), "gravity", "finite")
wrong("a link without length", lambda x: x.model.link("bar", (1, 1), (1, 1)), "'bar'", "no length", "move one")
wrong("a link to nowhere", lambda x: x.model.link("bar", (0, 0), (NAN, 0)), "'bar'", "finite")
wrong("a link of negative mass", lambda x: x.model.link("bar", (0, 0), (1, 0), mass=-2), "'bar'", "mass", "negative")


@mistake("mass turns negative through a parameter", ModelError, "mass", "'rotor'", "negative")
def _(x):
    x.body(mass=x.p)
    x.model.with_parameters(p=-2.0).compile()


# --- parameters -------------------------------------------------------------------------------------------------

wrong("two parameters of one name", lambda x: x.model.parameter("p", 1), "'p'", "choose another name")
wrong("a parameter called t", lambda x: x.model.parameter("t", 1), "'t'", "time", "choose another")
wrong("a parameter's name with a blank", lambda x: x.model.parameter("a b", 1), "'a b'", "letters, digits and _")
wrong("a parameter that is nan", lambda x: x.model.parameter("w", NAN), "'w'", "finite")
wrong("a parameter that is a text", lambda x: x.model.parameter("w", "fast"), "'w'", "number", "'fast'")
wrong("with an unknown parameter", lambda x: x.model.with_parameters(pp=1), "'pp'", "did you mean 'p'")
wrong("with a parameter of nan", lambda x: x.model.with_parameters(p=NAN), "'p'", "finite")
wrong("without an unknown element", lambda x: slider_crank().without("moter"), "'moter'", "did you mean 'motor'")
wrong("sweep of an unknown parameter", lambda x: mbs.sweep(slider_crank(), "rr", [1, 2]), "'rr'", "did you mean 'r'")
wrong("sweep over nothing", lambda x: mbs.sweep(slider_crank(), "r", []), "'r'", "non-empty")
wrong("sweep over nan", lambda x: mbs.sweep(slider_crank(), "r", [1.0, NAN]), "'r'", "finite")
wrong("sweep over a text", lambda x: mbs.sweep(slider_crank(), "r", "big"), "'r'", "numbers")
wrong("sweep over a table of values", lambda x: mbs.sweep(slider_crank(), "r", [[1.0, 1.1]]), "'r'", "list")

# --- markers ----------------------------------------------------------------------------------------------------

wrong("a marker at a text", lambda x: x.a.at("left", 0), "body 'a'", "must be a number")
wrong("a marker at nan", lambda x: x.a.at(NAN, 0), "body 'a'", "finite")
wrong("a marker at one number", lambda x: x.a.at(1), "body 'a'", "pair (x, y)")
wrong("a marker turned by infinity", lambda x: x.a.at(0, 0, INF), "angle", "body 'a'", "finite")
wrong("two named markers of one name", lambda x: (x.a.marker("tip", 1, 0), x.a.marker("tip", 2, 0)), "'a'", "'tip'")
wrong("a marker named like a quantity", lambda x: x.a.marker("omega", 1, 0), "'a'", "'omega'", "choose another")
wrong("a marker's name with a blank", lambda x: x.a.marker("the tip", 1, 0), "'a'", "'the tip'", "letters, digits")
wrong("a marker that was never named", lambda x: x.a.tip, "'a'", "'tip'", error=AttributeError)
wrong(
    "a marker with an unbound symbol",
    lambda x: x.add(mbs.Revolute("A", x.ground, x.a.at(STRAY, 0))),
    "Revolute 'A'", "stray", "model.parameter(",
)  # fmt: skip
wrong(
    "a marker of another model",
    lambda x: x.add(mbs.Revolute("A", x.ground, other_model().bodies["a"])),
    "Revolute 'A'", "'a'", "another model", "use the bodies of this one",
)  # fmt: skip
wrong(
    "the ground of another model",
    lambda x: x.add(mbs.Revolute("A", other_model().ground, x.a)),
    "Revolute 'A'", "'ground'", "another model",
)  # fmt: skip

# --- joints -----------------------------------------------------------------------------------------------------

wrong("a joint without a name", lambda x: mbs.Revolute(x.ground, x.a), "first argument", "name", "Revolute('A', ...)")
wrong("a dot in a joint's name", lambda x: mbs.Revolute("A.1", x.ground, x.a), "'A.1'", "leave out dots")
wrong(
    "two joints of one name",
    lambda x: x.model.add(mbs.Revolute("A", x.ground, x.a), mbs.Fixed("A", x.ground, x.b)),
    "already has 'A'", "choose another name",
)  # fmt: skip
wrong("a joint named like a body", lambda x: x.add(mbs.Revolute("b", x.ground, x.a)), "already has 'b'")
wrong(
    "a joint from a body to itself",
    lambda x: mbs.Revolute("A", x.a.at(0, 0), x.a.at(1, 0)),
    "Revolute 'A'", "'a' to itself", "two different bodies",
)  # fmt: skip
wrong(
    "a joint of ground with ground",
    lambda x: x.add(mbs.Revolute("A", x.ground.at(0, 0), x.ground.at(1, 0))),
    "Revolute 'A'", "'ground'", "name two different bodies",
)  # fmt: skip
wrong("a fix of the ground", lambda x: x.add(mbs.CoordinateFix("X", x.ground, "x")), "'X'", "name a body that moves")
wrong("a joint with one marker", lambda x: mbs.Revolute("A", x.a), "Revolute 'A'", "needs 2 markers", "body.at(x, y)")
wrong("a point instead of a marker", lambda x: mbs.Revolute("A", x.a, (0, 0)), "'A'", "(0, 0)", "body.at(x, y)")
wrong("a marker by name that is none", lambda x: mbs.Revolute("A", x.a, j="b"), "'A'", "'b'", "body.at(x, y)")
wrong("an unknown constant", lambda x: mbs.Distance("rod", x.a, x.b, size=2), "Distance 'rod'", "'size'", "length")
wrong("a missing constant", lambda x: mbs.Gear("mesh", x.a, x.b), "Gear 'mesh'", "needs ratio", "add ratio=")
wrong("a missing profile", lambda x: mbs.CamFollower("cam", x.a, x.b), "CamFollower 'cam'", "add profile=")
wrong("a constant given twice", lambda x: mbs.Distance("rod", x.a, x.b, 1, length=2), "'rod'", "length twice", "once")
wrong("one constant too many", lambda x: mbs.Distance("rod", x.a, x.b, 1, 2), "Distance 'rod'", "2", "length")
wrong("a length of zero", lambda x: mbs.Distance("rod", x.a, x.b, length=0), "length of Distance 'rod'", "positive")
wrong("a length below zero", lambda x: mbs.Distance("rod", x.a, x.b, length=-1), "length of Distance 'rod'", "positive")
wrong("a length that is nan", lambda x: mbs.Distance("rod", x.a, x.b, length=NAN), "length of Distance 'rod'", "finite")
wrong("a length that is a text", lambda x: mbs.Distance("rod", x.a, x.b, length="1 m"), "'rod'", "must be a number")
wrong("a length between equal points", lambda x: mbs.Distance("rod", x.a, x.b, at=(0, 0)), "'rod'", "positive")
wrong("a ratio of zero", lambda x: mbs.Gear("mesh", x.a, x.b, ratio=0), "ratio of Gear 'mesh'", "positive")
wrong("a ratio below zero", lambda x: mbs.Gear("mesh", x.a, x.b, ratio=-2), "ratio of Gear 'mesh'", "positive")
wrong("ratio and radii", lambda x: mbs.Gear("mesh", x.a, x.b, ratio=1, radii=(1, 1)), "Gear 'mesh'", "give one")
wrong("a radius of zero", lambda x: mbs.Gear("mesh", x.a, x.b, radii=(0, 1)), "radius of Gear 'mesh'", "positive")
wrong("radii that are one number", lambda x: mbs.Gear("mesh", x.a, x.b, radii=2), "radii of Gear 'mesh'", "pair")
wrong("a radius below zero", lambda x: mbs.RackAndPinion("r", x.a, x.b, radius=-1), "RackAndPinion 'r'", "positive")
wrong(
    "no such mesh",
    lambda x: mbs.Gear("mesh", x.a, x.b, ratio=1, mesh="outer"),
    "Gear 'mesh'", "'outer'", "'external'",
)  # fmt: skip
wrong(
    "no such follower",
    lambda x: mbs.CamFollower("cam", x.a, x.b, profile=1 + sp.cos(mbs.theta), follower="roller"),
    "CamFollower 'cam'", "'roller'", "'point', 'flat'",
)  # fmt: skip
wrong("no such coordinate", lambda x: mbs.CoordinateFix("f", x.a, "z"), "CoordinateFix 'f'", "'z'", "'x', 'y', 'angle'")
wrong("a fix at nan", lambda x: mbs.CoordinateFix("f", x.a, "x", NAN), "value of CoordinateFix 'f'", "finite")
wrong("an axis of zeros", lambda x: mbs.Translational("g", x.ground, x.a, at=(0, 0), axis=(0, 0)), "axis=(1, 0)", "'g'")
wrong(
    "an axis without at",
    lambda x: mbs.Translational("g", x.ground, x.a, axis=(1, 0)),
    "Translational 'g'", "at=(x, y)",
)  # fmt: skip
wrong("at with markers", lambda x: mbs.Revolute("A", x.ground, x.a.at(1, 0), at=(0, 0)), "Revolute 'A'", "at=")
wrong("at a number", lambda x: mbs.Revolute("A", x.ground, x.a, at=3), "pair (x, y)")
wrong("at nan", lambda x: mbs.Revolute("A", x.ground, x.a, at=(NAN, 0)), "finite")
wrong("adding a body", lambda x: x.add(x.a), "cannot add <body a>", "joints", "mbs.Revolute(")
wrong("adding nothing", lambda x: x.add(None), "cannot add None", "mbs.Revolute(")
wrong("adding a list", lambda x: x.add([mbs.Revolute("A", x.a, x.b)]), "cannot add", "write model.add(*elements)")
wrong("a constant by another word", lambda x: mbs.Spring("s", x.a, x.b, k=3), "no argument 'k'", "write stiffness=")
wrong("a constant misspelt", lambda x: mbs.Spring("s", x.a, x.b, stifness=3), "write stiffness=")
wrong("a joint that is moved", lambda x: mbs.Revolute("A", x.a, x.b, place=3), "name, i, j, at, axis, x_axis")
wrong("a stop on a joint", lambda x: mbs.Stop("s", mbs.Revolute("A", x.a, x.b), 0), "a measure", "write mbs.angle(it)")
wrong("a force by its components", lambda x: mbs.Force("f", x.a, 3, 4), "Force 'f': too many", "name, marker, force")
wrong("a force of no function", lambda x: mbs.PythonForce("f", x.a), "PythonForce 'f'", "argument: 'function'")
wrong("a choice of nothing", lambda x: mbs.choice(), "no options", "choice('left', 'right'")
wrong("the value of no parameter", lambda x: x.model.value("pp"), "'pp'", "did you mean 'p'")
wrong("the distance of a pin", lambda x: mbs.distance(mbs.Revolute("A", x.a, x.b)), "has no distance", "distance(i, j)")
wrong("the distance of a body", lambda x: mbs.distance(x.a), "a link or two markers", "distance(i, j)")
wrong("an axis in the plane", lambda x: x.a.at(1, 0, axis=(0, 1)), "no axis", "angle=")
wrong(
    "a profile of nan",
    lambda x: mbs.CamFollower("cam", x.a, x.b, profile=sp.nan),
    "profile of CamFollower 'cam'", "finite",
)  # fmt: skip
wrong(
    "a profile in words",
    lambda x: mbs.CamFollower("cam", x.a, x.b, profile="1 +"),
    "'cam'", "sympy expression", "theta",
)  # fmt: skip
wrong(
    "a profile that is a list",
    lambda x: mbs.CamFollower("cam", x.a, x.b, profile=[1, 2]),
    "'cam'", "sympy expression",
)  # fmt: skip
wrong(
    "a profile of an unbound symbol",
    lambda x: x.add(mbs.CamFollower("cam", x.a, x.b, profile=2 + STRAY * sp.cos(mbs.theta))),
    "CamFollower 'cam'", "stray", "model.parameter(",
)  # fmt: skip


@mistake("a length turns negative through a parameter", ModelError, "length", "Distance 'rod'", "positive")
def _(x):
    x.add(mbs.Distance("rod", x.ground, x.a, length=x.p))
    x.model.with_parameters(p=-2.0).compile()


@mistake("a joint class without an equation", ModelError, "Empty", "define phi(i, j, ...)")
def _(x):
    class Empty(mbs.Joint):
        pass


@mistake("a joint class whose phi raises", ModelError, "Faulty", "ZeroDivisionError", "symbols")
def _(x):
    Faulty = type("Faulty", (mbs.Joint,), {"phi": staticmethod(lambda i, j: 1 / 0), "__module__": __name__})
    Faulty("A", x.a, x.b)


# --- constraints ------------------------------------------------------------------------------------------------


def constraint(phi=None, psi=None) -> Callable[[Bench], object]:
    def do(x: Bench):
        x.add(mbs.Constraint("link", x.a, x.b, phi=phi, psi=psi))
        return x.model.compile()

    return do


def apart(i, j):
    return (i.point - j.point).norm() - 1


def divides_by_zero(i, j):
    return 1 / 0


wrong("a constraint without an equation", constraint(), "Constraint 'link'", "no equation", "phi=lambda")
wrong("a constraint without markers", lambda x: mbs.Constraint("link", phi=apart), "Constraint 'link'", "no marker")
wrong("a constraint of a text", lambda x: mbs.Constraint("link", "a", phi=apart), "'link'", "'a'", "body.at(x, y)")
wrong("a constraint that returns None", constraint(lambda i, j: None), "Constraint 'link'", "None", "sympy expressions")
wrong("a constraint that returns nothing", constraint(lambda i, j: []), "Constraint 'link'", "at least one")
wrong("a constraint that returns nan", constraint(lambda i, j: i.x * sp.nan), "Constraint 'link'", "not finite", "look")
wrong("a constraint that returns float nan", constraint(lambda i, j: i.x + NAN), "Constraint 'link'", "not finite")
wrong("a constraint that returns infinity", constraint(lambda i, j: sp.oo), "Constraint 'link'", "not finite")
wrong("a constraint that returns a truth", constraint(lambda i, j: True), "Constraint 'link'", "sympy expressions")
wrong("a constraint that returns a relation", constraint(lambda i, j: sp.Eq(i.x, j.x)), "'link'", "sympy expressions")
wrong("a constraint that returns a vector", constraint(lambda i, j: [i.point - j.point]), "'link'", "sympy expressions")
wrong("a constraint that raises", constraint(divides_by_zero), "Constraint 'link'", "ZeroDivisionError", "symbols")
wrong("a constraint with too few arguments", constraint(lambda i: i.x), "'link'", "2 arguments: too many", "write")
wrong("a constraint with a misspelt word", constraint(lambda i, j: i.pont), "Constraint 'link'", "pont", "use")
wrong(
    "a constraint with an unbound symbol",
    constraint(lambda i, j: i.x - STRAY),
    "'link'", "stray", "model.parameter(",
)  # fmt: skip
wrong("a constraint that says nothing of its markers", constraint(lambda i, j: 1.0), "Constraint 'link'", "marker")
wrong("velocities in phi", constraint(lambda i, j: i.omega - j.omega), "Constraint 'link'", "psi")
wrong("squared velocities in psi", constraint(None, lambda i, j: i.omega**2), "'link'", "linear in the velocities")
wrong("an unknown function", constraint(lambda i, j: sp.Function("f")(i.x)), "'link'", "cannot turn", "math module")
wrong(
    "more markers than letters",
    lambda x: x.add(mbs.Constraint("link", *[x.a, x.b] * 5, phi=lambda *m: m[0].x)),
    "'link'", "markers",
)  # fmt: skip

# --- drivers, tables, motions -----------------------------------------------------------------------------------


def driver(function) -> Callable[[Bench], object]:
    return lambda x: x.add(mbs.Driver("motor", mbs.angle(x.ground, x.a), function))


def raises(t):
    raise RuntimeError("no signal")


wrong(
    "a driver without a measure",
    lambda x: mbs.Driver("motor", x.a, mbs.t),
    "Driver 'motor'", "measure", "mbs.angle(i, j)",
)  # fmt: skip
wrong("a driver of a text", lambda x: mbs.Driver("motor", "a.angle", mbs.t), "Driver 'motor'", "mbs.angle(i, j)")
wrong(
    "a driver of the ground",
    lambda x: x.add(mbs.Driver("motor", mbs.x(x.ground), mbs.t)),
    "'motor'", "body that moves",
)  # fmt: skip
wrong("a driver that is nan", driver(NAN), "Driver 'motor'", "not finite")
wrong("a driver that is infinite", driver(mbs.t / sp.S.Zero), "Driver 'motor'", "not finite")
wrong("a driver in words", driver("3 +"), "Driver 'motor'", "sympy expression of t")
wrong("a driver that is None", driver(None), "Driver 'motor'", "sympy expression of t")
wrong("a driver whose function returns None", driver(lambda t: None), "Driver 'motor'", "sympy expression")
wrong("a driver whose function raises", driver(raises), "Driver 'motor'", "no signal")
wrong("a driver whose function needs numbers", driver(np.sin), "Driver 'motor'", "sympy")
wrong("a driver that is complex", driver(sp.I * mbs.t), "Driver 'motor'", "real")
wrong("a driver with an unbound symbol", driver(STRAY * mbs.t), "Driver 'motor'", "stray", "model.parameter(")
wrong("a driver of theta", driver(mbs.theta), "Driver 'motor'", "theta", "model.parameter(")
wrong("another t", driver(2 * sp.Symbol("t")), "Driver 'motor'", "mbs.t")
wrong(
    "an angle of a body with itself",
    lambda x: mbs.angle(x.a, x.a.at(1, 0)),
    "angle()", "'a'", "two different bodies",
)  # fmt: skip
wrong("a distance to a point", lambda x: mbs.distance(x.a, (1, 2)), "distance()", "(1, 2)", "body.at(x, y)")
wrong("a displacement of a body", lambda x: mbs.displacement(x.a), "displacement(i, j)")
wrong("a displacement of a pin", lambda x: mbs.displacement(mbs.Revolute("A", x.a, x.b)), "displacement(i, j)")
wrong("an angle of a guide", lambda x: mbs.angle(mbs.Translational("g", x.a, x.b)), "angle()", "g")

wrong("a table of unequal lists", lambda x: mbs.Table([0, 1, 2], [0, 1]), "Table", "same length")
wrong("a table of tables", lambda x: mbs.Table([[0, 1], [2, 3]], [[0, 1], [2, 3]]), "Table", "two lists")
wrong("a table that goes back", lambda x: mbs.Table([0, 2, 1], [0, 1, 2]), "Table", "increase", "sort")
wrong("a table with a double", lambda x: mbs.Table([0, 1, 1], [0, 1, 2]), "Table", "increase", "doubles")
wrong("a table of one point", lambda x: mbs.Table([0], [1]), "Table", "too short", "more points")
wrong("a table with nan", lambda x: mbs.Table([0, 1, 2], [0, NAN, 1]), "Table", "not finite", "remove")
wrong("a table of words", lambda x: mbs.Table([0, 1], ["low", "high"]), "Table", "numbers")
wrong(
    "a closed table that does not close",
    lambda x: mbs.Table([0, 1, 2, 3], [0, 1, 2, 3], periodic=True),
    "first value",
)  # fmt: skip
wrong("a closed table of three points", lambda x: mbs.Table([0, 1, 2], [0, 1, 0], periodic=True), "Table", "too short")

wrong("a motion without segments", driver(mbs.Motion()), "segments", "add .rise(")
wrong("a motion by an unknown law", lambda x: mbs.Motion().rise(1, over=1, law="cycloid"), "'cycloid'", "'cycloidal'")
wrong("a motion in no time", lambda x: mbs.Motion().rise(1, over=0, law="3-4-5"), "duration", "above zero")
wrong("a motion to nan", lambda x: mbs.Motion().rise(NAN, over=1, law="3-4-5"), "height", "finite")
wrong(
    "a motion that ends elsewhere and repeats",
    lambda x: mbs.Motion().rise(1, over=1, law="3-4-5").repeat(),
    ".return_(",
)  # fmt: skip

# --- analyses ---------------------------------------------------------------------------------------------------

wrong("compile in unknown coordinates", lambda x: x.model.compile(coordinates="cartesean"), "did you mean 'cartesian'")
wrong("a model without bodies", lambda x: mbs.assemble(mbs.PlanarModel("void")), "'void'", "no bodies", "model.body(")
wrong("assemble what is no model", lambda x: mbs.assemble("model"), "'model'", "mbs.PlanarModel(name)")
wrong("diagnose what is no model", lambda x: mbs.diagnose(None), "None", "mbs.PlanarModel(name)")
wrong("kinematics of a body", lambda x: mbs.kinematics(x.a, TIMES), "<body a>", "mbs.PlanarModel(name)")
wrong("a sweep of a number", lambda x: mbs.sweep(3, "r", [1]), "3", "mbs.PlanarModel(name)")
wrong("equations of a class", lambda x: mbs.equations(mbs.PlanarModel), "mbs.PlanarModel(name)")
wrong("assemble at nan", lambda x: mbs.assemble(slider_crank(), NAN), "t is nan", "finite")
wrong("assemble at a text", lambda x: mbs.assemble(slider_crank(), "noon"), "'noon'", "time")


def fixed(**values) -> Callable[[Bench], object]:
    return lambda x: mbs.assemble(slider_crank(motor=False), fix={n.replace("_", "."): v for n, v in values.items()})


wrong("fix an unknown quantity", fixed(crank_omeg=1), "'crank.omeg'", "did you mean 'crank.omega'")
wrong("fix an unknown body", fixed(crnk_angle=1), "'crnk.angle'", "did you mean 'crank.angle'")
wrong("fix an acceleration", fixed(crank_alpha=1), "'crank.alpha'", "fix values or rates")
wrong("fix at a text", fixed(crank_angle="up"), "'crank.angle'", "number", "'up'")
wrong("fix at nan", fixed(crank_angle=NAN), "'crank.angle'", "finite")
wrong("fix at None", fixed(crank_omega=None), "'crank.omega'", "number")
wrong("fix that is no mapping", lambda x: mbs.assemble(slider_crank(), fix=["crank.angle"]), "fix={")
wrong("start that is no state", lambda x: mbs.assemble(slider_crank(), start=3), "start", "3")


def at_times(*times) -> Callable[[Bench], object]:
    return lambda x: mbs.kinematics(slider_crank(), *times)


wrong("no times", at_times([]), "non-empty", "np.linspace")
wrong("one number as times", at_times(1.0), "non-empty list", "np.linspace")
wrong("times that go back", at_times([0, 2, 1]), "must increase", "1 follows 2", "sort")
wrong("times with a double", at_times([0, 1, 1]), "must increase", "doubles")
wrong("times with nan", at_times([0, NAN, 1]), "not finite", "remove")
wrong("times in two dimensions", at_times([[0, 1], [2, 3]]), "shape (2, 2)", "np.linspace")
wrong("times in words", at_times(["now", "then"]), "times must be numbers", "np.linspace")
wrong("times that are None", at_times(None), "times", "np.linspace")


def driven_by(function) -> mbs.PlanarModel:
    """A slider-crank whose crank follows this function of time."""
    model = slider_crank(motor=False)
    model.add(mbs.Driver("motor", mbs.angle(model.ground, model.bodies["crank"]), function))
    return model


@mistake("times beyond a table", ModelError, "Driver 'motor'", "from 0 to 2", "extend the table")
def _(x):
    mbs.kinematics(driven_by(mbs.Table([0, 1, 2], [0.6, 0.7, 0.6])), np.linspace(0, 3, 4))


@mistake("times beyond a table in an expression", ModelError, "Driver 'motor'", "extend the table")
def _(x):
    swing = mbs.Table([0, 1, 2], [0, 0.1, 0])
    mbs.kinematics(driven_by(0.6 + swing(mbs.t / 2)), np.linspace(0, 5, 4))


@mistake("assembled beyond a table", ModelError, "Driver 'motor'", "extend the table")
def _(x):
    mbs.assemble(driven_by(mbs.Table([0, 1, 2], [0.6, 0.7, 0.6])), t=3.0)


wrong("a result's unknown quantity", lambda x: moved()["slider.vxx"], "'slider.vxx'", "did you mean 'slider.vx'")
wrong("a result's unknown joint", lambda x: moved().violation.joint("Z"), "'Z'", "use one of")
wrong("a state's unknown quantity", lambda x: mbs.assemble(slider_crank())["slider.z"], "'slider.z'", "slider.x")
wrong("plot of an unknown quantity", lambda x: moved().plot("crank.angel"), "'crank.angel'", "did you mean")
wrong(
    "nothing drives the model",
    lambda x: mbs.kinematics(slider_crank(motor=False), TIMES),
    "slider-crank", "1 degree of", "add 1 driver",
)  # fmt: skip
wrong(
    "nothing holds the bodies",
    lambda x: mbs.kinematics(Bench().model, TIMES),
    "'bench'", "6 degrees of freedom", "add 6 drivers",
)  # fmt: skip


@mistake("a coordinate that is not real for these parameters", ModelError, "Revolute 'A'", "not a finite real number")
def _(x):
    x.add(mbs.Revolute("A", x.ground.at(sp.sqrt(x.p), 0), x.a))
    mbs.assemble(x.model.with_parameters(p=-1.0))


@mistake("a coordinate that is infinite for these parameters", ModelError, "Revolute 'A'", "not a finite real number")
def _(x):
    x.add(mbs.Revolute("A", x.ground.at(1 / x.p, 0), x.a))
    mbs.assemble(x.model.with_parameters(p=0.0))


@mistake("a placement that is not real for these parameters", ModelError, "'rotor'", "correct its position")
def _(x):
    x.add(mbs.Revolute("A", x.ground, x.body(position=(sp.sqrt(x.p), 0))))
    mbs.assemble(x.model.with_parameters(p=-1.0))


@mistake("a placement that is infinite for these parameters", ModelError, "'rotor'", "correct its position")
def _(x):
    x.add(mbs.Revolute("A", x.ground, x.body(position=(1 / x.p, 0))))
    mbs.assemble(x.model.with_parameters(p=0.0))


@mistake("a start from a smaller model", ModelError, "start", "four-bar", "six-bar")
def _(x):
    mbs.assemble(six_bar(), start=mbs.assemble(four_bar()))


@mistake("a start from a larger model", ModelError, "start", "six-bar", "slider-crank")
def _(x):
    mbs.kinematics(slider_crank(), TIMES, start=mbs.assemble(six_bar()))


wrong("load what is not there", lambda x: mbs.load("no/such/file.npz"), "no file", "result.save(path)")


def moved() -> mbs.Result:
    return mbs.kinematics(slider_crank(), TIMES)


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told(name):
    do, error, words = MISTAKES[name]
    with pytest.raises(error) as told:
        do(Bench())
    assert type(told.value) is error
    message = str(told.value)
    assert [w for w in words if w not in message] == [], message


# --- files that are no results ----------------------------------------------------------------------------------


def with_header(path, header: bytes) -> None:
    np.savez(path, header=np.frombuffer(header, dtype=np.uint8))


FILES: dict[str, Callable] = {
    "empty": lambda path, good: path.write_bytes(b""),
    "text": lambda path, good: path.write_text("t,x\n0,1\n"),
    "cut short": lambda path, good: path.write_bytes(good[: len(good) // 2]),
    "damaged": lambda path, good: path.write_bytes(good[:200] + bytes(200) + good[400:]),
    "a single array": lambda path, good: np.save(path.open("wb"), np.zeros(3)),
    "other arrays": lambda path, good: np.savez(path, t=np.zeros(3)),
    "a header that is not text": lambda path, good: with_header(path, b"\xff\xfe{"),
    "a header that is a list": lambda path, good: with_header(path, b"[1, 2]"),
    "a header and nothing else": lambda path, good: with_header(path, b'{"format": "mbs_dae result 2"}'),
    "a later format": lambda path, good: with_header(path, b'{"format": "mbs_dae result 99"}'),
    "objects": lambda path, good: np.savez(path, header=np.array([{"format": 1}], dtype=object)),
    "a directory": lambda path, good: path.mkdir(),
}


@pytest.mark.parametrize("kind", FILES)
def test_a_file_that_is_no_result_is_told(kind, tmp_path):
    good = moved().save(tmp_path / "good")
    assert len(mbs.load(good)) == len(TIMES)
    FILES[kind](bad := tmp_path / "bad.npz", good.read_bytes())
    with refused(("cannot-read-file", "other-file-format")) as told:
        mbs.load(bad)
    assert type(told.value) is ModelError


# --- errors of a mechanism: what they carry ---------------------------------------------------------------------


def assert_finite(*results: mbs.Result) -> None:
    for res in results:
        for array in (res.t, res.q, res.v, res.a, res.violation.rows, *(res[name] for name in res.names)):
            assert np.isfinite(array).all()


def assert_state_finite(state: mbs.State) -> None:
    assert np.isfinite([state.full_q, state.full_v, state.full_a]).all()


def with_second(function) -> mbs.PlanarModel:
    """A slider-crank whose crank has two drivers; the first says 0.6 + 2 t."""
    model = slider_crank()
    model.add(mbs.Driver("second", mbs.angle(model.ground, model.bodies["crank"]), function))
    return model


def test_a_mechanism_that_cannot_close_says_which_joints_miss_and_by_how_much():
    """A guide at the height 10 is out of reach of a crank of 1 and a rod of 3, by 6."""
    with pytest.raises(AssemblyError) as told:
        mbs.assemble(slider_crank().with_parameters(offset=10))
    error = told.value
    assert error.kind == "cannot reach"
    assert error.time == 0.0
    assert set(error.joints) <= set(error.residuals) <= {"A", "B", "C", "guide", "motor"}
    assert all(name in str(error) for name in error.joints)
    assert all(0 < gap < 10 for gap in error.residuals.values())
    assert max(error.residuals.values()) >= error.gap > 1
    assert np.isfinite(error.pose).all() and error.pose.shape == (9,)
    assert "change lengths" in str(error)


def test_a_fixed_value_out_of_reach_is_named():
    with pytest.raises(AssemblyError) as told:
        mbs.assemble(slider_crank(motor=False), fix={"slider.x": 4.5})
    assert told.value.kind == "cannot reach"
    assert any("slider x" in name for name in told.value.residuals)


STUCK: dict[str, Callable[[mbs.PlanarModel], object]] = {
    "a rod between two points at one place": lambda m: m.add(
        mbs.Distance("rod", m.ground, m.body("tip"), length=1.0),
    ),
    "a crank that points the wrong way along its drive": lambda m: m.add(
        mbs.Revolute("rod", m.ground, m.body("tip", position=(1, 0)).at(-1, 0)),
        mbs.Driver("pull", mbs.x(m.bodies["tip"]), -0.5 + 0 * mbs.t),
    ),
}


@pytest.mark.parametrize("kind", STUCK)
def test_a_placement_from_which_nothing_pulls_is_a_bad_guess(kind):
    """Where Φ_v has no direction towards the goal, Newton stands still, though closed poses exist. The error tells how
    far the placement is from closed: about the length of the rod, 1."""
    STUCK[kind](model := mbs.PlanarModel("stuck"))
    with refused("does-not-assemble", AssemblyError, model="stuck", kind="bad guess") as told:
        mbs.assemble(model)
    error = told.value
    assert error.kind == "bad guess"
    assert set(error.joints) <= {"rod", "pull"}
    assert 0.1 < error.gap < 10
    assert error.gap <= max(error.residuals.values()) < 10
    assert np.isfinite(error.pose).all()


def test_drivers_that_want_different_places_cannot_both_be_reached():
    with pytest.raises(AssemblyError) as told:
        mbs.assemble(with_second(0.9 + 2 * mbs.t))
    assert told.value.kind == "cannot reach"
    assert {"motor", "second"} <= set(told.value.joints)
    assert {"motor", "second"} <= set(told.value.residuals)


CONTRADICTIONS = {
    "speed": 0.6 + 5 * mbs.t,
    "acceleration": 0.6 + 2 * mbs.t + mbs.t**2,
}


@pytest.mark.parametrize("level", CONTRADICTIONS)
def test_drivers_that_want_different_motions_contradict_each_other(level):
    with refused("contradictory-constraints", RedundantConstraintError, joints=["motor", "second"]) as told:
        mbs.assemble(with_second(CONTRADICTIONS[level]))
    assert told.value.joints == ("motor", "second")
    assert told.value.time == 0.0


def test_drivers_that_part_later_contradict_each_other():
    """They agree up to t = 0.5, then one of them speeds up. That is no dead point of the mechanism."""
    later = 0.6 + 2 * mbs.t + sp.Piecewise((0, mbs.t < 0.5), ((mbs.t - 0.5) ** 3, True))
    with refused("contradictory-constraints", RedundantConstraintError, joints=["motor", "second"]) as told:
        mbs.kinematics(with_second(later), np.linspace(0, 1, 11))
    assert told.value.time == pytest.approx(0.5, abs=0.05)
    assert {"motor", "second"} <= set(told.value.joints)
    assert_finite(told.value.result)


def test_a_second_driver_that_agrees_is_redundant_and_harmless():
    res = mbs.kinematics(with_second(0.6 + 2 * mbs.t), TIMES)
    assert res.stats["redundant_equations"] == 1
    assert res["crank.angle"] == pytest.approx(0.6 + 2 * TIMES, abs=1e-12)


def test_fixed_speeds_that_do_not_fit_contradict_each_other():
    with refused("contradictory-constraints", RedundantConstraintError, rate="velocity") as told:
        mbs.assemble(slider_crank(motor=False), fix={"crank.omega": 5, "slider.vx": 3})
    assert any("crank omega" in name for name in told.value.joints)
    assert any("slider vx" in name for name in told.value.joints)


def pulled(speed: float = 0.5) -> mbs.PlanarModel:
    """A slider-crank of 1 and 3, its slider pulled from x = 3.7 on outwards: it is stretched out at x = 4."""
    model = slider_crank(motor=False)
    model.add(mbs.Driver("pull", mbs.x(model.bodies["slider"]), 3.7 + speed * mbs.t))
    return model


DEAD_POINTS = {
    "slider pulled beyond its reach": (pulled, 0.6, {"crank.angle": 0.0, "slider.x": 4.0}),
    "crank turned beyond its reach": (
        # it ends where coupler and rocker are in line: 4² + 2² - 2·4·2 cos φ = (3 + 2.5)²
        lambda: four_bar((4.0, 2.0, 3.0, 2.5), angle=0.8),
        (np.arccos((16 + 4 - 5.5**2) / 16) - 0.8) / 2.0,
        {"crank.angle": np.arccos((16 + 4 - 5.5**2) / 16)},
    ),
}


@pytest.mark.parametrize("kind", DEAD_POINTS)
def test_a_dead_point_is_told_with_its_time_and_pose_and_keeps_the_motion_until_then(kind):
    build, when, where = DEAD_POINTS[kind]
    model = build()
    times = np.linspace(0, 1, 51)
    with refused("dead-point", SingularConfigurationError) as told:
        mbs.kinematics(model, times)
    error = told.value
    assert error.time == pytest.approx(when, abs=1e-6)
    assert set(error.joints) <= set(model.elements)
    assert {model.drivers[0].name} <= set(error.joints)
    assert all(name in str(error) for name in error.joints)
    assert f"they get to {model.drivers[0].name}." in str(error)  # how far it may go
    assert_state_finite(error.pose)
    for name, value in where.items():
        assert error.pose[name] == pytest.approx(value, abs=1e-3)
    kept = error.result
    assert not kept.success and "dead point" in kept.message
    assert_finite(kept)
    assert kept.t == pytest.approx(times[times < when], abs=0)
    untroubled = mbs.kinematics(model, times[times < when])
    assert kept.q == pytest.approx(untroubled.q, abs=1e-14)
    assert kept.violation.position.max() < 1e-12
    assert kept.stats["change_points"] == [] and kept.stats["factorisations"] > 0
    with refused("dead-point", SingularConfigurationError) as told:
        mbs.inverse_dynamics(model, times)
    assert len(told.value.result) == len(kept) and np.isfinite(told.value.result.effort(model.drivers[0].name)).all()


def test_a_start_on_a_change_point_is_told():
    """A flat parallelogram does not know whether to go on as a parallelogram or crossed."""
    with refused("change-point", SingularConfigurationError) as told:
        mbs.kinematics(parallelogram(phi=0.0), TIMES)
    error = told.value
    assert error.time == 0.0
    assert {"foot0", "left0", "right0", "foot1"} <= set(error.joints)
    assert_state_finite(error.pose)
    assert_finite(error.result)
    assert len(error.result) == 1
    assert not error.result.success


UNDEFINED = {
    "square root of a negative number": (0.6 + sp.sqrt(1 - mbs.t), 1.0),
    "a pole": (0.6 + 1 / (1 - mbs.t) - 1, 1.0),
    "a logarithm of zero at the start": (sp.log(mbs.t), 0.0),
}


@pytest.mark.parametrize("kind", UNDEFINED)
def test_a_driver_that_is_undefined_somewhere_is_told_and_nothing_is_nan(kind):
    """The mechanism is in order; it is the driver's function that has no value there."""
    function, when = UNDEFINED[kind]
    with pytest.raises(mbs.MbsError) as told:
        mbs.kinematics(driven_by(function), np.linspace(0, 2, 21))
    assert ("result" in told.value.facts) == (when > 0)
    if when > 0:
        assert_finite(told.value.result)
        assert len(told.value.result) > 0 and (told.value.result.t < when).all()
    assert told.value.time == pytest.approx(when, abs=1e-3)
    assert "Driver 'motor'" in str(told.value)
    assert "not finite" in str(told.value)


def test_an_interrupted_run_keeps_what_it_had():
    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    times = np.linspace(0, 1, 12_000)
    res = mbs.kinematics(slider_crank(), times, progress=interrupt)
    assert not res.success
    assert f"interrupted after {len(res)} of 12000 poses" in res.message
    assert 0 < len(res) < 12_000
    assert_finite(res)
    assert res["crank.angle"] == pytest.approx(0.6 + 2 * times[: len(res)], abs=1e-12)


def test_every_error_is_of_one_family_and_carries_its_facts():
    kinds = [ModelError, AssemblyError, RedundantConstraintError, SingularConfigurationError, mbs.IntegrationError]
    assert all(issubclass(kind, mbs.MbsError) for kind in kinds)
    assert issubclass(ModelError, ValueError)
    error = AssemblyError("too short", joints=("A",), gap=0.2)
    assert (str(error), error.joints, error.gap) == ("too short", ("A",), 0.2)


def test_an_event_of_a_friction_that_is_not_in_the_model():
    model = mbs.PlanarModel("bench", gravity=(0, -9.81))
    guide = model.add(mbs.Translational("guide", model.ground, model.body("block", mass=1.0, inertia=0.1)))
    rub = mbs.Friction("rub", guide, mu=0.1)
    model.add(mbs.Event("stops", when=rub.sticks))
    with refused("unknown-name", name="rub", event="stops", mentions="bench"):
        mbs.simulate(model, [0, 1])


def test_a_result_tells_of_a_joint_that_was_not_added():
    model = mbs.PlanarModel("rod", gravity=(0, -9.81))
    rod = model.link("rod", (0, 0), (1, 0), mass=1.0)
    mbs.Revolute("A", model.ground, rod.tail)
    assert "note: Revolute 'A' was made on rod and not added" in repr(mbs.simulate(model, [0, 1]))
