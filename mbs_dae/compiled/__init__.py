"""The compiled model: index maps, kernels, records of compiled code, and their evaluation."""

from .system import System, compile_model
