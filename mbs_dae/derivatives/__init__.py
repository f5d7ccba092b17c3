"""How motions and loads depend on parameters."""
