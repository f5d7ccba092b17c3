"""Generate paths: coupler points that pass given points."""
