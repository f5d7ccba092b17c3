"""One table of all problems in all peers: ``python -m benchmarks.peers``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from types import ModuleType

import numpy as np

from . import Run, available
from . import references as ref


def main() -> None:
    print(f"{'problem':<22}{'solver':<11}{'setting':<60}{'seconds':>9}{'error':>10}{'energy [J]':>12}")
    peers = [import_module(f".{name}_", __package__) for name in available()]
    for n in (1, 40, 400):
        rows(f"{n} four-bars, 10 s", best(peers, n), ref.four_bar_tip(n, 10.0))
    for peer in peers:
        rows("40 four-bars, 10 s", (one.run(1) for one in peer.n_four_bar_sweep(40)), ref.four_bar_tip(40, 10.0))
    angle = np.array([ref.slider_crank_angle(10.0)])
    for peer in peers:
        rows("slider-crank, 10 s", (one.run(2) for one in peer.slider_crank_sweep()), angle)
    for peer in peers:
        rows("Andrews, 0.03 s", (one.run(2) for one in peer.andrews_sweep()), ref.ANDREWS_END)


def best(peers: Iterable[ModuleType], n: int) -> Iterator[Run]:
    for peer in peers:
        if n <= getattr(peer, "LARGEST", n):
            yield peer.n_four_bar(n).run(3 if n < 100 else 1)


def rows(problem: str, runs: Iterable[Run], reference: np.ndarray) -> None:
    for run in runs:
        energy = "" if run.energy_error is None else f"{run.energy_error:.2g}"
        what = f"{problem:<22}{run.solver:<11}{run.setting:<60}"
        print(f"{what}{run.seconds:>9.4f}{run.error(reference):>10.2g}{energy:>12}", flush=True)


if __name__ == "__main__":
    main()
