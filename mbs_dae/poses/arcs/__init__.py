"""One-dimensional motions followed by arc length, through turning points of whatever drives them."""
