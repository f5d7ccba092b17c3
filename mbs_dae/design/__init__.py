"""The room of design, which stands on derivatives: gradients of objectives, best designs, fits to measurements,
tolerances."""
