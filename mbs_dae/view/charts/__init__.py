"""Charts of results of their own kind: sweeps, studies, shares of loads, curves of poses."""
