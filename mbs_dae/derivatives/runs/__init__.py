"""Runs whose steps are made again: their derivatives ahead, and gradients back through them."""
