"""Generate motions: couplers that take given poses."""
