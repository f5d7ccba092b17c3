"""What all tests may ask for."""

from __future__ import annotations

import pytest


@pytest.fixture
def interpreted_kernels(monkeypatch):
    """New kernels are run by Python, not compiled: for tests of what they say (see `interpreted`)."""
    import interpreted

    from mbs_dae.kernels import cache

    monkeypatch.setattr(cache, "kernel", interpreted.kernel)
