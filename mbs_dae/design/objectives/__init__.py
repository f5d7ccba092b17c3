"""Objectives: numbers that are made of results, and how they change with what results hold."""
