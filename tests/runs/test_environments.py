"""A mechanism as an environment that a program learns to control."""

import numpy as np
import pytest

import mbs_dae as mbs

checker = pytest.importorskip("gymnasium.utils.env_checker")


def pole_on_cart():
    model = mbs.PlanarModel("cart", gravity=(0, -9.81))
    body = model.body("cart", mass=2.0, inertia=1.0)
    model.add(mbs.Translational("guide", model.ground, body))
    pole = model.link("pole", (0, 0), (0, 1), mass=0.5)
    push = model.input("push", 0.0, unit="N")
    model.add(mbs.Revolute("pin", body, pole.tail), mbs.Force("motor", body, (push, 0)))
    return model


def upright(random):
    lean = random.uniform(-0.05, 0.05)
    return {"cart.x": 0.0, "cart.vx": 0.0, "pole.angle": np.pi / 2 + lean, "pole.omega": 0.0}


SEEN = ["cart.x", "cart.vx", "pole.angle", "pole.omega"]


@pytest.fixture(scope="module")
def env():
    model = pole_on_cart()
    lean = model["pole.angle"] - np.pi / 2
    return mbs.environment(
        model, {"push": (-10, 10)}, SEEN, reward=1 - lean**2, ends=abs(lean) > 0.5, initial=upright, until=2.0
    )


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_it_is_an_environment(env):
    checker.check_env(env)


def test_it_moves_as_simulate_does(env):
    seen, info = env.reset(seed=5)
    first = dict(zip(SEEN, seen, strict=True))
    for _ in range(3):
        seen, reward, terminated, truncated, info = env.step([4.0])
        assert reward == pytest.approx(1 - (seen[2] - np.pi / 2) ** 2) and not terminated and not truncated
    pushed = mbs.simulate(pole_on_cart().with_inputs(push=4.0), [0, 0.06], first)
    assert info["t"] == pytest.approx(0.06)
    np.testing.assert_allclose(seen, [pushed[name][-1] for name in SEEN], rtol=1e-7)


def test_an_episode_ends(env):
    env.reset(seed=5)
    for _ in range(101):
        seen, _, terminated, truncated, info = env.step([10.0])
        if terminated or truncated:
            break
    assert terminated and abs(seen[2] - np.pi / 2) > 0.5 and info["t"] < 2.0
    balanced = mbs.environment(pole_on_cart(), {"push": (-1, 1)}, ["cart.x"], reward=0.0, until=0.1, initial=upright)
    balanced.reset(seed=1)
    assert [balanced.step([0.0])[3] for _ in range(5)] == [False, False, False, False, True]


def test_what_is_wrong_is_told():
    model = pole_on_cart()
    for action, seen, reward, word in (
        ({"pull": (-1, 1)}, ["cart.x"], 0.0, "push"),
        ({"push": (1, -1)}, ["cart.x"], 0.0, "low < high"),
        ({"push": 3.0}, ["cart.x"], 0.0, "bounds"),
        ({"push": (-1, 1)}, ["cart.z"], 0.0, "cart.x"),
        ({"push": (-1, 1)}, ["pole"], 0.0, "pole"),
        ({"push": (-1, 1)}, ["cart.x"], mbs.theta, "theta"),
    ):
        with pytest.raises(mbs.ModelError, match=word):
            mbs.environment(model, action, seen, reward=reward, initial=upright)


def test_it_draws_itself_and_holds_inputs_with_a_law():
    model = pole_on_cart().with_inputs(push=3.0 * mbs.t)
    drawn = mbs.environment(model, {"push": (-1, 1)}, ["cart.x"], reward=0.0, initial=upright, render_mode="rgb_array")
    drawn.reset(seed=2)
    drawn.step([0.5])
    picture = drawn.render()
    assert picture.ndim == 3 and picture.shape[2] == 3 and picture.std() > 0.0
    with pytest.raises(mbs.ModelError, match="rgb_array"):
        mbs.environment(model, {"push": (-1, 1)}, ["cart.x"], reward=0.0, initial=upright, render_mode="human")
