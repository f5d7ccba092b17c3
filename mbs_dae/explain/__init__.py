"""Why something cannot be, in words."""
