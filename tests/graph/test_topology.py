"""How mechanisms hang together: trees, loops, path matrices and counts, from print and by brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from gallery import NAMES, load
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from refusals import refused

import mbs_dae as mbs
from mbs_dae.view.graph import planned

TREES = load("seven_body_tree"), load("grounded_rrpr"), load("floating_five_body")
SEVEN, GROUNDED, FLOATING = (module.build for module in TREES)


def joined(*pairs: tuple[int, int], count: int) -> mbs.PlanarModel:
    """Bodies b1, b2, ... and revolutes between them (0 is the ground), named by their bodies."""
    model = mbs.PlanarModel("pairs")
    bodies = [model.ground, *(model.body(f"b{k}", 1.0, 1.0) for k in range(1, count + 1))]
    for i, j in pairs:
        model.add(mbs.Revolute(f"J{i}{j}", bodies[i], bodies[j]))
    return model


def four_bar() -> mbs.PlanarModel:
    model = mbs.PlanarModel("four-bar")
    crank, coupler, rocker = (model.body(name, 1.0, 1.0) for name in ("crank", "coupler", "rocker"))
    model.add(
        mbs.Revolute("A", model.ground, crank),
        mbs.Revolute("B", crank.at(1, 0), coupler),
        mbs.Revolute("C", coupler.at(3, 0), rocker.at(2, 0)),
        mbs.Revolute("D", model.ground.at(3, 0), rocker),
        mbs.Driver("motor", mbs.angle(model.ground, crank), mbs.t),
        mbs.Spring("spring", model.ground, rocker, 1.0),
    )
    return model


def edges_by_joint(topology: mbs.Topology) -> dict[str, tuple[str, str]]:
    return {e.joint.name if e.joint else "": (e.parent.name, e.child.name) for e in topology.edges}


# --- in print ---------------------------------------------------------------------------------------------------


def test_connectivity_of_the_seven_body_tree():
    topology = mbs.topology(SEVEN())
    assert topology.connectivity == topology.parents == (0, 1, 2, 1, 4, 4, 2)
    assert [edge.joint.name for edge in topology.edges] == [f"J{k}" for k in range(1, 8)]
    assert [str(edge.motions[0]) for edge in topology.edges] == ["turn z"] * 2 + ["slide z"] + ["turn z"] * 2 + [
        "slide z",
        "turn z",
    ]
    assert topology.is_tree and not topology.cuts and not topology.couplings and not topology.notes
    assert topology.gruebler == topology.degrees_of_freedom_of_tree == 7


def test_path_matrices_of_the_grounded_chain():
    """Issa and Arczewski, Fig. 1."""
    topology = mbs.topology(GROUNDED())
    np.testing.assert_array_equal(topology.path_matrix, [[-1, 1, 0, 0], [0, -1, 1, 0], [0, 0, -1, 1], [0, 0, 0, -1]])
    np.testing.assert_array_equal(
        topology.secondary_path_matrix, [[-1, 0, 0, 0], [-2, -1, 0, 0], [-3, -2, -1, 0], [-4, -3, -2, -1]]
    )


def test_path_matrices_of_the_floating_tree():
    """Issa and Arczewski, Fig. 2: the edge to the base counts like any other."""
    topology = mbs.topology(FLOATING())
    np.testing.assert_array_equal(
        topology.path_matrix,
        [[-1, 1, 0, 0, 1], [0, -1, 1, 0, 0], [0, 0, -1, 1, 0], [0, 0, 0, -1, 0], [0, 0, 0, 0, -1]],
    )
    np.testing.assert_array_equal(
        topology.secondary_path_matrix,
        [[-1, 0, 0, 0, 0], [-2, -1, 0, 0, 0], [-3, -2, -1, 0, 0], [-4, -3, -2, -1, 0], [-2, 0, 0, 0, -1]],
    )
    assert topology.path_matrix.dtype.kind == topology.secondary_path_matrix.dtype.kind == "i"
    assert topology.edges[0].floating and topology.edges[0].joint is None
    assert topology.degrees_of_freedom_of_tree == topology.gruebler == 10
    assert topology.notes == (
        "base floats, and upper, fore, hand, panel with it: no joint with motions leads from there to the ground.",
    )


# --- of any graph -----------------------------------------------------------------------------------------------


@st.composite
def mechanisms(draw) -> mbs.SpatialModel:
    """Bodies and joints at random: loops, double joints, and parts that hang on nothing."""
    model = mbs.SpatialModel("random")
    count = draw(st.integers(1, 6))
    bodies = [model.ground, *(model.body(f"b{k}", 1.0, 1.0) for k in range(1, count + 1))]
    kinds = st.sampled_from([mbs.Revolute, mbs.Spherical, mbs.Universal, mbs.Prismatic, mbs.PointInPlane, mbs.Fixed])
    for k in range(draw(st.integers(0, 9))):
        i, j = draw(st.lists(st.integers(0, count), min_size=2, max_size=2, unique=True))
        model.add(draw(kinds)(f"J{k}", bodies[i], bodies[j]))
    return model


@settings(max_examples=60, deadline=None)
@given(mechanisms())
def test_cut_joints_have_as_few_equations_as_can_be(model):
    """Against all sets of joints that leave the same bodies connected."""
    topology = mbs.topology(model)
    joints, numbers = [*model.conditions], topology.numbers
    rows = [len(joint.units) for joint in joints]
    pairs = [tuple(numbers[body.name] for body in joint.bodies) for joint in joints]
    floating = [k for k, edge in enumerate(topology.edges, start=1) if edge.floating]
    size = len(topology.bodies) - len(floating)
    everything = components(pairs, len(topology.bodies))
    heaviest = max(
        sum(rows[k] for k in chosen)
        for chosen in combinations(range(len(joints)), size)
        if components([pairs[k] for k in chosen], len(topology.bodies)) == everything
    )
    assert sum(cut.rows for cut in topology.cuts) == sum(rows) - heaviest


def components(pairs: list[tuple[int, int]], count: int) -> list[int]:
    """Of each node the least node that it is connected to."""
    least = list(range(count + 1))
    for _ in least:
        for i, j in pairs:
            least[i] = least[j] = min(least[i], least[j])
    return least


@settings(max_examples=60, deadline=None)
@given(mechanisms())
def test_what_holds_for_every_tree(model):
    topology = mbs.topology(model)
    n, parents = len(topology.bodies), topology.parents
    names = ["ground", *(body.name for body in topology.bodies)]
    assert sorted(names[1:]) == sorted(model.bodies)
    assert all(parent < number for number, parent in enumerate(parents, start=1)), "parents come first"

    pi, ways = topology.path_matrix, topology.secondary_path_matrix
    np.testing.assert_array_equal((ways < 0) @ -pi.T, np.eye(n))
    for body in topology.bodies:
        path = topology.path(body)
        assert [edge.parent for edge in path[1:]] == [edge.child for edge in path[:-1]]
        row = {topology.numbers[edge.child.name] - 1: -k for k, edge in enumerate(reversed(path), start=1)}
        np.testing.assert_array_equal(ways[topology.numbers[body.name] - 1], [row.get(j, 0) for j in range(n)])

    tree_pairs = {frozenset((edge.parent, edge.child)) for edge in topology.edges}
    for edge in topology.edges:
        if edge.joint:
            assert edge.joint.bodies == ((edge.child, edge.parent) if edge.reversed else (edge.parent, edge.child))
    for cut in topology.cuts:
        assert (cut.loop[0], cut.loop[-1]) == cut.condition.bodies
        assert {frozenset(pair) for pair in zip(cut.loop, cut.loop[1:], strict=False)} <= tree_pairs
        assert len(set(cut.loop)) == len(cut.loop)
    rows = sum(c.rows for c in (*topology.cuts, *topology.couplings))
    assert topology.gruebler == topology.degrees_of_freedom_of_tree - rows


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([*combinations(range(7), 2)]), max_size=12, unique=True))
def test_of_equal_joints_the_shortest_paths_are_kept(pairs):
    """With one kind of joint the tree is that of a breadth-first search: no way to the ground is shorter."""
    topology = mbs.topology(joined(*pairs, count=6))
    for body in topology.bodies:
        if not topology.path(body)[0].floating:
            assert len(topology.path(body)) == distance_from_the_ground(int(body.name[1:]), pairs)


def distance_from_the_ground(body: int, pairs: list[tuple[int, int]]) -> int:
    reached, steps = {0}, 0
    while body not in reached:
        reached |= {b for i, j in pairs for a, b in ((i, j), (j, i)) if a in reached}
        steps += 1
    return steps


@pytest.mark.parametrize("name", NAMES)
def test_counts_of_the_gallery(name):
    """What is in the tree and what is not are all conditions, and count as they are."""
    model = load(name).build()
    topology = mbs.topology(model)
    kept = [c.name for c in (*topology.cuts, *topology.couplings)]
    in_tree = [edge.joint.name for edge in topology.edges if edge.joint]
    assert sorted([*kept, *in_tree]) == sorted(c.name for c in model.conditions)
    assert topology.equations == sum(len(c.units) for c in model.conditions)
    assert topology.coordinates == (3 if model.dimension == 2 else 6) * len(model.bodies)


@pytest.mark.parametrize("name", ["six_bar", "planetary_gear", "slider_crank_textbook", "spatial_slider_crank"])
def test_counts_are_those_of_the_diagnosis(name):
    model = load(name).build()
    topology, diagnosis = mbs.topology(model), mbs.diagnose(model)
    for count in ("coordinates", "equations", "drivers", "gruebler"):
        assert getattr(topology, count) == getattr(diagnosis, count)
    assert topology.gruebler_without_drivers == diagnosis.gruebler + diagnosis.drivers


# --- the choice of the tree -------------------------------------------------------------------------------------


def test_of_a_loop_the_joint_with_fewest_equations_is_cut():
    """Ball and socket (3) before Cardan joint (4) before hinge (5)."""
    model = load("rssr").build()
    topology = mbs.topology(model)
    assert [cut.name for cut in topology.cuts] == ["D"]
    assert model.elements["D"].kind == "Spherical"


def test_of_equal_joints_the_last_of_the_longest_way_is_cut():
    topology = mbs.topology(four_bar())
    assert edges_by_joint(topology) == {"A": ("ground", "crank"), "B": ("crank", "coupler"), "D": ("ground", "rocker")}
    assert topology.loops == {"C": ("coupler", "crank", "ground", "rocker")}
    assert [c.name for c in topology.couplings] == ["motor"] and not topology.is_tree


@pytest.mark.parametrize("cut", ["B", ("B",), ["B"], "element"])
def test_the_user_chooses_the_cut(cut):
    model = four_bar()
    topology = mbs.topology(model, cut=model.elements["B"] if cut == "element" else cut)
    assert edges_by_joint(topology) == {"A": ("ground", "crank"), "C": ("rocker", "coupler"), "D": ("ground", "rocker")}
    assert topology.loops == {"B": ("crank", "ground", "rocker", "coupler")}
    reversed_ones = [edge.joint.name for edge in topology.edges if edge.reversed]
    assert reversed_ones == ["C"], "the coupler carries the first marker and is the child"
    assert topology.numbers == {"ground": 0, "crank": 1, "rocker": 2, "coupler": 3} and topology.parents == (0, 0, 2)


def test_bodies_are_numbered_as_said_but_for_parents():
    topology = mbs.topology(joined((0, 3), (3, 1), (1, 2), (0, 4), count=4))
    assert topology.numbers == {"ground": 0, "b3": 1, "b1": 2, "b2": 3, "b4": 4}
    assert topology.parents == (0, 1, 2, 0)


def test_two_joints_between_two_bodies():
    """A door on two hinges: one carries it, the other closes a loop of two."""
    model = joined((0, 1), count=1)
    model.add(mbs.Revolute("second hinge", model.ground, model.bodies["b1"]))
    topology = mbs.topology(model)
    assert edges_by_joint(topology) == {"J01": ("ground", "b1")}
    assert topology.loops == {"second hinge": ("ground", "b1")}


def test_what_no_motion_describes_is_never_in_the_tree():
    model = mbs.PlanarModel("coupled")
    a, b = model.body("a", 1.0, 1.0), model.body("b", 1.0, 1.0)
    model.add(
        mbs.Revolute("A", model.ground, a),
        mbs.Revolute("B", model.ground.at(1, 0), b),
        mbs.Gear("mesh", a, b, ratio=2.0),
        mbs.Distance("rod", a.at(0, 1), b.at(0, 1), length=1.0),
        mbs.Constraint("held", a, phi=lambda i: i.x),
        mbs.Constraint("rope", a, b, phi=lambda i, j: i.y - j.y),
    )
    topology = mbs.topology(model)
    assert not topology.cuts and not topology.is_tree
    assert {c.name: c.rows for c in topology.couplings} == {"mesh": 1, "rod": 1, "held": 1, "rope": 1}
    assert topology.loops == dict.fromkeys(("mesh", "rod", "rope"), ("a", "ground", "b"))


# --- what floats ------------------------------------------------------------------------------------------------


def test_the_body_with_most_joints_is_the_base():
    topology = mbs.topology(joined((1, 2), (2, 3), (2, 4), (5, 6), (0, 7), count=7))
    bases = [edge.child.name for edge in topology.edges if edge.floating]
    assert bases == ["b2", "b5"], "of b5 and b6, which have one joint each, the first"
    assert topology.degrees_of_freedom_of_tree == 2 * 3 + 5
    assert topology.notes == (
        "b2 floats, and b1, b3, b4 with it: no joint with motions leads from there to the ground.",
        "b5 floats, and b6 with it: no joint with motions leads from there to the ground.",
    )


@pytest.mark.parametrize("base", ["hand", ["hand"], "body"])
def test_the_user_chooses_the_base(base):
    model = FLOATING()
    topology = mbs.topology(model, base=model.bodies["hand"] if base == "body" else base)
    assert topology.numbers == {"ground": 0, "hand": 1, "fore": 2, "upper": 3, "base": 4, "panel": 5}
    assert topology.parents == (0, 1, 2, 3, 4)
    assert [edge.reversed for edge in topology.edges] == [False, True, True, True, False]


def test_a_free_body_floats():
    topology = mbs.topology(load("free_body").build())
    assert topology.parents == (0,) and topology.edges[0].velocities == 6
    assert topology.notes == ("book floats: no joint and no force names it.",)


def test_a_body_that_equations_hold_floats_on_them():
    model = mbs.PlanarModel("held")
    body = model.body("plate", 1.0, 1.0)
    model.add(mbs.CoordinateFix("x", body, "x"), mbs.Distance("rod", model.ground.at(0, 1), body.at(0, 1), length=1.0))
    assert mbs.topology(model).notes == (
        "plate floats: no joint with motions leads from there to the ground; held by CoordinateFix 'x', "
        "Distance 'rod'.",
    )


# --- errors -----------------------------------------------------------------------------------------------------


def refusal(model: mbs.PlanarModel | mbs.SpatialModel, **asked) -> str:
    with pytest.raises(mbs.ModelError) as error:
        mbs.topology(model, **asked)
    return str(error.value)


def test_a_body_without_mass_on_nothing_is_refused():
    model = four_bar()
    model.body("ghost")
    assert refusal(model) == (
        "body 'ghost' is joined to nothing: no joint and no force names it, and it has no mass; add the joint that "
        "carries it, or take it away"
    )


def test_bases_are_checked():
    assert refusal(four_bar(), base="crank") == (
        "base='crank' cannot float: joints connect it to the ground, which is the root of its tree; name a body that "
        "hangs on nothing, or leave base= out"
    )
    assert refusal(FLOATING(), base=("fore", "panel")) == (
        "base= names 'fore' and 'panel', but joints connect them, and a tree has one root; name one of them"
    )
    assert refusal(FLOATING(), base="ground") == (
        "base='ground' is the root of its tree as it is; name a body that hangs on nothing"
    )
    assert refusal(FLOATING(), base="bass") == "the model has no body 'bass'; did you mean 'base'?"
    assert refusal(FLOATING(), base=3).startswith("the model has no body 3; ")


def test_cuts_are_checked():
    model = four_bar()
    assert refusal(model, cut="E") == "the model has no joint 'E'; use one of: A, B, C, D"
    assert refusal(model, cut="motor") == (
        "cut='motor': a Driver never stands in the tree, there is nothing to cut; leave it out"
    )
    assert refusal(model, cut="spring") == (
        "cut='spring': a Spring never stands in the tree, there is nothing to cut; leave it out"
    )
    assert refusal(model, cut=("B", "C")) == (
        "cutting B and C together would leave body 'coupler' hanging on nothing; leave one of them out of cut="
    )
    assert refusal(model, cut=("A", "C")).startswith("cutting A and C together would leave body 'crank' hanging")
    assert refusal(SEVEN(), cut=("J5", "J4")).startswith("cut='J5' would leave body 'B5' hanging on nothing")
    assert refusal(SEVEN(), cut="J4") == (
        "cut='J4' would leave body 'B4' hanging on nothing: no other joint carries it; cut a joint that closes a loop"
    )


def test_it_needs_a_model():
    assert refusal("four-bar") == (
        "topology needs a model as first argument, not 'four-bar'; build one: mbs.PlanarModel(name)"
    )


def test_a_compiled_system_knows_its_model():
    model = four_bar()
    assert str(mbs.topology(model.compile())) == str(mbs.topology(model))


def test_paths_lead_to_bodies_of_the_model():
    topology = mbs.topology(four_bar())
    assert [edge.joint.name for edge in topology.path("coupler")] == ["A", "B"]
    assert topology.path("ground") == ()
    with refused("unknown-name", owner="four-bar", kind="body", name="cuopler", near=["coupler"]):
        topology.path("cuopler")


# --- the mechanics that the models of trees tell ----------------------------------------------------------------


def momenta(model: mbs.SpatialModel, result: mbs.Result) -> np.ndarray:
    """Momentum and moment of momentum about the origin of all bodies, shape (times, 6)."""
    total = np.zeros((len(result.t), 6))
    velocities = result.v.reshape(len(result.t), -1, 6)
    for k, (name, body) in enumerate(model.bodies.items()):
        R = result.rotation(name)
        place = np.stack([result[f"{name}.{x}"] for x in "xyz"], axis=1)
        omega = velocities[:, k, 3:]  # in body axes
        com = np.array(body.com, dtype=float)
        momentum = body.mass * (velocities[:, k, :3] + np.einsum("tij,tj->ti", R, np.cross(omega, com)))
        spin = np.einsum("tij,jk,tk->ti", R, np.array(body.inertia, dtype=float), omega)
        total[:, :3] += momentum
        total[:, 3:] += spin + np.cross(place + R @ com, momentum)
    return total


def test_bodies_afloat_keep_their_momenta():
    module, model = TREES[2], FLOATING()
    result = mbs.simulate(model, module.TIMES[::10], module.INITIAL, rtol=1e-10)
    kept = momenta(model, result)
    np.testing.assert_allclose(kept, kept[:1] + 0 * kept, atol=1e-7 * np.abs(kept).max())
    assert np.ptp(result["base.x"]) > 0.1, "but the base moves"


def test_the_turntable_keeps_its_moment_of_momentum_about_the_vertical():
    module, model = TREES[0], SEVEN()
    result = mbs.simulate(model, module.TIMES[::10], module.INITIAL, rtol=1e-10)
    about_z = momenta(model, result)[:, 5]
    np.testing.assert_allclose(about_z, about_z[0], rtol=1e-6)
    assert np.ptp(result["J1.omega"]) > 5, "but not its speed"


def test_velocities_of_the_chain_are_sums_over_its_joints():
    """Issa and Arczewski, eqs. (4.3) and (4.4), for the tip of the last link: the axes from the attitudes."""
    module, model = TREES[1], GROUNDED()
    result = mbs.simulate(model, module.TIMES[::30], module.INITIAL, rtol=1e-9)
    tip = np.stack([result[f"link4.tip.{x}"] for x in "xyz"], axis=1)
    velocity = np.zeros((len(result.t), 6))
    for k, (name, (kind, _, axis)) in enumerate(module.JOINTS.items(), start=1):
        body = f"link{k}"  # its frame stands in its joint, and was placed with the axes of the world
        u = result.rotation(body) @ (np.array(axis) / np.linalg.norm(axis))
        arm = tip - np.stack([result[f"{body}.{x}"] for x in "xyz"], axis=1)
        if kind is mbs.Revolute:
            velocity += result[f"{name}.omega"][:, None] * np.concatenate([np.cross(u, arm), u], axis=1)
        else:
            velocity[:, :3] += result[f"{name}.velocity"][:, None] * u
    shown = [result[f"link4.tip.{x}"] for x in ("vx", "vy", "vz")] + [result[f"link4.{x}"] for x in ("wx", "wy", "wz")]
    np.testing.assert_allclose(np.stack(shown, axis=1), velocity, atol=1e-7)


# --- shown ------------------------------------------------------------------------------------------------------


def test_table():
    assert str(mbs.topology(four_bar(), cut="B")) == mbs.topology(four_bar(), cut="B").table() == TABLE.strip("\n")
    assert "(floating)" in str(mbs.topology(FLOATING()))


TABLE = """
four-bar: 3 bodies, 1 loop

  number  body     parent  joint         motions
  1       crank    ground  Revolute 'A'  turn z
  2       rocker   ground  Revolute 'D'  turn z
  3       coupler  rocker  Revolute 'C'  turn z (reversed)

  cut joints    equations  loop
  Revolute 'B'  2          crank - ground - rocker - coupler

  couplings       equations  loop
  Driver 'motor'  1

  coordinates                        9
  equations                          9
  Grübler count                      0
    without the drivers              1
  degrees of freedom of the tree     3
"""


@pytest.mark.parametrize("name", NAMES)
def test_nothing_overlaps_in_the_picture(name):
    topology = mbs.topology(load(name).build())
    plan = planned(topology, [c for c in (*topology.cuts, *topology.couplings) if c.loop])
    boxes = [*plan.bodies, *plan.edge_names, *plan.curve_names]
    overlapping = [(a, b) for a, b in combinations(boxes, 2) if a.overlaps(b)]
    assert not overlapping
    for curve in plan.curves:
        covered = sum(box.holds(curve[3:-3]).sum() for box in plan.bodies)
        assert covered == 0, "a curve goes round the bodies"


@pytest.mark.slow
def test_picture_stands_in_given_axes():
    topology = mbs.topology(load("stewart_platform").build())
    figure = Figure(figsize=(4, 3))
    ax = figure.add_subplot()
    assert topology.draw(ax) is figure
    words = {text.get_text() for text in ax.texts}
    assert {"ground", "platform", "slide3", "S6", "13"} <= words
    own = topology.draw()
    assert {text.get_text() for text in own.axes[0].texts} == words
    small, large = (f.axes[0].texts[0].get_fontsize() for f in (figure, own))
    assert small < large, "names shrink with the picture"


def words_of(topology):
    return {text.get_text() for text in topology.draw().axes[0].texts}


def test_picture_says_what_its_colours_mean():
    assert {"cut joint"} == words_of(mbs.topology(load("six_bar").build())) & {"cut joint", "coupling"}
    assert "coupling" in words_of(mbs.topology(load("planetary_gear").build()))
    assert not words_of(mbs.topology(load("double_pendulum").build())) & {"cut joint", "coupling"}


def test_picture_needs_axes():
    with refused("not-axes", argument="ax", value="here"):
        mbs.topology(four_bar()).draw("here")
