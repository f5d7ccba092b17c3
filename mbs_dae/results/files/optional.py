"""Packages that one format only needs."""

from importlib import import_module
from typing import Any

from ...errors import ModelError

EXTRAS = dict.fromkeys(("pandas", "xarray", "h5py", "h5netcdf", "openpyxl"), "data")
EXTRAS |= {"pyarrow": "parquet", "gymnasium": "learning"}
"""Which extra of ours brings each."""


def package(name: str, what: str) -> Any:
    """Return the imported package, or raise an error that `what` needs it."""
    try:
        return import_module(name)
    except ImportError as exc:
        raise ModelError(f"{what} needs {name}; install it with: pip install 'mbs_dae[{EXTRAS[name]}]'") from exc
