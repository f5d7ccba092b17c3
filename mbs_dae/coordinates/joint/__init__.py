"""Joint coordinates: a tree of joints, whose coordinates give the places of all bodies."""
