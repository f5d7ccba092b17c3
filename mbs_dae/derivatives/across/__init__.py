"""How motions that switch, or in which bodies meet, change with parameters."""
