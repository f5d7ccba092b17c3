"""Draw charts of special results: sweeps, studies, shares of loads, curves of poses."""
