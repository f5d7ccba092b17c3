"""The frozen, compiled thing: index maps, kernels, the KKT solver, and what runs on them."""

from .system import System, compile_model
