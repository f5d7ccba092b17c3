"""A chain of n equal links (uniform bars of length l and mass m), hung up at both ends or at one.

Let go from two straight halves it swings. At rest between two pins it hangs, for large n, in a catenary

    y = c cosh((x - x₀) / c) + const,        n l = 2 c sinh(s / 2c) for level ends at the distance s.

The discrete chain is known, too: with H the horizontal force in all pins, link k stands at tan θ_k = V_k / H, V_k the
weight between its middle and the lowest point.

Without the right pin, ``build().without("right")``, it hangs straight down from the left one, and swings about that for
large n with

    ω_k = (j_k / 2) √(g / L),        J₀(j_k) = 0,        L = n l:

Daniel Bernoulli's chain of 1732, from which the functions named after Bessel come.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 1, 201)  # s


def build(
    n=10,
    l=0.2,  # m: each link
    m=0.1,  # kg
    span=1.4,  # m: between the pins, on one level
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("hanging chain", gravity=(0.0, -9.81))
    l, span = model.parameter("l", l, unit="m"), model.parameter("span", span, unit="m")
    m = model.parameter("m", m, unit="kg")
    down = sp.sqrt((n * l) ** 2 - span**2) / n  # how much lower the end of a link is than its beginning, at first

    place, before = (0, 0), model.ground.at(0, 0)
    for k in range(n):
        end = place[0] + span / n, place[1] - (down if k < n / 2 else -down)
        link = model.link(f"link{k + 1}", place, end, mass=m, length=l)
        model.add(mbs.Revolute(f"pin{k + 1}" if k else "left", before, link.tail))
        place, before = end, link.head
    model.add(mbs.Revolute("right", before, model.ground.at(span, place[1])))
    return model


INITIAL = {f"link{k}.omega": 0.0 for k in range(1, 9)}  # rad/s: let go; the two last links follow


if __name__ == "__main__":
    from _show import show_motion

    show_motion(build(), TIMES, "link5.y", initial=INITIAL, paths=("link5",))
