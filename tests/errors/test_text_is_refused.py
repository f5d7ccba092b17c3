"""Text is never evaluated: where an expression or a number is meant it is refused, by name and with a remedy."""

import ast
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from refusals import refused

import mbs_dae as mbs

PACKAGE = Path(mbs.__file__).parent
EVALUATORS = {"sympify", "S", "parse_expr", "eval", "exec", "literal_eval"}
ALLOWED = {
    "symbolic/functions.py": {"sympify"},  # the door: strict, which refuses text
    "kernels/cache.py": {"exec"},  # kernels that the package wrote
    "certify/equations.py": {"exec"},  # the same, on intervals
    "modes/algebraic.py": {"exec"},  # and in complex numbers, many poses at once
    "cli/files.py": {"exec"},  # the user's own model file
}


def test_one_place_in_the_package_turns_values_into_expressions():
    for file in PACKAGE.rglob("*.py"):
        calls = [node.func for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)]
        names = {f.attr if isinstance(f, ast.Attribute) else getattr(f, "id", "") for f in calls}
        where = file.relative_to(PACKAGE).as_posix()
        assert names & EVALUATORS <= ALLOWED.get(where, set()), where
    door = ast.walk(ast.parse((PACKAGE / "symbolic/functions.py").read_text()))
    (call,) = (n for n in door if isinstance(n, ast.Call) and getattr(n.func, "attr", "") == "sympify")
    assert [(k.arg, k.value.value) for k in call.keywords] == [("strict", True)]


class Plane:
    def __init__(self):
        self.model = mbs.PlanarModel("plane")
        self.g = self.model.ground
        self.a, self.b = self.model.body("a", 1, 1), self.model.body("b", 1, 1, position=(1, 0))


class Space:
    def __init__(self):
        self.model = mbs.SpatialModel("space")
        self.g = self.model.ground
        self.a, self.b = self.model.body("a", 1, (1, 1, 1)), self.model.body("b", 1, (1, 1, 1), position=(1, 0, 0))


a_symbol = sp.Symbol("a_symbol")
PLACES = {
    "torque": lambda m, text: mbs.Torque("e", m.a, text),
    "force": lambda m, text: mbs.Force("e", m.a, (text, 0)),
    "wrench": lambda m, text: mbs.Wrench("e", m.a, moment=text),
    "actuator": lambda m, text: mbs.Actuator("e", m.a, m.b, text),
    "motor": lambda m, text: mbs.Motor("e", m.a, m.b, torque=text),
    "spring law": lambda m, text: mbs.Spring("e", m.a, m.b, law=text),
    "spring law from a function": lambda m, text: mbs.Spring("e", m.a, m.b, law=lambda s: text),
    "stiffness": lambda m, text: mbs.Spring("e", m.a, m.b, stiffness=text),
    "bushing": lambda m, text: mbs.Bushing("e", m.a, m.b, stiffness=[text, 1, 1]),
    "cam": lambda m, text: mbs.CamFollower("e", m.a, m.b, profile=text),
    "cam from a function": lambda m, text: mbs.CamFollower("e", m.a, m.b, profile=lambda angle: text),
    "driver": lambda m, text: mbs.Driver("e", mbs.angle(m.a), text),
    "driver from a function": lambda m, text: mbs.Driver("e", mbs.angle(m.a), lambda t: text),
    "pose": lambda m, text: mbs.PoseDriver("e", m.a, position=(text, 0)),
    "turn of a pose": lambda m, text: mbs.PoseDriver("e", m.a, rotation=text),
    "constraint": lambda m, text: mbs.Constraint("e", m.a, m.b, phi=text),
    "constraint from a function": lambda m, text: mbs.Constraint("e", m.a, m.b, phi=lambda i, j: text),
    "table": lambda m, text: mbs.Table([0, 1], [text, 0]),
    "argument of a table": lambda m, text: mbs.Table([0, 1], [1, 0])(text),
    "motion": lambda m, text: mbs.Motion().rise(text, over=1, law="cycloidal"),
    "argument of a motion": lambda m, text: mbs.Motion().dwell(1)(text),
    "parameter": lambda m, text: m.model.parameter("p", text),
    "mass": lambda m, text: m.model.body("c", mass=text),
    "position": lambda m, text: m.model.body("c", position=(text, 0)),
    "angle": lambda m, text: m.model.body("c", angle=text),
    "marker": lambda m, text: m.a.at(text, 0),
    "marker in the world": lambda m, text: mbs.Revolute("e", m.a, m.b, at=(text, 0)),
    "axis": lambda m, text: mbs.Translational("e", m.a, m.b, at=(0, 0), axis=(text, 1)),
    "link": lambda m, text: m.model.link("c", (0, 0), (text, 1)),
    "mass of a link": lambda m, text: m.model.link("c", (0, 0), (1, 1), mass=text),
    "gravity": lambda m, text: mbs.PlanarModel("n", gravity=(0, text)),
    "points": lambda m, text: mbs.PlanarModel.from_points({"A": (0, 0), "B": (text, 1)}, rods=["AB"]),
    "matrix of the equations": lambda m, text: mbs.equations(m.model).compare(Q=[text, 0, 0, 0, 0, 0]),
}
SPATIAL_PLACES = {
    "force": lambda m, text: mbs.Force("e", m.a, (0, text, 0)),
    "inertia": lambda m, text: m.model.body("c", inertia=(1, text, 1)),
    "rotation": lambda m, text: m.model.body("c", rotation=((1, 0, 0), (0, text, 0), (0, 0, a_symbol))),
    "rotation of numbers": lambda m, text: m.model.body("c", rotation=((1, 0, 0), (0, text, 0), (0, 0, 1))),
    "marker": lambda m, text: m.a.at(0, 0, text),
    "axis": lambda m, text: m.a.at(0, 0, 0, axis=(0, text, a_symbol)),
    "pose": lambda m, text: mbs.PoseDriver("e", m.a, rotation=((1, 0, 0), (0, text, 0), (0, 0, a_symbol))),
    "pitch": lambda m, text: mbs.Screw("e", m.a, m.b, pitch=text),
    "radius of a link": lambda m, text: m.model.link("c", (0, 0, 0), (1, 1, 0), radius=text),
}


@pytest.mark.parametrize(
    ("bench", "place"), [*((Plane, p) for p in PLACES.values()), *((Space, p) for p in SPATIAL_PLACES.values())],
    ids=[*PLACES, *(f"{name} in space" for name in SPATIAL_PLACES)],
)  # fmt: skip
def test_text_is_refused_and_not_run(bench, place, tmp_path):
    harm = tmp_path / "written"
    for text in (f"open({str(harm)!r}, 'w')", f"__import__('pathlib').Path({str(harm)!r}).touch() or 1", "1.5"):
        for given in (text, np.str_(text)):
            with pytest.raises(mbs.ModelError):
                place(bench(), given)
    assert not harm.exists()


def test_the_refusal_of_text_says_what_to_write():
    bench = Plane()
    with refused("not-an-expression", argument="torque of Torque 'T'", value="2*t"):
        mbs.Torque("T", bench.a, "2*t")
    with refused("not-a-number", argument="mass of body 'c'", value="1.5"):
        bench.model.body("c", mass="1.5")
