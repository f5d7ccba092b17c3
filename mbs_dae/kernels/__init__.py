"""Source code to machine code: one calling convention, one disk cache."""
