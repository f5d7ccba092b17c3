"""Define the colours of drawings: quiet, and distinct for colour-blind eyes."""

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Colours after Okabe and Ito, distinct for colour-blind eyes, without yellow (too faint) and black (too strong)."""
DARK = "#333333"
GROUND = "#7A7A7A"
ELASTIC = "#5F6B73"  # springs and dampers
LOAD = "#A23B4A"  # arrows of forces
REACTION = "#6A4C93"  # arrows of joint reactions
METAL = "#D3D8DC"
FOOT = "#C4C4C4"  # the foot of a support in space


def paler(colour: str, white: float) -> str:
    """Mix a colour with white; `white` is the part of white from 0 to 1."""
    parts = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return "#" + "".join(f"{round((1 - white) * part + white * 255):02x}" for part in parts)
