"""Motions over time: derivatives, steps, their control, stabilisation and record, and where a run begins."""
