"""Generate functions: linkages whose follower moves with the crank as y with x."""
