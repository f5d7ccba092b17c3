"""Meshes of triangles with which a body is drawn: read from files, and thinned for drawing."""

from .mesh import mesh_of as mesh_of
