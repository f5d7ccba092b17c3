"""The coordinate sets side by side: ``python benchmarks/coordinates.py``.

1. One evaluation of all accelerations, of some models in each set. All sets take turns in one process; compare ratios.
2. The same of chains of N links that hang from the ground by pins, and how it grows from 100 to 1000.
"""

from __future__ import annotations

from importlib import import_module

import ours
from spatial import chain as hinges

import mbs_dae as mbs

MODELS = (
    "four_bar",
    "six_bar",
    "double_pendulum",
    "andrews_squeezer",
    "n_four_bar",
    "rssr",
    "arm_6r",
    "bricard",
    "delta_robot",
    "stewart_platform",
)
LENGTHS = (10, 100, 1000)


def chain(n: int) -> mbs.PlanarModel:
    """Uniform bars in a row, pinned to each other and to the ground."""
    model = mbs.PlanarModel(f"chain of {n}", gravity=(0, -9.81))
    before = model.ground.at(0, 0)
    for k in range(n):
        bar = model.link(f"bar{k}", (k, 0), (k + 1, 0), mass=1.0)
        model.add(mbs.Revolute(f"pin{k}", before, bar.tail))
        before = bar.head
    return model


def main() -> None:
    print(f"{'model':<24}" + "".join(f"{name:>12}{'[µs]':>10}{'ratio':>7}" for name in ours.SETS))
    for name in MODELS:
        show(name, import_module(name).build())
    show("chain of 20 hinges", hinges(20))
    print()
    costs = {n: show(f"chain of {n} pins", chain(n)) for n in LENGTHS}
    print(f"{'1000 over 100':<24}" + "".join(f"{growth(costs, name):>22}{'':>7}" for name in ours.SETS))


def show(title: str, model: mbs.PlanarModel | mbs.SpatialModel) -> dict[str, float]:
    """A line of unknowns, microseconds, and how many times faster than Cartesian coordinates that is."""
    costs = ours.evaluation_costs(model)
    first = costs["cartesian"][1]
    cells = (f"{n:>12}{cost:>10.2f}{first / cost:>7.2f}" for n, cost in costs.values())
    print(f"{title:<24}" + "".join(cells), flush=True)
    return {name: cost for name, (_, cost) in costs.items()}


def growth(costs: dict[int, dict[str, float]], name: str) -> str:
    _, hundred, thousand = costs.values()
    return f"{thousand[name] / hundred[name]:.1f}" if name in thousand else "-"


if __name__ == "__main__":
    main()
