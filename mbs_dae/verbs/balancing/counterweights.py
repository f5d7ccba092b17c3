"""The result of balancing: the size of each counterweight, and the shaking force that remains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...errors import ModelError, check_name
from ...model.parameters import finite_number
from ...public_class import PublicClass
from ...unit_system import size_of, told


@dataclass(frozen=True, eq=False, repr=False)
class Counterweights(metaclass=PublicClass):
    """The counterweights that `balance` returns, with the force of inertia on the frame before and after balancing.

    >>> model = mbs.PlanarModel("rotor")
    >>> rotor = model.body("rotor", mass=2, inertia=0.01, com=(0.001, 0))
    >>> model.add(mbs.Revolute("A", model.ground, rotor), mbs.Driver("motor", mbs.angle(rotor), 100 * mbs.t))
    (<Revolute A>, <Driver motor>)
    >>> found = mbs.balance(model, np.linspace(0, 2 * np.pi / 100, 13), bodies=("rotor",))
    >>> isinstance(found, mbs.Counterweights), found.moments["rotor"].round(9) + 0.0
    (True, array([-0.002,  0.   ]))
    >>> print(found)
    counterweights against the shaking force, largest 20 N before, 0 N after
      rotor: 0.002 kg m at 180.0° in body axes, from (0, 0)
    """

    moments: Mapping[str, np.ndarray]
    """First moment m·e of each counterweight, in kg m: mass times position from the fixed point of its body, in body
    axes."""
    pivots: Mapping[str, np.ndarray]
    """Fixed point of each body, in body axes, in m."""
    t: np.ndarray
    before: np.ndarray
    """Force of inertia on the frame without counterweights, shape (times, components), in N."""
    after: np.ndarray
    """Force of inertia on the frame with the counterweights, shape (times, components), in N."""
    orders: tuple[int, ...] | None = None
    """The harmonics that are minimised, in multiples of one cycle per period; None: the force itself."""

    def mass(self, body: str, radius: float) -> float:
        """Return the mass, in kg, of a counterweight at a distance `radius`, in m, from the fixed point of its body."""
        check_name("body", body, [*self.moments], "the counterweights")
        radius = finite_number(radius, "the radius of a counterweight")
        if radius <= 0.0:
            raise ModelError(
                f"the radius of a counterweight is positive, not {radius!r}",
                code="not-positive", argument="radius", value=radius,
            )  # fmt: skip
        return float(np.linalg.norm(self.moments[body]) / radius)

    def place(self, body: str, radius: float) -> np.ndarray:
        """Return the position of a counterweight at a distance `radius`, in m, from the fixed point, in body axes, in
        m: ``body.at(*found.place("crank", 0.1))``."""
        if (mass := self.mass(body, radius)) == 0.0:
            raise ModelError(f"{body} needs no counterweight", code="needs-no-counterweight", body=body)
        return np.asarray(self.pivots[body] + self.moments[body] / mass)

    @property
    def left(self) -> float:
        """The fraction of the force that remains: its root mean square with counterweights over the one without."""
        return float(np.linalg.norm(self.after) / (np.linalg.norm(self.before) or 1.0))

    def __repr__(self) -> str:
        return f"<Counterweights on {', '.join(self.moments)}: {100 * self.left:.3g} % of the shaking force is left>"

    def __str__(self) -> str:
        before, after = (float(np.linalg.norm(force, axis=1).max(initial=0.0)) for force in (self.before, self.after))
        after = 0.0 if after <= 1e-12 * before else after
        lines = [
            f"counterweights against the shaking force, largest {told(before, 'N')} before, {told(after, 'N')} after"
        ]
        (metre, word), (size, _) = size_of("m"), size_of("kg m")
        for body, moment in self.moments.items():
            if not moment.any():
                lines.append(f"  {body}: none")
                continue
            pivot = ", ".join(f"{x / metre + 0.0:.6g}" for x in self.pivots[body])
            clean = np.where(np.abs(moment) <= 1e-12 * np.abs(moment).max(), 0.0, moment)
            where = f"at {np.degrees(np.arctan2(clean[1], clean[0])):.1f}°"
            if moment.size == 3:
                where = "as (" + ", ".join(f"{x / size:.6g}" for x in clean) + ")"
            unit = f" {word}" if metre != 1.0 else ""
            amount = told(float(np.linalg.norm(moment)), "kg m")
            lines.append(f"  {body}: {amount} {where} in body axes, from ({pivot}){unit}")
        return "\n".join(lines)
