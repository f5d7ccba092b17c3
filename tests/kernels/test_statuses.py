"""The answers of compiled solvers."""

from mbs_dae.compiled import status
from mbs_dae.compiled.status import Status


def test_every_status_has_its_number_in_compiled_code():
    """Compiled code compares plain integers of the same names."""
    assert {one.name: getattr(status, one.name) for one in Status} == {one.name: one.value for one in Status}
    assert all(type(getattr(status, one.name)) is int for one in Status)


def test_no_two_statuses_are_one():
    assert len({one.value for one in Status}) == len(Status.__members__)
