"""The past of a run: the numbers carried from step to step, and how other runs go on from its states."""
