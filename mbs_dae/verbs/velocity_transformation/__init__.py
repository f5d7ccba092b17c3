"""The velocity transformation v = R θ̇: from the velocities in the joints of a tree to those of bodies, or of points.

    found = mbs.velocity_transformation(model)
    found.R, found.Rdot, found.rows, found.columns

R spans what the joints of the tree leave free, Φ_v R = 0. So with v̇ = R θ̈ + Ṙ θ̇ the equations of motion lose the
forces of these joints, RᵀΦ_vᵀλ = 0, and what remains is as many equations as there are joint velocities:

    Rᵀ M R θ̈ = Rᵀ (Q - M Ṙ θ̇).
"""

from .matrices import VelocityTransformation
from .transformation import velocity_transformation
