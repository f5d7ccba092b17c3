"""Time integration: the steppers, their step control, stabilisation and record, each by itself. Compiled."""
