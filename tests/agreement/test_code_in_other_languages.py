"""Equations as C, JavaScript and Python: the same numbers as in the core, whatever stands in a model and its names."""

import ast
from functools import cache

import numpy as np
import pytest
import sympy as sp
from gallery import load
from languages import compiled, in_c, in_javascript, in_python
from nasty_names import nasty
from refusals import refused

import mbs_dae as mbs

SEVEN = ("Phi", "Phi_q", "nu", "gamma", "M", "Q")


def laws():
    """Branches, roots, signs, tables, whole turns and states at once. Only what it says is read."""
    model = mbs.PlanarModel("laws, all at once", gravity=(0.3, -9.81))
    k, lambda_ = model.parameter("k", 3.0, unit="N/m"), model.parameter("lambda_", 0.2)
    double, w0 = model.parameter("double", 0.7, unit="m"), model.parameter("w0", 1.3)
    ground = model.ground
    crank = model.body("crank", 1.0, double**2 / 12, com=(0.1, 0.05), position=(0.1, 0.2), angle=0.3)
    rod = model.body("rod", 2.0, 0.04, com=(-0.02, lambda_), position=(0.5, 0.1), angle=-0.4)
    course = mbs.Table([0.0, 0.4, 1.1, 2.0, 3.0], [0.0, 0.5, 0.3, 0.9, 1.0], kind="cubic")
    turn = np.linspace(0, 2 * np.pi, 9)
    cam = mbs.Table(turn, 0.3 + 0.1 * np.cos(turn), periodic=True)
    stroke = mbs.Motion(start=0.1).rise(0.4, over=0.7, law="modified sine").return_(over=1.1, law="3-4-5").repeat()
    x, vx = model["crank.x"], model["crank.vx"]
    charge = model.state("z", rate=lambda z: sp.exp(-k * z**2) - sp.Min(x, vx, 0.2) / (1 + z**4), initial=0.3)
    wild = sp.Piecewise((k * x, x > 0.1), (sp.sqrt(1 + vx**2) ** -3, (vx < 0) & (x < 1)), (sp.log(2 + x**2), True))
    model.add(
        mbs.Revolute("A", ground.at(0.1, 0.2), crank.at(-double / 2, 0.05)),
        mbs.PinInSlot("slot", rod.at(0.1, 0.2, angle=0.3), ground.at(0.6, 0.1)),
        mbs.CamFollower("cam", crank, rod.at(0.3, 0.1), profile=cam, follower="flat"),
        mbs.Constraint("edge", rod, ground, psi=lambda i, j: i.y_axis.dot(i.velocity) - w0 * mbs.t),
        mbs.Constraint("way", rod, crank, phi=lambda i, j: sp.atan2(i.y - j.y, i.x - j.x) - sp.sin(mbs.t) * w0),
        mbs.Driver("table", mbs.distance(crank, rod), course),
        mbs.Driver("stroke", mbs.displacement(ground, rod), stroke),
        mbs.Force("wild", crank, (wild + charge, sp.Max(x, 0.2, vx) * sp.sign(vx) + sp.floor(3 * x) % 2)),
        mbs.Torque("twist", rod, sp.Abs(model["rod.omega"]) ** sp.Rational(3, 2) + sp.tanh(model["rod.y"])),
    )
    return model


def spatial():
    model = mbs.SpatialModel("in space", gravity=(0, 0, -9.81))
    m, c = model.parameter("m", 2.0), model.parameter("c", 0.1)
    a = model.body("a", m, inertia=(0.1, 0.2, 0.3), com=(c, 0, 0.05), position=(0.1, 0.2, 0.3))
    b = model.body("b", 1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0.2, 0.3))
    model.add(
        mbs.Revolute("hinge", model.ground, a.at(0.1, c, 0)),
        mbs.Universal("cross", a.at(0.3, 0, 0), b.at(-0.1, 0, 0)),
        mbs.Driver("motor", mbs.angle(model.ground, a), 3 * mbs.t),
        mbs.SpringDamper("spring", a, b.at(0, 0, 0.4), stiffness=10.0, damping=0.3, length=0.2),
    )
    return model


MODELS = {"laws": laws, "space": spatial} | {
    name: (lambda name=name: load(name).build()) for name in ("four_bar", "quick_return")
}


def poses(eq, count=3):
    """Random ones near the placement; quaternions are of unit length."""
    dice, found = np.random.default_rng(7), []
    for _ in range(count):
        q = np.array([eq.placement[s] for s in eq.q]) + dice.uniform(-0.2, 0.2, len(eq.q))
        if len(eq.turns):
            for e in q.reshape(-1, 7)[:, 3:]:
                e /= np.linalg.norm(e)
        v, z = dice.normal(size=len(eq.v)), dice.uniform(0.1, 0.4, len(eq.z))
        found.append((float(dice.uniform(0.1, 1.5)), q, v, dice.uniform(-0.5, 0.5, len(eq.turns)), z))
    return found


def agrees(found, wanted):
    wanted = np.ravel(wanted)
    scale = np.abs(wanted).max(initial=1.0)
    np.testing.assert_allclose(np.ravel(found), wanted, rtol=0, atol=1e-12 * scale)


@cache
def equations_of(build):
    return mbs.equations(build())


@pytest.fixture(scope="module", params=MODELS)
def case(request):
    eq = equations_of(MODELS[request.param])
    names = (*SEVEN, "zdot") if len(eq.z) else SEVEN
    wanted = eq.lambdify(*names)
    return eq, names, [(pose, wanted(*pose[:4], z=pose[4])) for pose in poses(eq)]


def of(eq, pose):
    """The arrays that functions read."""
    t, q, v, turns, z = pose
    return [q, v] + [turns] * bool(len(eq.turns)) + [z] * bool(len(eq.z))


def test_c_says_the_same(case, tmp_path):
    eq, names, told = case
    library = compiled(eq.to_code("C"), tmp_path)
    for pose, wanted in told:
        for name, numbers in zip(names, wanted, strict=True):
            agrees(in_c(library, eq.name, name, numbers.size, of(eq, pose), pose[0]), numbers)


def test_javascript_says_the_same(case, tmp_path):
    eq, names, told = case
    calls = [
        (name, t, q.tolist(), v.tolist(), {"turns": turns.tolist(), "z": z.tolist()})
        for (t, q, v, turns, z), _ in told
        for name in names
    ]
    found = in_javascript(eq.to_code("JavaScript"), calls, tmp_path)
    for numbers, expected in zip(found, (one for _, wanted in told for one in wanted), strict=True):
        agrees(numbers, expected)


def test_python_says_the_same(case):
    eq, names, told = case
    module = in_python(eq.to_code("Python"))
    for pose, wanted in told:
        for name, numbers in zip(names, wanted, strict=True):
            found = getattr(module, name)(pose[0], *of(eq, pose))
            assert found.shape == numbers.shape
            agrees(found, numbers)


def test_the_core_says_the_same(interpreted_kernels):
    """Of what is written; where it runs is shown above."""
    for build in (laws, spatial):
        model = build()
        system, eq = model.compile(), equations_of(build)
        module = in_python(eq.to_code("Python"))
        for pose in poses(eq):
            t, q, v, turns, z = pose
            whole, rates = system.placement.copy(), system.still
            whole[: q.size], rates[: v.size] = q, v
            whole[system.layout.turns[:, :1] + [0, 1, 2]] = turns.reshape(-1, 3)
            whole[[system.layout.signals[s.symbol] for s in model.states]] = z
            Phi, Phi_q, nu, gamma = (getattr(module, n)(t, *of(eq, pose)) for n in ("Phi", "Phi_q", "nu", "gamma"))
            a = np.cos(np.arange(v.size))
            run = system.read_constraints(
                np.array([t]), whole[None], rates[None], np.concatenate([a, 0 * rates[v.size :]])[None]
            )
            agrees(Phi, run[0][0][list(eq.position_rows)])
            agrees(Phi_q @ v - nu, run[1][0])
            agrees(Phi_q @ a - gamma, run[2][0])


def test_parameters_are_given_by_name(tmp_path):
    eq = equations_of(laws)
    pose, *_ = poses(eq)
    t, q, v, turns, z = pose
    others = {"k": 5.0, "double": 0.9}
    wanted = eq.lambdify("Q")(t, q, v, parameters=others, z=z)[0]
    module = in_python(eq.to_code("Python", "Q"))
    agrees(module.Q(t, q, v, z, parameters={"k": 5.0, "double_": 0.9}), wanted)
    call = ("Q", t, q.tolist(), v.tolist(), {"p": {"k": 5.0, "double_": 0.9}, "z": z.tolist()})
    agrees(in_javascript(eq.to_code("JavaScript", "Q"), [call], tmp_path)[0], wanted)
    values = {"k": 5.0, "lambda_": 0.2, "double": 0.9, "w0": 1.3}
    library = compiled(eq.to_code("C", "Q"), tmp_path)
    agrees(in_c(library, eq.name, "Q", wanted.size, [q, v, z], t, values), wanted)
    with pytest.raises(KeyError, match="there is no parameter 'r'"):
        module.Q(t, q, v, z, parameters={"r": 1.0})


def test_names_do_no_harm(tmp_path):
    eq = mbs.equations(nasty())
    (pose,) = poses(eq, 1)
    t, q, v, *_ = pose
    (wanted,) = eq.lambdify("Q")(t, q, v)
    texts = {name: eq.to_code(name, "Q") for name in ("C", "JavaScript", "Python")}
    agrees(in_c(compiled(texts["C"], tmp_path), eq.name, "Q", wanted.size, [q, v], t), wanted)
    agrees(in_javascript(texts["JavaScript"], [("Q", t, q.tolist(), v.tolist())], tmp_path)[0], wanted)
    agrees(in_python(texts["Python"]).Q(t, q, v), wanted)
    assert "</script" not in texts["JavaScript"].lower() and "<!--" not in texts["JavaScript"]
    for text in texts.values():
        assert not {"\u202e", "\r", "\u2028"} & {*text}
        assert "utf-7" not in "".join(text.splitlines()[:2])
    functions = [one.name for one in ast.parse(texts["Python"]).body if isinstance(one, ast.FunctionDef)]
    assert functions == ["with_defaults", "numbers", "Q"]


def test_what_has_no_formula_is_told():
    model = mbs.PlanarModel("wind")
    body = model.body("sail", mass=1.0, inertia=0.1)
    model.add(mbs.PythonForce("wind", body, function=lambda t, s: (1.0, 0.0, 0.0)))
    eq = mbs.equations(model)
    with refused("no-formula", matrix="Q", functions=["F_wind_x", "F_wind_y", "M_wind"]):
        eq.to_code("C")
    assert "wind_M(" in eq.to_code("C", "M")
    with refused("unknown-name", kind="language"):
        eq.to_code("Fortran")
    heavy = mbs.PlanarModel("erf")
    body = heavy.body("b", mass=1.0, inertia=0.1)
    heavy.add(mbs.Torque("t", body, sp.erf(heavy["b.x"])))
    with refused("no-function-in-language", language="JavaScript", name="erf"):
        mbs.equations(heavy).to_code("JavaScript")


@pytest.mark.usefixtures("interpreted_kernels")
def test_functions_are_not_taken_for_matrices(tmp_path):
    """gamma is a function of mathematics, and the right side of the accelerations."""
    model = mbs.PlanarModel("m")
    body = model.body("rod", mass=1.0, inertia=1.0)
    model.add(mbs.Torque("twist", body, sp.gamma(2 + model["rod.x"] ** 2)))
    eq = mbs.equations(model)
    zero = np.zeros(3)
    assert in_python(eq.to_code("Python")).Q(0.0, zero, zero)[2] == 1.0
    assert in_c(compiled(eq.to_code("C"), tmp_path), "m", "Q", 3, [zero, zero], 0.0)[2] == 1.0


INPUTS = ("push", "double", "q_1")


def driven(**laws):
    """A cart with a pendulum on it and a motor with a state; inputs with awkward names act on all of them."""
    model = mbs.PlanarModel("driven by inputs", gravity=(0, -9.81))
    k = model.parameter("k", 2.0)
    push = model.input("push", unit="N")
    twist, volts = model.input("double", 3 * k * mbs.t, unit="N m"), model.input("q_1", mbs.Table([0, 1], [1, 3]))
    cart = model.body("cart", mass=2.0, inertia=0.1)
    rod = model.body("rod", mass=0.7, inertia=0.05, com=(0.1, -0.4), position=(0.0, 0.1))
    current = model.state("i", rate=lambda i: volts - k * i)
    model.add(
        mbs.Translational("rail", model.ground.at(0, 0), cart.at(0, 0)),
        mbs.Revolute("pin", cart.at(0, 0.1), rod),
        mbs.Force("pusher", cart, (push * (1 + current), 0)),
        mbs.Torque("twister", rod, twist * sp.cos(model["rod.angle"]) + k * current),
    )
    return model.with_inputs(**laws) if laws else model


def test_inputs_are_symbols_with_a_place_in_the_signature(tmp_path):
    """Accelerations from the written functions, with inputs as arguments, are those of a run with these inputs."""
    model = driven()
    eq = mbs.equations(model)
    assert [s.name for s in eq.inputs] == [*INPUTS] and eq.inputs[0] in eq.Q.free_symbols
    assert eq.inputs[2] in eq.zdot.free_symbols and eq.laws[eq.inputs[0]] == 0
    for text in (str(eq), eq.latex()):
        assert "push" in text and "push = 0" in text.replace("&", "").replace("  ", " ")
    module, library = in_python(eq.to_code("Python")), compiled(eq.to_code("C"), tmp_path)
    names = ("M", "Q", "Phi_q", "gamma", "zdot")
    assert "inputs = push, double_, q_1" in eq.to_code("C")
    for given in ((5.0, -1.0, 2.0), (-30.0, 4.0, 0.5)):
        run = mbs.simulate(
            driven(**dict(zip(INPUTS, given, strict=True))), [0, 0.3], initial={"i": 0.4, "pin.omega": 1.5}
        )
        for k in range(2):
            arrays = [run.q[k], run.v[k], [run["i"][k]], given]
            sizes = [len(eq.q) ** 2, len(eq.q), eq.Phi_q.shape[0] * len(eq.q), eq.Phi_q.shape[0], 1]
            for M, Q, Phi_q, gamma, zdot in (
                [getattr(module, name)(run.t[k], *arrays) for name in names],
                [in_c(library, eq.name, name, n, arrays, run.t[k]) for name, n in zip(names, sizes, strict=True)],
                eq.lambdify(*names)(run.t[k], *arrays[:2], z=arrays[2], inputs=given),
            ):
                M, Phi_q, m = np.reshape(M, eq.M.shape), np.reshape(Phi_q, eq.Phi_q.shape), len(gamma)
                whole = np.block([[M, Phi_q.T], [Phi_q, np.zeros((m, m))]])
                a = np.linalg.solve(whole, [*Q, *gamma])[: len(Q)]
                np.testing.assert_allclose(a, run.a[k], rtol=0, atol=1e-9 * np.abs(run.a[k]).max())
                assert zdot[0] == pytest.approx(run["i.rate"][k], rel=1e-12)


def test_inputs_that_are_not_given_follow_their_laws():
    eq = mbs.equations(driven())
    q, v, z, at = [0.1, 0, 0, 0.1, 0.1, 0.2], [0.3] * 6, [0.4], 0.25
    laws = [0.0, 3 * 2.0 * at, 1.5]
    agrees(eq.lambdify("Q")(at, q, v, z=z)[0], eq.lambdify("Q")(at, q, v, z=z, inputs=laws)[0])
    more = eq.lambdify("Q")(at, q, v, z=z, inputs=laws, parameters={"k": 5.0})[0]
    agrees(more - eq.lambdify("Q")(at, q, v, z=z, inputs=laws)[0], [0, 0, 0, 0, 0, 3 * 0.4])
    later = eq.lambdify("Q")(at, q, v, z=z, parameters={"k": 5.0})[0]  # the law of `double` has k in it
    agrees(later - more, [0, 0, 0, 0, 0, (15 - 6) * at * np.cos(0.2)])


def test_equations_by_an_input():
    eq = mbs.equations(driven())
    column = eq.d("push").lambdify("Q")(0.0, [0] * 6, [0] * 6, z=[0.4])[0]
    agrees(column, [1.4, 0, 0, 0, 0, 0])
    assert not eq.d("push").Phi_q.todok()
    with refused("name-taken", kind="input"):
        model = driven()
        model.input("x_2")
        mbs.equations(model)


def test_inputs_go_by_name_or_in_their_order(tmp_path):
    """Two inputs of a cart, the force 2 u + w: by name their order does not matter, and a wrong name is refused."""
    model = mbs.PlanarModel("cart")
    body = model.body("body", mass=2.0, inertia=0.1)
    u, w = model.input("u", 0.0, unit="N"), model.input("w", 0.0, unit="N")
    model.add(mbs.Force("pusher", body, (2 * u + w, 0)))
    eq = mbs.equations(model)
    text, still = eq.to_code("Python", "Q"), [0.0, 0.0, 0.0]
    Q, numbers = in_python(text).Q, eq.lambdify("Q")
    place = dict(zip(map(str, eq.inputs), (0, 1), strict=True))
    ordered = [{"u": 3.0, "w": 5.0}[name] for name in place]
    for inputs in (ordered, np.array(ordered), {"u": 3.0, "w": 5.0}, {"w": 5.0, "u": 3.0}):
        assert Q(0.0, still, still, inputs)[0] == numbers(0.0, still, still, inputs=inputs)[0][0] == 11.0
    assert Q(0.0, {"x_1": 0.0, "phi_1": 0.0, "y_1": 0.0}, still, ordered)[0] == 11.0
    wrong = [
        (KeyError, {"inputs": {"u": 3.0}}, "inputs: 'w' is missing"),
        (KeyError, {"inputs": {"u": 3.0, "w": 1.0, "x": 1.0}}, "inputs: 'x' is none of them; give u, w"),
        (ValueError, {"inputs": [1.0]}, "inputs must be 2 numbers, u, w, not"),
        (ValueError, {"inputs": 1.0}, "inputs must be 2 numbers"),
        (TypeError, {"inputs": ordered, "parameters": [1.0]}, "dictionary of numbers by name"),
        (KeyError, {"inputs": ordered, "parameters": {"r": 1.0}}, "there is no parameter 'r'"),
    ]
    for error, given, said in wrong:
        with pytest.raises(error, match=said):
            Q(0.0, still, still, **given)
        with pytest.raises(mbs.ModelError):
            numbers(0.0, still, still, **given)
    with pytest.raises(ValueError, match="q must be 3 numbers, x_1, y_1, phi_1"):
        Q(0.0, [0.0], still, ordered)
    calls = [("Q", 0.0, still, still, {"inputs": i}) for i in (ordered, {"w": 5.0, "u": 3.0})]
    assert [one[0] for one in in_javascript(eq.to_code("JavaScript", "Q"), calls, tmp_path)] == [11.0, 11.0]


def test_the_header_tells_names_that_are_replaced():
    model = mbs.PlanarModel("cart")
    cart = model.body("cart", mass=model.parameter("m", 1.0, "kg"), inertia=1.0)
    push, way = model.input("int", 4.0, unit="N"), model.state("double", rate=1.0)
    model.add(mbs.Force("push", cart, (push + way, 0)))
    for language in ("C", "JavaScript", "Python"):
        head = mbs.equations(model).to_code(language).partition("Units:")[0]
        assert "are replaced:" in head and "double_ for double, int_ for int" in head and "m for m" not in head
