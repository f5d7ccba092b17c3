"""The verbs: one file each, each reads like the algorithm in the book."""
