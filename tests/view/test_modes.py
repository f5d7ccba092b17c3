"""Small motions seen: modes are drawn where they lead, eigenvalues where they are, lines as they are followed."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs

G = 9.81


@pytest.fixture(scope="module")
def pendulums() -> mbs.PlanarModel:
    """Two point masses on rods of 1 m: ω² = g (2 ∓ √2), and the lower goes 1 ± √2 times as far."""
    model = mbs.PlanarModel("pendulums", gravity=(0.0, -G))
    above = model.ground.at(0, 0)
    for k in range(2):
        point = model.body(f"m{k}", position=(0, -(k + 1.0)), mass=1.0)
        model.add(mbs.Revolute(f"J{k}", above, point.at(0, 1.0)))
        above = point.at(0, 0)
    return model


@pytest.fixture(scope="module")
def law(pendulums) -> mbs.LinearSystem:
    return mbs.linearize(pendulums)


@pytest.fixture(scope="module")
def damped() -> mbs.LinearSystem:
    """A mass on a spring and a damper: λ = -1 ± 2i; and one that nothing holds."""
    model = mbs.PlanarModel("mass")
    for name, y in (("held", 0.0), ("loose", 1.0)):
        block = model.body(name, 2.0, 1.0, position=(0.5, y))
        model.add(mbs.Translational(f"guide {name}", model.ground.at(0, y), block))
    held = model.bodies["held"]
    model.add(mbs.SpringDamper("s", model.ground.at(-1, 0), held, stiffness=10.0, damping=4.0, length=1.5))
    return mbs.linearize(model, {"held.x": 0.5})


def test_a_mode_is_a_period_of_closed_poses(law):
    motion = law.motion(2, amplitude=1e-3)
    assert motion.t[-1] == pytest.approx(2 * np.pi / np.sqrt(G * (2 + np.sqrt(2))), rel=1e-12)
    assert np.max(motion.violation) < 1e-12
    largest = law.modes[1].shape["m0.x"].real
    expected = 1e-3 * largest * np.cos(2 * np.pi * motion.t / motion.t[-1])
    np.testing.assert_allclose(motion["m0.x"], expected, rtol=0, atol=1e-8)
    np.testing.assert_allclose(motion["m1.x"], (1 - np.sqrt(2)) * expected, rtol=0, atol=1e-8)
    rates = np.gradient(motion["m0.x"], motion.t)[1:-1]
    np.testing.assert_allclose(motion["m0.vx"][1:-1], rates, rtol=0, atol=3e-3 * np.abs(rates).max())


def test_large_amplitudes_stretch_no_rod(law):
    motion = law.motion(1, amplitude=0.8)
    assert np.abs(motion["m1.x"]).max() > 0.6
    np.testing.assert_allclose(np.hypot(motion["m0.x"], motion["m0.y"]), 1.0, rtol=1e-9)


def test_a_mode_fades_as_it_does(damped):
    (loose, *_), motion = damped.modes, damped.motion(len(damped.modes), amplitude=0.1)
    x = motion["held.x"] - 0.5
    np.testing.assert_allclose(x, 0.1 * np.exp(-motion.t) * np.cos(2 * motion.t), rtol=0, atol=1e-9)
    assert loose.eigenvalue == 0.0
    away = damped.motion(1, amplitude=0.1)["loose.x"]
    np.testing.assert_allclose(np.abs(away - away[0]), np.linspace(0, 0.1, len(away)), atol=1e-12)


def test_shapes_side_by_side(law):
    figure = law.draw(amplitude=0.2)
    assert [ax.get_title() for ax in figure.axes] == ["mode 1: 2.397 rad/s, 0.382 Hz", "mode 2: 5.787 rad/s, 0.921 Hz"]
    for ax in figure.axes:
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("x [m]", "y [m]")
    assert len(law.draw(2).axes) == 1
    lines = [line.get_xydata() for line in figure.axes[0].get_lines()]
    reached = max(float(np.nanmax(np.abs(path[:, 0]))) for path in lines if len(path))
    assert 0.15 < reached <= 0.2 + 1e-9  # the lower mass, closed


def test_titles_tell_damping_and_what_does_not_swing(damped):
    figure = damped.draw()  # the loose one is left out
    assert [ax.get_title() for ax in figure.axes] == ["mode 3: 2.236 rad/s, 0.356 Hz, damping 0.447"]
    assert damped.draw(1).axes[0].get_title() == "mode 1: 0 1/s"


def test_eigenvalues_in_the_complex_plane(damped):
    (ax,) = damped.plot().axes
    marks = next(line for line in ax.get_lines() if line.get_marker() == "x").get_xydata()
    np.testing.assert_allclose(marks, [[0, 0], [0, 0], [-1, 2]], atol=1e-12)
    assert {text.get_text() for text in ax.texts} >= {"1, 2", "3", "ζ = 0.8", "0.4"}
    assert (ax.get_xlabel(), ax.get_ylabel()) == (r"Re $\lambda$ [1/s]", r"Im $\lambda$ [rad/s]")
    ray = next(line.get_xydata()[1] for line in ax.get_lines() if np.allclose(_ratio(line), 0.4))
    assert ray[0] < 0 < ray[1]


def _ratio(line) -> float:
    path = line.get_xydata()
    return -path[1, 0] / np.hypot(*path[1]) if len(path) == 2 and not path[0].any() else np.nan


def test_a_film_of_a_mode(law, tmp_path):
    film = law.animate(1)
    assert len(film) == pytest.approx(2.0 * 25 + 1, abs=1)  # one period in two seconds
    assert law.animate(2, tmp_path / "mode.png").read_bytes()[:4] == b"\x89PNG"


def test_a_mechanism_that_cannot_move_has_no_modes_to_draw(law):
    model = law.state.system.model
    held = model.plus(*(mbs.Driver(f"hold {k}", mbs.angle(model.bodies[f"m{k}"]), 0.0) for k in range(2)))
    with refused("out-of-bounds", argument="number", value=1):
        mbs.linearize(held).draw()


def test_modes_are_numbered_from_one(law, damped):
    for number in (0, 3, "m0"):
        with refused("out-of-bounds", least=1, most=2, model="pendulums"):
            law.motion(number)
    with refused("amplitude-too-large", model="pendulums"):
        law.motion(1, amplitude=1e12)
    model = mbs.PlanarModel("loose")
    model.body("body", 1.0, 1.0)
    with refused("no-nonzero-eigenvalue", model="loose"):
        mbs.linearize(model, {}).draw()


# --- along a parameter ------------------------------------------------------------------------------------------------


def two_springs() -> mbs.PlanarModel:
    """A point on two springs at right angles, which are not coupled: ω² = k and 4."""
    model = mbs.PlanarModel("two springs")
    k = model.parameter("k", 1.0, unit="N/m")
    point = model.body("p", 1.0)
    model.add(
        mbs.CoordinateFix("upright", point, "angle"),
        mbs.Force("springs", point, (-k * model["p.x"], -4.0 * model["p.y"])),
    )
    return model


@pytest.mark.parametrize("count", [8, 9])
def test_lines_cross_where_modes_do(count):
    """At k = 4, which is between two of eight values and is one of nine."""
    path = mbs.linearize(two_springs(), over=("k", np.linspace(1.0, 7.0, count)))
    found = sorted((line.damped_frequencies for line in path.lines), key=lambda line: line[0])
    np.testing.assert_allclose(found[0], np.sqrt(path.values), rtol=1e-12)
    np.testing.assert_allclose(found[1], 2.0, rtol=1e-12)
    above, below = path.plot().axes
    assert below.get_xlabel() == "k [N/m]"
    assert [above.get_ylabel(), below.get_ylabel()] == [r"Re $\lambda$ [1/s]", r"Im $\lambda$ [rad/s]"]
    np.testing.assert_array_equal([line.get_ydata()[0] for line in below.get_lines()], sorted([1.0, 2.0]))
    with refused("not-a-speed", name="k", unit="N/m"):
        path.plot_campbell()


def test_what_cannot_be_swept():
    model = two_springs()
    with refused("not-increasing", name="k"):
        mbs.linearize(model, over=("k", [3.0, 1.0]))
    with refused("unknown-name", kind="parameter, input or quantity", name="p.vz"):
        mbs.linearize(model, over=("p.vz", [3.0, 4.0]))
    for pair in ("k", ("k", 3.0), ["k"], (1.0, 2.0)):
        for verb in (mbs.linearize, mbs.equilibrium):
            with refused("wrong-shape", argument="over"):
                verb(model, over=pair)
    with refused("contradictory-arguments", argument="state"):
        mbs.linearize(model, mbs.equilibrium(model).state, over=("k", [3.0, 4.0]))
