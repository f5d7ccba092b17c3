"""Who runs the members of a study, and where they are kept."""
