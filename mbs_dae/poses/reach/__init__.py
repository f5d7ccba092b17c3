"""Inverse geometric models: poses in which markers reach their targets."""
