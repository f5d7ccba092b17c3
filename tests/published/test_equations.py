"""mbs.equations: the textbook's slider-crank entry by entry, and in general the same equations that the machine runs.

The source of the slider-crank prints Φ1-Φ12 (its Fig. 3.7) and the 36 entries of Φ_q that are not zero at sight (its
Fig. 3.8). Every printed entry was derived anew; `SLIPS` holds what the print has wrong, and what is right. Apart from
entries of Φ_q, the print has these slips:

- Pin O on the crank is listed at ξ = 0; Φ8 and Φ9 have it at +100, and only so the crank has its length of 200.
- The guide's point on the frame is listed at ξ = 0, Φ10 has it at -100, entries (30) and (33) at +100. (All are on the
  guide, so the motion is the same.) The model has +100; then the two 100s in Φ10 have the wrong sign.
- γ of the revolute joint has ξ cos φ + η sin φ for x^P - x, where ξ cos φ - η sin φ is right (its next line is right).
"""

import math

import numpy as np
import pytest
import sympy as sp
from gallery import load
from refusals import refused
from scipy.interpolate import CubicSpline

import mbs_dae as mbs
from mbs_dae.symbolic.functions import Lookup, SmoothWrap, Wrap

PRINTED = {  # row of Φ_q: column: entry; numbered (1) to (36) as they stand here
    1: {"x_1": "1"},
    2: {"y_1": "1"},
    3: {"phi_1": "1"},
    4: {"x_3": "-1", "phi_3": "-200*sin(phi_3)", "x_4": "1", "phi_4": "0"},
    5: {"y_3": "-1", "phi_3": "200*cos(phi_3)", "y_4": "1", "phi_4": "0"},
    6: {"x_2": "-1", "phi_2": "100*sin(phi_2)", "x_3": "1", "phi_3": "-300*sin(phi_3)"},
    7: {"y_2": "-1", "phi_2": "100*cos(phi_2)", "y_3": "1", "phi_3": "300*cos(phi_3)"},
    8: {"x_1": "-1", "phi_1": "0", "x_2": "1", "phi_2": "100*sin(phi_2)"},
    9: {"y_1": "-1", "phi_1": "0", "y_2": "1", "phi_2": "100*cos(phi_2)"},
    10: {
        "x_1": "100*cos(phi_4)",
        "y_1": "-100*sin(phi_4)",
        "phi_1": "-10000*(cos(phi_1)*cos(phi_4) + sin(phi_1)*sin(phi_4))",
        "x_4": "-100*cos(phi_4)",
        "y_4": "100*sin(phi_4)",
        "phi_4": "100*(cos(phi_4)*(y_1 + 100*cos(phi_1) - y_4) - sin(phi_4)*(x_1 - 100*sin(phi_1) - x_4))",
    },
    11: {"phi_1": "1", "phi_4": "-1"},
    12: {"phi_2": "1"},
}
NUMBERED = [(row, column, entry) for row, cells in PRINTED.items() for column, entry in cells.items()]

SLIPS = {  # number: (the derived entry, what is wrong with the printed one)
    13: ("-100*sin(phi_2)", "sign: Φ6 has + 100 cos phi_2"),
    23: ("-100*sin(phi_2)", "sign: Φ8 has + 100 cos phi_2"),
    28: ("100*sin(phi_4)", "sine and cosine exchanged: x_1 stands with 100 sin phi_4 in Φ10"),
    29: ("-100*cos(phi_4)", "sine and cosine exchanged: y_1 stands with -100 cos phi_4 in Φ10"),
    31: ("-100*sin(phi_4)", "is -(28) as printed, and follows its slip"),
    32: ("100*cos(phi_4)", "is -(29) as printed, and follows its slip"),
    33: (
        "100*(cos(phi_4)*(x_1 + 100*cos(phi_1) - x_4) + sin(phi_4)*(y_1 + 100*sin(phi_1) - y_4))",
        "x and y exchanged, and the signs of the sines",
    ),
    34: ("-1", "sign: Φ11 is phi_4 - phi_1"),
    35: ("1", "sign: Φ11 is phi_4 - phi_1"),
}


@pytest.fixture(scope="module")
def book():
    return mbs.equations(load("slider_crank_textbook").build())


def read(text, eq):
    """A printed expression, in the symbols of the equations."""
    return sp.sympify(text, locals={"Lookup": Lookup, "Wrap": Wrap, "SmoothWrap": SmoothWrap, **eq.symbols})


def same(a, b, eq):
    return sp.expand(read(a, eq) - read(b, eq)) == 0


def scale(row):
    """The axis vector of the guide has length 100 in the book."""
    return 100 if row == 10 else 1


@pytest.mark.parametrize("number", range(1, 37))
def test_numbered_entry_of_the_textbook(book, number):
    row, column, printed = NUMBERED[number - 1]
    entry = scale(row) * book.Phi_q[row - 1, list(book.q).index(book.symbols[column])]
    derived, _ = SLIPS.get(number, (printed, ""))
    assert same(entry, derived, book)
    assert same(entry, printed, book) == (number not in SLIPS)


def test_all_other_entries_of_the_textbook_are_zero(book):
    assert book.Phi_q.shape == (12, 12) and len(NUMBERED) == 36
    numbered = {(row - 1, list(book.q).index(book.symbols[column])) for row, column, _ in NUMBERED}
    assert {*book.Phi_q.todok()} <= numbered
    assert book.compare(Phi_q=book.Phi.jacobian(book.q))


def test_constraints_of_the_textbook(book):
    derived10 = "(-100*cos(phi_4))*(y_1 + 100*sin(phi_1) - y_4) - (x_1 + 100*cos(phi_1) - x_4)*(-100*sin(phi_4))"
    printed10 = derived10.replace("+ 100", "- 100")
    derived = """x_1; y_1; phi_1; x_4 - x_3 + 200*cos(phi_3); y_4 - y_3 + 200*sin(phi_3);
        x_3 + 300*cos(phi_3) - x_2 + 100*cos(phi_2); y_3 + 300*sin(phi_3) - y_2 + 100*sin(phi_2);
        x_2 + 100*cos(phi_2) - x_1; y_2 + 100*sin(phi_2) - y_1; (%s)/100; phi_4 - phi_1; phi_2 - 5.76 + 1.2*t"""
    assert book.compare(Phi=[read(e, book) for e in (derived % derived10).split(";")])
    found = book.compare(Phi=[read(e, book) for e in (derived % printed10).split(";")])
    assert [d.row for d in found.differences] == [9]
    by_phi_1 = read(printed10, book).diff(book.symbols["phi_1"])
    assert same(by_phi_1, f"-({PRINTED[10]['phi_1']})", book), "as printed, Φ10 would turn the sign of (30)"


def test_right_hand_sides_of_the_textbook(book):
    assert book.compare(nu=[0] * 11 + [-1.2])
    # s_i φ̇_i² - s_j φ̇_j², with s = ξ (cos φ, sin φ)
    pins = {3: (0, 4, -200, 3), 5: (300, 3, -100, 2), 7: (100, 2, 0, 1)}
    for row, (xi_i, i, xi_j, j) in pins.items():
        for k, f in enumerate(("cos", "sin")):
            s_i, s_j = f"{xi_i}*{f}(phi_{i})", f"{xi_j}*{f}(phi_{j})"
            assert same(book.gamma[row + k], f"{s_i}*phidot_{i}**2 - {s_j}*phidot_{j}**2", book)
    turning_alike = book.gamma[9].subs(book.symbols["phidot_1"], book.symbols["phidot_4"])
    guide = """2*(cos(phi_4)*(xdot_4 - xdot_1) + sin(phi_4)*(ydot_4 - ydot_1))*phidot_4
        + (cos(phi_4)*(y_4 - y_1) - sin(phi_4)*(x_4 - x_1))*phidot_4**2"""
    assert same(turning_alike, guide, book)


def test_gamma_of_a_pin_with_general_points():
    model = mbs.PlanarModel()
    a, b, c, d = (model.parameter(n, 1.0) for n in "abcd")
    model.add(mbs.Revolute("P", model.body("i").at(a, b), model.body("j").at(c, d)))
    eq = mbs.equations(model)
    assert eq.compare(
        gamma=[
            read("(a*cos(phi_1) - b*sin(phi_1))*phidot_1**2 - (c*cos(phi_2) - d*sin(phi_2))*phidot_2**2", eq),
            read("(a*sin(phi_1) + b*cos(phi_1))*phidot_1**2 - (c*sin(phi_2) + d*cos(phi_2))*phidot_2**2", eq),
        ]
    )


# --- any model: what is shown is what is run --------------------------------------------------------------------------


def menagerie():
    """Many kinds of elements at once. They contradict each other: only their equations are read."""
    model = mbs.PlanarModel("menagerie", gravity=(0.3, -9.81))
    r, l, w = model.parameter("r", 0.2), model.parameter("l", 0.7), model.parameter("omega", 1.3)
    ground = model.ground
    crank = model.body("crank", 1.0, r**2 / 12, com=(0.1, 0.05), position=(0.1, 0.2), angle=0.3)
    rod = model.body("rod", 2.0, l**2 / 12, com=(-0.02, r), position=(0.5, 0.1), angle=-0.4)
    slider = model.body("slider", 0.5, 1e-3, position=(0.9, 0.4))
    course = mbs.Table([0.0, 0.4, 1.1, 2.0, 3.0], [0.0, 0.5, 0.3, 0.9, 1.0])
    cam = mbs.Table(np.linspace(0, 2 * np.pi, 9), 0.3 + 0.1 * np.cos(np.linspace(0, 2 * np.pi, 9)), periodic=True)
    stroke = mbs.Motion(start=0.1).rise(0.4, over=0.7, law="modified sine").return_(over=1.1, law="3-4-5").repeat()
    model.add(
        mbs.Revolute("A", ground.at(0.1, 0.2), crank.at(-r / 2, 0.05)),
        mbs.Revolute("B", crank.at(r / 2, 0), rod.at(-l / 2, 0.1)),
        mbs.Distance("link", crank.at(0, 0.1), slider.at(0.2, 0), length=l + 0.1),
        mbs.PinInSlot("slot", rod.at(0.1, 0.2, angle=0.3), ground.at(0.6, 0.1)),
        mbs.Translational("guide", ground.at(0, 0.1, angle=sp.pi / 6), slider.at(0.1, 0.2, angle=w)),
        mbs.Fixed("weld", rod.at(0.1, 0.3), slider.at(0.2, 0.1, angle=0.5)),
        mbs.Gear("mesh", crank, slider, carrier=rod, ratio=2 * r),
        mbs.RackAndPinion("rack", crank.at(0.1, 0), slider.at(0, 0.1), radius=r),
        mbs.CamFollower("cam", crank, slider.at(0.3, 0.1), profile=cam, follower="flat"),
        mbs.CoordinateFix("fix", rod.at(0.3, 0.4), "y", l),
        mbs.Constraint("edge", rod, ground, psi=lambda i, j: i.y_axis.dot(i.velocity) - w * mbs.t),
        mbs.Constraint("spare", rod.at(l, 0), slider, rod, phi=lambda i, j, k: i.x * k.y - j.y**2 * sp.sin(k.angle)),
        mbs.Driver("motor", mbs.angle(ground, crank), 0.3 + w * mbs.t**2),
        mbs.Driver("table", mbs.distance(crank, slider), course),
        mbs.Driver("stroke", mbs.displacement(ground, rod), stroke),
    )
    return model


@pytest.fixture(scope="module")
def zoo():
    model = menagerie()
    return model.compile(), mbs.equations(model)


def wrap(x, period):
    return x - period * math.floor(x / period)


def lookup(table, order, x):
    ends, x = ("periodic", wrap(x, table.x[-1])) if table.periodic else ("not-a-knot", x)
    return float(CubicSpline(table.x, table.y, bc_type=ends)(x, order))


def test_shown_equations_are_those_that_run(zoo):
    system, eq = zoo
    assert eq.rows == tuple((row.element, row.number) for row in system.rows)
    dice = np.random.default_rng(5)
    times, still = np.array([0.35, 1.6, 2.2]), np.zeros((3, 3))
    q = system.placement[: system.nv] + dice.uniform(-0.3, 0.3, (3, system.nv))
    v, a = dice.normal(size=(2, 3, system.nv))
    run = system.read_constraints(times, *(np.hstack([s, still]) for s in (q, v, a)))

    shown = [m.tolist() for m in (eq.Phi, eq.Phi_q, eq.nu, eq.gamma)]
    symbols, functions = [*eq.symbols.values()], [{"Wrap": wrap, "SmoothWrap": wrap, "Lookup": lookup}, "math"]
    of = sp.lambdify(symbols, shown, modules=functions, cse=True)
    constants = dict(eq.values) | {symbol: symbol.table for symbol in eq.tables.values()}
    for k, time in enumerate(times):
        point = constants | dict(zip((*eq.q, *eq.v, mbs.t), (*q[k], *v[k], time), strict=True))
        Phi, Phi_q, nu, gamma = map(np.array, of(*(point[s] for s in symbols)))
        np.testing.assert_allclose(Phi[:, 0], run[0][k][list(eq.position_rows)], rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(Phi_q @ v[k] - nu[:, 0], run[1][k], rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(Phi_q @ a[k] - gamma[:, 0], run[2][k], rtol=1e-11, atol=1e-11)


def test_velocity_rows_have_no_row_in_phi(zoo):
    eq = zoo[1]
    edge = eq.rows.index(("edge", 0))
    assert edge not in eq.position_rows and len(eq.Phi) == len(eq.rows) - 1
    assert eq.nu[edge] == eq.symbols["omega"] * mbs.t
    assert same(eq.Phi_q[edge, :].dot(eq.v), "ydot_3*cos(phi_3) - xdot_3*sin(phi_3)", eq)


def test_what_cancels_leaves_no_roundoff(zoo):
    assert all(abs(f) > 1e-6 for m in (zoo[1].Phi_q, zoo[1].gamma) for f in m.atoms(sp.Float))


def test_mass_and_force_are_those_of_lagrange():
    gravity = 0, -9
    model = mbs.PlanarModel(gravity=gravity)
    m, inertia, c, d = (model.parameter(n, value) for n, value in (("m", 2.0), ("J", 0.3), ("c", 0.4), ("d", -0.7)))
    body = model.body("pendulum", m, inertia, com=(c, d))
    model.add(mbs.Revolute("O", model.ground, body))
    eq = mbs.equations(model)
    phi, (vx, vy, omega) = eq.q[2], eq.v
    arm = sp.Matrix([c * sp.cos(phi) - d * sp.sin(phi), c * sp.sin(phi) + d * sp.cos(phi)])
    speed = sp.Matrix([vx - omega * arm[1], vy + omega * arm[0]])
    energy = sp.Rational(1, 2) * (m * speed.dot(speed) + inertia * omega**2)
    assert sp.simplify((eq.v.T * eq.M * eq.v)[0] / 2 - energy) == 0
    assert eq.M.is_symmetric()
    minors = [sp.simplify(eq.M[:k, :k].det()) for k in (1, 2, 3)]
    assert minors == [m, m**2, inertia * m**2]
    potential = -m * (eq.q[:2, 0] + arm).dot(sp.Matrix(gravity))
    lagrangian = sp.Matrix([energy - potential])
    # d/dt ∂L/∂v - ∂L/∂q = M a - Q, without a: what depends on q and v alone is -Q
    rest = lagrangian.jacobian(eq.v).jacobian(eq.q) * eq.v - lagrangian.jacobian(eq.q).T
    assert sp.simplify(rest + eq.Q) == sp.zeros(3, 1)


def four_bar():
    model = mbs.PlanarModel("four-bar", gravity=(0, -9.81))
    length = model.parameter("length", 0.4)
    a, b = model.body("a", 1.0, 0.1), model.body("b", 2.5, 0.2)
    model.add(
        mbs.Revolute("A", model.ground.at(0.0, 100.0), a.at(-length, 0)),
        mbs.Revolute("B", a.at(length, 0), b.at(0, 3)),
        mbs.Driver("motor", mbs.angle(a, b), mbs.t**2),
    )
    return model


def test_ground_is_body_1_where_it_is_used():
    model = four_bar()
    assert mbs.equations(model).bodies == {1: "ground", 2: "a", 3: "b"}
    assert mbs.equations(model).Phi[1] == sp.sympify(
        "100 - y_2 + length*sin(phi_2)", locals=mbs.equations(model).symbols
    )
    assert mbs.equations(model.without("A")).bodies == {1: "a", 2: "b"}
    assert mbs.equations(model.compile()).bodies == {1: "ground", 2: "a", 3: "b"}


def test_latex_and_text(book):
    model = four_bar()
    eq = mbs.equations(model)
    for part in (r"\dot{\phi}_{2}", r"\dot{x}_{3}", "x_{2}", r"\phi_{3}", r"\begin{aligned}", "9.81", "length"):
        assert part in eq.latex()
    assert eq._repr_latex_() == f"$${eq.latex()}$$"
    assert "[3] B: y_2: 1, phi_2: length*cos(phi_2), y_3: -1, phi_3: 3*sin(phi_3)" in str(eq)
    assert "[11] motor: -1.2\n" in str(book) and "M = 0" in str(book)
    lifted = model.plus(mbs.Driver("lift", mbs.y(model.bodies["b"]), mbs.Table([0, 1, 2, 3], [0, 1, 1, 0])))
    assert "lift: y_3 - Lookup(table_1, 0, t)" in str(mbs.equations(lifted))


def test_compare_finds_exactly_the_planted_entry(book):
    planted = book.Phi_q.as_mutable()
    planted[3, 8] *= -1
    wrong = book.compare(Phi_q=planted, gamma=book.gamma)
    (difference,) = wrong.differences
    assert not wrong and difference[:5] == ("Phi_q", 3, 8, "A", book.symbols["phi_3"]) and difference.difference != 0
    assert str(wrong) == "Phi_q[3, 8] (A, phi_3): expected -200*sin(phi_3), got 200*sin(phi_3)"
    forgotten = book.compare(gamma=[*book.gamma[:3], 0, *book.gamma[4:]])
    assert str(forgotten) == "gamma[3] (A): expected 200*phidot_3**2*cos(phi_3), got 0"
    heavy = mbs.equations(four_bar())
    assert str(heavy.compare(M=sp.diag(1, 1, "0.1", 2.5, 2.5, 0.3))).startswith("M[5, 5] (b, phi_3): expected 0.2,")


def test_compare_finds_a_small_difference(book):
    nearly = book.Phi_q.as_mutable()
    nearly[3, 8] = sp.sympify("-(200 + 1/10**15)*sin(phi_3)")
    assert [d[1:3] for d in book.compare(Phi_q=nearly).differences] == [(3, 8)]


def test_compare_takes_any_form_of_an_entry(book, zoo):
    other = book.Phi_q.as_mutable()
    phi_1, phi_4 = sp.symbols("phi_1 phi_4")  # known by name, whatever else was assumed of them
    other[9, 2] = -100 * sp.cos(phi_1 - phi_4)
    other[3, 6] = -(sp.sin(phi_4) ** 2) - sp.cos(phi_4) ** 2
    done = book.compare(Phi_q=other, Phi=[read(str(e), book) for e in book.Phi], nu=np.array([0.0] * 11 + [-1.2]))
    assert done and done.differences == () and str(done) == "Phi, Phi_q, nu: every entry agrees"
    eq = zoo[1]
    nu = list(eq.nu)
    nu[-2] = f"2*{nu[-2]}/2 + Lookup(table_1, 2, y_2) - Lookup(table_1, 2, y_2*cos(y_2)**2 + y_2*sin(y_2)**2)"
    nu[-2] = nu[-2].replace(eq.tables["table_2"].name, "table_2")
    other = nu[-2].replace("table_2, 1", "table_2, 0")
    assert eq.compare(nu=[*nu[:-2], read(nu[-2], eq), nu[-1]])
    assert len(eq.compare(nu=[*nu[:-2], read(other, eq), 0]).differences) == 2


def test_compare_says_what_cannot_be_compared(book):
    def message(**given):
        with pytest.raises(mbs.ModelError) as caught:
            book.compare(**given)
        return str(caught.value)

    assert message(Phi_q=sp.zeros(12, 9)) == "Phi_q is 12 x 12 (see .rows and .q), not 12 x 9; correct its shape"
    assert "gamma is 12 x 1" in message(gamma=[0] * 11) and "not 1 x 12" in message(nu=[[0] * 12])
    phi_9, phi_2 = sp.symbols("phi_9 phi_2")
    assert message(nu=[phi_9 * phi_2, sp.Function("sn")(mbs.t), *[0] * 10]).startswith(
        "nu contains unknown symbols: phi_9, sn(); known are x_1, y_1, phi_1, x_2"
    )
    for entry in ("-200*sin(phi_3)", sp.zoo, None):
        wanted = f"{entry!r} in nu is not a finite expression; write an entry as in -200 * sp.sin(eq.symbols['phi_3'])"
        assert message(nu=[entry, *[0] * 11]).startswith(wanted)
    assert message().startswith("compare() was given no matrix")


def test_equations_need_a_model_with_bodies_and_names_of_its_own():
    with refused("not-a-model", value="crank"):
        mbs.equations("crank")
    with refused("no-bodies", model="empty"):
        mbs.equations(mbs.PlanarModel("empty"))
    model = four_bar()
    model.parameter("phi_2", 1.0)
    with refused("name-taken", kind="parameter", name="phi_2"):
        mbs.equations(model)
