"""Design with derivatives: gradients of objectives, best designs, fits to measurements, tolerances."""
