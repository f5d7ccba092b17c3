"""``python -m mbs_dae.cli``."""

from .commands import main

main()
