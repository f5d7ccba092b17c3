"""The certificate of a pose: Krawczyk's operator in interval arithmetic."""

from __future__ import annotations

from ..arguments import as_state
from ..certify.certificate import Certificate, certified
from ..equilibria.found import Equilibrium
from ..errors import ModelError
from ..results.result import State


def certificate(pose: State | Equilibrium) -> Certificate:
    """A proof that a state is a pose, that there is exactly one there, and how far away the next one is.

    What is proven is proven of the mechanism with exactly the double numbers that stand in its equations. All freedom
    must be driven. For motions there is ``kinematics(..., certify=True)``.

    A rod that turns is 0.5 m long; a second pose, which there is none of, would be at least a tenth of a metre away:

    >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.5, 0)}, rods={"rod": "AB"}, fixed="A")
    >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 2 * mbs.t))
    >>> found = mbs.certificate(mbs.assemble(rod, 0.1))
    >>> found.proven, found.error < 1e-14, found.radius > 0.1
    (True, True, True)
    """
    state = as_state(pose)
    if not isinstance(state, State):
        raise ModelError(f"a certificate is of a pose, not of {pose!r}; give a state, as of mbs.assemble(model, t)")
    return certified(state.system, state.t, state.full_q)
