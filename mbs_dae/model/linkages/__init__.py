"""Linkages said in points, and what lies between them."""
