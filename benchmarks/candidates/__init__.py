"""Methods of integration that were compared with DP8, as short as they can be: in Python, of fixed choices, with every
evaluation and projection counted."""
