"""Natural coordinates: bodies described by points and unit vectors, which they share."""
