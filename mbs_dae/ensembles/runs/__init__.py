"""Run the members of a study as their verb would run them."""
