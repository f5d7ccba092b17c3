"""Pictures of results: curves over time, paths of points, and the mechanism itself, still or moving.

Nothing here is asked for geometry: bodies are drawn through their markers, joints as the textbook's symbols. Figures
are made without pyplot, so that no window, backend or global setting is touched.
"""
