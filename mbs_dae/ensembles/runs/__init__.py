"""Members of a study: the run of each, as its verb makes it."""
