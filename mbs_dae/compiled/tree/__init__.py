"""Bodies that follow from joints: the velocity transformation, and the kernels of bodies and rows along a tree."""
