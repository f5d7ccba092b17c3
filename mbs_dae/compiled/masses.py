"""The mass matrix with all its entries; the core does not form it where M is that of a tree."""

import numpy as np
import scipy.sparse as sps

from ..linear.tree.articulated import given_to
from .machine import Machine
from .system import System
from .tree.transformation import form_masses


def mass_matrix(system: System, machine: Machine) -> sps.csr_matrix:
    """Return M, with all its entries, of the last evaluation of a machine."""
    factor, entries, n = machine.factor, system.structure.entries(formed=True), system.structure.columns
    weight, beside = factor.weight, factor.beside
    if machine.pattern.tree.edges > 0:
        weight, beside = np.zeros(n), np.zeros(entries.block_row.size)
        at = system.transformation(dynamic=True, formed=True)
        for mine, given in zip((at.tree.twist, at.tree.arm, at.inertia), given_to(factor.limbs), strict=True):
            mine[:] = given
        form_masses(at, weight, beside)
    below = sps.csr_matrix((beside, (entries.block_row, entries.block_column)), (n, n))
    return sps.csr_matrix(below + below.T + sps.diags(weight))
