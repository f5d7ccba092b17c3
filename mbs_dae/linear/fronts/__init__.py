"""The elimination of a sparse symmetric matrix front by front, with a straight-line kernel for each shape of front."""
