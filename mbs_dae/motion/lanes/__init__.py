"""Eight runs of one structure side by side: the stages of their steps, in lanes (decision 073)."""
