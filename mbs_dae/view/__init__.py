"""Draw results: curves over time, paths of points, and the mechanism itself, still or moving.

Pictures need no geometry from the user: bodies are drawn through their markers, joints as the textbook's symbols.
Figures are made without pyplot, so that no window, backend or global setting is touched."""
