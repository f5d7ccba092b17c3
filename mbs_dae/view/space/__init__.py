"""Draw mechanisms in space on matplotlib's 3-D axes."""
