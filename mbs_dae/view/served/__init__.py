"""A page that is served: the core answers what its reader changes.

`runs` says what a model file gives and moves it, `independent` which values a motion may begin with, `asked` reads what
a page asks for, `answers` writes what it is told, `session` keeps the file as it was read last, and `server` listens.
"""
