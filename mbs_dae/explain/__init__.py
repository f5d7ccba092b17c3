"""Explanations of failures, in words."""
