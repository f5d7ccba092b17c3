"""Small motions of many poses at once. Compiled."""

from ..kernels.abi import compiled_apart
from ..kernels.blocks import Matrix
from .manifold import Manifold, difference, move


@compiled_apart
def move_poses(manifold: Manifold, q: Matrix, steps: Matrix) -> None:
    """Move each pose, a row of q, by the small motion in the same row of `steps`, in place."""
    for k in range(q.shape[0]):
        move(manifold, q[k], steps[k])


@compiled_apart
def differ_poses(manifold: Manifold, q0: Matrix, q1: Matrix, out: Matrix) -> None:
    """Put the small motions from the rows of q0 to those of q1 into the rows of out."""
    for k in range(q0.shape[0]):
        difference(manifold, q0[k], q1[k], out[k])
