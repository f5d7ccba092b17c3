"""Statics with contacts: gaps that press or open, and poses that friction holds."""
