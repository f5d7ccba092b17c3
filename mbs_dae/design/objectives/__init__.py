"""Define objectives: numbers made of results, and their derivatives by the contents of results."""
