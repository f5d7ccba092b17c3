"""Meshes of triangles that a body is drawn by: read from files, and thinned to what a drawing needs."""

from .mesh import mesh_of as mesh_of
