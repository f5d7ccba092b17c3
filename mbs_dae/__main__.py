"""``python -m mbs_dae``: the command line."""

from .cli import main

main()
