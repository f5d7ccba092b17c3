"""The velocity transformation v = R θ̇: from the joint velocities of a tree to the velocities of bodies, or of points.

    found = mbs.velocity_transformation(model)
    found.R, found.Rdot, found.rows, found.columns

R spans the motions that the joints of the tree allow, Φ_v R = 0. With v̇ = R θ̈ + Ṙ θ̇ the reactions of these joints
vanish from the equations of motion, RᵀΦ_vᵀλ = 0, and as many equations remain as there are joint velocities:

    Rᵀ M R θ̈ = Rᵀ (Q - M Ṙ θ̇).
"""

from .matrices import VelocityTransformation
from .transformation import velocity_transformation
