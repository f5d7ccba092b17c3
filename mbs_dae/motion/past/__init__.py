"""What a run was before: what it carries from step to step, and how others go on from its states."""
