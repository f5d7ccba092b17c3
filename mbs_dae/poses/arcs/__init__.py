"""One-dimensional motions followed by arc length, through turning points of their drivers."""
