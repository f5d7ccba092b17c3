"""Run studies of many designs, store their results and read them."""
