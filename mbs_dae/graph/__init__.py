"""A mechanism as a graph: bodies are its nodes, joints its edges."""
