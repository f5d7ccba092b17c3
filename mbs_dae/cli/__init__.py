"""The command line: ``mbs-dae COMMAND MODEL.py``."""

from .commands import app, main
