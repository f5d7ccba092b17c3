"""A chain of n equal links lies on a table; a part hangs over its round edge, and pulls the rest after it.

With x the depth of its lower end below the table, and L its length, a smooth chain without friction has

    x'' = g x / L,        x = x₀ cosh(√(g/L) t),        whatever the radius R of the edge is:

as much weight is not carried as the chain is deep. The edge gives all momentum that the chain has lost sideways, and it
can only push: for small R it does until 2 x² = L x + x₀², a little beyond L/2. Then the chain leaves it, in a bow.

With friction the edge is a bollard, too: along the quarter that the chain goes round it T/λ - v² (T the tension, λ the
mass of a length, v = x') grows by E = exp(μ π/2), so that for small R

    x (g - x'') - v² = E ((L - x) (x'' + μ g) - v²).

The links here are straight, m of them round the edge of R = l / (2 sin(π/4m)). Until the edge would have to pull their
x is that of the law to 0.4 mm (L = 1 m) without friction: some energy goes into swings of the links that come off the
edge. With μ = 0.2 it is to 1.4 mm: R in the law adds 2.5 mm, swings take 1.2 mm. Later x falls behind it.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

N = 100
TIMES = np.linspace(0, 0.7, 176)  # s
INITIAL = {"link1.vx": 0.0, "link1.vy": 0.0} | {f"link{k + 1}.omega": 0.0 for k in range(N)}
OPTIONS = {"method": "Moreau", "step": 2e-3}  # 1e-3 where the end of the chain cracks as a whip


def build(
    n=N,  # links; each may touch with its tail
    hangs=30,  # of them straight down, at first
    m=8,  # of them around the edge
    l=0.01,  # m: each link
    density=0.5,  # kg/m
    mu=0.2,
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("chain over an edge", gravity=(0, -9.81))
    l, mu = model.parameter("l", l, unit="m"), model.parameter("mu", mu)
    density = model.parameter("density", density, unit="kg/m")
    R = l / (2 * sp.sin(sp.pi / (4 * m)))
    table = mbs.Capsule(model.ground.at(-n * l / 2, -R), n * l, R)  # a board with a round edge

    places = [(-k * l, 0) for k in range(n - m - hangs, 0, -1)]
    places += [(R * sp.sin(k * sp.pi / (2 * m)), R * sp.cos(k * sp.pi / (2 * m)) - R) for k in range(m + 1)]
    places += [(R, -R - k * l) for k in range(1, hangs + 1)]
    before = None
    for k in range(n):
        link = model.link(f"link{k + 1}", places[k], places[k + 1], mass=density * l, length=l)
        model.add(mbs.Contact(f"edge{k + 1}", table, mbs.Point(link.tail), friction=mu))
        if before is not None:
            model.add(mbs.Revolute(f"pin{k + 1}", before.head, link.tail))
        before = link
    return model


if __name__ == "__main__":
    from _show import show_motion

    show_motion(build(), TIMES, "link50.y", initial=INITIAL, **OPTIONS)
