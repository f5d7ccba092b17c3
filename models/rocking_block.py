"""A block that rocks on its corners (Housner 1963).

Its half diagonal R leans by α from its sides, tan α = b/h. Tilted by θ it turns about one corner, I₀ = 4/3 m R²:

    I₀ θ̈ = -m g R sin(α - θ),      for small angles      θ̈ = p² (θ - α),      p² = 3 g/4R.

Let go at θ₀ a slender block needs acosh(1/(1 - θ₀/α))/p to come upright. There the other corner strikes. About that
corner the angular momentum is kept: what is left of the rate is

    ω⁺/ω⁻ = 1 - 3/2 sin² α.

Whatever it is made of: a block that is let go rocks less and less, and faster and faster.
"""

import numpy as np
import sympy as sp

import mbs_dae as mbs

TIMES = np.linspace(0, 4, 801)  # s
INITIAL = {"block.vx": 0.0, "block.vy": 0.0, "block.omega": 0.0}


def build(
    b=0.1,  # m: half of its width
    h=0.5,  # m: half of its height
    m=10.0,  # kg
    theta=0.12,  # rad: by how much it leans at first
    mu=0.6,  # friction: enough not to slip
) -> mbs.PlanarModel:
    model = mbs.PlanarModel("rocking block", gravity=(0.0, -9.81))
    b = model.parameter("b", b, unit="m")
    h = model.parameter("h", h, unit="m")
    m = model.parameter("m", m, unit="kg")
    theta = model.parameter("theta", theta, unit="rad")
    mu = model.parameter("mu", mu)

    s, c = sp.sin(theta), sp.cos(theta)
    middle = b * c - h * s, b * s + h * c  # its left corner stands at the origin
    block = model.body("block", mass=m, inertia=m * (b**2 + h**2) / 3, position=middle, angle=theta)
    for name, x, y in (("left", -b, -h), ("right", b, -h), ("top", b, h), ("back", -b, h)):
        block.marker(name, x, y)
    model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Box(block, (2 * b, 2 * h)), friction=mu))
    return model


if __name__ == "__main__":
    from _show import show_motion

    run = show_motion(build(), TIMES, "block.angle", initial=INITIAL, paths=("block.top",))
    print(f"{len(run.impacts)} impacts, the first at t = {run.impacts[0].t:.6f} s")
