"""Distribute the members of a study among workers and store their results."""
