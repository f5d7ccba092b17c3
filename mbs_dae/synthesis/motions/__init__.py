"""Couplers that take given poses."""
