"""Results in files and tables."""

from .formats import FORMATS, load, save
from .place import file_at, replacing
from .tables import to_dataframe, to_xarray
