"""Linkages given by points, and the bodies between them."""
