"""Events, resets and logs of runs: what is meant otherwise is refused with what is to be written."""

from __future__ import annotations

import copy
import pickle

import pytest
from refusals import refused

import mbs_dae as mbs


@pytest.fixture(scope="module")
def bench():
    model = mbs.PlanarModel("bench", gravity=(0, -10))
    block = model.body("block", mass=1.0, inertia=1.0)
    rub = model.add(mbs.Contact("rub", mbs.Line(model.ground), mbs.Point(block), friction=0.2))
    model.add(mbs.Event("stops", when=rub.sticks), mbs.Event("far", when=model["block.x"] - 100))
    return model, rub, mbs.simulate(model, [0, 1], {"block.vx": 1.0, "block.vy": 0.0})


WHEN = {
    "a change as text": (lambda rub: "rub.sticks", ("is-a-text", "rub", "model.elements")),
    "a quantity as text": (lambda rub: "block.x", ("is-a-text", "block.x")),
    "an expression as text": (lambda rub: "block.x - 1", ("is-a-text",)),
    "a change that is called": (lambda rub: rub.sticks(), ("is-a-change",)),
    "a contact": (lambda rub: rub, ("is-a-contact",)),
    "several changes": (lambda rub: [rub.sticks, rub.slips], ("several-changes", "mbs.Event")),
    "either change": (lambda rub: rub.sticks | rub.slips, ("several-changes", "mbs.Event")),
}


@pytest.mark.parametrize("what", WHEN)
def test_when_of_an_event_says_what_to_write(bench, what):
    when, remedy = WHEN[what]
    with refused(remedy[0], mentions=remedy[1:]):
        mbs.Event("x", when=when(bench[1]))


@pytest.mark.parametrize(
    ("value", "remedy"),
    [
        ("1 m/s", "a number without quotes, in SI units, not in m/s"),
        ("-2.5e3", "a number without quotes$"),
        ("block.vx", r"model\['block\.vx'\]"),
        ("-block.vx", "text is not evaluated"),
    ],
)
def test_new_values_of_a_reset_are_no_text(value, remedy):
    with refused("is-a-text", mentions=["block.vx", value]):
        mbs.Reset({"block.vx": value})


@pytest.mark.parametrize(
    ("action", "remedy"),
    [
        ({"block.vx": 1.0}, ("not-a-reset", "mbs.Reset")),
        (lambda state: None, ("unknown-choice", "mbs.Reset")),
        ([mbs.Reset({"block.vx": 1.0})], ("unknown-choice",)),
    ],
)
def test_actions_of_events_say_what_to_write(bench, action, remedy):
    with refused(remedy[0], mentions=remedy[1:]):
        mbs.Event("x", when=bench[1].sticks, action=action)


def test_logs_of_a_run_are_read_by_number_and_by_name(bench):
    model, rub, run = bench
    assert run.transitions["rub"] == run.transitions[rub] == tuple(run.transitions) == run.transitions[:]
    assert run.transitions["rub"][0] is run.transitions[0]
    assert len(run.events["stops"]) == 1 and run.events["far"] == () and run.impacts["rub"] == ()
    for log, name in ((run.transitions, "rib"), (run.events, "stop"), (run.impacts, "floor")):
        with refused("unknown-name", mentions=f"{name!r}"):
            log[name]
    again = pickle.loads(pickle.dumps(run.transitions["rub"]))
    assert [one[:5] for one in again["rub"]] == [one[:5] for one in run.transitions]


def test_logs_of_impacts_and_files_are_read_by_name(tmp_path):
    model = mbs.PlanarModel("balls", gravity=(0, -10))
    for k, height in enumerate((1.0, 2.0)):
        ball = model.body(f"ball {k}", mass=1.0, inertia=0.1, position=(k, height))
        model.add(mbs.Contact(f"floor {k}", mbs.Line(model.ground), mbs.Point(ball), restitution=1.0))
    run = mbs.simulate(model, [0, 0.7])
    assert [one.t for one in run.impacts["floor 0"]] == pytest.approx([0.2**0.5])
    assert [one.t for one in run.impacts["floor 1"]] == pytest.approx([0.4**0.5])
    run.save(tmp_path / "run.npz")
    stored = mbs.load(tmp_path / "run.npz")
    assert [one.t for one in stored.impacts["floor 1"]] == [one.t for one in run.impacts["floor 1"]]
    assert stored.transitions["floor 1"] == ()


def test_attributes_of_logs_are_names_in_brackets(bench):
    _, _, run = bench
    with pytest.raises(AttributeError, match=r"each contact or friction in brackets, log\['rub'\]: rub"):
        _ = run.transitions.rub
    with pytest.raises(AttributeError, match=r"has no 'floor'; .* each event in brackets, log\['name'\]: far, stops"):
        _ = run.events.floor
    assert len(pickle.loads(pickle.dumps(run.transitions))["rub"]) == len(run.transitions["rub"])


@pytest.mark.parametrize("change", ["sticks", "slips", "touches", "parts"])
def test_changes_of_a_joint_are_those_of_another_element(change):
    model = mbs.PlanarModel("bench", gravity=(0, -10))
    guide = mbs.Translational("guide", model.ground, model.body("block", mass=1.0, inertia=1.0))
    other = "Friction" if change in ("sticks", "slips") else "Stop"
    told = rf"^Translational 'guide' has no '{change}'; .*mbs\.{other}\(.*\.{change}; its readings are"
    with pytest.raises(AttributeError, match=told):
        getattr(guide, change)
    with pytest.raises(AttributeError, match="^Force 'F' has no 'size'; its arguments are: "):
        _ = mbs.Force("F", guide.markers[0].body, (1.0, 0.0)).size
    assert not hasattr(guide, "size") and copy.deepcopy(guide).name == "guide"
