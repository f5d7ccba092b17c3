"""Describe the drawing of a mechanism: points that ride on bodies or stretch between them, and their looks. A figure or
a page draws these pieces; this package knows no canvas."""
