"""A mechanism as an environment that a program learns to control."""

import numpy as np
import pytest
from refusals import refused

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


@pytest.mark.filterwarnings(
    "error",
    "ignore:.*a symmetric and normalized space:UserWarning",  # actions are in SI units
    "ignore:.*Box observation space m.* value is -?infinity:UserWarning",  # and what is seen has no bounds
    "ignore:.*Not able to test alternative render modes:UserWarning",  # it is made of a model, not by a registered name
)
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
        ({"pull": (-1, 1)}, ["cart.x"], 0.0, ("unknown-name", "push")),
        ({"push": (1, -1)}, ["cart.x"], 0.0, ("bounds-upside-down",)),
        ({"push": 3.0}, ["cart.x"], 0.0, ("wrong-length",)),
        ({"push": (-1, 1)}, ["cart.z"], 0.0, ("unknown-name", "cart.x")),
        ({"push": (-1, 1)}, ["pole"], 0.0, ("is-a-vector", "pole.x", "pole.y")),
        ({"push": (-1, 1)}, ["pin.force"], 0.0, ("is-a-vector", "pin.Fx", "pin.Fy")),
        ({"push": (-1, 1)}, "cart.x", 0.0, ("not-a-list",)),
        ({"push": (-1, 1)}, ["cart.x"], mbs.theta, ("unknown-name", "theta")),
        ({"push": (-1, 1)}, ["cart.x"], model["cart.x"] > 1, ("not-a-number",)),
    ):
        with refused(word[0], mentions=word[1:]):
            mbs.environment(model, action, seen, reward=reward, initial=upright)


def test_it_draws_itself_and_holds_inputs_with_a_law():
    model = pole_on_cart().with_inputs(push=3.0 * mbs.t)
    drawn = mbs.environment(model, {"push": (-1, 1)}, ["cart.x"], reward=0.0, initial=upright, render_mode="rgb_array")
    drawn.reset(seed=2)
    drawn.step([0.5])
    picture = drawn.render()
    assert picture.ndim == 3 and picture.shape[2] == 3 and picture.std() > 0.0
    with refused("unknown-choice", argument="render_mode", value="human"):
        mbs.environment(model, {"push": (-1, 1)}, ["cart.x"], reward=0.0, initial=upright, render_mode="human")


def test_a_step_is_a_time():
    slow = mbs.environment(pole_on_cart(), {"push": (-1, 1)}, SEEN, reward=0.0, initial=upright, step=0.5)
    slow.reset(seed=3)
    assert slow.step([0.0])[4]["t"] == 0.5
    for name, value in (("step", 0.0), ("step", -1.0), ("step", np.nan), ("until", 0.0), ("until", np.nan)):
        with refused(("not-finite", "not-positive"), mentions=name):
            mbs.environment(pole_on_cart(), {"push": (-1, 1)}, SEEN, reward=0.0, **{name: value})


def test_an_end_is_a_condition_and_a_reward_a_number():
    model = pole_on_cart()
    lean = model["pole.angle"] - np.pi / 2
    for ends in (lean, 0, None, "lean > 1"):
        with refused("not-true-or-false", argument="ends"):
            mbs.environment(model, {"push": (-1, 1)}, SEEN, reward=0.0, ends=ends, initial=upright)
    for given, told in (
        ({"ends": lambda run: None}, ("not-true-or-false", "0.02", "None")),
        ({"reward": lambda run: None}, ("not-a-number", "0.02")),
        ({"reward": lambda run: np.nan}, ("not-finite", "0.02")),
    ):
        bad = mbs.environment(model, {"push": (-1, 1)}, SEEN, **{"reward": 0.0, "initial": upright, **given})
        bad.reset(seed=3)
        with refused(told[0], mentions=told[1:]):
            bad.step([0.0])
    with pytest.raises(TypeError, match="nor an expression"):
        mbs.environment(model, {"push": (-1, 1)}, SEEN, reward="1 - lean**2", initial=upright)


def test_a_reward_may_read_tables_and_parameters():
    model = pole_on_cart()
    bonus = model.parameter("bonus", 3.0)
    seats = mbs.Table([-1.0, 0.0, 1.0], [0.0, 1.0, 0.0])
    paid = mbs.environment(model, {"push": (-1, 1)}, SEEN, reward=bonus + seats(model["cart.x"]), initial=upright)
    paid.reset(seed=3)
    assert paid.step([0.0])[1] == pytest.approx(4.0, abs=1e-3)


def test_an_action_sets_what_a_controller_samples():
    model = pole_on_cart()
    seen = model.state("seen")
    model.add(mbs.Sampled("watch", every=0.02, update={seen: model["push"]}))
    watched = mbs.environment(model, {"push": (-1, 1)}, ["seen"], reward=0.0, initial=upright)
    watched.reset(seed=3)
    assert [watched.step([push])[0][0] for push in (0.25, 0.5, 0.75)] == [0.25, 0.5, 0.75]


def test_an_action_has_a_number_for_each_input(env):
    env.reset(seed=5)
    with refused("wrong-length", argument="action", length=1):
        env.step([1.0, 2.0])


def test_an_episode_is_terminated_where_the_motion_cannot_go_on():
    """A force sqrt(0.5 - x) has no value behind x = 0.5."""
    model = mbs.PlanarModel("track")
    body = model.body("body", mass=1.0, inertia=1.0)
    push = model.input("push", unit="N")
    model.add(mbs.Force("pull", body, (push + (0.5 - model["body.x"]) ** 0.5, 0)))
    begin = {"body.x": 0.4, "body.vx": 1.0}
    env = mbs.environment(model, {"push": (-1, 1)}, ["body.x"], reward=model["body.x"], initial=begin, step=0.05)
    env.reset(seed=1)
    seen, reward, terminated, truncated, info = env.step([0.0])
    assert not terminated and "error" not in info and seen[0] == pytest.approx(0.45, abs=1e-2)
    with pytest.warns(UserWarning, match="the episode is terminated: .*no finite force"):
        last, reward, terminated, truncated, info = env.step([1.0])
    assert terminated and not truncated and "no finite force" in info["error"]
    assert last == pytest.approx(seen) and reward == pytest.approx(seen[0]) and info["t"] == 0.05
    with refused("run-has-ended", model="track"):
        env.step([0.0])
    assert env.reset(seed=2)[0] == pytest.approx(0.4) and not env.step([0.0])[2]
