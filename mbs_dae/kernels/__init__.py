"""Machine code from source code: one calling convention, one disk cache."""
