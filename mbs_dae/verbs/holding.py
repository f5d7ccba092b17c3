"""Whether friction holds a pose, by what margin, and against which loads.

Q - Φ_vᵀ λ + Gᵀ f = 0,      0 ≤ f_n,      |f_s| ≤ μ N
"""

from __future__ import annotations

from collections.abc import Mapping

from ..arguments import as_state, model_of
from ..compiled import System
from ..equilibria.balance import balance_at
from ..equilibria.contact.holding import Holding, holding_at
from ..equilibria.contact.rows import rows_at
from ..equilibria.corners import check_friction
from ..equilibria.equilibrium import Equilibrium
from ..equilibria.steady import check_still
from ..errors import ModelError
from ..explain.contacts import check_apart
from ..model.checks import warn_of_angles
from ..model.model import Model
from ..motion.initial import check_reactions, check_regular
from ..poses.assembly import posed
from ..results.result import State


def holding(
    model: Model | System, pose: State | Equilibrium | Mapping[str, float] | None = None, load: str | None = None
) -> Holding:
    """Return whether friction holds a mechanism in a pose, as a `Holding`: ``held``, with a ``margin``, and what
    ``slips`` first.

    A pose is held if there are reactions of joints and forces of contacts that balance all other forces, with normal
    forces that press and friction within its bounds at rest (`static_friction`, `mu_static`, `static_force`). `pose` is
    a `State`, an `Equilibrium`, or a dict of values by name; by default the placement.

    `load` names a parameter of forces or an input; then ``between`` is the range of its values in which the pose is
    held.

    For contacts, and for friction of a given force, the answer is exact: friction in space is a cone. The normal force
    of a joint may depend on its friction; for such joints ``certain`` says whether the error is below one percent.

    A block on a slope, tan α = 0.3, with μ = 0.6:

    >>> model = mbs.PlanarModel("slope", gravity=(-9.81 * 0.3, -9.81))
    >>> block = model.body("block", mass=2, inertia=0.1)
    >>> floor = model.add(mbs.Contact("floor", mbs.Line(model.ground), mbs.Point(block), friction=0.6))
    >>> found = mbs.holding(model)
    >>> found.held, round(found.margin, 6), found.slips
    (True, 2.0, ('floor',))
    """
    content = model_of(model)
    system, start = content.compile(), as_state(pose)
    if not (start is None or isinstance(start, State | Mapping)):
        raise ModelError(
            f'pose must be a state or a dict of names and values, not {pose!r}; e.g. {{"floor.gap": 0.0}}',
            code="not-a-pose", argument="pose", value=pose,
        )  # fmt: skip
    warn_of_angles(content, start, "pose")
    t = start.t if isinstance(start, State) else 0.0
    q, *_ = posed(content, t, start if isinstance(start, Mapping) else {}, start if isinstance(start, State) else None)
    check_apart(State(system, t, q, system.still, system.still))
    here = balance_at(system, t, q)
    check_still(here)
    check_friction(here)
    check_reactions(system, t, q, len(check_regular(system, t, q, system.still)))
    return holding_at(rows_at(here), load)
