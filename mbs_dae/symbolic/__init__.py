"""Symbolic equations, without numbers: from Φ on markers to Φ, Φ_v, ν and γ, and from there to source code."""
