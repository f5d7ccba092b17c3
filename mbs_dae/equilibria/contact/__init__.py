"""Statics where bodies touch: what presses, what opens, what friction holds."""
