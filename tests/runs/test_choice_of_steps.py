"""How long steps are, and what a run pays for besides: steps that are rejected, and looks at which rows depend."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from gallery import load

import mbs_dae as mbs
from mbs_dae.motion.control import GROW, SAFETY, SHRINK, factor_of

ORDER = 7  # of an error estimate


def factor(error, rejected=False, before=(0.0, 0.0), h=0.1):
    return factor_of(SimpleNamespace(before=before), SimpleNamespace(error_order=ORDER), h, error, rejected)


def test_a_step_is_as_long_as_the_error_of_the_one_before_allows():
    """With C h⁸: half the length is right where the error was 2⁸."""
    assert factor(2.0**8) == pytest.approx(0.5 * SAFETY)
    assert factor(2.0**-8) == pytest.approx(2.0 * SAFETY)
    assert factor(1e30) == SHRINK and factor(0.0) == factor(1e-30) == GROW


def test_no_step_grows_right_after_one_was_rejected():
    assert factor(1e-6, rejected=True) == factor(0.0, rejected=True) == 1.0


def test_an_error_that_grows_is_foreseen_to_grow_on():
    """Of steps of one length the second had twice the C, so the third will have four times the first: half of what
    that asks for is done beforehand. One that falls makes steps no longer, and one of roundoff tells nothing."""
    alone = factor(0.4)
    assert factor(0.4, before=(0.1, 0.2)) == pytest.approx(alone * 2.0 ** (-1 / 16))
    assert factor(0.4, before=(0.05, 0.4 / 2**8)) == pytest.approx(alone)  # the same C, at half the length
    assert factor(0.4, before=(0.1, 0.8)) == alone
    assert factor(0.4, before=(0.1, 0.0)) > 0.7 * alone
    assert factor(2.0, before=(0.1, 0.2)) == factor(2.0)  # a rejected step is to be shorter at once


@pytest.mark.parametrize(("method", "most"), [("DP5", 0.05), ("DP8", 0.22)])
@pytest.mark.parametrize("name", ["slider_crank", "andrews_squeezer"])
def test_few_steps_are_rejected(name, method, most):
    """Of motions whose pace changes all the time; with DP8 there was one for three good ones when none was foreseen."""
    module = load(name)
    model = module.build()
    model = model.without(*(one.name for one in model.drivers))
    initial = getattr(module, "INITIAL", None) or {"crank.omega": 20.0}
    seconds = 0.03 if name == "andrews_squeezer" else 2.0
    stats = mbs.simulate(model, [0, seconds], initial, method=method, rtol=1e-8).stats
    assert stats["rejected"] < most * stats["accepted"]


@pytest.mark.parametrize("coordinates", ["cartesian", "natural"])
def test_a_choice_of_rows_stands_while_no_other_is_better(coordinates):
    """For most of its motion Bricard's linkage has a row that is hardly independent, whichever is left out. Looking at
    it for every evaluation cost two to three factorisations each."""
    module = load("bricard")
    system = module.build().compile(coordinates)
    run = mbs.simulate(system, np.linspace(0, 10, 3), module.INITIAL, method="DP8", stabilization=mbs.Projection())
    assert run.stats["redundant_equations"] == 1
    assert run.stats["factorisations"] < 16 * run.stats["accepted"]
    assert run.violation.position.max() < 1e-12 and np.abs(run.energy.error).max() < 1e-6
