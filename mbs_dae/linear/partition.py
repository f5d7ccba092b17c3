"""Groups of laws of contact that do not depend on each other, found by the entries of W and of bounds. Compiled."""

from typing import NamedTuple

from ..kernels.abi import compiled
from ..kernels.blocks import Integers, Work, zeros
from .complementarity import Complementarity


class LawPartition(NamedTuple):
    """Groups of laws of contact that do not depend on each other."""

    part: Complementarity = Complementarity()
    """The problem of one group."""
    queue: Work[Integers] = zeros("laws")
    """The laws, group after group."""
    begin: Work[Integers] = zeros("laws_and_one")
    """The beginning of each group in the queue."""
    seen: Work[Integers] = zeros("laws")
    """1 for each law that is in the queue."""
    unknown: Work[Integers] = zeros("unknowns")
    """The unknown of the whole problem for each unknown of the part."""


@compiled
def put_into_groups(p: Complementarity, partition: LawPartition) -> int:
    """Put the laws of the problem into `queue`, group after group, group k from `begin`[k] on; return the number of
    groups. Laws are in one group if entries of W or of a bound connect them, directly or over others."""
    queue, begins = partition.queue, partition.begin
    laws, filled, groups = p.counts[0], 0, 0
    for law in range(laws):
        partition.seen[law] = 0
    for start in range(laws):
        if partition.seen[start] == 1:
            continue
        begins[groups], groups = filled, groups + 1
        queue[filled], partition.seen[start], at = start, 1, filled
        filled += 1
        while at < filled:
            law = queue[at]
            at += 1
            for other in range(laws):
                if partition.seen[other] == 0 and (_is_felt(p, law, other) or _is_felt(p, other, law)):
                    queue[filled], partition.seen[other] = other, 1
                    filled += 1
    begins[groups] = filled
    return groups


@compiled
def _is_felt(p: Complementarity, law: int, other: int) -> bool:
    """Return whether the unknowns of `law` occur in `other`."""
    for j in range(p.first[law], p.first[law + 1]):
        for i in range(p.first[other], p.first[other + 1]):
            if p.W[i, j] != 0.0:
                return True
        for row in range(p.bound_at[other], p.bound_at[other + 1]):
            if p.B[row, j] != 0.0:
                return True
    return False


@compiled
def take_group(whole: Complementarity, partition: LawPartition, group: int) -> None:
    """Put the problem of one group into `part`, and the numbers of its unknowns in the whole problem into `unknown`."""
    part, place = partition.part, partition.unknown
    begin, end, n, rows = partition.begin[group], partition.begin[group + 1], 0, 0
    for k in range(begin, end):
        law = partition.queue[k]
        part.first[k - begin], part.bound_at[k - begin], part.mu[k - begin] = n, rows, whole.mu[law]
        for i in range(whole.first[law], whole.first[law + 1]):
            place[n], n = i, n + 1
        rows += whole.bound_at[law + 1] - whole.bound_at[law]
    part.first[end - begin], part.bound_at[end - begin], part.counts[0] = n, rows, end - begin
    for i in range(n):
        part.w0[i], part.f[i], part.heading[i] = whole.w0[place[i]], whole.f[place[i]], whole.heading[place[i]]
        for j in range(n):
            part.W[i, j] = whole.W[place[i], place[j]]
    rows = 0
    for k in range(begin, end):
        law = partition.queue[k]
        for row in range(whole.bound_at[law], whole.bound_at[law + 1]):
            part.b[rows] = whole.b[row]
            for j in range(n):
                part.B[rows, j] = whole.B[row, place[j]]
            rows += 1


@compiled
def give_back(whole: Complementarity, partition: LawPartition) -> None:
    """Put f and w of the problem of one group into the whole problem."""
    part = partition.part
    for i in range(part.first[part.counts[0]]):
        whole.f[partition.unknown[i]], whole.w[partition.unknown[i]] = part.f[i], part.w[i]
