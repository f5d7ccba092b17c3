"""Equations and worked solutions as papers: they are well formed, whatever is in them, and say what is right."""

import re
import shutil
import subprocess
from html.parser import HTMLParser

import numpy as np
import pytest
import sympy as sp
from gallery import load
from nasty_names import nasty
from refusals import refused

import mbs_dae as mbs
from mbs_dae.documents import Math
from mbs_dae.documents.latex import formula
from mbs_dae.documents.mathml import mathml

EMPTY = ("meta", "br", "img", "link", "input")


class Tags(HTMLParser):
    """All tags are closed in their order, and nothing runs or is loaded."""

    def __init__(self, page):
        super().__init__()
        self.open, self.seen = [], []
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        assert not {name for name, _ in attrs} & {"src", "href", "onclick", "onload", "onerror"}
        self.seen.append(tag)
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def check_html(page):
    seen = Tags(page).seen
    known = "html head meta title style body h1 h2 p div table thead tbody tr th td math mrow mi mn mo mtext mfrac "
    known += "msub msup msubsup msqrt mroot mover mtable mtr mtd mspace mstyle"
    assert {*seen} <= {*known.split()}
    assert "default-src 'none'" in page and "://" not in page


def check_latex(text):
    """Braces, environments and dollars stand in pairs; commands are those that are known."""
    bare = re.sub(r"\\[\\{}$&#%_]", "", re.sub(r"(?m)^%.*$", "", text))
    depth = 0
    for c in bare:
        depth += {"{": 1, "}": -1}.get(c, 0)
        assert depth >= 0
    assert depth == 0 and bare.count("$") % 2 == 0 and "_}" not in bare and "$_" not in bare
    assert "%" not in bare and "#" not in bare
    stack = []
    for what, name in re.findall(r"\\(begin|end)\{(\w+)\}", bare):
        if what == "begin":
            stack.append(name)
        else:
            assert stack.pop() == name
    assert not stack
    assert "input" not in {*re.findall(r"\\([a-zA-Z]+)", bare)}


def test_any_names_are_set_as_they_are(tmp_path):
    equations = mbs.equations(nasty())
    html, tex, md = (equations.save(tmp_path / f"eq{end}").read_text("utf-8") for end in (".html", ".tex", ".md"))
    check_html(html)
    check_latex(tex)
    assert "&lt;/script&gt;&lt;script&gt;alert(1)" in html
    for text in (html, tex, md):
        assert not {"\u202e", "\r", "\u2028"} & {*text} and r"u" in text
    assert "<script" not in md


def test_latex_sets_it(tmp_path):
    """Where there is LaTeX: of the worst names, a worked solution, and wide matrices."""
    program = shutil.which("pdflatex")
    if program is None:
        pytest.skip("there is no LaTeX here; on Debian: apt-get install texlive-latex-recommended")
    papers = {"nasty": mbs.equations(nasty()), "solved": mbs.worked_solution(load("slider_crank").build(), t=0.1)}
    for name, paper in papers.items():
        paper.save(tmp_path / f"{name}.tex")
        told = [program, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", f"{name}.tex"]
        done = subprocess.run(told, cwd=tmp_path, capture_output=True, timeout=120)
        assert done.returncode == 0, done.stdout[-2000:]
        assert (tmp_path / f"{name}.pdf").stat().st_size > 10_000


def test_formulas_as_mathml_and_latex():
    x, phidot, e = sp.symbols("x_2 phidot_10 e0_3", real=True)
    law = sp.Piecewise((sp.sqrt(x) * sp.atan2(x, e), x < 1), (sp.Max(x, sp.sign(e)), True)) * phidot**2
    shown = mathml(Math("+", law, "=", sp.Symbol("__proto__")))
    Tags(shown)
    for part in ("<msqrt>", "<mo>&lt;</mo>", "˙", "<mtext>otherwise</mtext>", "__proto__", '<mo form="infix">+</mo>'):
        assert part in shown
    assert formula(Math(e, "=", sp.Symbol("ω_1"))) == r"e_{0,3} = {\omega}_{1}"
    assert formula(Math(sp.Symbol("__x"))) == r"\text{\_\_x}"


def test_a_file_that_says_nothing_of_its_kind_is_refused(tmp_path):
    eq = mbs.equations(nasty())
    with refused("unknown-format", argument="path", format=".doc"):
        eq.save(tmp_path / "equations.doc")
    with refused("cannot-write-file"):
        eq.save(tmp_path / "no" / "equations.tex")
    assert eq.save(tmp_path / "eq.py", "Phi").read_text("utf-8") == eq.to_code("Python", "Phi")


# --- worked solutions -------------------------------------------------------------------------------------------------


def follows(solution):
    """Newton's method with the Jacobian that sympy makes of Φ; then both linear systems."""
    eq, rows = solution.equations, [*solution.kept]
    numbers = {**eq.parameters, mbs.t: solution.t}
    Phi = eq.Phi.subs(numbers)
    of = sp.lambdify([eq.q], [Phi, Phi.jacobian(eq.q)])
    for before, after in zip(solution.iterates, solution.iterates[1:], strict=False):
        phi, jacobian = map(np.array, of(before.q))
        np.testing.assert_allclose(jacobian[rows] @ (after.q - before.q), -phi[rows, 0], atol=1e-12)
    return np.array(of(solution.q)[1])


@pytest.mark.parametrize("name", ("four_bar", "slider_crank", "double_parallel_crank"))
def test_what_is_handed_in_is_right(name, tmp_path):
    model, t = load(name).build(), 0.02 if name == "slider_crank" else 0.8
    solution = mbs.worked_solution(model, t)
    jacobian = follows(solution)
    np.testing.assert_allclose(jacobian, solution.Phi_q, atol=1e-12)
    result = mbs.kinematics(model, [0, t])
    for found, wanted in ((solution.q, result.q[-1]), (solution.v, result.v[-1]), (solution.a, result.a[-1])):
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)
    text = solution.text
    for k, it in enumerate(solution.iterates):
        assert f" {it.size:.1e} " in text.replace("\\", ""), k
    assert ("follows from the others" in text) == (name == "double_parallel_crank")
    check_html(solution.save(tmp_path / "solution.html").read_text("utf-8"))
    check_latex(solution.save(tmp_path / "solution.tex").read_text("utf-8"))


def test_start_values_far_from_the_placement():
    solution = mbs.worked_solution(load("four_bar").build(), 3.0)
    assert solution.started_at is not None and 0 < solution.started_at < 3
    assert "from the placement the method goes elsewhere" in solution.text
    assert max(x for x in solution.differences if x is not None) < 1e-9


def wheel():
    """A body about a hinge that stands askew, and one on it about another."""
    model = mbs.SpatialModel("two hinges")
    side, a = {"axis": (0, 1, 0)}, model.body("a", 1.0, inertia=(0.1, 0.1, 0.1), position=(0.2, 0.0, 0.0))
    b = model.body("b", 1.0, inertia=(0.1, 0.1, 0.1), position=(0.4, 0.0, 0.0))
    model.add(
        mbs.Revolute("A", model.ground.at(0, 0, 0, **side), a.at(-0.2, 0, 0, **side)),
        mbs.Revolute("B", a.at(0.2, 0, 0), b.at(-0.2, 0.1, 0)),
        mbs.Driver("one", mbs.angle(model.ground.at(0, 0, 0, **side), a.at(0, 0, 0, **side)), 0.4 + 2 * mbs.t),
        mbs.Driver("two", mbs.angle(a, b), 0.3 - mbs.t**2),
    )
    return model


def test_attitudes_turn_by_small_turns():
    model = wheel()
    solution = mbs.worked_solution(model, 0.3)
    assert max(x for x in solution.differences if x is not None) < 1e-9
    assert "quaternion" in solution.text and len(solution.iterates) > 3
    assert np.allclose(np.linalg.norm(solution.q.reshape(-1, 7)[:, 3:], axis=1), 1.0)


def pendulum(driven=False):
    model = mbs.PlanarModel("rod")
    rod = model.body("rod", mass=1.0, inertia=0.1, angle=0.6)
    rod.marker("tip", 0.5, 0)
    model.add(mbs.Revolute("pin", model.ground.at(0, 0), rod.at(0, 0)))
    return model.plus(mbs.Driver("pull", mbs.x(rod.markers["tip"]), 0.4 + 0.5 * mbs.t)) if driven else model


def test_freedoms_are_driven_or_given():
    with refused("undriven-freedom", freedoms=1):
        mbs.worked_solution(pendulum())
    solution = mbs.worked_solution(pendulum(), 1.0, {"rod.angle": 0.9, "rod.omega": 3})
    assert np.allclose(solution.v, [0, 0, 3]) and np.isclose(solution.q[2], 0.9) and np.allclose(solution.a, 0)
    text = solution.text.replace("\\", "")
    assert "rod.angle" in text and "they are given, and held" in text
    only_rate = mbs.worked_solution(pendulum(), 0.0, {"rod.omega": 3})
    assert np.allclose(only_rate.q, [0, 0, 0.6]) and np.allclose(only_rate.v, [0, 0, 3])
    with refused("held-by-no-driver", argument="initial", name="rod.alpha"):
        mbs.worked_solution(pendulum(), 0.0, {"rod.alpha": 3})


def test_a_dead_point_is_told():
    solution = mbs.worked_solution(pendulum(driven=True), 0.2)
    assert solution.v is None and solution.a is None and solution.singular
    text = solution.text.replace("\\", "")
    assert "The Jacobian is singular at this pose" in text and "at this dead point there is no motion" in text
    with refused("does-not-assemble", mbs.AssemblyError, kind="cannot reach"):
        mbs.worked_solution(pendulum(driven=True), 0.3)


def test_rolling_is_refused():
    with refused("nonholonomic", model="rolling disk", names=("contact",)):
        mbs.worked_solution(load("rolling_disk").build())


def test_a_corner_of_a_law_has_no_solution(interpreted_kernels):
    """There the derivative in symbols is that of neither side."""
    model = mbs.PlanarModel("corner")
    crank = model.body("crank")
    model.add(mbs.Revolute("O", model.ground, crank))
    model.add(mbs.Driver("motor", mbs.angle(model.ground, crank), sp.Abs(mbs.t - 1)))
    with refused("jump", time=1.0, joints=["motor"]):
        mbs.worked_solution(model, 1.0)
    assert mbs.worked_solution(model, 0.9).v[2] == -1.0
    rise = mbs.Motion().rise(1, over=1, law="harmonic")
    smooth = model.without("motor").plus(mbs.Driver("motor", mbs.angle(model.ground, crank), rise))
    assert mbs.worked_solution(smooth, 1.0).v[2] == pytest.approx(0.0, abs=1e-12)
