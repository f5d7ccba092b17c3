"""How equilibria, and the laws of small motions about them, change with parameters."""
