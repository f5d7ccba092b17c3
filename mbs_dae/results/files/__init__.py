"""Results in files and tables."""

from .exports import to_dataframe, to_xarray
from .formats import FORMATS, load, save
from .writing import file_at, replacing
