"""Serve a page whose changes the solver answers.

`runs` moves the model of a file, `requests` reads requests of a page, `answers` writes the replies, `session` holds the
file as it was last read, and `server` listens."""
