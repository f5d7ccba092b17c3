"""The way back through a run against the way ahead, to roundoff: equations that are redundant, bodies that turn in
space, starts that follow many parameters, several numbers at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gallery import load

import mbs_dae as mbs
from mbs_dae.derivatives.runs import reading_weights
from mbs_dae.derivatives.runs.gradients import adjoint, adjoints

TIMES = np.linspace(0.0, 0.4, 6)  # not all on steps
FIXED: dict[str, Any] = {"step": 0.013, "stabilization": mbs.Baumgarte(12.0, 12.0)}
CLOSE = 1e-12


def hinged_four_bar() -> mbs.SpatialModel:
    """Four hinges with parallel axes: three equations depend on the others."""
    model = mbs.SpatialModel("hinged four-bar", gravity=(0, -9.81, 0))
    r, m, k = (model.parameter(name, value) for name, value in (("r", 0.1), ("m", 0.7), ("k", 60.0)))
    bars = {}
    for name, place, length, mass in (
        ("crank", (0, 0.05, 0), r, m), ("coupler", (0.2, 0.2, 0), 0.45, 1.0), ("rocker", (0.45, 0.15, 0), 0.32, 1.2),
    ):  # fmt: skip
        bars[name] = model.body(name, position=place, mass=mass, inertia=(0.01, 0.02, 0.03)), length
    (crank, a), (coupler, b), (rocker, c) = bars.values()
    model.add(
        mbs.Revolute("A", model.ground, crank.at(0, -a / 2, 0)),
        mbs.Revolute("B", crank.at(0, a / 2, 0), coupler.at(-b / 2, 0, 0)),
        mbs.Revolute("C", coupler.at(b / 2, 0, 0), rocker.at(0, c / 2, 0)),
        mbs.Revolute("D", model.ground.at(0.5, 0, 0), rocker.at(0, -c / 2, 0)),
        mbs.SpringDamper("spring", model.ground.at(1, 0, 0.1), coupler, stiffness=k, damping=0.7, length=0.5),
    )
    return model


def parallel_cranks() -> mbs.PlanarModel:
    """Three parallel cranks on one coupler: one of them would not be needed."""
    model = mbs.PlanarModel("parallel cranks", gravity=(0, -9.81))
    r, m = model.parameter("r", 0.2), model.parameter("m", 0.7)
    coupler = model.body("coupler", position=(0.3, -0.2), mass=1.0, inertia=0.05)
    for k in range(3):
        crank = model.link(f"crank{k}", (0.3 * k, 0), (0.3 * k, -0.2), length=r, mass=m)
        model.add(
            mbs.Revolute(f"A{k}", model.ground.at(0.3 * k, 0), crank.tail),
            mbs.Revolute(f"B{k}", crank.head, coupler.at(0.3 * (k - 1), 0)),
        )
    return model


def of_gallery(name: str) -> tuple[Any, dict[str, float]]:
    module = load(name)
    return module.build(), dict(getattr(module, "INITIAL", {}))


CASES: dict[str, Any] = {
    "hinges": (lambda: (hinged_four_bar(), {"crank.wz": 5.0}), ("r", "m", "k", "crank.wz"), 3),
    "bar": (lambda: (parallel_cranks(), {"crank0.omega": 4.0}), ("r", "m", "crank0.omega"), 1),
    "top": (lambda: of_gallery("heavy_top"), ("m", "l", "theta", "initial"), 0),
    "rssr": (lambda: of_gallery("rssr"), ("r1", "omega"), 0),
}


def run(case: str, method: str) -> mbs.Result:
    make, names, redundant = CASES[case]
    model, initial = make()
    names = [*names[:-1], next(iter(initial))] if names[-1] == "initial" else names
    found = mbs.simulate(model, TIMES, initial, method=method, derivatives=names, **FIXED)
    assert found.stats["redundant_equations"] == redundant
    return found


@pytest.mark.parametrize("method", ["RK4", "DP8"])
@pytest.mark.parametrize("case", CASES)
def test_all_that_has_a_name(case, method):
    """Random weights of places, loads and energies alike, on the scale of all that have the same unit; five numbers at
    once."""
    found, random = run(case, method), np.random.default_rng(4)
    names = [n for n in found.scalar_names if not n.startswith(("violation.", "energy.error"))]
    names = [n for n in names if np.all(found.is_unique(n))]
    assert len(names) > 40
    by_unit: dict[str, float] = {}
    for n in names:
        by_unit[found.unit(n)] = max(by_unit.get(found.unit(n), 0.0), float(np.abs(found[n]).max()))
    names = [n for n in names if by_unit[found.unit(n)] > 1e-9]  # moments of hinges are 0
    weights = {n: random.standard_normal((5, *found[n].shape)) / by_unit[found.unit(n)] for n in names}
    back = adjoints(found, weights)
    for k, by in enumerate(found.varied.variables.names):
        ahead = np.array([[weights[n][r] @ found.d(n, by) for n in names] for r in range(5)])
        scale = np.abs(ahead).sum(axis=1).max()
        assert np.abs(back[:, k] - ahead.sum(axis=1)).max() < CLOSE * scale, by


def test_few_times_are_read_at_once(monkeypatch):
    """Not a bit of a gradient depends on how many."""
    found = run("hinges", "RK4")
    weights = {"coupler.x": TIMES, "energy.dissipated": TIMES + 1, "A.Fx": np.cos(TIMES)}
    assert found.is_unique("A.Fx").all()
    first = adjoint(found, weights)
    monkeypatch.setattr(reading_weights, "SEEDED", 1)
    assert adjoint(found, weights) == pytest.approx(first, rel=1e-14)
