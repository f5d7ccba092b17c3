"""Linkages of the literature have as many assembly modes as it says, and random ones those that their circuits pass."""

import numpy as np
import pytest
from linkages import Linkage, unmatched
from modes_oracle import meetings_of_coupler_curves

import mbs_dae as mbs
from mbs_dae.modes.generic import stored_generic
from mbs_dae.modes.monodromy import SolutionSet
from mbs_dae.modes.traces import TraceTest

# --- generic numbers ------------------------------------------------------------------------------------------------

WATT = {"a": "AB", "t": "BCE", "u": "CDF", "g": "DA", "e": "EG", "f": "FG"}
STEPHENSON = {"t": "ABC", "u": "DEF", "p": "AD", "q": "BE", "v": "CG", "w": "GF"}
TRUSSES = {  # seven links: three trusses of Baranov, and one with a triangle of ternary links
    12: {"t": "ABC", "u": "DGH", "v": "EGI", "w": "FHI", "a": "AD", "b": "BE", "c": "CF"},
    14: {"t": "ABC", "u": "DFH", "v": "EGI", "w": "CHI", "a": "AD", "b": "BE", "c": "FG"},
    16: {"t": "ABC", "u": "DFG", "v": "EFI", "w": "CHI", "a": "AD", "b": "BE", "c": "GH"},
    18: {"t": "ABCD", "a": "AE", "b": "BF", "u": "EFI", "c": "CG", "d": "DH", "v": "GHI"},
}


def pinned(links, ground, seed=3):
    """Links by the letters of their pins, which stand anywhere."""
    random = np.random.default_rng(seed)
    places = {letter: random.normal(size=2) for letter in sorted(set("".join(links.values())))}
    model = mbs.PlanarModel("links")
    own = {name: model.body(name, position=tuple(places[links[name][0]])) for name in links if name != ground}
    own[ground] = model.ground
    for letter, at in places.items():
        first, second = (own[name] for name, pins in links.items() if letter in pins)
        second.marker(letter, *(at - places[links[second.name][0]])) if second is not model.ground else None
        model.add(mbs.Revolute(letter, first, second, at=tuple(at)))
    return model, places


@pytest.mark.parametrize(
    ("links", "ground", "led", "count"),
    [
        (WATT, "a", "t", 4),  # Watt I
        pytest.param(WATT, "t", "u", 4, marks=pytest.mark.soak),  # Watt II
        pytest.param(STEPHENSON, "p", "t", 4, marks=pytest.mark.soak),  # Stephenson I
        (STEPHENSON, "v", "t", 6),  # II: a platform on three bars
        (STEPHENSON, "t", "p", 4),  # III, driven at the four-bar of t, p, u and q,
        pytest.param(STEPHENSON, "t", "v", 6, marks=pytest.mark.soak),  # and at the dyad: a coupler curve and a circle
    ],
)
def test_six_bars_have_four_or_six(links, ground, led, count):
    """Where dyads follow one another, 2 · 2. Where they do not, a point of a four-bar's coupler is to lie on a circle:
    in x + iy and x - iy these curves have the degrees (3, 3) and (1, 1), so that they meet 3 + 3 times."""
    model, _ = pinned(links, ground)
    modes = mbs.assembly_modes(model, fix={f"{led}.angle": 0.1})
    assert (modes.generic, modes.complex, modes.complete) == (count, count, True)


@pytest.mark.soak
def test_four_dyads_that_follow_one_another_have_sixteen():
    """A point of one is where the next begins: each has two poses for each of that before, 2⁴."""
    dyads = {"b": "BCE", "c": "CD", "d": "EFH", "e": "FG", "f": "HIK", "h": "IJ", "i": "KL", "j": "LM"}
    model, _ = pinned({"a": "AB", "g": "ADGJM", **dyads}, "g")
    modes = mbs.assembly_modes(model, fix={"a.angle": 0.1})
    assert (modes.generic, modes.complex, modes.complete) == (16, 16, True)


@pytest.mark.soak
def test_two_four_bars_that_share_a_point_of_their_couplers_have_eighteen():
    """Two coupler curves meet 3 · 3 + 3 · 3 times; all points where they do are found by a resultant."""
    model, places = pinned(TRUSSES[18], "t")
    modes = mbs.assembly_modes(model)
    assert (modes.complex, modes.complete) == (18, True)
    z, conjugate = meetings_of_coupler_curves(*({k: complex(*places[k]) for k in pins} for pins in ("AEBFI", "CGDHI")))
    real = np.sort_complex(z[np.abs(z.conj() - conjugate) < 1e-6])
    found = np.sort_complex([complex(mode["v.I.x"], mode["v.I.y"]) for mode in modes])
    assert z.size == 18
    assert found.size == real.size and np.abs(found - real).max() < 1e-6


@pytest.mark.soak
@pytest.mark.parametrize("count", [12, 14, 16])
def test_trusses_of_seven_links(count):
    """12 = 2 · 6: the triangle and its mirror image, each on three bars. The others are those of the literature.
    Loops that do not pass the ground are in all of them: there the sum of the poses themselves is not affine."""
    modes = mbs.assembly_modes(pinned(TRUSSES[count], "t")[0])
    assert (modes.complex, modes.complete) == (count, True)


def test_a_part_of_the_solutions_is_completed():
    """Of a platform on three bars five of six."""
    truss = {"t": "ABC", "u": "DEF", "a": "AD", "b": "BE", "c": "CF"}
    is_completed(pinned(truss, "t")[0])


@pytest.mark.soak
@pytest.mark.parametrize("count", [14, 16])
def test_a_part_of_the_solutions_of_a_truss_is_completed(count):
    is_completed(pinned(TRUSSES[count], "t")[0])


def is_completed(model):
    """From each solution all others are found; and without any one of its points the trace is not affine."""
    _, generic = stored_generic(model.compile(), 0.0, 1)
    assert generic.complete
    for kept in range(min(generic.count, 2)):
        known = SolutionSet(generic.family, generic.numbers, generic.x[:, [kept]])
        trace = TraceTest(generic.family, generic.numbers, np.random.default_rng(kept))
        assert trace(known) is True
        assert known.count == generic.count
        points = trace.points.x
        for left in range(0, points.shape[1], 5):
            trace.points.x = np.delete(points, left, axis=1)
            assert trace._affine(known) is not True


# --- random linkages ------------------------------------------------------------------------------------------------


def check(seed, count):
    linkage = Linkage(seed)
    told, modes, circuits, again = unmatched(linkage, count)
    assert not told, told
    assert modes == circuits + again


@pytest.mark.parametrize("seed", [1, 4, 5, 12, 16, 20])
def test_circuits_of_random_linkages_pass_all_modes_and_nothing_else(seed):
    check(seed, 5)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(500))
def test_circuits_of_random_linkages_pass_all_modes(seed):
    check(seed, 20)
