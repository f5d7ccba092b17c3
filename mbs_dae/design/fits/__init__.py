"""Numbers of a model from measurements, and how sure they are."""
