"""The equations of a model as polynomials, with all their numbers as variables, on many poses side by side."""
