"""Islands of contacts: points that touch, as far as bodies feel each other through them and through joints. Compiled.

Islands of few rows are solved by elimination. So are larger ones with masses far below the heaviest: the sparse matrix
leaves residuals that are a part of the largest force of all, and may be as large as the forces on a light body. Where
all these have more rows than elimination takes, it takes the islands with light bodies; or only those whose own masses
are far apart. A light mass is recognised by the body, and by the effective mass along a row of contacts if no joint
holds the body: a rotor on an axle is as light as its inertia over the squared arm.
"""

from ...compiled.contact_records import Contacts
from ...kernels.abi import compiled, compiled_apart
from ...tolerances import MASS_CONTRAST
from ..mechanism_record import Mechanism
from .sizes import put_mobilities


@compiled_apart
def find_islands(mechanism: Mechanism) -> None:
    """Put 1 into `by_elimination` for the points that elimination solves, and into `own_column` and `own_row` for all
    columns and rows that their forces move or load."""
    contacts, pattern, few, most = mechanism.contacts, mechanism.machine.pattern, mechanism.contacts.points.few, 0.0
    choice, steps = contacts.choice, contacts.steps
    of, light, heavy = contacts.groups.joint_group, steps.island_light, steps.island_heavy
    put_mobilities(mechanism)
    for k in range(steps.island.size):
        steps.island[k], steps.island_rows[k], light[k], heavy[k] = k, 0, 1e300, 0.0
    for c in range(contacts.gap_row.size):
        if choice.touching[c] == 1:
            _join(contacts, c)
    for c in range(contacts.gap_row.size):
        k = _island_of(contacts, c) if choice.touching[c] == 1 else -1
        if k >= 0:
            light[k], heavy[k] = min(light[k], _lightest(contacts, c)), max(heavy[k], contacts.groups.heaviest[c])
            steps.island_rows[k] += contacts.slip_count[c] + (1 if contacts.gap_row[c] >= 0 else 0)
            most = max(most, heavy[k])
    if _count(contacts, few, most) > contacts.delassus.response.shape[0]:
        few = 0
    if _count(contacts, few, most) > contacts.delassus.response.shape[0]:
        most = 0.0
    for c in range(contacts.gap_row.size):
        k = _island_of(contacts, c) if choice.touching[c] == 1 else -1
        steps.by_elimination[c] = 1 if k >= 0 and _is_chosen(contacts, k, few, most) else 0
    for column in range(of.size):
        steps.own_column[column] = 1 if _is_chosen(contacts, _root(contacts, of[column]), few, most) else 0
    for e in range(pattern.jac_row.size):
        if steps.own_column[pattern.jac_column[e]] == 1:
            steps.own_row[pattern.jac_row[e]] = 1


@compiled
def _count(contacts: Contacts, few: int, most: float) -> int:
    """Return the number of rows that elimination would solve."""
    many = 0
    for k in range(contacts.steps.island.size):
        many += contacts.steps.island_rows[k] if _is_chosen(contacts, k, few, most) else 0
    return many


@compiled
def _is_chosen(contacts: Contacts, k: int, few: int, most: float) -> bool:
    """Return whether elimination solves an island: it has few rows, or a mass far below `most` or below another one of
    the island."""
    steps = contacts.steps
    light = steps.island_light[k] < MASS_CONTRAST * max(steps.island_heavy[k], most)
    return steps.island_rows[k] > 0 and (light or steps.island_rows[k] <= few)


@compiled
def _join(contacts: Contacts, c: int) -> None:
    """Join all groups of joints whose columns the rows of a point have."""
    rows, first = contacts.rows, _island_of(contacts, c)
    for k in range(-1, contacts.slip_count[c]):
        row = contacts.gap_row[c] if k < 0 else contacts.slip_row[c] + k
        for e in range(rows.at[row] if row >= 0 else 0, rows.at[row + 1] if row >= 0 else 0):
            if rows.value[e] != 0.0:
                contacts.steps.island[_root(contacts, contacts.groups.joint_group[rows.column[e]])] = first


@compiled
def _island_of(contacts: Contacts, c: int) -> int:
    """Return the island of a point, -1 if its rows have no entries."""
    rows, found = contacts.rows, -1
    for k in range(-1, contacts.slip_count[c]):
        row = contacts.gap_row[c] if k < 0 else contacts.slip_row[c] + k
        for e in range(rows.at[row] if row >= 0 else 0, rows.at[row + 1] if row >= 0 else 0):
            if rows.value[e] != 0.0 and found < 0:
                found = _root(contacts, contacts.groups.joint_group[rows.column[e]])
    return found


@compiled
def _root(contacts: Contacts, k: int) -> int:
    """Return the group of joints that stands for its island."""
    while contacts.steps.island[k] != k:
        k = contacts.steps.island[k]
    return k


@compiled
def _lightest(contacts: Contacts, c: int) -> float:
    """Return the least mass that a point moves."""
    delassus = contacts.delassus
    least = contacts.groups.lightest[c]
    for k in range(-1, contacts.slip_count[c]):
        row = contacts.gap_row[c] if k < 0 else contacts.slip_row[c] + k
        if row >= 0 and delassus.mobility[row] > 0.0:
            least = min(least, delassus.squared_length[row] / delassus.mobility[row])
    return least
