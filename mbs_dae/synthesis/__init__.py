"""Which dimensions of a linkage make it do what is wanted: functions, motions, paths."""
